//! The editing keys every text field shares. They are what a text field is, not part of the table: a key
//! the table names in a form does what the table says.

use super::Chord;
use crossterm::event::KeyCode;
use tui_input::InputRequest;

impl Chord {
    /// What this press does to a line of text; `None` for typing and for keys that edit nothing.
    pub fn edits(self) -> Option<InputRequest> {
        Some(match (self.code()?, self.is_control()) {
            (KeyCode::Left, false) => InputRequest::GoToPrevChar,
            (KeyCode::Right, false) => InputRequest::GoToNextChar,
            (KeyCode::Left, true) => InputRequest::GoToPrevWord,
            (KeyCode::Right, true) => InputRequest::GoToNextWord,
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => InputRequest::GoToStart,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => InputRequest::GoToEnd,
            (KeyCode::Backspace, false) | (KeyCode::Char('h'), true) => {
                InputRequest::DeletePrevChar
            }
            (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
            (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
            (KeyCode::Backspace | KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
            (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
            _ => return None,
        })
    }
}
