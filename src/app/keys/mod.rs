//! Key presses and typed text: the key map, the first of two keys, one line of text. Names no other room, only the
//! model and the settings.

pub(crate) mod key_prefix;
pub mod keymap;
pub(crate) mod line;
