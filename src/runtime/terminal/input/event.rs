//! The events of the keyboard and the mouse.

use crate::app::keys::keymap::Chord;
use ratatui::layout::{Position, Rect};

/// What a person does at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Chord),
    Paste(String),
    /// The left button went down.
    Click(Position),
    /// The mouse moved with the left button down.
    Drag(Position),
    /// The left button went up.
    Release(Position),
    /// The wheel was turned by so many notches; below 0 is up.
    Wheel(Position, i32),
    Resize(Rect),
    /// Something was dropped: the desk cannot follow, or a paste broke off.
    Lost,
}
