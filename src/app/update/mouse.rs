//! The mouse: clicks and the wheel on click targets.
//!
//! Contract: a click does what a key does, under the same rules. A hint presses its key, so a new strip ignores it at
//! first, and questions stay. Nothing under a panel can be clicked. Targets are named, so that a click means what was
//! visible.

use crate::{
    app::{
        account::{labels::Switch, row_id::RowId},
        desk::{model::Model, older_pages},
        dialogs::{effect::Effect, next::Next, overlay::Overlay},
        keys::keymap::{Action, Keys},
        market::{
            market_spot::{LadderEvent, MarketSpot},
            screen::MarketPanel,
        },
        tables::{click_target::ClickTarget, pane::Pane},
        update::{chart_mouse, key_prefix::awaited, ladder_mouse, market, router::follow},
    },
    model::{MarketId, Side},
};

use super::press::press;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// A click on this target.
pub(crate) fn click(model: &mut Model, spot: ClickTarget) -> Vec<Effect> {
    // Any click drops the first key of a sequence; a click on "back" does only that.
    let was_awaited = awaited(model).is_some();
    model.chain = None;
    model.price_ladder.grab(None);
    model.market_screen.chart.held = None;
    match spot {
        ClickTarget::Key(_, Action::Dismiss) if was_awaited => vec![],
        ClickTarget::Key(place, action)
            if place == model.context() || is_way_out_left(model, action) =>
        {
            let keys = model.keymap.chord(model.context(), action).into_iter();
            let presses = keys.flat_map(Keys::presses);
            presses.flat_map(|chord| press(model, chord)).collect()
        }
        ClickTarget::Pane(pane) if model.overlays.is_empty() => {
            model.focus.go(pane);
            older_pages::more(model).into_iter().collect()
        }
        ClickTarget::Panel(panel) if model.overlays.is_empty() => {
            market::go(model, panel);
            vec![]
        }
        ClickTarget::Ladder(spot) if model.overlays.is_empty() => {
            market::go(model, MarketPanel::Ladder);
            let next = ladder_mouse::click(model, &spot);
            follow(model, next)
        }
        ClickTarget::Chart(spot) if model.overlays.is_empty() => {
            market::go(model, MarketPanel::Chart);
            let next = chart_mouse::click(model, &spot);
            follow(model, next)
        }
        ClickTarget::Row(pane, row) if model.overlays.is_empty() => click_row(model, pane, row),
        ClickTarget::Toast => {
            model.account.activity.dismiss_toast(model.account.now);
            vec![]
        }
        ClickTarget::Account(at) => click_account(model, at),
        ClickTarget::Market(id) if model.overlays.is_empty() => {
            model.market_screen.pin(id);
            vec![]
        }
        ClickTarget::Market(id) => click_market(model, id),
        ClickTarget::UserAlert(id) => click_user_alert(model, id),
        ClickTarget::Field(_) | ClickTarget::Choice(..) | ClickTarget::NextChoice(_) => {
            click_form(model, &spot)
        }
        ClickTarget::Key(..)
        | ClickTarget::Pane(_)
        | ClickTarget::Panel(_)
        | ClickTarget::Ladder(_)
        | ClickTarget::Chart(_)
        | ClickTarget::Row(..)
        | ClickTarget::Over
        | ClickTarget::Nothing => vec![],
    }
}

/// What happens to the price ladder beside keys and clicks.
pub(crate) fn on_ladder(model: &mut Model, event: LadderEvent) -> Vec<Effect> {
    let next = match event {
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
    };
    follow(model, next)
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
fn is_way_out_left(model: &Model, action: Action) -> bool {
    action.is_way_out() && model.overlays.is_empty()
}

/// Focuses the row; a second click opens its detail.
fn click_row(model: &mut Model, pane: Pane, row: RowId) -> Vec<Effect> {
    let has_keys = model.focus.has_keys(pane) && model.selected().as_ref() == Some(&row);
    if has_keys {
        return follow(model, Next::Press(Action::Detail));
    }
    model.focus.go(pane);
    // A row that is gone must not select another.
    if model.rows(pane).position(&row).is_some() {
        model.focus.select(pane, row);
    }
    older_pages::more(model).into_iter().collect()
}

/// Chooses the line; a second click shows the account.
fn click_account(model: &mut Model, at: usize) -> Vec<Effect> {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_accounts_mut) else {
        return vec![];
    };
    if list.chosen == at {
        return follow(model, Next::Switch(Switch::To(at)));
    }
    list.chosen = at;
    vec![]
}

/// Chooses the line; a second click opens an order form.
fn click_market(model: &mut Model, id: MarketId) -> Vec<Effect> {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_markets_mut) else {
        return vec![];
    };
    let rows = list.rows(&model.account.store);
    let is_chosen = rows.get(list.place(&rows)).is_some_and(|row| row.id == id);
    if is_chosen {
        return follow(model, Next::NewOrder(Side::Buy, id));
    }
    list.chosen = Some(id);
    vec![]
}

/// The line is chosen; one that is chosen already is changed.
fn click_user_alert(model: &mut Model, id: u64) -> Vec<Effect> {
    let top = model.overlays.last_mut();
    let Some(list) = top.and_then(Overlay::try_as_user_alerts_mut) else {
        return vec![];
    };
    if list.chosen == Some(id) {
        let next = list.act(
            Action::EditAlert,
            (&model.account.user_alerts, &model.account.store.names),
        );
        return follow(model, next);
    }
    list.chosen = Some(id);
    vec![]
}

fn click_form(model: &mut Model, spot: &ClickTarget) -> Vec<Effect> {
    let now = (model.account.now, model.account.service_now());
    let form_context =
        model
            .account
            .options
            .form_context(&model.account.store, &model.account.used, now);
    if let Some(form) = model.overlays.last_mut().and_then(Overlay::try_as_form_mut) {
        form.click(spot, &form_context);
    }
    vec![]
}

/// The wheel moved a list, and these rows are visible now. Focus and selection stay, unless the selected row would be
/// hidden: then the nearest visible row is selected.
pub(crate) fn scrolled(model: &mut Model, spot: &ClickTarget, seen: Range<usize>) -> Vec<Effect> {
    match spot {
        ClickTarget::Pane(pane) => {
            keep_in_sight(model, *pane, &seen);
            older_pages::more_below(model, *pane, seen.end)
                .into_iter()
                .collect()
        }
        ClickTarget::Over => {
            if let Some(top) = model.overlays.last_mut() {
                top.scroll_to(seen.start);
            }
            vec![]
        }
        ClickTarget::Panel(panel) => {
            match panel {
                MarketPanel::Ladder => ladder_mouse::turn(model, seen.start),
                MarketPanel::Chart => chart_mouse::turn(model, seen.start),
            }
            vec![]
        }
        ClickTarget::Row(..)
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
        | ClickTarget::Nothing => vec![],
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
