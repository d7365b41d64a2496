//! What was under the cursor of a pane when last looked.

use crate::app::account::row_id::RowId;

/// What was under the cursor when last looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) row: RowId,
    pub(crate) at: usize,
    /// Whether a filter or a sort chose or ordered the rows.
    pub(crate) through: Through,
    /// Whose doing it is if it goes.
    pub(crate) whose: Whose,
    /// Whether a person has seen it there.
    pub(crate) was_in_view: bool,
}

/// Which rows are listed, in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Through {
    /// All of them, in the pane's own order.
    Nothing,
    Lens,
}

/// Who has ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A command of this desk.
    Own,
    Others,
}
