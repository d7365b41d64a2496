//! Which market the market screen shows: that of the row under the cursor, unless one is pinned.

use super::model::Model;
use crate::{
    app::{
        account::{remote::Remote, row_id::RowId, store::Store},
        market::{
            candles::CandleSeries,
            data::MarketData,
            screen::{LayoutPreset, MarketPanel},
            two_charts::ShownChart,
            wanted_data::{CandleWant, LADDER_EVERY, SHOWN_EVERY, WantedMarketData},
            width_tier::WidthTier,
        },
    },
    model::{MarketId, Tick},
};
use std::time::Duration;

/// Keeps the market shown with the cursor, after whatever has happened.
pub(crate) fn follow(model: &mut Model) {
    let row = model.selected_in(model.focus.pane).map(|(_, row)| row);
    let of_row = row.and_then(|row| market_of(model, &row));
    let is_known = model.market_screen.market().is_some();
    let market = of_row.or_else(|| (!is_known).then(|| first(&model.account.store))?);
    model.market_screen.follow(market, model.account.now);
    if model.focus.panel.is_some() {
        model.market_screen.follow_at_once();
    }
    if !has_market(model) {
        model.focus.panel = None;
    }
    // Another place has the keys: the chart is no longer on the whole screen.
    if model.focus.panel != Some(MarketPanel::Chart)
        && let Some(visit) = model.market_screen.end_visit()
    {
        model.focus.zoomed = visit.was_zoomed;
    }
}

/// Before any row is chosen: the market of the first position, else the first that is listed.
fn first(store: &Store) -> Option<MarketId> {
    let positions = store.positions.rows().first();
    let of_position = positions.map(|position| position.market_id.clone());
    let listed = || store.markets.value()?.keys().next().cloned();
    of_position.or_else(listed)
}

/// Whether there is a market to show: the service lists some.
pub fn has_market(model: &Model) -> bool {
    let listed = model.account.store.markets.value();
    listed.is_some_and(|listed| !listed.is_empty()) && model.market_screen.market().is_some()
}

/// Whether the screen has room for a market: there is one, or the first list of them is still awaited. The panels do not
/// move when it comes.
pub fn has_room_for_market(model: &Model) -> bool {
    let is_awaited = matches!(model.account.store.markets, Remote::Loading);
    (is_awaited && model.account.options.lists_markets) || has_market(model)
}

/// The panels of the market that have a place on the screen.
pub fn panels(model: &Model) -> &'static [MarketPanel] {
    if has_room_for_market(model) {
        MarketPanel::ALL
    } else {
        &[]
    }
}

/// The panels of the market that are on the screen now.
pub(crate) fn shown(model: &Model) -> Vec<MarketPanel> {
    let (screen, has_keys) = (&model.market_screen, model.focus.panel);
    if screen.tier == WidthTier::TooSmall {
        return vec![];
    }
    let all = panels(model);
    if model.focus.zoomed || screen.preset(screen.tier) != LayoutPreset::Market {
        return has_keys.into_iter().collect();
    }
    let front = screen.front().filter(|front| all.contains(front));
    match screen.tier {
        WidthTier::Wide => all.to_vec(),
        WidthTier::Medium => front.into_iter().collect(),
        WidthTier::Column | WidthTier::List => has_keys.into_iter().collect(),
        WidthTier::TooSmall => vec![],
    }
}

/// Levels a side that the ladder requests: more than a screen has rows, since several make one grouped row.
const LADDER_DEPTH: u32 = 200;

/// What must be polled since the panels on the screen show it.
pub fn want_shown(model: &Model, wanted_data: &mut WantedMarketData) {
    let Some(market) = model.market_screen.market() else {
        return;
    };
    for panel in shown(model) {
        match panel {
            MarketPanel::Chart => {
                let wanted = charts(model).into_iter();
                let wanted = wanted.filter_map(|chart| candles_wanted(model, chart));
                wanted_data.candles = wanted.collect();
            }
            MarketPanel::Ladder => {
                wanted_data.want_ladder(market.clone(), LADDER_DEPTH, ladder_every(model));
            }
        }
    }
}

/// Twice a second where prices are acted on, else with the account.
fn ladder_every(model: &Model) -> Duration {
    let is_acted_on = model.focus.panel == Some(MarketPanel::Ladder);
    if is_acted_on || model.price_ladder.disarms_at().is_some() {
        LADDER_EVERY
    } else {
        SHOWN_EVERY
    }
}

fn candles_wanted(model: &Model, shown: ShownChart<'_>) -> Option<CandleWant> {
    let newest = series_of(&model.account.market_data, shown).and_then(CandleSeries::newest);
    Some(CandleWant {
        market_id: shown.market?.clone(),
        interval: shown.chart.interval,
        since: shown
            .chart
            .wanted_since(newest.map(|newest| newest.open_time)),
    })
}

/// The charts that have room where there is one: that which keys act on, and the one beside it on a wide screen that they
/// have to themselves.
pub fn charts(model: &Model) -> Vec<ShownChart<'_>> {
    let screen = &model.market_screen;
    let second = screen.second_chart().filter(|_| has_two_charts(model));
    [screen.front_chart()].into_iter().chain(second).collect()
}

/// Whether a second chart is on the screen.
pub fn has_two_charts(model: &Model) -> bool {
    let is_alone = model.focus.zoomed && model.focus.panel == Some(MarketPanel::Chart);
    let screen = &model.market_screen;
    is_alone && screen.tier == WidthTier::Wide && screen.second_chart().is_some()
}

/// What is known of the candles of a chart.
pub fn series_of<'a>(data: &'a MarketData, shown: ShownChart<'_>) -> Option<&'a CandleSeries> {
    data.candles(shown.market?, shown.chart.interval)
}

/// The market a row is about: a new order starts there.
pub(crate) fn market_of(model: &Model, row: &RowId) -> Option<MarketId> {
    let store = &model.account.store;
    match row {
        RowId::Position(id) => {
            let known = store.position(id).or_else(|| store.closed.find(id));
            known.map(|p| p.market_id.clone())
        }
        RowId::Order(id) => store.order(id).map(|o| o.market_id.clone()),
        RowId::Twap(id) => store.twap(id).map(|t| t.market_id.clone()),
        RowId::Scaled(id) | RowId::Rung(id, _) => {
            store.scaled_order(id).map(|l| l.market_id.clone())
        }
        RowId::Line(_) => None,
    }
}

/// The distance between two prices that the cursor can be on: on the chart while that has the keys, else on the ladder.
pub fn cursor_spacing(model: &Model) -> Option<Tick> {
    let ladder = &model.price_ladder;
    match model.focus.panel {
        Some(MarketPanel::Chart) => ladder.spacing_on_chart(model.market_screen.chart.row),
        Some(MarketPanel::Ladder) | None => ladder.spacing(),
    }
}
