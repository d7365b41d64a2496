//! Until when a request may be resent with its key. Nothing else decides this.

use crate::model::Timestamp;
use std::time::Duration;

/// How long after its last response the service keeps a key. The service does not document its window; published ones
/// begin at 30 minutes, and half of that leaves room.
const WINDOW: Duration = Duration::from_mins(15);
/// Allowance for a clock that was adjusted.
const SKEW: Duration = Duration::from_mins(5);

/// Within it, the same request under the same key executes at most once; after it, it could execute again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayWindow {
    from: Timestamp,
    until: Timestamp,
}

impl ReplayWindow {
    /// For a key that the service knew at `known_at`: its first sending, or its last response.
    pub fn since(known_at: Timestamp) -> Self {
        Self::between(known_at, known_at.plus(WINDOW))
    }

    /// As a journal row says.
    pub(super) fn between(from: Timestamp, until: Timestamp) -> Self {
        Self { from, until }
    }

    /// For a request that never left this machine: its next sending is its first.
    pub fn endless() -> Self {
        Self::between(Timestamp(i64::MIN), Timestamp(i64::MAX))
    }

    /// For a request that must not be sent from here.
    pub fn closed(at: Timestamp) -> Self {
        Self::between(at, at)
    }

    pub fn until(self) -> Timestamp {
        self.until
    }

    /// A window that begins after `now` was written by another clock: its age is unknown.
    pub fn is_open(self, now: Timestamp) -> bool {
        self.from <= now.plus(SKEW) && now < self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_good_for_a_quarter_of_an_hour_and_not_by_a_clock_that_runs_backwards() {
        let at = |minutes: u64| Timestamp(0).plus(Duration::from_mins(minutes));
        let replay_window = ReplayWindow::since(at(60));
        let open = [54, 55, 60, 74, 75].map(|minute| replay_window.is_open(at(minute)));
        assert_eq!(open, [false, true, true, true, false]);
        assert!(
            ReplayWindow::endless().is_open(at(0)) && !ReplayWindow::closed(at(60)).is_open(at(60))
        );
    }
}
