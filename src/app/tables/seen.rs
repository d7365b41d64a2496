//! What was under a pane's cursor at the last check.

use crate::app::account::row_id::RowId;

/// What was under the cursor at the last check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) row: RowId,
    pub(crate) at: usize,
    /// Whether a filter or sort chose or ordered the rows.
    pub(crate) through: Through,
    /// Who is responsible if it disappears.
    pub(crate) whose: ClosedBy,
    /// Whether a person has seen it there.
    pub(crate) was_in_view: bool,
}

/// Which rows are listed, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Through {
    /// All of them, in the pane's own order.
    Nothing,
    TableView,
}

/// Who ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClosedBy {
    /// A command of this desk.
    Own,
    Others,
}
