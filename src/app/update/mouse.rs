//! The mouse: clicks and the wheel on click targets.
//!
//! Contract: a click does what a key does, under the same rules. A hint presses its key, so a new strip ignores it at
//! first, and questions stay. Nothing under a panel can be clicked. Targets are named, so that a click means what was
//! visible.

use crate::{
    app::{
        account::{labels::Switch, pane::Pane, row_id::RowId},
        desk::{model::Model, older_pages},
        dialogs::{next::Next, overlay::Overlay},
        keys::keymap::Action,
        market::{
            market_spot::{LadderEvent, MarketSpot},
            screen::MarketPanel,
        },
        tables::click_target::ClickTarget,
        update::{chart_mouse, ladder_mouse, market, press::awaited},
    },
    model::{MarketId, Side},
};

use std::ops::Range;

#[cfg(test)]
mod tests;

/// A click on this target.
pub(crate) fn click(model: &mut Model, spot: ClickTarget) -> Next {
    // Any click drops the first key of a sequence; a click on "back" does only that.
    let was_awaited = awaited(model).is_some();
    model.key_prefix = None;
    model.price_ladder.grab(None);
    model.market_screen.chart.held = None;
    match spot {
        ClickTarget::Key(_, Action::Dismiss) if was_awaited => Next::Stay,
        ClickTarget::Key(place, action)
            if place == model.context() || still_closes_all(model, action) =>
        {
            let keys = model.keymap.chord(model.context(), action);
            // What is drawn may have no key of its own.
            keys.map_or(Next::Press(action), Next::PressKeys)
        }
        ClickTarget::Pane(pane) if model.overlays.is_empty() => {
            model.focus.go(pane);
            older_pages::more(model).map_or(Next::Stay, Next::Ask)
        }
        ClickTarget::Panel(panel) if model.overlays.is_empty() => {
            drop(market::go(model, panel));
            Next::Stay
        }
        ClickTarget::ChartOn(side) if model.overlays.is_empty() => chart_mouse::focus(model, side),
        ClickTarget::Ladder(spot) if model.overlays.is_empty() => {
            drop(market::go(model, MarketPanel::Ladder));
            ladder_mouse::click(model, &spot)
        }
        ClickTarget::Chart(spot) if model.overlays.is_empty() => {
            drop(market::go(model, MarketPanel::Chart));
            chart_mouse::click(model, &spot)
        }
        ClickTarget::Row(pane, row) if model.overlays.is_empty() => click_row(model, pane, row),
        ClickTarget::Toast => {
            model.account.activity.dismiss_toast(model.account.now);
            Next::Stay
        }
        ClickTarget::Account(at) => click_account(model, at),
        ClickTarget::Market(id) if model.overlays.is_empty() => {
            model.market_screen.pin(id);
            Next::Stay
        }
        ClickTarget::Market(id) => click_market(model, id),
        ClickTarget::UserAlert(id) => click_user_alert(model, id),
        ClickTarget::Field(_) | ClickTarget::Choice(..) | ClickTarget::NextChoice(_) => {
            click_form(model, &spot)
        }
        ClickTarget::Key(..)
        | ClickTarget::Pane(_)
        | ClickTarget::Panel(_)
        | ClickTarget::ChartOn(_)
        | ClickTarget::Ladder(_)
        | ClickTarget::Chart(_)
        | ClickTarget::Row(..)
        | ClickTarget::Over
        | ClickTarget::Nothing => Next::Stay,
    }
}

/// What happens to the price ladder beside keys and clicks.
pub(crate) fn on_ladder(model: &mut Model, event: LadderEvent) -> Next {
    match event {
        LadderEvent::Drawn(rows) => {
            model.price_ladder.drawn(rows);
            Next::Stay
        }
        LadderEvent::ChartDrawn(row) => {
            model.market_screen.chart.row = Some(row);
            Next::Stay
        }
        LadderEvent::Dragged(MarketSpot::Ladder(spot)) => ladder_mouse::drag(model, &spot),
        LadderEvent::Dragged(MarketSpot::Chart(spot)) => chart_mouse::drag(model, &spot),
        LadderEvent::Released(spot) => released(model, spot.as_ref()),
    }
}

/// What was taken hold of on one panel is not dropped on the other.
fn released(model: &mut Model, spot: Option<&MarketSpot>) -> Next {
    if model.focus.panel == Some(MarketPanel::Chart) {
        chart_mouse::release(model, spot.and_then(MarketSpot::on_chart))
    } else {
        ladder_mouse::release(model, spot.and_then(MarketSpot::on_ladder))
    }
}

/// Whether it gets a trader out, and what it was written in has closed since: it is written on the desk too.
fn still_closes_all(model: &Model, action: Action) -> bool {
    action.closes_all() && model.overlays.is_empty()
}

/// Focuses the row; a second click opens its detail.
fn click_row(model: &mut Model, pane: Pane, row: RowId) -> Next {
    let has_keys = model.focus.has_keys(pane) && model.selected().as_ref() == Some(&row);
    if has_keys {
        return Next::Press(Action::Detail);
    }
    model.focus.go(pane);
    // A row that is gone must not select another.
    if model.rows(pane).position(&row).is_some() {
        model.focus.select(pane, row);
    }
    older_pages::more(model).map_or(Next::Stay, Next::Ask)
}

/// Chooses the line; a second click shows the account.
fn click_account(model: &mut Model, at: usize) -> Next {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_accounts_mut) else {
        return Next::Stay;
    };
    if list.chosen == at {
        return Next::Switch(Switch::To(at));
    }
    list.chosen = at;
    Next::Stay
}

/// Chooses the line; a second click opens an order form.
fn click_market(model: &mut Model, id: MarketId) -> Next {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_markets_mut) else {
        return Next::Stay;
    };
    let rows = list.rows(&model.account.store);
    let is_chosen = rows.get(list.place(&rows)).is_some_and(|row| row.id == id);
    if is_chosen {
        return Next::NewOrder(Side::Buy, id);
    }
    list.chosen = Some(id);
    Next::Stay
}

/// The line is chosen; one that is chosen already is changed.
fn click_user_alert(model: &mut Model, id: u64) -> Next {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_user_alerts_mut) else {
        return Next::Stay;
    };
    if list.chosen == Some(id) {
        return list.act(
            Action::EditAlert,
            (&model.account.user_alerts, &model.account.store.names),
        );
    }
    list.chosen = Some(id);
    Next::Stay
}

fn click_form(model: &mut Model, spot: &ClickTarget) -> Next {
    if let Some(form) = model.overlays.last_mut().and_then(Overlay::try_as_form_mut) {
        form.click(spot, &model.account.form_context());
    }
    Next::Stay
}

/// The wheel moved a list, and these rows are visible now. Focus and selection stay, unless the selected row would be
/// hidden: then the nearest visible row is selected.
pub(crate) fn scrolled(model: &mut Model, spot: &ClickTarget, seen: Range<usize>) -> Next {
    match spot {
        ClickTarget::Pane(pane) => {
            keep_in_sight(model, *pane, &seen);
            older_pages::more_below(model, *pane, seen.end).map_or(Next::Stay, Next::Ask)
        }
        ClickTarget::Over => {
            if let Some(top) = model.overlays.last_mut() {
                top.scroll_to(seen.start);
            }
            Next::Stay
        }
        ClickTarget::Panel(MarketPanel::Ladder) => {
            ladder_mouse::turn(model, seen.start);
            Next::Stay
        }
        ClickTarget::ChartOn(side) => {
            chart_mouse::turn(model, *side, seen.start);
            Next::Stay
        }
        ClickTarget::Row(..)
        | ClickTarget::Panel(MarketPanel::Chart)
        | ClickTarget::Ladder(_)
        | ClickTarget::Chart(_)
        | ClickTarget::Key(..)
        | ClickTarget::Field(_)
        | ClickTarget::Choice(..)
        | ClickTarget::NextChoice(_)
        | ClickTarget::Account(_)
        | ClickTarget::Market(_)
        | ClickTarget::UserAlert(_)
        | ClickTarget::Toast
        | ClickTarget::Nothing => Next::Stay,
    }
}

fn keep_in_sight(model: &mut Model, pane: Pane, seen: &Range<usize>) {
    let rows = model.rows(pane);
    let Some((at, _)) = model.focus.selected(pane, &rows) else {
        return;
    };
    let nearest = at.min(seen.end.saturating_sub(1)).max(seen.start);
    let row = rows.get(nearest).filter(|_| nearest != at);
    if let Some(row) = row {
        model.focus.select(pane, row);
    }
}
