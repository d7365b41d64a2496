//! A list in a panel; one of its lines has the keys.

use super::{Span, Table, words};
use crate::{
    app::{Action, ClickTarget, Context, Model, dialogs::overlay::ListSearch},
    model::Text,
};
use std::ops::Range;

/// What is drawn of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListView {
    pub title: Vec<Span>,
    /// The visible lines; no others are formatted, however many a service lists.
    pub table: Table,
    /// The line that the keys act on.
    pub chosen: usize,
    /// The click target of each line.
    pub spots: Vec<ClickTarget>,
    /// The message of an empty list.
    pub emptiness: Vec<Span>,
}

/// How many lines the list has, and how many of them its search finds.
pub(crate) fn count(search: &ListSearch, shown: usize, all: usize) -> Vec<Span> {
    let text = Text::from(search.text.as_str());
    let of = if search.text.is_empty() {
        String::new()
    } else {
        format!("{shown}/")
    };
    let mut spans = vec![Span::muted(format!(" {of}{all}"))];
    let cursor = if search.is_typing() { "▏" } else { "" };
    if search.is_typing() || !search.text.is_empty() {
        spans.push(Span::accent(format!("  /{text}{cursor}")));
    }
    spans
}

/// That the search finds nothing, and the key that shows all again in this list.
pub(crate) fn nothing_found(
    model: &Model,
    list: Context,
    none: &'static str,
    search: &ListSearch,
) -> Vec<Span> {
    let text = Text::from(search.text.as_str());
    let mut spans = vec![Span::muted(none), Span::accent(text.to_string())];
    let hint = words::key_hint(model, list, Action::Dismiss, "   ", " shows all");
    spans.extend(hint);
    spans
}

/// Which of `count` lines are visible in `room`; the chosen one always is.
pub(crate) fn seen(count: usize, chosen: usize, room: usize) -> Range<usize> {
    let first = (chosen + 1).saturating_sub(room);
    first..count.min(first + room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_line_is_always_seen() {
        for (chosen, first, end) in [(0, 0, 4), (3, 0, 4), (4, 1, 5), (9, 6, 10)] {
            assert_eq!(seen(10, chosen, 4), first..end, "{chosen}");
        }
        assert_eq!(seen(2, 1, 4), 0..2);
        assert_eq!(seen(0, 0, 4), 0..0);
    }
}
