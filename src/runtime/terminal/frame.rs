//! When to draw: at once after a key, slightly later after network messages, and never without a change.

use crate::app::Motion;
use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep_until};

/// Sixty frames a second at most; the first change after a pause is drawn at once.
const FRAME: Duration = Duration::from_millis(16);
/// Polls arrive in groups and are drawn together.
const POLL_FRAME: Duration = Duration::from_millis(60);
/// With reduced motion, numbers change together and no more often than this.
const REDUCED_MOTION_FRAME: Duration = Duration::from_secs(1);

/// What caused a change.
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
    /// The first frame is due at once.
    pub(crate) fn open() -> Self {
        let now = Instant::now();
        Self {
            due: Some(now),
            last: now,
        }
    }

    /// Requests a frame. A frame that is already due is never delayed.
    pub(crate) fn want(&mut self, cause: Cause, motion: Motion) {
        let soon = Instant::now() + POLL_FRAME;
        let wanted = match (cause, motion) {
            (Cause::Person, _) => self.last + FRAME,
            (Cause::Background, Motion::Full) => soon,
            (Cause::Background, Motion::Reduced) => soon.max(self.last + REDUCED_MOTION_FRAME),
        };
        self.due = Some(self.due.map_or(wanted, |due| due.min(wanted)));
    }

    pub(crate) fn drawn(&mut self) {
        *self = Self {
            due: None,
            last: Instant::now(),
        };
    }

    /// Resolves when a frame may be drawn; never while none is requested.
    pub(crate) async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => pending::<()>().await,
        }
    }
}
