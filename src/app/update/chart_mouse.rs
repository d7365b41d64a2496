//! The mouse on the candle chart.
//!
//! Contract: a click puts both cursors where it was: that of the candles and that of the prices. It sends nothing. On the
//! line of an own order it takes hold of that order, which the mouse then moves as on the price ladder; on a line of the
//! trader's own it takes hold of that, and off the chart it drops it; elsewhere it takes hold of the chart, which the mouse
//! then moves through time and prices. Prices are those that were drawn.

use super::{
    ladder_follow,
    ladder_mouse::{ROW_MOVED, may_be_carried},
    market::{ends, ends_of, go},
    price_ladder::{drop_carried, mode, point},
};
use crate::{
    app::{
        activity::notice::Tone,
        core::effect::{Effect, SettingsRequest},
        desk::{
            market_shown::{charts, cursor_spacing},
            model::Model,
        },
        dialogs::next::Next,
        market::{
            chart::HeldChart, chart_lines::ChartLine, market_spot::ChartSpot,
            own_orders::own_orders, screen::MarketPanel, two_charts::ChartSide,
        },
        orders::at_price::SendMode,
    },
    model::{Num, Order, Timestamp},
};

const RELEASED_OUTSIDE: &str = "released off the chart: the order stays where it was";
const STANDS_THERE: &str = "nothing changed: the order is already at this price";

/// A press of the left button on a cell as it was drawn.
pub(crate) fn click(model: &mut Model, spot: &ChartSpot) -> Next {
    let now = model.account.now;
    model.price_ladder.one_key.touch(now);
    focus(model, spot.side);
    if !is_shown(model, spot) {
        return Next::Refuse(ROW_MOVED.to_owned());
    }
    if let Some(ends) = ends(model) {
        model.market_screen.chart.read(spot.time, ends);
    }
    let Some(spacing) = cursor_spacing(model) else {
        return Next::Stay;
    };
    let own = own_orders(&model.account.store, &spot.market_id, spacing);
    let own = own.filter(|own| spot.row.contains(own.price));
    let newest = own.max_by_key(|own| own.order.requested_at);
    let grabbed = newest.map(|own| (own.order.id.clone(), own.row));
    let line = model.market_screen.lines.of(&spot.market_id).iter();
    let line = line.rev().find(|line| spot.row.contains(line.price));
    let line = line.filter(|_| grabbed.is_none()).cloned();
    let price = grabbed.as_ref().map(|(_, row)| *row);
    let price = price.or_else(|| Some(spacing.near(line.as_ref()?.price)));
    let price = price.or_else(|| Some(spacing.near(spot.row.middle()?)));
    if let Some(price) = price.filter(|price| price.is_positive()) {
        model.price_ladder.put_cursor(price);
    }
    model.price_ladder.grab(grabbed.map(|(id, _)| id));
    model.market_screen.chart.held = Some(HeldChart {
        time: spot.time,
        price: spot.row.middle(),
        whole: spot.whole,
        line: line.map(|line| line.name),
    });
    Next::Stay
}

/// The chart on this side gets the keys, and the price ladder its market.
pub(crate) fn focus(model: &mut Model, side: ChartSide) -> Next {
    drop(go(model, MarketPanel::Chart));
    if charts(model).iter().any(|chart| chart.side == side) {
        model.market_screen.focus_chart(side);
        ladder_follow::follow(model);
    }
    Next::Stay
}

/// Of the account and the market shown, with the candles that were drawn, on the chart that has the keys.
fn is_shown(model: &Model, spot: &ChartSpot) -> bool {
    let front = model.market_screen.front_chart();
    model.account.account_id() == Some(&spot.account_id)
        && front.side == spot.side
        && front.market == Some(&spot.market_id)
        && model.price_ladder.market() == Some(&spot.market_id)
        && front.chart.interval == spot.interval
}

/// The mouse moved to another cell with the left button down.
pub(crate) fn drag(model: &mut Model, spot: &ChartSpot) -> Next {
    let is_elsewhere = model.focus.panel != Some(MarketPanel::Chart);
    if is_elsewhere || !model.overlays.is_empty() || !is_shown(model, spot) {
        return Next::Stay;
    }
    let Some(held) = model.market_screen.chart.held.clone() else {
        return Next::Stay;
    };
    if let Some(name) = held.line {
        if let Some(price) = price_of(model, spot) {
            let line = ChartLine { name, price };
            model.market_screen.lines.put(&spot.market_id, line);
            model.price_ladder.put_cursor(price);
        }
        return Next::Stay;
    }
    if model.price_ladder.grabbed().is_none() && !model.price_ladder.is_dragging() {
        pan(model, spot, &held);
        return Next::Stay;
    }
    if let Some(id) = model.price_ladder.grabbed() {
        // Along its own line an order does not go anywhere.
        let price = model.account.store.order(id).and_then(Order::working_price);
        if price.is_some_and(|price| spot.row.contains(price)) {
            return Next::Stay;
        }
        if let Err(why) = may_be_carried(model, id) {
            model.price_ladder.grab(None);
            model.market_screen.chart.held = None;
            return Next::Refuse(why);
        }
    }
    if let Some(price) = price_of(model, spot) {
        model.price_ladder.drag(price);
        // The ladder shows the price too.
        model.price_ladder.put_cursor(price);
    }
    Next::Stay
}

/// The candle and the price that were taken hold of stay under the pointer.
fn pan(model: &mut Model, spot: &ChartSpot, held: &HeldChart) {
    let elsewhere = held.price.filter(|price| !spot.row.contains(*price));
    if let Some((held, under)) = elsewhere.zip(spot.row.middle()) {
        model.market_screen.chart.shift_to(held, under, spot.whole);
    }
    let by = spot.time.0.saturating_sub(held.time.0);
    let edge = Timestamp(spot.edge.0.saturating_sub(by));
    if let Some(ends) = ends(model).filter(|_| by != 0) {
        model.market_screen.chart.scroll_to(edge, ends);
    }
}

/// A price that the cursor can be on, in the middle of the row.
fn price_of(model: &Model, spot: &ChartSpot) -> Option<Num> {
    let price = cursor_spacing(model)?.near(spot.row.middle()?);
    price.is_positive().then_some(price)
}

/// The left button went up after a drag: on the chart the order is dropped, elsewhere it goes back.
pub(crate) fn release(model: &mut Model, spot: Option<&ChartSpot>) -> Next {
    let held = model.market_screen.chart.held.take();
    if let Some(name) = held.as_ref().and_then(|held| held.line.as_ref()) {
        return drop_line(model, spot, name);
    }
    if !model.price_ladder.ends_drag() {
        return Next::Stay;
    }
    let carried = model.price_ladder.carried();
    let order = carried.and_then(|id| model.account.store.order(id));
    let stands_at = order.and_then(Order::working_price);
    let objection = match spot {
        None => Some(RELEASED_OUTSIDE),
        Some(spot) if !is_shown(model, spot) => Some(ROW_MOVED),
        Some(spot) if stands_at.is_some_and(|price| spot.row.contains(price)) => Some(STANDS_THERE),
        Some(_) => None,
    };
    let is_same_scale = spot
        .zip(held)
        .is_some_and(|(spot, held)| spot.whole == held.whole);
    match (objection, point(model)) {
        (None, Some((at, _))) => {
            // Where the rows got other prices under the hand, one looks at the price before it is sent.
            let mode = if is_same_scale {
                mode(model)
            } else {
                SendMode::InForm
            };
            drop_carried(model, &at, mode).into()
        }
        (why, _) => {
            model.price_ladder.put_back();
            Next::Refuse(why.unwrap_or(RELEASED_OUTSIDE).to_owned())
        }
    }
}

/// On the chart the line stays where it was moved to; elsewhere it is removed.
fn drop_line(model: &mut Model, spot: Option<&ChartSpot>, name: &str) -> Next {
    let Some(market) = model.market_screen.market().cloned() else {
        return Next::Stay;
    };
    if spot.is_none() && model.market_screen.lines.remove(&market, name) {
        let words = format!("removed the line {name}");
        model.account.say(Tone::Plain, words);
    }
    let kept = model.market_screen.lines.of(&market).to_vec();
    Next::Ask(Effect::Settings(SettingsRequest::KeepLines(market, kept)))
}

/// The wheel moves the view of the chart on this side through time. `first` is the number of the candle at the right end,
/// counted from 1970.
pub(crate) fn turn(model: &mut Model, side: ChartSide, first: usize) {
    let charts = charts(model);
    let Some(chart) = charts.iter().find(|chart| chart.side == side) else {
        return;
    };
    let candle = i64::try_from(first).unwrap_or(i64::MAX);
    let edge = Timestamp(candle.saturating_mul(chart.chart.interval.millis()));
    if let Some(ends) = ends_of(model, *chart) {
        model.market_screen.scroll_chart(side, edge, ends);
    }
}

#[cfg(test)]
mod tests;
