//! What stands in the border of a panel of the market: its key, its name, its market, how old its data is.

use crate::{
    app::{
        Action, CandleOrigin, ClickTarget, Context, MarketPanel, Model, Source,
        market::two_charts::ShownChart, series_of,
    },
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
    let screen = &model.market_screen;
    match panel {
        MarketPanel::Chart => Title {
            spot: ClickTarget::Panel(panel),
            ..chart_title(model, screen.front_chart())
        },
        MarketPanel::Ladder => Title {
            spot: ClickTarget::Panel(panel),
            key: words::key(model, Context::Desk, Action::PriceLadder),
            name: "Ladder",
            short: "Ladder",
            count: words::listed([shown(model, screen.market()), pinned(model)], " "),
            freshness: vec![],
        },
    }
}

/// The title of one of the charts. Only the one that has the keys says whether its market is pinned.
pub fn chart_title(model: &Model, chart: ShownChart<'_>) -> Title {
    let is_front = chart.side == model.market_screen.front_chart().side;
    let count = [
        shown(model, chart.market),
        Some(chart.chart.interval.to_string()),
        pinned(model).filter(|_| is_front),
    ];
    Title {
        spot: ClickTarget::ChartOn(chart.side),
        key: words::key(model, Context::Desk, Action::MarketChart),
        name: "Chart",
        short: "Chart",
        count: words::listed(count, " "),
        freshness: candle_notes(model, chart),
    }
}

fn shown(model: &Model, market: Option<&MarketId>) -> Option<String> {
    market.map(|id| model.account.store.names.shown(id).to_string())
}

fn pinned(model: &Model) -> Option<String> {
    let is_pinned = model.market_screen.is_pinned();
    is_pinned.then(|| "pinned".to_owned())
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
fn candle_notes(model: &Model, chart: ShownChart<'_>) -> Vec<Span> {
    let Some(series) = series_of(&model.account.market_data, chart) else {
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
    let from = chart.market.filter(|_| !is_built);
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
