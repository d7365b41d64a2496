//! The keys that act on one position, wherever its market is looked at.

use super::idle;
use crate::{
    app::{
        account::row_id::RowId,
        desk::model::Model,
        dialogs::next::{Next, PositionControl, PriceStep},
        forms::form::Form,
        keys::keymap::Action,
        market::own_orders::own_position,
        orders::{
            control::{self, nudged},
            flip,
        },
    },
    model::{Position, PositionId, Protection},
};

/// How something is begun about one position.
type Begin = fn(&Model, &Position) -> Next;

const OF_POSITION: &[(Action, Begin)] = &[
    (Action::ClosePosition, |_, position| {
        Next::open(Form::close(position))
    }),
    (Action::CloseQuarter, |model, held| {
        control::close(model, held, "25%")
    }),
    (Action::CloseHalf, |model, held| {
        control::close(model, held, "50%")
    }),
    (Action::CloseThreeQuarters, |model, held| {
        control::close(model, held, "75%")
    }),
    (Action::CloseWhole, |model, held| {
        control::close(model, held, "100%")
    }),
    (Action::Cover, |_, position| {
        Next::Control(PositionControl::Cover(position.id.clone()))
    }),
    (Action::Trail, |_, position| {
        Next::Control(PositionControl::Trail(position.id.clone(), None))
    }),
    (Action::PlaceTargets, |_, position| {
        Next::Control(PositionControl::PlaceTargets(position.id.clone()))
    }),
    (Action::Exits, |model, position| {
        Next::open(Form::protect(position, model.account.store.orders.rows()))
    }),
    (Action::Margin, |_, position| margin(position)),
    (Action::Flip, flip::ask),
    (Action::BreakEven, |_, position| {
        Next::Control(PositionControl::BreakEven(position.id.clone()))
    }),
    (Action::StopDown, |_, position| {
        nudged(&position.id, Protection::Stop, PriceStep::Down)
    }),
    (Action::StopUp, |_, position| {
        nudged(&position.id, Protection::Stop, PriceStep::Up)
    }),
    (Action::TargetDown, |_, position| {
        nudged(&position.id, Protection::Target, PriceStep::Down)
    }),
    (Action::TargetUp, |_, position| {
        nudged(&position.id, Protection::Target, PriceStep::Up)
    }),
    (Action::AddTo, control::add),
    (Action::Reduce, control::reduce),
];

pub(super) fn is_of_position(action: Action) -> bool {
    OF_POSITION.iter().any(|(of, _)| *of == action)
}

/// What a key of positions acts on while a panel of the market has the keys: the position in that market.
pub(super) fn position_shown(model: &Model, action: Action) -> Option<RowId> {
    model.focus.panel.filter(|_| is_of_position(action))?;
    let held = own_position(&model.account.store, model.market_screen.market()?)?;
    Some(RowId::Position(held.id.clone()))
}

pub(super) fn of_position(model: &Model, action: Action, id: &PositionId) -> Next {
    let proposal = OF_POSITION.iter().find(|(of, _)| *of == action);
    match (proposal, model.account.store.position(id)) {
        (Some((_, proposal)), Some(position)) => proposal(model, position),
        (Some(_) | None, _) => idle::not_for(model, Some(&RowId::Position(id.clone()))),
    }
}

fn margin(position: &Position) -> Next {
    if !position.is_isolated() {
        return Next::Refuse("a cross position has no isolated margin".to_owned());
    }
    Next::open(Form::margin(position))
}
