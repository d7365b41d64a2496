//! Data with the instant at which its source made it.

use super::Timestamp;

/// What a source tells, and when it made that by its own clock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dated<T> {
    pub value: T,
    /// `None` where the source does not tell it.
    pub made_at: Option<Timestamp>,
}

impl<T> Dated<T> {
    /// What a source without a clock of its own tells.
    pub fn undated(value: T) -> Self {
        Self {
            value,
            made_at: None,
        }
    }
}
