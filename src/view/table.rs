//! Tables as data: a resource's columns, and the rows of them that are visible.

use super::{Scene, Span, Tone};
use crate::model::Num;

/// How a column is laid out, and whether it may be shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Align {
    /// Left, whole or not at all.
    Left,
    /// Left, and may end in `…`.
    Words,
    /// Right, with the decimal points under one another; whole or not at all.
    Number,
}

/// One column of a resource: the desk, the command line and exports read the same table.
#[derive(Debug)]
pub struct Column<T: 'static> {
    /// The name in settings and exports.
    pub id: &'static str,
    pub title: &'static str,
    pub align: Align,
    /// 0 goes last; where room is short the highest number goes first.
    pub priority: u8,
    pub cell: fn(&T, &Scene<'_>) -> Cell,
}

/// What one cell says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    pub spans: Vec<Span>,
    /// Drawn in front of the words.
    pub gauge: Option<Gauge>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gauge {
    pub share: Share,
    pub tone: Tone,
}

/// A part of a whole, in thousandths, 0 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Share(u16);

/// One line of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub lead: Lead,
    pub body: Body,
}

/// How a line hangs in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    Root,
    Child,
    LastChild,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    Cells(Vec<Cell>),
    /// A line of its own over the columns: what the lines below it belong to.
    Line(Vec<Span>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heading {
    pub title: &'static str,
    pub align: Align,
    pub priority: u8,
}

/// The visible part of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    pub headings: Vec<Heading>,
    pub rows: Vec<Row>,
}

impl Table {
    pub(super) fn new<T>(columns: &[Column<T>], rows: Vec<Row>) -> Self {
        let headings = columns.iter().map(Column::heading).collect();
        Self { headings, rows }
    }

    /// A table whose every row is one `T`.
    pub(super) fn of<'a, T>(
        columns: &[Column<T>],
        rows: impl Iterator<Item = &'a T>,
        scene: &Scene<'_>,
    ) -> Self {
        let rows = rows.map(|row| Row::cells(columns, row, scene)).collect();
        Self::new(columns, rows)
    }
}

impl<T> Column<T> {
    pub(super) const fn new(
        id: &'static str,
        title: &'static str,
        align: Align,
        priority: u8,
        cell: fn(&T, &Scene<'_>) -> Cell,
    ) -> Self {
        Self {
            id,
            title,
            align,
            priority,
            cell,
        }
    }

    fn heading(&self) -> Heading {
        Heading {
            title: self.title,
            align: self.align,
            priority: self.priority,
        }
    }
}

impl Row {
    pub(super) fn cells<T>(columns: &[Column<T>], row: &T, scene: &Scene<'_>) -> Self {
        Self {
            lead: Lead::Root,
            body: Body::Cells(columns.iter().map(|c| (c.cell)(row, scene)).collect()),
        }
    }
}

impl Cell {
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(super) fn with_gauge(share: Num, tone: Tone, span: Span) -> Self {
        let gauge = Gauge {
            share: Share::of(share),
            tone,
        };
        Self {
            spans: vec![span],
            gauge: Some(gauge),
        }
    }
}

impl From<Span> for Cell {
    fn from(span: Span) -> Self {
        Self {
            spans: vec![span],
            gauge: None,
        }
    }
}

impl From<Vec<Span>> for Cell {
    fn from(spans: Vec<Span>) -> Self {
        Self { spans, gauge: None }
    }
}

impl Share {
    /// 1 is everything; what lies outside 0 to 1 counts as the nearer end.
    pub fn of(share: Num) -> Self {
        let thousandths = share.times(Num::from(1_000_u32)).and_then(Num::to_i64);
        Self(u16::try_from(thousandths.unwrap_or(0).clamp(0, 1_000)).unwrap_or(0))
    }

    /// How many eighths of `cells` are filled. What is begun shows, what is not finished is not full.
    pub fn eighths(self, cells: u16) -> u16 {
        let whole = u32::from(cells) * 8;
        let filled = u32::from(self.0) * whole / 1_000;
        let begun = u32::from(self.0 > 0);
        u16::try_from(filled.max(begun).min(whole)).unwrap_or(u16::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_shows_what_has_begun_and_is_full_only_at_the_end() {
        let eighths = |thousandths| Share::of(Num::new(thousandths, 3)).eighths(5);
        assert_eq!(
            [0, 1, 500, 999, 1_000, 2_000, -5].map(eighths),
            [0, 1, 20, 39, 40, 40, 0]
        );
    }
}
