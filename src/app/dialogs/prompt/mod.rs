//! The line at the bottom that is typed into: `/` filters a pane, `:` takes a command, `N` writes a note.
//!
//! Contract: typing only changes what is shown; no key that types ever sends anything. A line with an error is not
//! accepted; the error is shown below its position.

use crate::{
    app::{
        account::pane::Pane,
        keys::{keymap::Action, line::Line},
        tables::table_view::{Fault, TableView},
    },
    model::PositionId,
};

#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub asks: Asks,
    pub fault: Option<Fault>,
    /// The completions, from the first Tab to the next typed key.
    pub completion: Option<Completion>,
    pub(crate) line: Line,
    /// Which earlier line is shown, counted from the newest.
    pub(crate) recalled: Option<usize>,
}

/// What the line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// Filters this pane while it is typed.
    Filter(Pane),
    /// Runs a command on Enter.
    Command,
    /// A note and tags on this trade.
    Note(PositionId),
}

impl Prompt {
    fn new(asks: Asks, text: &str) -> Self {
        Self {
            asks,
            fault: None,
            completion: None,
            line: Line::new(text),
            recalled: None,
        }
    }

    /// An empty command line.
    pub(crate) fn command() -> Self {
        Self::new(Asks::Command, "")
    }

    /// A command line that begins with these words.
    pub(crate) fn with_text(text: &str) -> Self {
        Self::new(Asks::Command, text)
    }

    /// The note of a trade, to be changed.
    pub(crate) fn note(id: PositionId, text: &str) -> Self {
        Self::new(Asks::Note(id), text)
    }

    /// The filter of this pane, to be changed.
    pub(crate) fn filter(pane: Pane, table_view: Option<&TableView>) -> Self {
        let known = table_view.and_then(|table_view| table_view.filter.as_ref());
        let text = known.map_or("", |filter| filter.text.as_str());
        Self::new(Asks::Filter(pane), text)
    }

    pub fn text(&self) -> &str {
        self.line.text()
    }

    /// The cursor, in characters.
    pub fn cursor(&self) -> usize {
        self.line.cursor()
    }
}

// Completions of the word at the cursor, for Tab.

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
