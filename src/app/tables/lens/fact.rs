//! What a row says in one of its columns, as something that can be compared.

use crate::model::{Num, Timestamp};
use std::{cmp::Ordering, time::Duration};

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
