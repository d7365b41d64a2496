//! When to draw: at once after a key, a moment later after the network, never while nothing has changed.

use crate::app::Motion;
use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep_until};

/// Sixty frames a second are all an eye can use; the first change after a rest is drawn at once.
const FRAME: Duration = Duration::from_millis(16);
/// Polls come in flocks; what they bring is drawn together.
const FLOCK: Duration = Duration::from_millis(60);
/// The same for eyes that motion disturbs: numbers change together, and not more often.
const CALM: Duration = Duration::from_secs(1);

/// Who waits for a change to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Person,
    Background,
}

#[derive(Debug)]
pub(crate) struct FrameGate {
    due: Option<Instant>,
    last: Instant,
}

impl FrameGate {
    /// Open: the first frame is due now.
    pub(crate) fn open() -> Self {
        let now = Instant::now();
        Self {
            due: Some(now),
            last: now,
        }
    }

    /// Something changed. A frame already due is never put off.
    pub(crate) fn want(&mut self, cause: Cause, motion: Motion) {
        let soon = Instant::now() + FLOCK;
        let wanted = match (cause, motion) {
            (Cause::Person, _) => self.last + FRAME,
            (Cause::Background, Motion::Full) => soon,
            (Cause::Background, Motion::Reduced) => soon.max(self.last + CALM),
        };
        self.due = Some(self.due.map_or(wanted, |due| due.min(wanted)));
    }

    pub(crate) fn drawn(&mut self) {
        *self = Self {
            due: None,
            last: Instant::now(),
        };
    }

    /// Resolves when a frame may be drawn; never, while none is wanted.
    pub(crate) async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => pending::<()>().await,
        }
    }
}
