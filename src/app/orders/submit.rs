//! Sends a form's command, what follows it, and what the next form takes from it. The form closes: see [`sent`].

use super::{amend, flight::send, sent, stop_move};
use crate::{
    app::{
        account::{labels::Visibility, row_id::RowId, store::Then},
        activity::notice::Tone,
        desk::model::Model,
        dialogs::{
            effect::Effect,
            next::Next,
            overlay::{Deed, Overlay, Strip},
        },
        forms::form::{Form, Replaces},
        orders::of_row,
    },
    model::{Command, Failure, FailureKind, Num, OrderId, OrderStatus, Proof, Receipt, Ticket},
};
use std::time::Duration;

/// As long as the default delay of close-all.
const CANCELS_IN: Duration = Duration::from_millis(1_500);

/// Sends and closes the form; or returns why it is not sent.
pub(crate) fn send_form(model: &mut Model, command: Command) -> Result<Vec<Effect>, String> {
    let replaces = match model.overlays.last() {
        Some(Overlay::Form(form)) => form.replaces.clone(),
        Some(_) | None => None,
    };
    let then = match (replaces, command) {
        (Some(Replaces::Resting(old, filled)), Command::Place(order)) => {
            return amend::begin(model, (old, filled), order);
        }
        (Some(Replaces::Armed(old)), command) => match stop_move::stop(model, &old) {
            Some(stop) => return stop_move::begin(model, &stop, command),
            None => (command, Some(Then::Cancel(old))),
        },
        (Some(Replaces::Resting(..)) | None, command) => (command, None),
    };
    Ok(send_then(model, then))
}

/// Closes the topmost form and keeps it with this command, together with what follows.
pub(crate) fn send_then(
    model: &mut Model,
    (command, then): (Command, Option<Then>),
) -> Vec<Effect> {
    let form = sent::take(model);
    let (ticket, effect) = send(model, command);
    if let Some(flight) = model.store.flights.get_mut(&ticket) {
        flight.then = then;
    }
    keep_form(model, ticket, form);
    vec![effect]
}

/// Keeps a form with its command until that settles.
pub(crate) fn keep_form(model: &mut Model, ticket: Ticket, form: Option<Box<Form>>) {
    model.sent_forms.extend(form.map(|form| (ticket, form)));
}

/// Shows in the form why it was not sent, and keeps its contents.
pub(crate) fn refuse(model: &mut Model, why: String) -> Next {
    if let Some(Overlay::Form(form)) = model.overlays.last_mut() {
        form.failure = Some(Failure::local(why.clone()));
    }
    Next::Refuse(why)
}

/// Drops the form on success, and keeps it with its contents on failure.
pub(crate) fn settle_form(
    model: &mut Model,
    form: Option<Box<Form>>,
    result: &Result<Receipt, Failure>,
) {
    if let Some((form, why)) = form.zip(failure_of(result)) {
        sent::keep(model, form, why);
    }
}

/// Whether the order can replace another: it works or has filled something. One that expired at once cannot.
pub(crate) fn stands_in(result: &Result<Receipt, Failure>) -> bool {
    match result {
        Ok(Receipt::Order { order, .. }) => {
            !order.is_over() || order.filled_size.is_some_and(Num::is_positive)
        }
        Ok(_) | Err(_) => false,
    }
}

/// The new order is placed: cancels the order it replaces, or reports that both work.
pub(crate) fn settle_replaced(model: &mut Model, old: OrderId) {
    let cancel = of_row::cancel_of(model, &RowId::Order(old.clone()));
    let Ok(cancel) = cancel else {
        return;
    };
    let is_seen = model.visibility == Visibility::OnScreen && model.overlays.is_empty();
    if is_seen {
        end_replaced(model, old, &cancel);
    } else {
        remind(model, &Command::Cancel(old));
    }
}

/// Two entries could open twice, so the replaced entry is canceled automatically unless stopped. A replaced stop needs
/// an answer: the new one already protects the same position.
fn end_replaced(model: &mut Model, old: OrderId, cancel: &Command) {
    let (deed, now) = (Deed::Replaced(Command::Cancel(old)), model.now);
    let strip = if let Command::Unprotect(_) = cancel {
        Strip::confirm(deed, now)
    } else {
        Strip::countdown(deed, CANCELS_IN, now)
    };
    model.overlays.push(Overlay::Strip(strip));
}

/// The next form starts with the terms of an accepted order, never of a refused one.
pub(crate) fn learn(model: &mut Model, command: &Command, result: &Result<Receipt, Failure>) {
    if let (Command::Place(order), None) = (command, failure_of(result)) {
        model.used.keep(order);
    }
}

/// An order that was accepted and then rejected is a failure for its form.
fn failure_of(result: &Result<Receipt, Failure>) -> Option<Failure> {
    match result {
        Err(why) => Some(why.clone()),
        Ok(Receipt::Order { order, .. }) if order.status.is(&OrderStatus::Rejected) => {
            let reason = order.reject_reason.clone();
            Some(Failure {
                proves: Proof::Refused,
                rule_id: order.reject_rule_id.clone(),
                order_id: Some(order.id.clone()),
                ..Failure::new(FailureKind::Invalid, reason.unwrap_or_default())
            })
        }
        Ok(_) => None,
    }
}

/// The replaced order was not canceled.
pub(crate) fn remind(model: &mut Model, cancel: &Command) {
    let words = format!("both orders work now: {cancel} is left to do");
    model.say(Tone::Alert, words);
}
