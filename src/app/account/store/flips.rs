//! Flips between their two commands.

use crate::model::{Flip, Num, OrderId, Timestamp};
use std::time::Duration;

/// How far apart reads are asked for that nothing else waits for.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// A flip whose close was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedFlip {
    pub(crate) flip: Box<Flip>,
    pub(crate) stage: FlipStage,
    /// When reads are asked for next.
    pub(crate) look_at: Timestamp,
    /// What it still waits for, in words.
    pub(crate) waits_for: String,
}

/// What is known of its close.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FlipStage {
    /// This order closes it, and works.
    Closing(OrderId),
    /// All of it is closed, this much; only reads sent after the answer tell what is left.
    Closed { size: Num, answered_at: Timestamp },
}

impl ClosedFlip {
    pub fn flip(&self) -> &Flip {
        &self.flip
    }

    /// What it still waits for, in words.
    pub fn waits_for(&self) -> &str {
        &self.waits_for
    }
}
