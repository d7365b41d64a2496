//! What stands in the border of a panel of the market: its key, its name, its market, how old its data is.

use crate::{
    app::{Action, CandleOrigin, ClickTarget, Context, MarketPanel, Model, Source},
    model::{MarketId, Venue},
    view::{
        panels::title::Title,
        text::{
            Span,
            age::{Lateness, age_words},
            words,
        },
    },
};
use std::time::Duration;

/// How often what is shown of the market is renewed where no interval of the prices is set.
const RENEWED: Duration = Duration::from_secs(2);

/// The title of a panel, or of the tab that stands for it.
pub fn panel_title(model: &Model, panel: MarketPanel) -> Title {
    let (name, short, action) = match panel {
        MarketPanel::Chart => ("Chart", "Chart", Action::MarketChart),
        MarketPanel::Ladder => ("Ladder", "Ladder", Action::PriceLadder),
    };
    Title {
        spot: ClickTarget::Panel(panel),
        key: words::key(model, Context::Desk, action),
        name,
        short,
        count: counted(model, panel),
        freshness: match panel {
            MarketPanel::Chart => candle_notes(model),
            MarketPanel::Ladder => vec![],
        },
    }
}

/// `BTC 1m`, and whether it is pinned.
fn counted(model: &Model, panel: MarketPanel) -> String {
    let screen = &model.market_screen;
    let interval = || screen.chart.interval.to_string();
    let parts = [
        screen
            .market()
            .map(|id| model.account.store.names.shown(id).to_string()),
        (panel == MarketPanel::Chart).then(interval),
        screen.is_pinned().then(|| "pinned".to_owned()),
    ];
    words::listed(parts, " ")
}

/// `from binance`: that the venue of a market serves it, not the service.
pub(super) fn venue_note(model: &Model, market: &MarketId) -> Option<Span> {
    let store = &model.account.store;
    let is_by_venue = store.streams.by_venue.includes(market);
    let listed = store.market(market).map(|market| market.provider.raw());
    let venue = Venue::of(listed.unwrap_or(market.provider())).filter(|_| is_by_venue)?;
    Some(Span::muted(format!("from {venue}")))
}

/// Who made the candles, what is wrong with them, and how old the newest is.
fn candle_notes(model: &Model) -> Vec<Span> {
    let screen = &model.market_screen;
    let market = screen.market();
    let series = market.and_then(|id| model.account.market_data.candles(id, screen.chart.interval));
    let Some(series) = series else {
        return vec![];
    };
    let is_built = series.origin() == CandleOrigin::SeenMarks;
    let unreadable = Some(series.unreadable()).filter(|count| *count > 0);
    let interval = model.account.options.intervals.get(&Source::Markets);
    let interval = interval.copied().unwrap_or(RENEWED).max(RENEWED);
    let age = series.age(model.account.now);
    let age = age.map(|age| {
        age_words(
            age,
            Lateness::of(age, interval),
            model.account.options.motion,
        )
    });
    let from = market.filter(|_| !is_built);
    let notes = [
        from.and_then(|market| venue_note(model, market)),
        is_built.then(|| Span::muted("built from marks seen here")),
        series.awaits_older().then(|| Span::info("loading older…")),
        unreadable.map(|count| Span::warn(format!("{count} unreadable"))),
        series.trouble().map(|why| Span::warn(why.kind.word())),
        age,
    ];
    notes.into_iter().flatten().collect()
}
