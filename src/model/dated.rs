//! Data with the instant at which its source made it.

use super::Timestamp;

/// Data, and when its source made it by its own clock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dated<T> {
    pub value: T,
    /// `None` if the source does not say.
    pub made_at: Option<Timestamp>,
}

impl<T> Dated<T> {
    /// Data of a source without a clock.
    pub fn undated(value: T) -> Self {
        Self {
            value,
            made_at: None,
        }
    }
}
