//! A form's response to a key.

use crate::model::Command;

/// What a form requests of the app.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Stay,
    /// Closes the form.
    Close,
    /// Explains why a key does nothing.
    Refuse(String),
    /// Sends the command.
    Send(Command),
}
