//! The markets in one line: the price of each, how it has moved in this session, and which one is shown.

use crate::{
    app::{
        Model, has_market,
        market::watched::{session_change, watched as watched_markets},
    },
    model::{Market, MarketId, Num},
    view::{
        dialogs::markets::pays_in,
        tables::positions::sparkline_text,
        text::{Scene, Span, Tone, format},
    },
};

/// Before the market shown, and where it is pinned.
pub const SHOWN: &str = "▸";
pub const PINNED: &str = "◆";
/// The width of a change, as wide as `-12.34%`: a change that appears or grows must not move the line.
const CHANGE: usize = 7;
/// The width of a sparkline.
pub const SPARKLINE: usize = 10;

/// One market of the line. Where room is short, its last fields are left out first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedMarket {
    pub id: MarketId,
    pub is_shown: bool,
    /// The sign, the name, the last price.
    pub price: Vec<Span>,
    pub change: Vec<Span>,
    pub funding: Vec<Span>,
    /// The last day of the market shown; empty of the others.
    pub day: Vec<Span>,
}

/// The number of markets in the list; 0 on a screen without market data.
pub fn watched_count(model: &Model) -> usize {
    listed(model).len()
}

/// The markets of the list shown, before them the one on the screen if it is not on the list.
fn listed(model: &Model) -> Vec<&Market> {
    if !has_market(model) {
        return vec![];
    }
    let store = &model.account.store;
    let mut markets = watched_markets(store);
    let is_listed = |id: &MarketId| markets.iter().any(|market| market.id == *id);
    let shown = model.market_screen.market().filter(|id| !is_listed(id));
    if let Some(shown) = shown.and_then(|id| store.market(id)) {
        markets.insert(0, shown);
    }
    markets
}

/// At most `most` markets of the line, including the one shown.
pub fn watchlist(model: &Model, scene: &Scene<'_>, most: usize) -> Vec<WatchedMarket> {
    let listed = listed(model);
    let shown = model.market_screen.market();
    let at = listed.iter().position(|known| Some(&known.id) == shown);
    let first = (at.unwrap_or(0) + 1).saturating_sub(most);
    let markets = listed.into_iter().skip(first).take(most);
    markets
        .map(|market| watched(market, model, scene))
        .collect()
}

/// The mark over the last 15 minutes; blank while unknown.
pub fn sparkline(market: &MarketId, scene: &Scene<'_>) -> Span {
    let sparkline = sparkline_text(market, SPARKLINE, scene).unwrap_or_default();
    Span::muted(format!(" {sparkline:<SPARKLINE$}"))
}

fn watched(market: &Market, model: &Model, scene: &Scene<'_>) -> WatchedMarket {
    let screen = &model.market_screen;
    let is_shown = screen.market() == Some(&market.id);
    let sign = match (is_shown, screen.is_pinned()) {
        (true, true) => PINNED,
        (true, false) => SHOWN,
        (false, _) => " ",
    };
    let (name, price) = if is_shown {
        (Tone::Accent, Tone::Strong)
    } else {
        (Tone::Muted, Tone::Plain)
    };
    let last = market.mark.map(|mark| format::average(mark, Some(market)));
    let last = last.map_or_else(Span::unknown, |last| scene.priced(Span::new(last, price)));
    let funding = market.funding_rate.map(|rate| {
        let due = pays_in(market, scene).filter(|_| is_shown);
        let due = due.map_or_else(String::new, |left| format!(" in {left}"));
        let words = format!(" f {}{due}", format::exact_percent(rate));
        vec![Span::muted(words)]
    });
    WatchedMarket {
        id: market.id.clone(),
        is_shown,
        price: vec![
            Span::new(format!("{sign}{} ", scene.market(&market.id).text), name),
            last,
        ],
        change: vec![change(session_change(market, scene.store))],
        funding: funding.unwrap_or_default(),
        day: if is_shown { day(market) } else { vec![] },
    }
}

/// `  24h -1.23%  vol 34.5M  OI 1.2B`, as far as it is known.
fn day(market: &Market) -> Vec<Span> {
    let stats = &market.day;
    let words = [
        stats
            .change
            .map(|change| format!("  24h {}", format::signed_percent(change))),
        stats
            .volume
            .map(|volume| format!("  vol {}", format::short_usd(volume))),
        stats
            .open_interest
            .map(|open| format!("  OI {}", format::short_usd(open))),
    ];
    words.into_iter().flatten().map(Span::muted).collect()
}

/// `+1.20%`, with room for the widest.
fn change(share: Option<Num>) -> Span {
    let words = share.map_or_else(|| format::UNKNOWN.to_owned(), format::signed_percent);
    let tone = match share {
        Some(share) if share.is_negative() => Tone::Bad,
        Some(share) if share.is_positive() => Tone::Good,
        Some(_) | None => Tone::Muted,
    };
    Span::new(format!(" {words:>CHANGE$}"), tone)
}
