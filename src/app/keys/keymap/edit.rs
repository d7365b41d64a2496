//! The editing keys of every text field. They belong to text fields, not to the key table: a key that the table binds
//! in a form follows the table.

use super::Chord;
use crossterm::event::KeyCode;
use tui_input::InputRequest;

impl Chord {
    /// The edit of this press; `None` for typing and for other keys.
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
