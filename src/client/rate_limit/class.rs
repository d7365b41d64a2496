//! The class of a request decides which pauses and budgets hold it back, and for how long at most.

use crate::model::Risk;
use std::time::Duration;

/// In the order in which a short budget serves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestClass {
    /// Closes and cancels.
    Exit,
    /// The reads that a command needs: they prove its outcome, or find what a flatten has to end.
    CommandRead,
    /// Commands that may increase exposure.
    Entry,
    /// The regular polls.
    Poll,
}

impl RequestClass {
    /// The longest pause that is kept before the service is asked again, whatever its `Retry-After` says.
    pub(crate) fn longest_pause(self) -> Duration {
        match self {
            Self::Exit | Self::CommandRead => Duration::from_mins(1),
            Self::Entry | Self::Poll => Duration::from_mins(5),
        }
    }
}

impl From<Risk> for RequestClass {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Increasing => Self::Entry,
            Risk::Neutral | Risk::Reducing => Self::Exit,
        }
    }
}
