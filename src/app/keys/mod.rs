//! Key presses and typed text: the key map, key sequences, one line of text. Names no other room of the
//! screen half.

pub mod fuzzy;
pub(crate) mod key_prefix;
pub mod keymap;
pub(crate) mod line;

use std::time::Duration;

/// A key this soon after a question appeared was meant for something else.
pub const DEAF: Duration = Duration::from_millis(150);
