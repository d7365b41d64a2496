//! The comparable value of a row in a column.

use crate::model::{Num, Timestamp};
use std::{cmp::Ordering, time::Duration};

/// A column's name in filters, sorts and settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnName {
    pub id: &'static str,
    pub title: &'static str,
    pub kind: Kind,
    /// It shows risk, or protection against it.
    pub tells_risk: bool,
}

/// The type of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Words,
    Number,
    /// A number with a word, or a word alone: `429 limited`, `timed out`.
    Code,
    /// A duration: an age, a countdown, an elapsed time.
    Span,
    /// An instant, compared by how long ago it is.
    Moment,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Unknown,
    Words(String),
    Number(Num),
    /// A number, and the whole cell.
    Code(Num, String),
    Span(Duration),
    Moment(Timestamp),
}

impl Fact {
    /// For sorting: words in lower case.
    #[must_use]
    pub(super) fn folded(self) -> Self {
        match self {
            Self::Words(words) => Self::Words(words.to_lowercase()),
            Self::Unknown | Self::Number(_) | Self::Code(..) | Self::Span(_) | Self::Moment(_) => {
                self
            }
        }
    }

    /// The ascending order of known, [`folded`](Self::folded) values.
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

    /// A column has one type; a word replaces an inapplicable number.
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
