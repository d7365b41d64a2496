//! Moves a stop: the new one is placed and read back as armed, then the old one is canceled (`docs/delivery.md 3.6`).
//!
//! Contract: the position is never without a stop it had. Nothing is canceled while the new stop is unknown, refused or
//! not armed. One move at a time per stop; the latest request during a move starts when that has ended. A stop that
//! increases the possible loss is blocked when new entries are. After a crash in between both stops remain; nothing is
//! canceled automatically.

use super::flight::{objection, send};
use crate::{
    app::{
        account::{
            poll::Source,
            store::{
                flips::LOOK_AGAIN,
                stop_moves::{StopMove, StopMoveStage},
            },
        },
        activity::notice::Tone,
        desk::model::Model,
        dialogs::effect::Effect,
        forms::form::Form,
        orders::{sent, submit::keep_form},
    },
    model::{
        Command, Failure, Num, Order, OrderId, Page, Position, Protection, Receipt, Ticket,
        Timestamp, draft::Field,
    },
};

#[cfg(test)]
mod tests;

/// The open position that this order stops.
pub(crate) fn guarded<'a>(model: &'a Model, order: &Order) -> Option<&'a Position> {
    let mut open = model.store.positions.rows().iter();
    open.find(|position| order.protects(position) == Some(Protection::Stop))
}

/// Moves a stop to `price`, or records that for after the move in progress; or returns why not.
pub(crate) fn to(model: &mut Model, old: &OrderId, price: Num) -> Result<Vec<Effect>, String> {
    if let Some(one) = model
        .store
        .stop_moves
        .iter_mut()
        .find(|one| one.is_about(old))
    {
        one.wanted = (price != one.price).then_some(price);
        return Ok(vec![]);
    }
    let order = model.store.order(old).cloned();
    let order = order.ok_or("this order is not listed any more")?;
    let command = like(model, &order, price)?;
    let (_, effect) = place(model, &order, command)?;
    Ok(vec![effect])
}

/// Sends the topmost form as the replacement of the old stop.
pub(crate) fn begin(
    model: &mut Model,
    old: &Order,
    command: Command,
) -> Result<Vec<Effect>, String> {
    if model.store.stop_move(&old.id).is_some() {
        return Err(format!("{} is being moved already", old.id));
    }
    let (ticket, effect) = place(model, old, command)?;
    let form = sent::take(model);
    keep_form(model, ticket, form);
    Ok(vec![effect])
}

/// The same order at another price; a limit keeps its distance from the trigger.
fn like(model: &Model, order: &Order, price: Num) -> Result<Command, String> {
    let around = model.around();
    let mut form = Form::instead(order, &around).ok_or("this stop cannot be placed anew")?;
    let limit = order.limit_price.zip(order.trigger_price);
    let limit = limit.and_then(|(limit, trigger)| limit.plus(price.minus(trigger)?));
    form.draft.write(Field::TriggerPrice, &price.to_string());
    if let Some(limit) = limit {
        form.draft.write(Field::LimitPrice, &limit.to_string());
    }
    let command = form.draft.command(&form.seen(&around));
    command.map_err(|faults| faults.to_string())
}

fn place(model: &mut Model, old: &Order, command: Command) -> Result<(Ticket, Effect), String> {
    let position = guarded(model, old).ok_or("this order stops no open position")?;
    if model.store.queued_cancels.contains(&old.id) {
        return Err(format!("{} is being canceled already", old.id));
    }
    let (price, cancel) = classed(old, position, &command)?;
    let position = position.id.clone();
    if let Some(why) = objection(model, &command).or_else(|| objection(model, &cancel)) {
        return Err(why);
    }
    let (ticket, effect) = send(model, command);
    model.store.stop_moves.push(StopMove {
        old: old.id.clone(),
        position,
        price,
        wanted: None,
        cancel,
        stage: StopMoveStage::Placing(ticket),
    });
    Ok((ticket, effect))
}

/// The price of the new stop, and the cancel of the old one.
fn classed(old: &Order, position: &Position, new: &Command) -> Result<(Num, Command), String> {
    let Command::Place(order) = new else {
        return Err("this is no order".to_owned());
    };
    let price = order.trigger.as_ref().map(|trigger| trigger.price);
    let price = price.ok_or("a stop needs a trigger price")?;
    Ok((price, old.cancel_for(order, position)))
}

/// A command has settled: if it was half of a move, continues the move.
pub(crate) fn settled(
    model: &mut Model,
    ticket: Ticket,
    result: &Result<Receipt, Failure>,
) -> Vec<Effect> {
    let moves = &model.store.stop_moves;
    let Some(at) = moves
        .iter()
        .position(|one| one.stage.ticket() == Some(ticket))
    else {
        return vec![];
    };
    let one = model.store.stop_moves.swap_remove(at);
    match &one.stage {
        StopMoveStage::Placing(_) => placed(model, one, result),
        StopMoveStage::Canceling { new, .. } => {
            let new = new.clone();
            canceled(model, one, &new, result)
        }
        StopMoveStage::Reading { .. } | StopMoveStage::Checking { .. } => vec![],
    }
}

fn placed(model: &mut Model, one: StopMove, result: &Result<Receipt, Failure>) -> Vec<Effect> {
    let old = &one.old;
    let words = match result {
        Ok(Receipt::Order { order, .. }) if !order.is_over() => {
            let stage = StopMoveStage::Reading {
                new: order.id.clone(),
                accepted_at: model.now,
                look_at: model.now,
            };
            model.store.stop_moves.push(StopMove { stage, ..one });
            return vec![];
        }
        Ok(Receipt::Order { order, .. }) => {
            let status = &order.status;
            format!(
                "the new stop {} is {status}: {old} is not canceled",
                order.id
            )
        }
        Ok(_) => format!("whether the new stop stands is not known: {old} is not canceled"),
        Err(why) => format!("the stop is not moved, {old} stands: {}", why.message),
    };
    model.say(Tone::Alert, words);
    vec![]
}

fn canceled(
    model: &mut Model,
    one: StopMove,
    new: &OrderId,
    result: &Result<Receipt, Failure>,
) -> Vec<Effect> {
    match result {
        // A queued one is shown until it ends.
        Ok(Receipt::Cancel(cancel)) if cancel.canceled || cancel.queued => go_on(model, &one, new),
        // It may have fired, or be gone in another way: reads tell.
        Ok(_) | Err(_) => {
            let stage = StopMoveStage::Checking {
                new: new.clone(),
                answered_at: model.now,
                look_at: model.now,
            };
            model.store.stop_moves.push(StopMove { stage, ..one });
            vec![]
        }
    }
}

/// Only the new stop remains: starts the latest request, if its price differs.
fn go_on(model: &mut Model, one: &StopMove, new: &OrderId) -> Vec<Effect> {
    let Some(price) = one.wanted else {
        return vec![];
    };
    to(model, new, price).unwrap_or_else(|why| {
        let words = format!("the stop stays at {}: {why}", one.price);
        model.say(Tone::Alert, words);
        vec![]
    })
}

/// The next step of a move, by reads.
enum MoveStep {
    Waits,
    Cancels(Command),
    Ends(Option<String>),
    GoesOn,
}

/// Continues every move whose reads allow it.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    if model.store.stop_moves.is_empty() {
        return vec![];
    }
    let moves = std::mem::take(&mut model.store.stop_moves);
    let mut effects = vec![];
    for one in moves {
        match step(model, &one) {
            MoveStep::Waits => effects.extend(look(model, one)),
            MoveStep::Cancels(command) => effects.extend(cancel(model, one, command)),
            MoveStep::Ends(None) => {}
            MoveStep::Ends(Some(words)) => model.say(Tone::Alert, words),
            MoveStep::GoesOn => {
                let new = one.stage.accepted().cloned();
                effects.extend(new.map(|new| go_on(model, &one, &new)).unwrap_or_default());
            }
        }
    }
    effects
}

fn step(model: &Model, one: &StopMove) -> MoveStep {
    match &one.stage {
        StopMoveStage::Placing(_) | StopMoveStage::Canceling { .. } => MoveStep::Waits,
        StopMoveStage::Reading {
            new, accepted_at, ..
        } => read_back(model, one, (new, *accepted_at)),
        StopMoveStage::Checking {
            new, answered_at, ..
        } => checked(model, one, (new, *answered_at)),
    }
}

/// The working orders and whether the position is open, from complete lists requested after `since`.
fn lists<'a>(
    model: &'a Model,
    one: &StopMove,
    since: Timestamp,
) -> Option<(&'a Page<Order>, bool)> {
    let store = &model.store;
    let is_read = store.orders.at() > Some(since) && store.positions.at() > Some(since);
    let (orders, positions) = store.orders.value().zip(store.positions.value())?;
    let is_whole = orders.is_whole() && positions.is_whole();
    let is_open = positions.rows.iter().any(|row| row.id == one.position);
    (is_read && is_whole).then_some((orders, is_open))
}

fn is_armed(orders: &Page<Order>, id: &OrderId) -> bool {
    let mut rows = orders.rows.iter();
    rows.any(|order| order.id == *id && order.is_armed())
}

fn read_back(model: &Model, one: &StopMove, (new, since): (&OrderId, Timestamp)) -> MoveStep {
    let Some((orders, is_open)) = lists(model, one, since) else {
        return MoveStep::Waits;
    };
    let stands = |id| is_armed(orders, id);
    match (is_open, stands(new), stands(&one.old)) {
        (false, new_stands, _) => flat(new_stands.then_some(new)),
        (true, false, true) => MoveStep::Ends(Some(format!(
            "the new stop {new} is not armed: {} is not canceled",
            one.old
        ))),
        (true, false, false) => MoveStep::Ends(Some(format!(
            "neither {new} nor {} is armed: look at the stop of this position",
            one.old
        ))),
        (true, true, true) => MoveStep::Cancels(one.cancel.clone()),
        // It was canceled elsewhere: only the new one remains.
        (true, true, false) => MoveStep::GoesOn,
    }
}

fn checked(model: &Model, one: &StopMove, (new, since): (&OrderId, Timestamp)) -> MoveStep {
    let Some((orders, is_open)) = lists(model, one, since) else {
        return MoveStep::Waits;
    };
    let stands = |id| is_armed(orders, id);
    match (is_open, stands(new), stands(&one.old)) {
        (false, new_stands, _) => flat(new_stands.then_some(new)),
        (true, _, true) => {
            let (old, left) = (&one.old, &one.cancel);
            MoveStep::Ends(Some(format!(
                "{new} and {old} both stand: {left} is left to do"
            )))
        }
        (true, true, false) => MoveStep::GoesOn,
        (true, false, false) => MoveStep::Ends(Some(format!(
            "neither {new} nor {} is armed: look at the stop of this position",
            one.old
        ))),
    }
}

/// The old one has fired meanwhile: the new stop protects nothing.
fn flat(left: Option<&OrderId>) -> MoveStep {
    left.map_or(MoveStep::Ends(None), |new| {
        MoveStep::Cancels(Command::Cancel(new.clone()))
    })
}

/// Requests the reads it waits for, at most twice a second.
fn look(model: &mut Model, mut one: StopMove) -> Option<Effect> {
    let now = model.now;
    let next = match &mut one.stage {
        StopMoveStage::Reading { look_at, .. } | StopMoveStage::Checking { look_at, .. } => {
            Some(look_at)
        }
        StopMoveStage::Placing(_) | StopMoveStage::Canceling { .. } => None,
    };
    let due = next.filter(|at| **at <= now);
    let asks = due.is_some();
    if let Some(at) = due {
        *at = now.plus(LOOK_AGAIN);
    }
    model.store.stop_moves.push(one);
    asks.then(|| Effect::Poll(vec![Source::Orders, Source::Positions]))
}

fn cancel(model: &mut Model, one: StopMove, command: Command) -> Option<Effect> {
    if let Some(why) = objection(model, &command) {
        let words = format!("both stops stand: {command} is left to do: {why}");
        model.say(Tone::Alert, words);
        return None;
    }
    let of_old = command.cancels() == Some(&one.old);
    let (ticket, effect) = send(model, command);
    let new = one.stage.accepted().cloned().filter(|_| of_old);
    if let Some(new) = new {
        let stage = StopMoveStage::Canceling { new, ticket };
        model.store.stop_moves.push(StopMove { stage, ..one });
    }
    Some(effect)
}

/// The command's outcome is unknown: nothing is canceled.
pub(crate) fn doubt(model: &mut Model, ticket: Ticket) {
    let is_one = |one: &StopMove| one.stage == StopMoveStage::Placing(ticket);
    let moves = &mut model.store.stop_moves;
    let Some(at) = moves.iter().position(is_one) else {
        return;
    };
    let old = moves.swap_remove(at).old;
    let words = format!("whether the new stop stands is not known yet: {old} is not canceled");
    model.say(Tone::Alert, words);
}

/// A close-all or flatten is followed by no cancel, and the end of a stop ends its move.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let ends_all = matches!(command, Command::CloseAll(_) | Command::Flatten(_));
    let canceled = command.cancels();
    let moves = &mut model.store.stop_moves;
    moves.retain(|one| !ends_all && canceled != Some(&one.old));
}

/// This order, if it is the stop of an open position.
pub(crate) fn stop(model: &Model, old: &OrderId) -> Option<Order> {
    let order = model.store.order(old)?;
    guarded(model, order).map(|_| order.clone())
}
