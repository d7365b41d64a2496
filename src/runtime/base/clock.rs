//! The only place that reads clocks.
//!
//! The desk's own time starts at the wall clock and from then on only goes forward, at the rate of the clock that
//! counts since boot (on Linux also while the machine sleeps). Everything the desk measures itself uses it: countdowns,
//! strips, toasts, ages of answers, the order of two answers. A change of the wall clock, in either direction,
//! therefore delays and drops nothing. Dates of the service (orders, expiries, days) are compared with the wall clock:
//! the desk's time plus its [`Drift`].
//!
//! Known limits: a session's journal is dated by that session's own time. A change of the clock does not move what a
//! market's chart already shows.

use crate::model::{Drift, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Includes time asleep.
#[cfg(target_os = "linux")]
const SINCE_BOOT: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const SINCE_BOOT: ClockId = ClockId::Monotonic;

/// The source of instants: the machine, or one frozen instant for pictures and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    Running(Anchor),
    Frozen(Timestamp),
}

/// The readings of both clocks at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    wall: Timestamp,
    since_boot: Duration,
}

impl Clock {
    /// A clock that starts at the wall clock and runs at the machine's pace.
    pub fn start() -> Self {
        Self::Running(Anchor {
            wall: wall(),
            since_boot: since_boot(),
        })
    }

    pub fn now(self) -> Timestamp {
        match self {
            Self::Running(anchor) => anchor.at(since_boot()),
            Self::Frozen(instant) => instant,
        }
    }

    /// How far the wall clock has been changed since the start.
    pub fn drift(self) -> Drift {
        match self {
            Self::Running(anchor) => Drift::between(anchor.at(since_boot()), wall()),
            Self::Frozen(_) => Drift::default(),
        }
    }

    /// How long until `at`; zero when it has passed.
    pub fn until(self, at: Timestamp) -> Duration {
        at.since(self.now())
    }

    /// Time stands still in a picture.
    pub fn is_frozen(self) -> bool {
        matches!(self, Self::Frozen(_))
    }
}

impl Anchor {
    fn at(self, since_boot: Duration) -> Timestamp {
        self.wall.plus(since_boot.saturating_sub(self.since_boot))
    }
}

fn since_boot() -> Duration {
    let time = clock_gettime(SINCE_BOOT);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(seconds, nanos)
}

#[expect(
    clippy::disallowed_methods,
    reason = "time enters the program here and nowhere else"
)]
fn wall() -> Timestamp {
    // A clock before 1970 reads as 1970: ages look old, nothing breaks.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANCHOR: Anchor = Anchor {
        wall: Timestamp(1_790_000_000_000),
        since_boot: Duration::from_secs(500),
    };

    #[test]
    fn the_desk_goes_on_by_the_machines_own_pace_from_what_the_wall_clock_said() {
        let later = ANCHOR.at(Duration::from_millis(501_250));
        assert_eq!(later, Timestamp(1_790_000_001_250));
        assert_eq!(ANCHOR.at(Duration::ZERO), ANCHOR.wall);
    }

    #[test]
    fn a_clock_that_has_just_started_stands_where_the_wall_clock_does() {
        let clock = Clock::start();
        assert!(!clock.drift().is_step(Drift::default()));
        assert!(clock.now().since(wall()) < Duration::from_secs(1));
    }
}
