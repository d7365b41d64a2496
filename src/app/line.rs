//! One line of typed text with a cursor. Only characters that cannot act on a terminal get in.

use super::keymap::Chord;
use crate::model::Text;
use tui_input::{Input, InputRequest};

/// No number and no id is longer; a longer paste is not what the field asks for.
const LONGEST: usize = 256;

#[derive(Debug, Clone, Default)]
pub(super) struct Line(Input);

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() && self.cursor() == other.cursor()
    }
}

impl Line {
    pub(super) fn new(text: &str) -> Self {
        Self(Input::new(text.to_owned()))
    }

    /// With the cursor after so many characters.
    pub(super) fn at(text: &str, cursor: usize) -> Self {
        Self(Input::new(text.to_owned()).with_cursor(cursor))
    }

    pub(super) fn text(&self) -> &str {
        self.0.value()
    }

    /// Characters before the cursor.
    pub(super) fn cursor(&self) -> usize {
        self.0.cursor()
    }

    pub(super) fn type_in(&mut self, c: char) {
        if self.text().chars().count() < LONGEST && is_harmless(c.encode_utf8(&mut [0; 4])) {
            self.0.handle(InputRequest::InsertChar(c));
        }
    }

    /// Takes the whole of `text` or none of it: a part of a number is another number.
    pub(super) fn paste(&mut self, text: &str) -> Result<(), &'static str> {
        if text.contains(['\n', '\r']) {
            return Err("not pasted: more than one line");
        }
        if self.text().chars().count() + text.chars().count() > LONGEST {
            return Err("not pasted: longer than 256 characters");
        }
        if !is_harmless(text) {
            return Err("not pasted: it has characters that cannot be shown");
        }
        for c in text.chars() {
            self.0.handle(InputRequest::InsertChar(c));
        }
        Ok(())
    }

    /// The editing keys every text field shares; anything else does nothing.
    pub(super) fn edit(&mut self, chord: Chord) {
        if let Some(request) = chord.edits() {
            self.0.handle(request);
        }
    }
}

fn is_harmless(text: &str) -> bool {
    Text::from(text).to_string() == text
}
