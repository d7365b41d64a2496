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
        keys::keymap::{Action, Context},
        orders::{of_row, sent, submit::keep_form},
    },
    model::{
        Command, Failure, Num, Order, OrderId, Position, Protection, Receipt, StopMoveEvent,
        StopMoveFailure, StopMoveStep, Ticket, accepted_stop, is_stop_canceled, is_stop_read_late,
        stands_unknown,
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
    let form = of_row::moved_to(model, &order, price)?;
    let command = form.draft.command(&form.seen(&model.form_context()));
    let command = command.map_err(|faults| faults.to_string())?;
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

fn place(model: &mut Model, old: &Order, command: Command) -> Result<(Ticket, Effect), String> {
    let position = guarded(model, old).ok_or("this order is not the stop of an open position")?;
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
        return Err("this is not an order".to_owned());
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
            canceled(model, one, new, result)
        }
        StopMoveStage::Reading { .. } => vec![],
    }
}

fn placed(model: &mut Model, one: StopMove, result: &Result<Receipt, Failure>) -> Vec<Effect> {
    match accepted_stop(&one.old, result) {
        Ok(new) => read(model, one, (new, StopMoveEvent::NewAccepted)),
        Err(words) => model.say(Tone::Alert, words),
    }
    vec![]
}

fn canceled(
    model: &mut Model,
    one: StopMove,
    new: OrderId,
    result: &Result<Receipt, Failure>,
) -> Vec<Effect> {
    if is_stop_canceled(result) {
        return go_on(model, &one, &new);
    }
    read(model, one, (new, StopMoveEvent::OldNotCanceled));
    vec![]
}

/// From now on lists decide.
fn read(model: &mut Model, one: StopMove, (new, after): (OrderId, StopMoveEvent)) {
    let stage = StopMoveStage::Reading {
        new,
        after,
        since: model.now,
        look_at: model.now,
    };
    model.store.stop_moves.push(StopMove { stage, ..one });
}

/// Only the new stop remains: starts the latest request, if its price differs.
fn go_on(model: &mut Model, one: &StopMove, new: &OrderId) -> Vec<Effect> {
    let Some(price) = one.wanted else {
        return vec![];
    };
    to(model, new, price).unwrap_or_else(|why| {
        let words = format!("the stop stays at {}: {why}", one.price.grouped());
        model.say(Tone::Alert, words);
        vec![]
    })
}

/// Continues every move whose reads or time allow it.
pub(crate) fn proceed(model: &mut Model) -> Vec<Effect> {
    if model.store.stop_moves.is_empty() {
        return vec![];
    }
    let moves = std::mem::take(&mut model.store.stop_moves);
    moves.into_iter().flat_map(|one| go(model, one)).collect()
}

fn go(model: &mut Model, one: StopMove) -> Vec<Effect> {
    let Some((new, step)) = step(model, &one) else {
        model.store.stop_moves.push(one);
        return vec![];
    };
    match step {
        StopMoveStep::Waits => look(model, one).into_iter().collect(),
        StopMoveStep::CancelsOld => {
            let command = one.cancel.clone();
            cancel(model, one, command).into_iter().collect()
        }
        StopMoveStep::CancelsNew => cancel(model, one, Command::Cancel(new))
            .into_iter()
            .collect(),
        StopMoveStep::Done => go_on(model, &one, &new),
        StopMoveStep::Closed => vec![],
        StopMoveStep::Fails(why) => {
            let words = failure_words(model, &one, why);
            model.say(Tone::Alert, words);
            vec![]
        }
    }
}

/// The new stop and what follows; `None` while a command is in flight.
fn step(model: &Model, one: &StopMove) -> Option<(OrderId, StopMoveStep)> {
    let StopMoveStage::Reading {
        new, after, since, ..
    } = &one.stage
    else {
        return None;
    };
    let (store, pair) = (&model.store, one.pair(new));
    let is_read = store.orders.at() > Some(*since) && store.positions.at() > Some(*since);
    let lists = store.positions.value().zip(store.orders.value());
    let lists = lists.filter(|_| is_read);
    let step = lists.map_or(StopMoveStep::Waits, |(open, working)| {
        pair.step(pair.standing(open, working), *after)
    });
    let is_late = step == StopMoveStep::Waits && is_stop_read_late(*since, model.now);
    let step = if is_late { pair.unread(*after) } else { step };
    Some((new.clone(), step))
}

/// What is so, then the key that ends the doubled stop, and the price that is not moved to any more.
fn failure_words(model: &Model, one: &StopMove, why: StopMoveFailure) -> String {
    let key = model.keymap.chord(Context::Orders, Action::Cancel);
    let left = key.zip(why.left);
    let left = left.map_or_else(String::new, |(key, old)| {
        format!("; {key} on {old} cancels it")
    });
    let wanted = one.wanted.map_or_else(String::new, |price| {
        format!("; no stop is moved to {}", price.grouped())
    });
    format!("{}{left}{wanted}", why.words)
}

/// Requests the reads it waits for, at most twice a second.
fn look(model: &mut Model, mut one: StopMove) -> Option<Effect> {
    let now = model.now;
    let next = match &mut one.stage {
        StopMoveStage::Reading { look_at, .. } => Some(look_at),
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
        let left = command.cancels().cloned();
        let words = format!("not sent: {command}: {why}");
        let words = failure_words(model, &one, StopMoveFailure { words, left });
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
    model.say(Tone::Alert, stands_unknown(&old));
}

/// A close-all or flatten is followed by no cancel. A cancel of either stop ends their move: the other one stays.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let ends_all = matches!(command, Command::CloseAll(_) | Command::Flatten(_));
    let canceled = command.cancels();
    let mut ended = vec![];
    model.store.stop_moves.retain(|one| {
        let is_canceled = canceled.is_some_and(|id| one.is_about(id));
        let is_new = is_canceled && canceled != Some(&one.old);
        ended.extend(is_new.then(|| new_canceled_words(one)));
        !ends_all && !is_canceled
    });
    for words in ended {
        model.say(Tone::Alert, words);
    }
}

/// The trader cancels the new stop.
fn new_canceled_words(one: &StopMove) -> String {
    let (old, position) = (&one.old, &one.position);
    match one.stage {
        StopMoveStage::Canceling { .. } => {
            format!("{old} is being canceled too: look at the stops of {position}")
        }
        StopMoveStage::Placing(_) | StopMoveStage::Reading { .. } => {
            format!("the stop is not moved: {old} still works, its replacement is canceled")
        }
    }
}

/// This order, if it is the stop of an open position.
pub(crate) fn stop(model: &Model, old: &OrderId) -> Option<Order> {
    let order = model.store.order(old)?;
    guarded(model, order).map(|_| order.clone())
}
