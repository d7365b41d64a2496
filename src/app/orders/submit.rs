//! Sends a form's command, what follows it, and what the next form takes from it. The form closes: see [`sent`].

use super::{
    moves,
    send::{begin, keep_form, send},
    sent,
};
use crate::{
    app::{
        core::effect::Effect,
        desk::model::Model,
        dialogs::{next::Next, overlay::Overlay},
        forms::form::Form,
        workflows::{BracketRun, Workflow},
    },
    model::{Command, Failure, Receipt, draft::Draft},
};

/// Sends and closes the form; or returns why it is not sent.
pub(crate) fn send_form(model: &mut Model, command: Command) -> Result<Vec<Effect>, String> {
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        return Ok(send_and_close(model, command));
    };
    if let Draft::Protect(draft) = &form.draft {
        let wanted = draft.wanted(&form.seen(&model.account.form_context()));
        let wanted = wanted.map_err(|faults| faults.to_string())?;
        let position = draft.position_id.clone();
        return moves::protect(model, position, wanted);
    }
    let Some(old) = form.replaces.clone() else {
        return send_with_targets(model, command);
    };
    let Command::Place(order) = command else {
        return Err(format!(
            "{}: this replaces no order",
            command.words(&model.account.store.names)
        ));
    };
    moves::begin(model, &old, order)
}

/// Sends an entry; the targets of its bracket follow its fill.
fn send_with_targets(model: &mut Model, command: Command) -> Result<Vec<Effect>, String> {
    let form = model.overlays.last().and_then(Overlay::try_as_form_ref);
    let targets = form.map(|form| form.later_targets(&model.account.form_context()));
    let targets = targets.transpose().map_err(|faults| faults.to_string())?;
    match (command, targets.filter(|targets| !targets.is_empty())) {
        (Command::Place(order), Some(targets)) => {
            let run = Workflow::Bracket(BracketRun::new(order, targets));
            let (ticket, effect) = begin(model, run)?;
            let form = sent::take(model);
            keep_form(model, ticket, form);
            Ok(vec![effect])
        }
        (command, _) => Ok(send_and_close(model, command)),
    }
}

/// Closes the topmost form and keeps it with this command.
fn send_and_close(model: &mut Model, command: Command) -> Vec<Effect> {
    let form = sent::take(model);
    let (ticket, effect) = send(model, command);
    keep_form(model, ticket, form);
    vec![effect]
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

/// The next form starts with the terms of an accepted order, never of a refused one.
pub(crate) fn learn(model: &mut Model, command: &Command, result: &Result<Receipt, Failure>) {
    if let (Command::Place(order), None) = (command, failure_of(result)) {
        model.account.used.keep(order);
    }
}

/// An order that was accepted and then rejected is a failure for its form.
fn failure_of(result: &Result<Receipt, Failure>) -> Option<Failure> {
    match result {
        Err(why) => Some(why.clone()),
        Ok(receipt) => receipt.refusal(),
    }
}
