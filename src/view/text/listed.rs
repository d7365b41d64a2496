//! A list in a panel; one of its lines has the keys.

use super::{span::Span, table::Table};
use crate::app::tables::click_target::ClickTarget;
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
