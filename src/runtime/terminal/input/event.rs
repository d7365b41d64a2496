//! Keyboard and mouse events.

use crate::app::keys::keymap::Chord;
use ratatui::layout::{Position, Rect};

/// One event of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalInput {
    Key(Chord),
    Paste(String),
    /// The left button was pressed.
    Click(Position),
    /// Another button was pressed.
    OtherButton,
    /// The mouse moved with the left button down.
    Drag(Position),
    /// The left button went up.
    Release(Position),
    /// The wheel was turned by so many notches; below 0 is up.
    Wheel(Position, i32),
    Resize(Rect),
    /// Input was dropped: the desk cannot keep up.
    Lost,
    /// A paste was dropped: it is too long, or its end is missing.
    DroppedPaste,
}
