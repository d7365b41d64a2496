//! How long things may take. One value, so that a proof can run the whole of it in less time than a
//! trader would need, with everything in proportion.

use std::time::Duration;

/// How many times faster than life all waits and patience are; what a service asks for (`Retry-After`) is
/// never shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tempo(u32);

impl Default for Tempo {
    fn default() -> Self {
        Self(1)
    }
}

impl Tempo {
    /// For tests and proofs only: a desk hurried like this gives up on slow services that a real one waits for.
    pub fn hurried(times: u32) -> Self {
        Self(times.max(1))
    }

    /// What `span` of a trader's time comes to.
    pub fn of(self, span: Duration) -> Duration {
        span / self.0
    }

    /// A name lookup, a TCP connection and a TLS handshake together.
    pub(super) fn connect(self) -> Duration {
        self.of(Duration::from_secs(3))
    }

    pub(super) fn read(self) -> Duration {
        self.of(Duration::from_secs(10))
    }

    pub(super) fn mutation(self) -> Duration {
        self.of(Duration::from_secs(15))
    }

    /// One call may close a target of a hundred before it answers.
    pub(super) fn close_all(self) -> Duration {
        self.of(Duration::from_secs(30))
    }
}
