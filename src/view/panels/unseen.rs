//! The message on a screen that is too small for the desk.

use crate::app::{Action, Context, Model, dialogs::overlay::Overlay};

/// What is hidden, and the keys that still work.
pub fn out_of_sight(model: &Model) -> String {
    let waiting = model.overlays.last().and_then(waits).map(|what| {
        format!(". {what} is off the screen: perpdeck sends nothing of it until it is visible")
    });
    let early = model
        .account
        .early_exit
        .map(|exit| format!(". {} starts as soon as the account is read", exit.name()));
    let keys = [Action::CloseAll, Action::Flatten].into_iter();
    let keys = keys.filter_map(|action| {
        let chord = model.keymap.chord(Context::Desk, action)?;
        Some(format!(" · {chord} {}", action.label()))
    });
    waiting.into_iter().chain(early).chain(keys).collect()
}

/// A hidden question that could send something.
fn waits(overlay: &Overlay) -> Option<&'static str> {
    if let Overlay::Bulk(list) = overlay {
        return list.ends_at().map(|_| "a list of commands");
    }
    let is_line = matches!(overlay, Overlay::Prompt(_));
    let line = is_line.then_some("a line being typed");
    line.or_else(|| matches!(overlay, Overlay::Form(_)).then_some("a form"))
}
