//! The markets of the list shown, in their order, and what they are sorted by.

use crate::{
    app::account::{
        pane::Direction,
        store::Store,
        watchlists::{MarketSort, WatchlistEdit},
    },
    model::{Market, Num, Timestamp},
};
use std::cmp::Reverse;

/// What one market is compared by; `None` where it is unknown.
type SortValue = fn(&Market, &Store) -> Option<Num>;

/// The columns that sort, in their order, by the id of the column. Without one, a list has its own order.
pub const SORTS: &[(&str, SortValue)] = &[
    ("mark_price", |market, _| market.mark),
    ("change", session_change),
    ("bid_price", |market, _| market.bid),
    ("ask_price", |market, _| market.ask),
    ("funding_rate", |market, _| market.funding_rate),
    ("next_funding", |market, _| {
        market.day.next_funding_at.map(|at| at.0.into())
    }),
    ("day_change", |market, _| market.day.change),
    ("day_volume", |market, _| market.day.volume),
    ("open_interest", |market, _| market.day.open_interest),
    ("tick", |market, _| Some(market.tick(market.mark?)?.step())),
    ("lot", |market, _| Some(Num::new(1, market.size_decimals?))),
    ("max_leverage", |market, _| {
        market.max_leverage.map(|most| i64::from(most).into())
    }),
    ("position", open_value),
];

/// The markets of the list shown, in its own order.
pub fn watched(store: &Store) -> Vec<&Market> {
    let Some(markets) = store.markets.value() else {
        return vec![];
    };
    match store.watchlists.shown() {
        None => markets.values().collect(),
        Some(list) => list
            .markets
            .iter()
            .filter_map(|id| markets.get(id))
            .collect(),
    }
}

/// Sorts as the trader chose. What is unknown comes last, either way.
pub(crate) fn sort(markets: &mut [&Market], store: &Store) {
    let sort = store.watchlists.sort();
    let Some((sort, (_, value))) = sort.and_then(|sort| Some((sort, SORTS.get(sort.column)?)))
    else {
        return;
    };
    let key = |market: &&Market| {
        let value = value(market, store);
        (value.is_none(), value)
    };
    match sort.direction {
        Direction::Ascending => markets.sort_by_cached_key(key),
        Direction::Descending => markets.sort_by_cached_key(|market| {
            let (is_unknown, value) = key(market);
            (is_unknown, Reverse(value))
        }),
    }
}

/// When this desk first saw a price: no source has older ones.
pub fn prices_since(store: &Store) -> Option<Timestamp> {
    let prices = store.prices.values();
    prices
        .filter_map(|prices| Some(prices.marks.front()?.0))
        .min()
}

/// Sorts by the next column; after the last one comes the list's own order.
pub(crate) fn next_sort(store: &Store) -> WatchlistEdit {
    let sort = store.watchlists.sort();
    let column = sort.map_or(0, |sort| sort.column + 1);
    let direction = sort.map_or(Direction::Descending, |sort| sort.direction);
    let next = MarketSort { column, direction };
    WatchlistEdit::Sort((column < SORTS.len()).then_some(next))
}

pub(crate) fn turn_sort(store: &Store) -> WatchlistEdit {
    let Some(sort) = store.watchlists.sort() else {
        return next_sort(store);
    };
    let direction = sort.direction.turned();
    WatchlistEdit::Sort(Some(MarketSort { direction, ..sort }))
}

/// By which share the mark has moved since this desk first saw a price; unknown for a market seen for less time.
pub fn session_change(market: &Market, store: &Store) -> Option<Num> {
    let (at, first) = store.prices.get(&market.id)?.marks.front()?;
    let mark = market.mark.filter(|_| Some(*at) == prices_since(store))?;
    mark.minus(*first)?.over(*first)
}

/// What the open positions of the market are worth.
fn open_value(market: &Market, store: &Store) -> Option<Num> {
    let positions = store.positions.rows().iter();
    let mut held = positions
        .filter(|held| held.market_id == market.id)
        .peekable();
    held.peek()?;
    held.try_fold(Num::ZERO, |sum, held| {
        sum.plus(held.size.abs().times(market.mark?)?)
    })
}
