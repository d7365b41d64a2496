//! The completions that Tab offers in the typed line.

use crate::app::{
    account::pane::Pane,
    desk::model::Model,
    dialogs::prompt::{Asks, complete::Completion},
    keys::keymap::Action,
    tables::table_view::{Fact, Kind, columns_starting, find},
    update::command,
};
use std::collections::BTreeSet;

/// The most completions.
const MOST: usize = 50;

/// Rows that are read for the words of a column.
const READ: usize = 500;

/// What could stand at the cursor; the first of it is taken.
pub(crate) fn of(model: &Model, asks: &Asks, text: &str, cursor: usize) -> Completion {
    let head: String = text.chars().take(cursor).collect();
    let after: String = text.chars().skip(cursor).collect();
    let start = head.rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let (before, typed) = head.split_at_checked(start).unwrap_or(("", &head));
    let (before, typed) = (before.to_owned(), typed.to_owned());
    let mut words = match asks {
        Asks::Filter(pane) => filter_words(model, *pane, &typed),
        Asks::Note(_) => model.account.store.trades.tags_starting(&typed),
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

/// Before an operator the columns, after it the current values of that column.
fn filter_words(model: &Model, pane: Pane, typed: &str) -> Vec<String> {
    let columns = (model.reading.columns)(pane);
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
    columns_starting(bare, &columns)
        .into_iter()
        .map(|column| {
            let op = if column.kind == Kind::Words { ':' } else { '>' };
            format!("{sign}{}{op}", column.id)
        })
        .collect()
}

/// The words of a column, each once.
fn values(model: &Model, pane: Pane, column: usize, value: &str) -> BTreeSet<String> {
    let rows = 0..model.all_rows(pane).len().min(READ);
    let facts = rows.map(|at| (model.reading.fact)(model, pane, at, column));
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
