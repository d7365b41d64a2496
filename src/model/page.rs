//! One page of a list.

use super::Text;
use serde::{Deserialize, Serialize};

/// An opaque position in a list; valid only for the endpoint, account and filter that produced it.
///
/// Of any length: the reader of the list checks whether it can be sent back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, derive_more::From)]
#[from(String)]
#[serde(from = "String", into = "String")]
pub struct Cursor(Text);

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.raw().to_owned()
    }
}

impl Cursor {
    pub fn raw(&self) -> &str {
        self.0.raw()
    }
}

/// The rows of one page. Unreadable rows are counted, never hidden.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub rows: Vec<T>,
    /// Why a row could not be read, one entry per unreadable row.
    pub unreadable: Vec<Text>,
    /// Rows that are not shown and never acted on: of another account, without an id, or of an id that came before.
    pub left_out: usize,
    /// The ids of unreadable rows, if they have one.
    pub lost: Vec<String>,
    /// Where the next page starts; `None` at the end of the list.
    pub next: Option<Cursor>,
    /// The list goes on, but the service gave no usable cursor: rows are missing.
    pub incomplete: bool,
    /// The list makes no progress: it says that it goes on, and a page brings no new row or names a cursor again.
    pub stalled: bool,
}

impl<T> Page<T> {
    pub fn of(rows: Vec<T>) -> Self {
        Self {
            rows,
            unreadable: vec![],
            left_out: 0,
            lost: vec![],
            next: None,
            incomplete: false,
            stalled: false,
        }
    }

    /// The same list with other rows in the place of its own.
    #[must_use]
    pub fn with<U>(self, rows: impl FnOnce(Vec<T>) -> Vec<U>) -> Page<U> {
        Page {
            rows: rows(self.rows),
            unreadable: self.unreadable,
            left_out: self.left_out,
            lost: self.lost,
            next: self.next,
            incomplete: self.incomplete,
            stalled: self.stalled,
        }
    }

    /// Ends a list that makes no progress.
    pub fn stall(&mut self) {
        self.next = None;
        (self.incomplete, self.stalled) = (true, true);
    }

    /// Whether these are all rows, and all could be read.
    pub fn is_whole(&self) -> bool {
        !self.incomplete && self.unreadable.is_empty()
    }

    /// Why rows may be missing from it; `None` if it is whole.
    pub fn gap(&self) -> Option<String> {
        match (self.unreadable.as_slice(), self.incomplete) {
            ([], false) => None,
            ([], true) => Some("the service's list is incomplete".to_owned()),
            ([why], _) => Some(format!("1 row cannot be read ({why})")),
            ([why, ..], _) => {
                let count = self.unreadable.len();
                Some(format!("{count} rows cannot be read ({why})"))
            }
        }
    }
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self::of(vec![])
    }
}
