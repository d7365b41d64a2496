//! Which part of a form is seen where it is longer than the screen. How long it is on a screen only drawing knows: what
//! is further than its end is its end.

use super::form::Form;
use crate::app::keys::keymap::Action;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scroll {
    /// The field that has the keys, and what is around it.
    #[default]
    Focus,
    /// From this line on.
    From(usize),
}

/// How many lines a key scrolls. A form keeps more than that in sight, so that none is passed over.
const PAGE: usize = 4;
/// Below the field that has the keys so many lines are in sight, itself among them.
const SEEN: usize = 3;
/// The lines of a form beside its fields, at most: a key goes no further.
const BESIDE: usize = 24;

impl Form {
    pub(crate) fn page(&mut self, action: Action) {
        let fields = self.draft.fields();
        let focused = fields.iter().position(|field| *field == self.focus);
        let focused = focused.unwrap_or(0);
        let first = match (self.scroll, action) {
            (Scroll::From(first), Action::PageDown) => first + PAGE,
            (Scroll::From(first), _) => first.saturating_sub(PAGE),
            (Scroll::Focus, Action::PageDown) => focused + SEEN,
            (Scroll::Focus, _) => focused.saturating_sub(PAGE),
        };
        self.scroll = Scroll::From(first.min(fields.len() + BESIDE));
    }

    /// The exact JSON stands below the fields.
    pub(crate) fn show_json(&mut self) {
        self.shows_json = !self.shows_json;
        if self.shows_json {
            self.scroll = Scroll::From(self.draft.fields().len());
        }
    }
}
