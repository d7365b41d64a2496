//! Completions of the word at the cursor, for Tab.

use crate::app::keys::keymap::Action;

/// The completions, and the one in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub(crate) before: String,
    pub(crate) after: String,
    pub(crate) typed: String,
    pub words: Vec<String>,
    /// `None`: the typed text.
    pub at: Option<usize>,
}

impl Completion {
    /// The next completion; after the last comes the typed text.
    pub(crate) fn turned(&self, action: Action) -> Self {
        let last = self.words.len().checked_sub(1);
        let at = match (action, self.at) {
            (Action::PreviousChoice, None) => last,
            (Action::PreviousChoice, Some(at)) => at.checked_sub(1),
            (_, None) => last.map(|_| 0),
            (_, Some(at)) => Some(at + 1).filter(|at| Some(*at) <= last),
        };
        Self { at, ..self.clone() }
    }

    /// The line with it, and the cursor.
    pub(crate) fn applied(&self) -> (String, usize) {
        let word = self.at.and_then(|at| self.words.get(at));
        let head = format!("{}{}", self.before, word.unwrap_or(&self.typed));
        let cursor = head.chars().count();
        (format!("{head}{}", self.after), cursor)
    }
}
