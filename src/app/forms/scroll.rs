//! The visible part of a form longer than the screen. Only drawing knows the form's length, and limits the position.

use super::form::Form;
use crate::app::keys::keymap::Action;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scroll {
    /// The focused field and its surroundings.
    #[default]
    Focus,
    /// From this line on.
    From(usize),
}

/// Lines per scroll key. More than that stay visible, so that no line is skipped.
const PAGE: usize = 4;
/// Visible lines from the focused field on, including it.
const LINES_FROM_FOCUS: usize = 3;
/// The most lines besides the fields: a key scrolls no further.
const OTHER_LINES: usize = 24;

impl Form {
    pub(crate) fn page(&mut self, action: Action) {
        let fields = self.draft.fields();
        let focused = fields.iter().position(|field| *field == self.focus);
        let focused = focused.unwrap_or(0);
        let first = match (self.scroll, action) {
            (Scroll::From(first), Action::PageDown) => first + PAGE,
            (Scroll::From(first), _) => first.saturating_sub(PAGE),
            (Scroll::Focus, Action::PageDown) => focused + LINES_FROM_FOCUS,
            (Scroll::Focus, _) => focused.saturating_sub(PAGE),
        };
        self.scroll = Scroll::From(first.min(fields.len() + OTHER_LINES));
    }

    /// The exact JSON is below the fields.
    pub(crate) fn show_json(&mut self) {
        self.shows_json = !self.shows_json;
        if self.shows_json {
            self.scroll = Scroll::From(self.draft.fields().len());
        }
    }
}
