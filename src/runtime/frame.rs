//! When to draw: at most once per [`FRAME`], and never while nothing has changed.

use std::{future::pending, time::Duration};
use tokio::time::{Instant, sleep_until};

/// Sixty frames a second are all an eye can use; the first change after a rest is drawn at once.
pub(super) const FRAME: Duration = Duration::from_millis(16);

#[derive(Debug)]
pub(super) struct FrameGate {
    wanted: bool,
    earliest: Instant,
}

impl FrameGate {
    /// Open: the first frame is due now.
    pub(super) fn open() -> Self {
        Self {
            wanted: true,
            earliest: Instant::now(),
        }
    }

    /// Something changed.
    pub(super) fn want(&mut self) {
        self.wanted = true;
    }

    pub(super) fn drawn(&mut self) {
        self.wanted = false;
        self.earliest = Instant::now() + FRAME;
    }

    /// Resolves when a frame may be drawn; never, while none is wanted.
    pub(super) async fn due(&self) {
        if self.wanted {
            sleep_until(self.earliest).await;
        } else {
            pending::<()>().await;
        }
    }
}
