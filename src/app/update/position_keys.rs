//! The keys that act on one position, wherever its market is looked at.

use super::{
    idle,
    price_ladder::{is_new_press, mode},
};
use crate::{
    app::{
        account::row_id::RowId,
        desk::model::Model,
        dialogs::next::{Next, Reply},
        forms::form::Form,
        keys::keymap::Action,
        market::own_orders::own_position,
        orders::{
            at_price::SendMode,
            brackets,
            control::{self, Control, PriceStep, nudge},
            flip, trailing,
        },
    },
    model::{Position, PositionId, Protection},
};

/// How something is begun about one position.
type Begin = fn(&Model, &Position) -> Reply;

/// The keys that open something.
const BEGINS: &[(Action, Begin)] = &[
    (Action::ClosePosition, |_, position| {
        Ok(Next::open(Form::close(position)))
    }),
    (Action::Exits, |model, position| {
        let orders = model.account.store.orders.rows();
        Ok(Next::open(Form::protect(position, orders)))
    }),
    (Action::Margin, |_, position| margin(position)),
    (Action::Flip, flip::ask),
    (Action::AddTo, control::add),
    (Action::Reduce, control::reduce),
];

/// The keys that close a share at once.
const CLOSES: &[(Action, &str)] = &[
    (Action::CloseQuarter, "25%"),
    (Action::CloseHalf, "50%"),
    (Action::CloseThreeQuarters, "75%"),
    (Action::CloseWhole, "100%"),
];

/// The keys that change the exits at once.
const CONTROLS: &[(Action, Control)] = &[
    (Action::Cover, control::cover),
    (Action::Trail, trailing::turn),
    (Action::PlaceTargets, brackets::place),
    (Action::BreakEven, control::to_break_even),
    (Action::StopDown, |model, held| {
        nudge(model, held, (Protection::Stop, PriceStep::Down))
    }),
    (Action::StopUp, |model, held| {
        nudge(model, held, (Protection::Stop, PriceStep::Up))
    }),
    (Action::TargetDown, |model, held| {
        nudge(model, held, (Protection::Target, PriceStep::Down))
    }),
    (Action::TargetUp, |model, held| {
        nudge(model, held, (Protection::Target, PriceStep::Up))
    }),
];

pub(super) fn is_of_position(action: Action) -> bool {
    let (begins, closes) = (action.entry(BEGINS), action.entry(CLOSES));
    begins.is_some() || closes.is_some() || action.entry(CONTROLS).is_some()
}

/// What a key of positions acts on while a panel of the market has the keys: the position in that market.
pub(super) fn position_shown(model: &Model, action: Action) -> Option<RowId> {
    model.focus.panel.filter(|_| is_of_position(action))?;
    let held = own_position(&model.account.store, model.market_screen.market()?)?;
    Some(RowId::Position(held.id.clone()))
}

pub(super) fn of_position(model: &mut Model, action: Action, id: &PositionId) -> Reply {
    let Some(position) = model.account.store.position(id).cloned() else {
        return idle::not_for(model, Some(&RowId::Position(id.clone())));
    };
    if let Some(share) = action.entry(CLOSES) {
        return control::close(model, &position, share);
    }
    if let Some(control) = action.entry(CONTROLS) {
        return control::run(model, &position, control);
    }
    // Not as a key of the positions' pane: the mode shows on chart and ladder.
    let is_shown = model.focus.panel.is_some();
    if action == Action::Flip && is_shown && mode(model) == SendMode::AtOnce {
        return flip_at_once(model, &position);
    }
    match action.entry(BEGINS) {
        Some(begin) => begin(model, &position),
        None => idle::not_for(model, Some(&RowId::Position(id.clone()))),
    }
}

/// By market: the position that a flip opens has another id, and a key that is held down must not flip it back.
fn flip_at_once(model: &mut Model, position: &Position) -> Reply {
    if is_new_press(model, Action::Flip, &position.market_id) {
        return flip::at_once(model, position);
    }
    Ok(Next::Stay)
}

fn margin(position: &Position) -> Reply {
    if !position.is_isolated() {
        return Err("a cross position has no isolated margin".to_owned());
    }
    Ok(Next::open(Form::margin(position)))
}
