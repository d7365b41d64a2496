//! How long rows stay after their end (`serve --keep`).

use super::engine::Millis;
use std::time::Duration;

/// At least a day: a client that repeats a request with its key within a day still finds what the request made, and a
/// desk that was off overnight still sees how its orders ended.
const MIN_KEEP: Millis = Millis::DAY;

/// A time to keep, long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepTime(Millis);

impl KeepTime {
    /// `None` below a day.
    pub fn new(span: Duration) -> Option<Self> {
        let span = Millis(i64::try_from(span.as_millis()).ok()?);
        (span >= MIN_KEEP).then_some(Self(span))
    }

    pub(super) fn millis(self) -> Millis {
        self.0
    }
}
