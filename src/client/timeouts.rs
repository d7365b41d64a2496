//! Time limits and waits. One factor scales them all, so that tests run every path faster and in proportion.

use std::time::Duration;

/// Divides every wait and time limit; a `Retry-After` of the service is never shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts(u32);

impl Default for Timeouts {
    fn default() -> Self {
        Self(1)
    }
}

impl Timeouts {
    /// For tests only: a scaled desk gives up on slow services that a real one waits for.
    pub fn divided_by(times: u32) -> Self {
        Self(times.max(1))
    }

    /// `span`, divided.
    pub fn scaled(self, span: Duration) -> Duration {
        span / self.0
    }

    /// A name lookup, a TCP connection and a TLS handshake together.
    pub(super) fn connect(self) -> Duration {
        self.scaled(Duration::from_secs(3))
    }

    pub(super) fn read(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    pub(super) fn mutation(self) -> Duration {
        self.scaled(Duration::from_secs(15))
    }

    /// One call may close a target of a hundred before it answers.
    pub(super) fn close_all(self) -> Duration {
        self.scaled(Duration::from_secs(30))
    }
}
