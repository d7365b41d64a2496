//! One line of typed text with a cursor. Accepts only characters that cannot act on a terminal.

use super::keymap::Chord;
use crate::model::Text;
use tui_input::{Input, InputRequest};

/// No number or id is longer; a longer paste is not what the field needs.
const LONGEST: usize = 256;

#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    input: Input,
    /// All of it is selected: typing replaces it, deleting clears it.
    selected: bool,
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() && self.cursor() == other.cursor()
    }
}

impl Line {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            input: Input::new(text.to_owned()),
            selected: false,
        }
    }

    /// Selected text: a typed number replaces it instead of being appended.
    pub(crate) fn selected(text: &str) -> Self {
        Self {
            selected: !text.is_empty(),
            ..Self::new(text)
        }
    }

    pub(crate) fn is_selected(&self) -> bool {
        self.selected
    }

    /// With the cursor after this many characters.
    pub(crate) fn at(text: &str, cursor: usize) -> Self {
        Self {
            input: Input::new(text.to_owned()).with_cursor(cursor),
            selected: false,
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.input.value()
    }

    /// Characters before the cursor.
    pub(crate) fn cursor(&self) -> usize {
        self.input.cursor()
    }

    pub(crate) fn type_in(&mut self, c: char) {
        if self.text().chars().count() < LONGEST && is_harmless(c.encode_utf8(&mut [0; 4])) {
            self.make_room();
            self.input.handle(InputRequest::InsertChar(c));
        }
    }

    /// Takes all of `text` or none of it: a part of a number is another number.
    pub(crate) fn paste(&mut self, text: &str) -> Result<(), &'static str> {
        // Copied with the end of its line, as terminals and editors do.
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        if text.contains(['\n', '\r']) {
            return Err("not pasted: more than one line");
        }
        if self.text().chars().count() + text.chars().count() > LONGEST {
            return Err("not pasted: longer than 256 characters");
        }
        if !is_harmless(text) {
            return Err("not pasted: it has characters that cannot be shown");
        }
        self.make_room();
        for c in text.chars() {
            self.input.handle(InputRequest::InsertChar(c));
        }
        Ok(())
    }

    /// The editing keys of every text field; other keys do nothing.
    pub(crate) fn edit(&mut self, chord: Chord) {
        let Some(request) = chord.edits() else {
            return;
        };
        let deletes = matches!(
            request,
            InputRequest::DeletePrevChar | InputRequest::DeleteNextChar
        );
        if deletes && self.selected {
            return self.make_room();
        }
        self.selected = false;
        self.input.handle(request);
    }

    /// Deletes the selection.
    fn make_room(&mut self) {
        if std::mem::take(&mut self.selected) {
            self.input.handle(InputRequest::DeleteLine);
        }
    }
}

fn is_harmless(text: &str) -> bool {
    Text::from(text).to_string() == text
}
