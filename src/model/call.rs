//! One HTTP call as the calls pane and the header show it.

use super::{FailureKind, Text, Timestamp};
use std::time::Duration;

/// A finished call. `target` is path and query; nothing secret is ever in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub at: Timestamp,
    pub method: &'static str,
    pub target: Text,
    /// The HTTP status, or why there was none.
    pub outcome: Result<u16, FailureKind>,
    /// From the first byte out to the last byte in.
    pub elapsed: Duration,
    pub request_id: Option<Text>,
    /// For how long from its end nothing is read with the key, where the answer was no to all of its requests: as long
    /// as it asks for, and until the budget it taught has room for reads again.
    pub pause: Option<Duration>,
    /// What the service's clock said in the head of its answer, cut to whole seconds.
    pub date: Option<Timestamp>,
    /// Requests a minute that the service was seen to take from this key; `None` while it never said no.
    pub budget: Option<u32>,
}
