//! A stop or target that was sent for a position and that no list of orders shows yet.
//!
//! Contract: a held or repeated key places one stop. A further one is placed once the first is listed, or has failed.

use crate::{
    app::{
        desk::model::Model,
        keys::keymap::{Action, Context},
    },
    model::{ClosePosition, Command, Position, Progress, Protection},
};

/// Why no other stop or target is placed for this position now, if so.
pub(crate) fn objection(model: &Model, position: &Position, purpose: Protection) -> Option<String> {
    let what = purpose.word();
    let mut flights = model.store.flights.values();
    let sent = flights.find(
        |flight| matches!(&flight.command, Command::Close(close) if protects(close, position, purpose)),
    );
    if let Some(flight) = sent {
        return Some(match flight.progress {
            Progress::Parked { .. } => unknown(model, what),
            Progress::Queued
            | Progress::Sending { .. }
            | Progress::Unknown { .. }
            | Progress::Waiting { .. }
            | Progress::Running { .. }
            | Progress::Flattening(_) => {
                format!("a {what} for this position is being sent: wait for its answer")
            }
        });
    }
    let mut unlisted = model.store.unlisted_closes(&position.id);
    let unlisted = unlisted.find(|order| order.protects(position) == Some(purpose))?;
    Some(format!(
        "the {what} {} was just placed: wait until it is listed",
        unlisted.id
    ))
}

fn protects(close: &ClosePosition, position: &Position, purpose: Protection) -> bool {
    let direction = close.trigger.as_ref().map(|trigger| trigger.direction);
    // Without a direction it may be either.
    let may = |direction| {
        let purposes = position.side().zip(direction);
        purposes.is_none_or(|(side, direction)| Protection::of(side, direction) == purpose)
    };
    close.position_id == position.id && direction.is_some_and(may)
}

fn unknown(model: &Model, what: &str) -> String {
    let key = model.keymap.chord(Context::Desk, Action::Decide);
    let key = key.map_or_else(String::new, |key| format!(": {key} decides"));
    format!("status unknown: a {what} for this position may have been placed{key}")
}
