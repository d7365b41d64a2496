//! When a source is polled next, as a pure function of its results.

use crate::{
    model::{Failure, FailureKind},
    runtime::base::jitter::Jitter,
};
use std::time::Duration;

/// However often it failed, a source is retried within this time.
const LONGEST: Duration = Duration::from_secs(30);
/// Nor does it slow down to less than a quarter of its rate: the first source that works again wakes the others.
const SLOWEST: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// This long, or until somebody requests a poll.
    For(Duration),
    /// `least` always, as the service said; then the rest of the wait, or until somebody requests a poll.
    AtLeast { least: Duration, rest: Duration },
    /// Until somebody requests a poll: a retry alone would change nothing.
    UntilRequested,
}

impl Wait {
    /// Longer by this factor, unless the service set the time.
    pub(super) fn slowed(self, factor: u32) -> Self {
        match self {
            Self::For(wait) => Self::For(wait.saturating_mul(factor)),
            Self::AtLeast { .. } | Self::UntilRequested => self,
        }
    }

    /// Longer by the factor by which all sources together exceed the budget.
    pub(super) fn shared(self, demand: u32, room: Option<u32>) -> Self {
        match (self, room) {
            (Self::For(wait), Some(room)) if room < demand => {
                Self::For(wait.saturating_mul(demand) / room.max(1))
            }
            (wait, _) => wait,
        }
    }
}

#[derive(Debug)]
pub(super) struct PollBackoff {
    failures: u32,
    jitter: Jitter,
}

impl PollBackoff {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            failures: 0,
            jitter: Jitter::seeded(seed),
        }
    }

    /// Whether the last request failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failures > 0
    }

    /// How long a source with this `interval` waits after this result.
    pub(super) fn after(&mut self, interval: Duration, trouble: Option<&Failure>) -> Wait {
        let Some(why) = trouble else {
            self.failures = 0;
            return Wait::For(interval);
        };
        self.failures = self.failures.saturating_add(1);
        match why.kind {
            // An unconfigured source does not change by itself.
            FailureKind::Local => return Wait::UntilRequested,
            // A refusal may pass, or the key be replaced.
            FailureKind::Auth => return Wait::For(self.spread(LONGEST.max(interval))),
            FailureKind::Broken
            | FailureKind::Conflict
            | FailureKind::Contradiction
            | FailureKind::DryRun
            | FailureKind::Invalid
            | FailureKind::Limited
            | FailureKind::NotFound
            | FailureKind::TimedOut
            | FailureKind::Unavailable
            | FailureKind::Unknown
            | FailureKind::Unreachable
            | FailureKind::Unreadable => {}
        }
        let doubled = interval * 2_u32.saturating_pow(self.failures.min(8));
        let longest = (interval * SLOWEST).min(LONGEST.max(interval));
        let backoff = self.spread(doubled.min(longest));
        match why.retry_after {
            Some(least) => Wait::AtLeast {
                least,
                rest: backoff.saturating_sub(least),
            },
            None => Wait::For(backoff),
        }
    }

    /// Ten percent more or less, so that desks do not ask a service that is back all at once.
    fn spread(&mut self, wait: Duration) -> Duration {
        wait * (900 + self.jitter.per_mille() / 5) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SourceTask(PollBackoff, Duration);

    impl SourceTask {
        fn after(&mut self, trouble: Option<&Failure>) -> Wait {
            self.0.after(self.1, trouble)
        }
    }

    fn backoff(seconds: u64) -> SourceTask {
        SourceTask(PollBackoff::new(7), Duration::from_secs(seconds))
    }

    fn seconds(wait: Wait) -> u64 {
        match wait {
            Wait::For(wait) => (wait + Duration::from_millis(500)).as_secs(),
            Wait::AtLeast { .. } | Wait::UntilRequested => u64::MAX,
        }
    }

    #[test]
    fn a_source_that_answers_keeps_its_interval_and_one_that_fails_never_keeps_step() {
        let mut working = backoff(10);
        assert_eq!(working.after(None), Wait::For(Duration::from_secs(10)));
        let down = Failure::new(FailureKind::Unreachable, "down");
        let mut failing = backoff(40);
        let waits: Vec<_> = (0..50).map(|_| failing.after(Some(&down))).collect();
        for wait in &waits {
            let Wait::For(wait) = wait else {
                panic!("{wait:?}");
            };
            assert!((36_000..=44_000).contains(&wait.as_millis()), "{wait:?}");
        }
        assert_ne!(waits[0], waits[1]);
        let mut same = backoff(40);
        assert_eq!(same.after(Some(&down)), waits[0]);
    }

    #[test]
    fn a_short_budget_slows_every_source_by_the_same_and_a_retry_after_stands() {
        let wait = Wait::For(Duration::from_secs(2));
        let longer = Wait::For(Duration::from_secs(18));
        assert_eq!(wait.shared(288, Some(32)), longer);
        for room in [None, Some(288), Some(900)] {
            assert_eq!(wait.shared(288, room), wait);
        }
        let least = Wait::AtLeast {
            least: Duration::from_secs(2),
            rest: Duration::from_secs(5),
        };
        assert_eq!(least.shared(288, Some(32)), least);
        assert_eq!(
            Wait::UntilRequested.shared(288, Some(0)),
            Wait::UntilRequested
        );
    }

    #[test]
    fn failures_slow_a_source_down_to_a_quarter_and_one_answer_restores_it() {
        let down = Failure::new(FailureKind::Unreachable, "down");
        let mut fast = backoff(1);
        let waits: Vec<_> = (0..6).map(|_| seconds(fast.after(Some(&down)))).collect();
        assert!(waits.is_sorted() && waits[0] == 2, "{waits:?}");
        assert!((4..=5).contains(&waits[5]));
        assert_eq!(seconds(fast.after(None)), 1);
        let mut slow = backoff(15);
        assert!((27..=33).contains(&seconds(slow.after(Some(&down)))));
    }

    #[test]
    fn the_wait_a_service_asks_for_stands_even_when_someone_asks_sooner() {
        let busy = Failure {
            retry_after: Some(Duration::from_secs(20)),
            ..Failure::new(FailureKind::Unavailable, "busy")
        };
        let expected = Wait::AtLeast {
            least: Duration::from_secs(20),
            rest: Duration::ZERO,
        };
        assert_eq!(backoff(1).after(Some(&busy)), expected);
    }

    #[test]
    fn a_refused_key_is_tried_twice_a_minute_so_that_a_refusal_that_passes_heals_by_itself() {
        let refused = Failure::new(FailureKind::Auth, "no");
        assert!((27..=33).contains(&seconds(backoff(1).after(Some(&refused)))));
        let unconfigured = Failure::new(FailureKind::Local, "no");
        assert_eq!(backoff(1).after(Some(&unconfigured)), Wait::UntilRequested);
    }
}
