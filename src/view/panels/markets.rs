//! The list of markets, one line each, from the price source.

use super::title;
use crate::{
    app::{
        Model, account::poll::Source, dialogs::overlay::Markets, keys::keymap::Context,
        tables::click_target::ClickTarget,
    },
    model::{Grid, Market, Num, Timestamp},
    view::{
        tables::positions::{side_now, sparkline},
        text::{
            format,
            listed::{self, ListView},
            scene::Scene,
            span::{Span, Tone},
            table::{
                Align::{Left, Number},
                Cell, Column, Table, TableRow,
            },
            words::{self, aside, known},
        },
    },
};
use std::collections::BTreeMap;

/// In a narrow window, columns needed to write an order are dropped last.
const COLUMNS: &[Column<Market>] = &[
    Column::new("market", "market", Left, 0, |m, scene| {
        scene.market(&m.id).into()
    }),
    Column::new("mark_price", "mark", Number, 0, |m, _| priced(m, m.mark)),
    Column::new("change", "change", Number, 1, change),
    Column::new("bid_price", "bid", Number, 4, |m, _| priced(m, m.bid)),
    Column::new("ask_price", "ask", Number, 4, |m, _| priced(m, m.ask)),
    Column::new("funding_rate", "funding/h", Number, 2, |m, _| {
        known(m.funding_rate.map(format::exact_percent)).into()
    }),
    Column::new("tick", "tick", Number, 5, |m, _| tick(m)),
    Column::new("lot", "lot", Number, 5, |m, _| {
        aside(
            m.size_decimals
                .map(|decimals| Num::new(1, decimals).to_string()),
        )
    }),
    Column::new("max_leverage", "max lev", Number, 3, |m, _| {
        aside(m.max_leverage.map(|most| format!("{most}×")))
    }),
    Column::new("position", "open", Left, 1, open),
    Column::new("course", "15m", Left, 6, |m, scene| sparkline(&m.id, scene)),
];

/// As many lines as fit into `room`, including the chosen one.
pub fn markets(model: &Model, list: &Markets, scene: &Scene<'_>, room: usize) -> ListView {
    let rows = list.rows(scene.store);
    let chosen = list.place(&rows);
    let seen = listed::seen(rows.len(), chosen, room);
    let shown = rows.get(seen.clone()).unwrap_or_default();
    let lines = shown
        .iter()
        .map(|row| TableRow::cells(COLUMNS, *row, scene));
    ListView {
        title: heading(model, list, (rows.len(), scene)),
        table: Table::new(COLUMNS, lines.collect()),
        chosen: chosen - seen.start,
        spots: shown
            .iter()
            .map(|row| ClickTarget::Market(row.id.clone()))
            .collect(),
        emptiness: emptiness(model, list),
    }
}

/// How many, the search, their age, and since when changes are measured.
fn heading(model: &Model, list: &Markets, (shown, scene): (usize, &Scene<'_>)) -> Vec<Span> {
    let all = scene.store.markets.value().map_or(0, BTreeMap::len);
    let mut spans = vec![Span::new("Markets", Tone::Accent)];
    spans.extend(listed::count(&list.search, shown, all));
    for words in title::source_words(model, Source::Markets) {
        spans.extend([Span::plain("  "), words]);
    }
    if let Some(since) = since(scene) {
        let since = scene.zone.moment(scene.on_wall(since), scene.now);
        spans.push(Span::muted(format!("  change since {since}")));
    }
    spans
}

/// Why the list is empty: no data yet, or no match.
fn emptiness(model: &Model, list: &Markets) -> Vec<Span> {
    let markets = &model.account.store.markets;
    match (markets.value(), markets.trouble()) {
        (None, None) => return vec![Span::muted(" loading…")],
        (None, Some(why)) => return vec![Span::new(format!(" {why}"), Tone::Alert)],
        (Some(markets), _) if markets.is_empty() => {
            return vec![Span::muted(" the price source lists no market")];
        }
        (Some(_), _) => {}
    }
    let none = " no market is called ";
    listed::nothing_found(model, Context::Markets, none, &list.search)
}

/// When this desk first saw a price: no source has older ones.
fn since(scene: &Scene<'_>) -> Option<Timestamp> {
    let first = scene.store.prices.values();
    first
        .filter_map(|prices| Some(prices.marks.front()?.0))
        .min()
}

fn priced(market: &Market, price: Option<Num>) -> Cell {
    known(price.map(|price| format::average(price, Some(market)))).into()
}

/// Unknown for a market seen for less time than the heading says.
fn change(market: &Market, scene: &Scene<'_>) -> Cell {
    known(session_change(market, scene).map(format::signed_percent)).into()
}

/// By which share the mark has moved since this desk first saw a price.
pub(crate) fn session_change(market: &Market, scene: &Scene<'_>) -> Option<Num> {
    let (at, first) = scene.store.prices.get(&market.id)?.marks.front()?;
    let mark = market.mark.filter(|_| Some(*at) == since(scene))?;
    mark.minus(*first)?.over(*first)
}

/// An estimate if the source does not state it.
fn tick(market: &Market) -> Cell {
    let tick = market.mark.and_then(|mark| market.tick(mark));
    let step = tick.map(|tick| match market.grid {
        Grid::Figures(_) | Grid::Step(_) => tick.step().to_string(),
        Grid::Guessed => format!("est. {}", tick.step()),
    });
    aside(step)
}

/// The open positions. Empty only if all open positions are known.
fn open(market: &Market, scene: &Scene<'_>) -> Cell {
    let positions = scene.store.positions.rows().iter();
    let mut spans = vec![];
    for held in positions.filter(|held| held.market_id == market.id) {
        let apart = if spans.is_empty() { "" } else { "  " };
        let size = format!(" {}", words::position_size(held, scene));
        spans.extend([Span::plain(apart), side_now(held, scene), Span::plain(size)]);
    }
    let is_known = scene.store.polled_at(Source::Positions).is_some()
        && !scene.store.is_incomplete(Source::Positions);
    if spans.is_empty() && !is_known {
        return Span::unknown().into();
    }
    spans.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing::*, update},
        model::Page,
        view::text::{format::Zone, table::RowBody},
    };
    use std::time::Duration;

    /// The named column of each market.
    fn told(model: &Model, column: &str) -> Vec<String> {
        let zone = Zone::utc();
        let scene = Scene::of(model, &zone);
        let at = COLUMNS.iter().position(|c| c.id == column).unwrap();
        let list = markets(model, &Markets::default(), &scene, 10);
        let cells = list.table.rows.into_iter().map(|row| match row.body {
            RowBody::Cells(cells) => cells[at].text(),
            RowBody::Line(_) | RowBody::Rule(_) => panic!("no row"),
        });
        cells.collect()
    }

    #[test]
    fn a_change_is_since_the_first_price_seen_and_not_known_of_what_was_listed_later() {
        let mut model = desk();
        let later = model.account.now.plus(Duration::from_mins(1));
        update(&mut model, later, crate::app::Msg::Tick);
        let markets = vec![
            market("BTC", "64639", "64641", (5, 40)),
            market("ETH", "2999.9", "3000.1", (4, 25)),
            market("XRP", "2.0", "2.2", (0, 10)),
        ];
        arrive(&mut model, Answer::Markets(Ok(markets)));
        assert_eq!(told(&model, "change"), ["+1.00%", "0.00%", "–"]);
    }

    #[test]
    fn nothing_open_is_said_only_where_all_that_is_open_is_known() {
        let mut model = desk();
        assert_eq!(
            told(&model, "position"),
            ["LONG 0.50000", "", "SHORT 100.00"]
        );
        let mut part = Page::of(vec![position("pos-1", "BTC", "0.5", r#""leverage":10"#)]);
        part.unreadable.push("row 1: no id".into());
        arrive(&mut model, Answer::Positions(Ok(part)));
        assert_eq!(told(&model, "position"), ["LONG 0.50000", "–", "–"]);
    }
}
