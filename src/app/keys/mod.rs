//! Key presses and typed text: the key map, key sequences, one line of text. Names no other room, only the model and
//! the settings.

pub mod fuzzy;
pub(crate) mod key_prefix;
pub mod keymap;
pub(crate) mod line;
