//! The one place that reads the wall clock.

use crate::model::Timestamp;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where instants come from: the machine, or one frozen instant for pictures and tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    Wall,
    Frozen(Timestamp),
}

impl Clock {
    pub fn now(self) -> Timestamp {
        match self {
            Self::Wall => wall(),
            Self::Frozen(instant) => instant,
        }
    }

    /// How long until `at`; zero when it has passed.
    pub fn until(self, at: Timestamp) -> Duration {
        at.since(self.now())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "time enters the program here and nowhere else"
)]
fn wall() -> Timestamp {
    // A machine whose clock stands before 1970 reads as 1970: ages show as old, nothing breaks.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
