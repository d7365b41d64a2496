//! What a row says in one of its columns, as something that can be compared.

use super::super::pane::Pane;
use crate::{
    app::desk::model::Model,
    model::{Num, Timestamp},
};
use std::{cmp::Ordering, ptr::fn_addr_eq, time::Duration};

/// What a row says in a column; the row by its place in the pane's own order, the column by its number.
pub type Read = fn(&Model, Pane, usize, usize) -> Fact;

/// How the columns of the panes read. Their tables are the view's, which the app does not know: whoever makes
/// a desk hands this in.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The columns of a pane, in their own order.
    pub columns: fn(Pane) -> Vec<ColumnName>,
    /// What the row at this place (before filter and sort) says in the n-th column.
    pub fact: Read,
    /// Everything in the row at this place that is words: its cells and its id, in lower case.
    pub words: fn(&Model, Pane, usize) -> String,
    /// The numbers of the row at this place as its cells show them, without thousands separators.
    pub numbers: fn(&Model, Pane, usize) -> String,
}

/// By what they read with.
impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        fn_addr_eq(self.columns, other.columns)
            && fn_addr_eq(self.fact, other.fact)
            && fn_addr_eq(self.words, other.words)
            && fn_addr_eq(self.numbers, other.numbers)
    }
}

/// A column as filters, sorts and settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnName {
    pub id: &'static str,
    pub title: &'static str,
    pub kind: Kind,
    /// Without it a trader would not see what could be lost, or what is done about it.
    pub tells_risk: bool,
}

/// What a column can be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Words,
    Number,
    /// A number with a word about it, or a word where there is none: `429 limited`, `timed out`.
    Code,
    /// How long: an age, a countdown, how long something took.
    Span,
    /// When. Compared by how long ago that is.
    Moment,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Unknown,
    Words(String),
    Number(Num),
    /// A number, and all that the cell says.
    Code(Num, String),
    Span(Duration),
    Moment(Timestamp),
}

impl Fact {
    /// As sorts compare it: words without regard to case.
    #[must_use]
    pub(super) fn folded(self) -> Self {
        match self {
            Self::Words(words) => Self::Words(words.to_lowercase()),
            Self::Unknown | Self::Number(_) | Self::Code(..) | Self::Span(_) | Self::Moment(_) => {
                self
            }
        }
    }

    /// The order of an ascending sort among what is known and [`folded`](Self::folded).
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Words(a), Self::Words(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) | (Self::Code(a, _), Self::Code(b, _)) => a.cmp(b),
            (Self::Span(a), Self::Span(b)) => a.cmp(b),
            (Self::Moment(a), Self::Moment(b)) => a.cmp(b),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }

    pub fn is_known(&self) -> bool {
        *self != Self::Unknown
    }

    /// A column holds one kind; a word stands where a number does not apply.
    fn rank(&self) -> u8 {
        match self {
            Self::Number(_) | Self::Code(..) => 0,
            Self::Span(_) => 1,
            Self::Moment(_) => 2,
            Self::Words(_) => 3,
            Self::Unknown => 4,
        }
    }
}
