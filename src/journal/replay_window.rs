//! Until when a request may be sent again with its key: the one place that knows.

use crate::model::Timestamp;
use std::time::Duration;

/// How long after the service was last heard of a key it surely still knows it. Its own window is not documented;
/// published ones begin at 30 minutes, and half of that leaves room.
const WINDOW: Duration = Duration::from_mins(15);
/// How far a clock may have been put right since.
const SKEW: Duration = Duration::from_mins(5);

/// Within it the same request under the same key is done at most once; after it, it could act anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayWindow {
    from: Timestamp,
    until: Timestamp,
}

impl ReplayWindow {
    /// Of a key that the service knew at `heard`: at its first sending, or when it last answered to it.
    pub fn since(heard: Timestamp) -> Self {
        Self::between(heard, heard.plus(WINDOW))
    }

    /// As a row of the journal says.
    pub(super) fn between(from: Timestamp, until: Timestamp) -> Self {
        Self { from, until }
    }

    /// Of what never left this machine: nobody knows its key, and whenever it goes out is its first time.
    pub fn endless() -> Self {
        Self::between(Timestamp(i64::MIN), Timestamp(i64::MAX))
    }

    /// Of what is not to be sent from here at all.
    pub fn closed(at: Timestamp) -> Self {
        Self::between(at, at)
    }

    pub fn until(self) -> Timestamp {
        self.until
    }

    /// One that begins after `now` was written by another clock: how old it is nobody knows.
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
