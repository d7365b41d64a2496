//! When something that may have to be requested repeatedly is requested next.

use crate::model::Timestamp;
use std::time::Duration;

const SHORTEST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(30);
/// A source that was not requested this long starts again.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(2);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Retry {
    last: Option<Timestamp>,
    /// Since the last pause.
    tries: u32,
}

impl Retry {
    /// When it may be requested again: at once for the first time, and then after twice the time of before.
    pub(super) fn due(&self) -> Timestamp {
        let wait = (SHORTEST * (1 << self.tries.saturating_sub(1).min(4))).min(LONGEST);
        self.last.map_or(Timestamp(0), |last| last.plus(wait))
    }

    pub(super) fn tried(&mut self, now: Timestamp) {
        let is_forgotten = self
            .last
            .is_none_or(|last| now.since(last) >= FORGOTTEN_AFTER);
        self.tries = if is_forgotten {
            1
        } else {
            self.tries.saturating_add(1)
        };
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_two_seconds_to_thirty_until_nothing_is_asked_for_long() {
        let mut retry = Retry::default();
        let mut now = Timestamp(1_790_000_000_000);
        assert!(retry.due() <= now);
        let mut waits = vec![];
        for _ in 0..6 {
            retry.tried(now);
            waits.push(retry.due().since(now).as_secs());
            now = retry.due();
        }
        assert_eq!(waits, [2, 4, 8, 16, 30, 30]);
        now = now.plus(FORGOTTEN_AFTER);
        retry.tried(now);
        assert_eq!(retry.due().since(now).as_secs(), 2);
    }
}
