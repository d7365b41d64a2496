//! Cancel/replace: moves a working order that the service does not move in place (see `moves`), or changes more of it
//! than price and size. perpdeck cancels the old one and places the rest anew.
//!
//! Contract: nothing is placed before the cancel has taken effect and a read requested after it shows how much of the
//! old order filled: two entries at once could both fill, two targets could close too much. The new size is the requested
//! one less what filled since the form read it, never more. A cancel that is refused, unknown or late, and any close-all
//! or flatten in between, ends the move with nothing placed and a message. The queued cancel of an armed order is
//! awaited. Each of the two requests has its own intent and key; the second is recorded when it is sent, so after a
//! crash in between the order is only canceled.

use crate::{
    app::{
        account::{
            row_id::RowId,
            store::{Store, Then},
            successor::{REPLACE_WITHIN, Successor},
        },
        activity::notice::Tone,
        desk::{model::Model, row_replacement},
        dialogs::effect::Effect,
        forms::form::Form,
        orders::of_row,
    },
    model::{Command, Failure, Num, Order, OrderId, PlaceOrder, Receipt, Ticket, Timestamp},
};

use super::{
    flight::{objection, send},
    sent,
    submit::keep_form,
};

#[cfg(test)]
mod tests;

/// Why `order` does not take the place of the old one, if so.
///
/// # Errors
/// The reason.
pub(crate) fn check(model: &Model, old: &OrderId, order: &PlaceOrder) -> Result<(), String> {
    if is_ending(&model.account.store, old) {
        return Err(format!("{old} is being canceled already"));
    }
    let cancel = of_row::cancel_of(model, &RowId::Order(old.clone()))?;
    let place = Command::from(order.clone());
    let held = objection(model, &cancel).or_else(|| objection(model, &place));
    held.map_or(Ok(()), Err)
}

/// Cancels the old order, for `order` to be placed once that is done; `form` sent it.
pub(crate) fn start(
    model: &mut Model,
    (old, filled): (OrderId, Num),
    (order, since): (Box<PlaceOrder>, Timestamp),
    form: Option<Box<Form>>,
) -> Result<Vec<Effect>, String> {
    let cancel = of_row::cancel_of(model, &RowId::Order(old.clone()))?;
    row_replacement::moves(model, &old);
    let successor = Successor {
        old,
        order,
        filled,
        since,
    };
    let (ticket, effect) = send(model, cancel);
    if let Some(flight) = model.account.store.flights.get_mut(&ticket) {
        flight.then = Some(Then::Place(successor));
    }
    keep_form(model, ticket, form);
    Ok(vec![effect])
}

fn is_ending(store: &Store, old: &OrderId) -> bool {
    let mut flights = store.flights.values();
    let mut waiting = store.successors.iter();
    flights.any(|flight| flight.command.cancels() == Some(old))
        || waiting.any(|(_, successor)| successor.old == *old)
        || store.queued_cancels.contains(old)
}

/// The cancel has settled: reads show how much had filled, or nothing is placed.
pub(crate) fn answered(
    model: &mut Model,
    (ticket, successor): (Ticket, Successor),
    result: &Result<Receipt, Failure>,
) -> Option<Effect> {
    let old = &successor.old;
    let failure = match result {
        Ok(Receipt::Cancel(cancel)) if cancel.canceled => None,
        Ok(Receipt::AlreadySo(_)) => None,
        // An armed one ends a moment later: see `ended`.
        Ok(Receipt::Cancel(cancel)) if cancel.queued && successor.order.trigger.is_some() => {
            model.account.store.successors.push((ticket, successor));
            return None;
        }
        Ok(_) => Some(Failure::local(format!(
            "the cancel of {old} is only queued, it may still fill: no replacement is placed"
        ))),
        Err(why) => Some(Failure {
            message: format!(
                "nothing is placed, {old} is not canceled: {}",
                why.message.raw()
            )
            .into(),
            ..why.clone()
        }),
    };
    match failure {
        None => {
            let trace = Effect::Trace(vec![old.clone()]);
            model.account.store.successors.push((ticket, successor));
            Some(trace)
        }
        Some(why) => {
            let form = model.sent_forms.remove(&ticket);
            stay(model, form, why);
            None
        }
    }
}

/// A queued cancel has come to its end: reads tell how much had filled, or nothing is placed.
pub(crate) fn ended(
    model: &mut Model,
    old: &OrderId,
    result: &Result<Receipt, Failure>,
) -> Option<Effect> {
    let waits = model
        .account
        .store
        .successors
        .iter()
        .any(|(_, one)| one.old == *old);
    match result {
        Ok(_) if waits => Some(Effect::Trace(vec![old.clone()])),
        Ok(_) => None,
        Err(_) => {
            abandon(model, |id| id == old);
            None
        }
    }
}

/// The trader is told why, and the form that sent it is kept with everything in it.
fn stay(model: &mut Model, form: Option<Box<Form>>, why: Failure) {
    model.account.say(Tone::Alert, why.message.to_string());
    if let Some(form) = form {
        sent::keep(model, form, why);
    }
}

/// A search ended: the orders that waited for it are placed, or dropped.
pub(crate) fn traced(model: &mut Model, asked: &[OrderId], found: &[Order]) -> Vec<Effect> {
    let waiting = std::mem::take(&mut model.account.store.successors);
    let (due, rest): (Vec<_>, Vec<_>) = waiting
        .into_iter()
        .partition(|(_, successor)| asked.contains(&successor.old));
    model.account.store.successors = rest;
    let mut effects = vec![];
    for (ticket, successor) in due {
        let form = model.sent_forms.remove(&ticket);
        let row = found.iter().find(|order| order.id == successor.old);
        match successor.left(row) {
            Ok(size) => effects.extend(place(model, (successor, form), size)),
            Err(why) => model.account.say(Tone::Alert, why),
        }
    }
    effects
}

/// The old order is canceled and `size` is left: from here on it is an ordinary order.
fn place(
    model: &mut Model,
    (successor, mut form): (Successor, Option<Box<Form>>),
    size: Num,
) -> Option<Effect> {
    let Successor {
        old,
        mut order,
        since,
        ..
    } = successor;
    let is_less = size < order.size;
    order.size = size;
    let command = Command::Place(order);
    if let Some(form) = &mut form {
        form.stand_alone(size);
    }
    let is_late = model.account.now.since(since) > REPLACE_WITHIN;
    let late = is_late.then(|| "the price was read late: check it, then send".to_owned());
    if let Some(why) = late.or_else(|| objection(model, &command)) {
        let words = format!("{old} is canceled, its replacement is not placed: {why}");
        stay(model, form, Failure::local(words));
        return None;
    }
    let (next, effect) = send(model, command);
    row_replacement::sent(model, &old, next);
    if is_less {
        let words = format!(
            "part of {old} filled before its cancel: the replacement is for the remaining {size}"
        );
        model.account.say(Tone::Warn, words);
    }
    keep_form(model, next, form);
    Some(effect)
}

/// A cancel that only a person can decide: by then the price would be too old.
pub(crate) fn park(model: &mut Model, ticket: Ticket) {
    abandon_of(model, |of, _| of == ticket);
}

/// No new order follows a close-all or flatten, or a separate cancel of the old order.
pub(crate) fn overtake(model: &mut Model, command: &Command) {
    let ends_all = matches!(
        command,
        Command::CloseAll(_) | Command::CancelAll(_) | Command::Flatten(_)
    );
    let canceled = command.cancels();
    abandon(model, |old| ends_all || canceled == Some(old));
}

/// Drops the replacements of these orders.
pub(crate) fn abandon(model: &mut Model, is_meant: impl Fn(&OrderId) -> bool) {
    abandon_of(model, |_, old| is_meant(old));
}

fn abandon_of(model: &mut Model, is_meant: impl Fn(Ticket, &OrderId) -> bool) {
    let store = &mut model.account.store;
    let mut ended = vec![];
    for (ticket, flight) in &mut store.flights {
        let is_one = |then: &mut Then| matches!(then, Then::Place(s) if is_meant(*ticket, &s.old));
        if let Some(Then::Place(successor)) = flight.then.take_if(is_one) {
            ended.push(successor.old);
            model.sent_forms.remove(ticket);
        }
    }
    store.successors.retain(|(ticket, successor)| {
        let is_one = is_meant(*ticket, &successor.old);
        if is_one {
            ended.push(successor.old.clone());
            model.sent_forms.remove(ticket);
        }
        !is_one
    });
    for old in ended {
        let words = format!("no replacement of {old} is placed");
        model.account.say(Tone::Alert, words);
    }
}
