//! Sent forms. Each closes at once and takes no keys; it is kept with its command until that settles.
//!
//! Contract: one key reopens the form of a refused command, whether the service or the desk refused it, with everything
//! typed and the reason. The form of a command that is done or parked is dropped.

use crate::{
    app::{
        activity::notice::Notice,
        desk::model::{Model, Refused},
        dialogs::{
            next::{Next, Reply},
            overlay::Overlay,
        },
        forms::form::{Form, FormInput},
        keys::DEAF,
    },
    model::Failure,
};

#[cfg(test)]
mod tests;

/// More than anybody goes back to.
const KEPT: usize = 16;

/// Closes the form that was just sent, and keeps it with its command.
pub(crate) fn take(model: &mut Model) -> Option<Box<Form>> {
    let form = model.overlays.pop_if(|top| matches!(top, Overlay::Form(_)));
    model.sent_at = Some(model.account.now);
    match form {
        Some(Overlay::Form(form)) => Some(form),
        Some(_) | None => None,
    }
}

/// Whether a press is the second of two for a form that has just closed.
pub(crate) fn is_second_press(model: &Model) -> bool {
    let is_soon = model
        .sent_at
        .is_some_and(|at| model.account.now.since(at) < DEAF);
    model.overlays.is_empty() && is_soon
}

/// Keeps the form of a refused command, right after its notice.
pub(crate) fn keep(model: &mut Model, mut form: Box<Form>, why: Failure) {
    form.failure = Some(why);
    form.question_at = None;
    form.hand = FormInput::Touched;
    let line = model.account.activity.newest();
    model.refused.push(Refused { form, line });
    if model.refused.len() > KEPT {
        model.refused.remove(0);
    }
}

/// Reopens the newest of them.
pub(crate) fn reopen(model: &mut Model) -> Reply {
    let refused = model.refused.pop();
    let refused = refused.ok_or("no order was refused: there is none to correct")?;
    let toast = model
        .account
        .activity
        .toast(model.account.now)
        .map(|notice| notice.number);
    if toast == Some(refused.line) {
        model.account.activity.dismiss_toast(model.account.now);
    }
    Ok(Next::open(refused.form))
}

/// Whether that key opens the form of this notice.
pub fn corrects(model: &Model, notice: &Notice) -> bool {
    let newest = model.refused.last();
    newest.is_some_and(|refused| refused.line == notice.number)
}

/// Whether there is a form to reopen.
pub fn has_refused(model: &Model) -> bool {
    !model.refused.is_empty()
}
