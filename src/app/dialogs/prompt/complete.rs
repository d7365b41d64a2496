//! What Tab offers: ways to end the word at the cursor.

use super::Asks;
use crate::app::{
    desk::model::Model,
    keys::keymap::Action,
    tables::{
        lens::{Fact, Kind, begun, find},
        pane::Pane,
    },
    update::command,
};
use std::collections::BTreeSet;

/// More than these are not looked through by anybody.
const MOST: usize = 50;
/// Rows that are read for the words of a column.
const READ: usize = 500;

/// Ways to end a word, and which of them stands in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    before: String,
    after: String,
    typed: String,
    pub words: Vec<String>,
    /// `None`: what was typed.
    pub at: Option<usize>,
}

impl Completion {
    /// The next one; after the last comes what was typed.
    pub(super) fn turned(&self, action: Action) -> Self {
        let last = self.words.len().checked_sub(1);
        let at = match (action, self.at) {
            (Action::PreviousChoice, None) => last,
            (Action::PreviousChoice, Some(at)) => at.checked_sub(1),
            (_, None) => last.map(|_| 0),
            (_, Some(at)) => Some(at + 1).filter(|at| Some(*at) <= last),
        };
        Self { at, ..self.clone() }
    }

    /// The line with it, and where the cursor then stands.
    pub(super) fn applied(&self) -> (String, usize) {
        let word = self.at.and_then(|at| self.words.get(at));
        let head = format!("{}{}", self.before, word.unwrap_or(&self.typed));
        let cursor = head.chars().count();
        (format!("{head}{}", self.after), cursor)
    }
}

/// What could stand at the cursor; the first of it is taken.
pub(super) fn of(model: &Model, asks: Asks, text: &str, cursor: usize) -> Completion {
    let head: String = text.chars().take(cursor).collect();
    let after: String = text.chars().skip(cursor).collect();
    let start = head.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, typed) = head.split_at_checked(start).unwrap_or(("", &head));
    let (before, typed) = (before.to_owned(), typed.to_owned());
    let mut words = match asks {
        Asks::Filter(pane) => filter_words(model, pane, &typed),
        Asks::Command if before.trim() == "filter" => filter_words(model, model.focus.pane, &typed),
        Asks::Command => command::offers(model, &before, &typed),
    };
    words.truncate(MOST);
    let none = Completion {
        before,
        after,
        typed,
        words,
        at: None,
    };
    none.turned(Action::NextChoice)
}

/// Before an operator the columns, after it what stands in that column now.
fn filter_words(model: &Model, pane: Pane, typed: &str) -> Vec<String> {
    let columns = (model.options.reading.columns)(pane);
    let bare = typed.trim_start_matches(['-', '!']);
    let sign = typed.strip_suffix(bare).unwrap_or_default();
    if let Some((name, value)) = bare.split_once([':', '=']) {
        let Ok(column) = find(name, &columns) else {
            return vec![];
        };
        let head = typed.strip_suffix(value).unwrap_or_default();
        return values(model, pane, column, value)
            .into_iter()
            .map(|value| format!("{head}{value}"))
            .collect();
    }
    begun(bare, &columns)
        .into_iter()
        .map(|column| {
            let op = if column.kind == Kind::Words { ':' } else { '>' };
            format!("{sign}{}{op}", column.id)
        })
        .collect()
}

/// The words a column holds, each once.
fn values(model: &Model, pane: Pane, column: usize, value: &str) -> BTreeSet<String> {
    let rows = 0..model.all_rows(pane).len().min(READ);
    let facts = rows.map(|at| (model.options.reading.fact)(model, pane, at, column));
    let words = facts.filter_map(|fact| match fact {
        Fact::Words(words) | Fact::Code(_, words) => Some(words.to_lowercase()),
        Fact::Number(_) | Fact::Span(_) | Fact::Moment(_) | Fact::Unknown => None,
    });
    let begins = words.filter(|word| word.starts_with(&value.to_lowercase()));
    let quoted = |word: String| {
        if word.contains(char::is_whitespace) {
            format!("\"{word}\"")
        } else {
            word
        }
    };
    begins.map(quoted).collect()
}
