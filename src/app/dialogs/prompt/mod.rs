//! The line at the bottom that is typed into: `/` filters a pane, `:` takes a command, `N` writes a note.
//!
//! Contract: typing only changes what is shown; no key that types ever sends anything. A line with an error is not
//! accepted; the error is shown below its position.

pub(crate) mod complete;

pub use complete::Completion;

use crate::{
    app::{
        account::pane::Pane,
        keys::line::Line,
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
