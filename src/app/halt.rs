//! The desk halted: exposure only goes down until the trader re-arms it.
//!
//! It halts after a flatten, and when the service contradicts itself; the runtime decides and holds back, the app says so.

use super::{
    Effect, Model,
    notice::{Event, Tone},
};
use crate::model::{Command, Risk};

/// The runtime has halted the desk, or taken a halt back.
pub(super) fn halt(model: &mut Model, why: Option<String>) -> Vec<Effect> {
    let (tone, text) = match &why {
        Some(why) => (
            Tone::Alert,
            format!(
                "HALTED: {why}. Nothing that raises exposure is sent before you re-arm the desk"
            ),
        ),
        None => (Tone::Good, "re-armed: orders are sent again".to_owned()),
    };
    model.halted = why;
    let event = Event::Said(tone, text);
    model.activity.note(None, event, model.now);
    vec![]
}

/// Why `command` is not sent while the desk is halted, if so.
pub(super) fn objection(model: &Model, command: &Command) -> Option<String> {
    let why = model.halted.as_ref()?;
    let raises = command.risk() == Risk::Increasing;
    raises.then(|| format!("the desk is HALTED: {why}"))
}
