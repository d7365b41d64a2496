//! Flips between their two commands.

use crate::model::{Flip, Num, OrderId, PositionId, Timestamp};
use std::time::Duration;

/// Pause between reads that only a pending second half waits for.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A flip whose close has a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedFlip {
    pub(crate) flip: Box<Flip>,
    pub(crate) stage: FlipStage,
    /// When the next read is requested.
    pub(crate) look_at: Timestamp,
    /// What it waits for, in words.
    pub(crate) waits_for: String,
}

/// The state of its close.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FlipStage {
    /// This closing order still works.
    Closing(OrderId),
    /// All of it is closed, with this size; only reads sent after the response show what is left.
    Closed { size: Num, answered_at: Timestamp },
}

impl FlipStage {
    /// What is so of the position.
    pub(crate) fn words(&self, position: &PositionId) -> String {
        match self {
            Self::Closing(_) => Self::in_flight_words(position),
            Self::Closed { .. } => format!("{position} is closed"),
        }
    }

    /// The same while the close has no response.
    pub(crate) fn in_flight_words(position: &PositionId) -> String {
        format!("the close of {position} continues")
    }
}
