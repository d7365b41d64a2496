//! The keys of the market screen: which panel has them, which market it shows, how the screen is divided.

use crate::{
    app::{
        account::pane::Pane,
        activity::notice::Tone,
        core::effect::{Effect, SettingsRequest},
        desk::{
            market_shown::{has_market, has_two_charts, panels, series_of},
            model::Model,
        },
        dialogs::next::{Next, Reply},
        keys::keymap::Action,
        market::{
            screen::{ChartVisit, MarketPanel},
            two_charts::ShownChart,
            watched,
            width_tier::{WIDEST, WidthTier},
        },
        tables::pane::PlaceContent,
        update::price_ladder,
    },
    model::{MarketId, Timestamp},
};
use strum::IntoEnumIterator;

const NO_MARKET: &str = "no market to show: the service lists none";

/// The panel of each focus key.
const GOES_TO: &[(Action, MarketPanel)] = &[
    (Action::MarketChart, MarketPanel::Chart),
    (Action::PriceLadder, MarketPanel::Ladder),
];

/// Handles `action` in the focused market panel and for the market screen as a whole; `None` if it belongs to the desk.
pub(crate) fn act(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    if let Some(panel) = action.entry(GOES_TO) {
        return go(model, panel).map(Some);
    }
    match (action.entry(OF_SCREEN), model.focus.panel) {
        (Some(act), _) => act(model).map(Some),
        (None, Some(panel)) => of_panel(model, panel, action),
        (None, None) => Ok(None),
    }
}

type ScreenAct = fn(&mut Model) -> Reply;

/// What a key does with the market screen as a whole.
const OF_SCREEN: &[(Action, ScreenAct)] = &[
    (Action::PinMarket, pin),
    (Action::Layout, |model| Ok(next_layout(model))),
];

fn of_panel(model: &mut Model, panel: MarketPanel, action: Action) -> Result<Option<Next>, String> {
    let own = match panel {
        MarketPanel::Ladder => price_ladder::act(model, action)?,
        MarketPanel::Chart => of_chart(model, action)?,
    };
    if own.is_none() && is_of_rows(action) {
        return Err("the market has no rows: 1 goes to the positions".to_owned());
    }
    Ok(own)
}

/// How many candles a key moves the cursor by.
const CURSOR_STEPS: &[(Action, i64)] = &[
    (Action::OlderCandle, -1),
    (Action::NewerCandle, 1),
    (Action::LeapOlder, -10),
    (Action::LeapNewer, 10),
    (Action::PageUp, -50),
    (Action::PageDown, 50),
    (Action::Top, i64::MIN),
    (Action::Bottom, i64::MAX),
];

/// Handles a key on the chart; `None` if it belongs to the desk. What acts at a price is the ladder's.
fn of_chart(model: &mut Model, action: Action) -> Result<Option<Next>, String> {
    if let Some(steps) = action.entry(CURSOR_STEPS) {
        move_cursor(model, steps);
        return Ok(Some(Next::Stay));
    }
    if let Some(change) = action.entry(CHART_CHANGES) {
        change(model);
        return Ok(Some(Next::Stay));
    }
    match action.entry(OF_CHART) {
        Some(act) => act(model).map(Some),
        None if action == Action::Dismiss => Ok(leave(model)),
        None => price_ladder::act(model, action),
    }
}

/// What a key asks of the chart.
const OF_CHART: &[(Action, ScreenAct)] =
    &[(Action::OwnLine, own_line), (Action::TwoCharts, two_charts)];

type ChartChange = fn(&mut Model);

/// What a key changes of the chart.
const CHART_CHANGES: &[(Action, ChartChange)] = &[
    (Action::ShorterInterval, |model| change_interval(model, -1)),
    (Action::LongerInterval, |model| change_interval(model, 1)),
    (Action::ZoomIn, |model| {
        model.market_screen.chart.zoom_by(1);
    }),
    (Action::ZoomOut, |model| {
        model.market_screen.chart.zoom_by(-1);
    }),
    (Action::StretchPrices, |model| {
        model.market_screen.chart.stretch_by(1);
    }),
    (Action::SqueezePrices, |model| {
        model.market_screen.chart.stretch_by(-1);
    }),
    (Action::CandleLook, |model| {
        model.market_screen.chart.next_look();
    }),
    (Action::Averages, |model| {
        let chart = &mut model.market_screen.chart;
        chart.has_averages = !chart.has_averages;
    }),
    (Action::NextMarket, |model| next_market(model, 1)),
    (Action::PreviousMarket, |model| next_market(model, -1)),
];

/// A line of one's own at the price of the cursor: its name is typed. Where one is, it is removed.
fn own_line(model: &mut Model) -> Reply {
    let (at, spacing) = price_ladder::point(model).ok_or(price_ladder::NO_PRICE)?;
    let mut lines = model.market_screen.lines.of(&at.market_id).iter();
    let here = lines.find(|line| spacing.near(line.price) == at.price);
    Ok(Next::Type(match here {
        Some(line) => format!("line remove {}", line.name),
        None => format!("line {} ", at.price.normalized()),
    }))
}

/// Two charts beside one another on the whole screen; the same key again leaves the one that has the keys.
fn two_charts(model: &mut Model) -> Reply {
    if model.market_screen.tier != WidthTier::Wide {
        let (columns, rows) = WIDEST;
        return Err(format!(
            "two charts need a terminal of {columns} columns and {rows} rows"
        ));
    }
    if has_two_charts(model) {
        model.market_screen.close_second_chart();
    } else {
        model.market_screen.open_second_chart();
        model.focus.zoomed = true;
    }
    Ok(Next::Stay)
}

/// Within the candles that are known.
fn move_cursor(model: &mut Model, steps: i64) {
    if let Some(ends) = ends(model) {
        model.market_screen.chart.move_cursor(steps, ends);
    }
}

fn change_interval(model: &mut Model, step: isize) {
    let newest = ends(model).map(|(_, newest)| newest);
    model.market_screen.chart.change_interval(step, newest);
}

/// The open times of the oldest and the newest candle that are known, on the chart that has the keys.
pub(super) fn ends(model: &Model) -> Option<(Timestamp, Timestamp)> {
    ends_of(model, model.market_screen.front_chart())
}

pub(super) fn ends_of(model: &Model, shown: ShownChart<'_>) -> Option<(Timestamp, Timestamp)> {
    let series = series_of(&model.account.market_data, shown)?;
    Some((series.oldest()?.open_time, series.newest()?.open_time))
}

/// Pins the market after the one shown, or before it, in the order of the watchlist.
fn next_market(model: &mut Model, step: isize) {
    let markets = watched::watched(&model.account.store);
    let shown = model.market_screen.market();
    let at = markets.iter().position(|known| Some(&known.id) == shown);
    let len = markets.len().cast_signed().max(1);
    let there = (at.unwrap_or(0).cast_signed() + step).rem_euclid(len);
    if let Some(market) = markets.get(there.cast_unsigned()) {
        model.market_screen.pin(market.id.clone());
        model.market_screen.chart.follow_newest();
    }
}

/// The chart of a market on the whole screen, whatever is pinned; the same key again goes back.
pub(crate) fn visit_chart(model: &mut Model, market: Option<MarketId>) -> Reply {
    if model.market_screen.is_visiting() {
        end_visit(model);
        return Ok(Next::Stay);
    }
    if !has_market(model) {
        return Err(NO_MARKET.to_owned());
    }
    let shown = model.market_screen.market();
    let visit = ChartVisit {
        market: market.filter(|market| Some(market) != shown),
        panel_before: model.focus.panel,
        was_zoomed: model.focus.zoomed,
    };
    model.market_screen.begin_visit(visit);
    model.focus.zoomed = true;
    go(model, MarketPanel::Chart)
}

/// Pins this market, and shows its chart on the whole screen.
pub(crate) fn show_chart(model: &mut Model, market: MarketId) -> Reply {
    if model.market_screen.market() != Some(&market) {
        model.market_screen.pin(market);
    }
    if model.market_screen.is_visiting() {
        return Ok(Next::Stay);
    }
    visit_chart(model, None)
}

/// Back to what the chart was opened from.
fn end_visit(model: &mut Model) {
    if let Some(visit) = model.market_screen.end_visit() {
        model.focus.panel = visit.panel_before;
        model.focus.zoomed = visit.was_zoomed;
        model.market_screen.chart.follow_newest();
    }
}

/// Esc lets go what is smallest: a carried order, the price, the candle, then the zoom, then the keys.
fn leave(model: &mut Model) -> Option<Next> {
    if model.account.activity.toast(model.account.now).is_some() {
        return None;
    }
    let has_let_go =
        price_ladder::put_back(model).is_some() || model.market_screen.chart.follow_newest();
    if !has_let_go {
        if model.market_screen.is_visiting() {
            end_visit(model);
        } else if !std::mem::take(&mut model.focus.zoomed) {
            model.focus.panel = None;
        }
    }
    Some(Next::Stay)
}

/// Whether it acts on a pane's rows, whose cursor is hidden while a market panel has the keys.
fn is_of_rows(action: Action) -> bool {
    matches!(
        action,
        Action::Mark
            | Action::MarkRange
            | Action::MarkAll
            | Action::Filter
            | Action::Sort
            | Action::SortDirection
            | Action::Columns
            | Action::Export
            | Action::Copy
            | Action::Detail
    )
}

/// Focuses a panel; without a market there is none.
pub(crate) fn go(model: &mut Model, panel: MarketPanel) -> Reply {
    if !has_market(model) {
        return Err(NO_MARKET.to_owned());
    }
    model.focus.panel = Some(panel);
    model.market_screen.bring_forward(panel);
    Ok(Next::Stay)
}

/// Pins the market shown, or lets it follow the cursor again.
fn pin(model: &mut Model) -> Reply {
    if !has_market(model) {
        return Err("no market to pin: the service lists none".to_owned());
    }
    model.market_screen.turn_pin();
    Ok(Next::Stay)
}

fn next_layout(model: &mut Model) -> Next {
    let preset = model.market_screen.next_preset();
    model.account.say(Tone::Plain, format!("layout {preset}"));
    let keep = Effect::Settings(SettingsRequest::KeepLayout(
        model.market_screen.tier,
        preset,
    ));
    Next::Ask(keep)
}

/// Tab cycles through the panes and then the market panels, in the order of their keys; between two charts while both
/// are shown.
pub(crate) fn step(model: &mut Model, step: isize) {
    if has_two_charts(model) {
        model.market_screen.swap_charts();
        return;
    }
    let panels = panels(model).iter().copied().map(PlaceContent::Panel);
    let places: Vec<_> = Pane::iter().map(PlaceContent::Pane).chain(panels).collect();
    let has_keys = model.focus.content();
    let at = places.iter().position(|place| *place == has_keys);
    let len = places.len().cast_signed();
    let there = (at.unwrap_or(0).cast_signed() + step).rem_euclid(len.max(1));
    match places.get(there.cast_unsigned()) {
        Some(PlaceContent::Pane(pane)) => model.focus.go(*pane),
        Some(PlaceContent::Panel(panel)) => drop(go(model, *panel)),
        None => {}
    }
}
