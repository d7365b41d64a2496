//! One HTTP call as the calls pane and the header show it.

use super::{FailureKind, Text, Timestamp};
use std::time::Duration;

/// A finished call. `target` is path and query, without secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub at: Timestamp,
    pub method: &'static str,
    pub target: Text,
    /// The HTTP status, or why there is none.
    pub outcome: Result<u16, FailureKind>,
    /// From the first byte sent to the last byte received.
    pub elapsed: Duration,
    pub request_id: Option<Text>,
    /// If the service refused all requests of the key: how long reads pause after this call, until the requested wait
    /// is over and the learned budget allows reads again.
    pub pause: Option<Duration>,
    /// The service's clock in the response's `Date`, truncated to whole seconds.
    pub date: Option<Timestamp>,
    /// Requests a minute that the service accepts from this key; `None` until it has refused one.
    pub budget: Option<u32>,
}
