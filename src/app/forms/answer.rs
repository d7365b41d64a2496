//! What a form answers to a press.

use crate::model::Command;

/// What a form asks of whoever shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Stay,
    /// The form is left.
    Close,
    /// Say why a key does nothing.
    Refuse(String),
    /// Send it.
    Send(Command),
}
