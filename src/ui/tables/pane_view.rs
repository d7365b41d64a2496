//! The visible rows of a pane, ready to be drawn. A pane whose rows are those of the last frame is not drawn again, though
//! other data have changed.

use super::{cards::Setting, table::PickedRow};
use crate::{
    app::RowId,
    ui::cells::ClickList,
    view::{Span, Table, Timestamp, TwapCard},
};

/// What a pane shows besides its key.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ui) struct PaneView {
    pub(super) foot: Vec<Vec<Span>>,
    /// Whether the newest row is the first.
    pub(super) is_newest_first: bool,
    pub(super) list: ClickList,
    /// The visible ones, for clicks.
    pub(super) rows: Vec<RowId>,
    pub(super) picked: PickedRow,
    pub(super) body: PaneBody,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PaneBody {
    /// There is no row.
    Words(Vec<Span>),
    Cards(Setting, Vec<TwapCard>),
    Table {
        table: Table,
        /// The lines of the rows.
        lines: Vec<u16>,
        /// The moment, while a dropped column waits to return.
        waits: Option<Timestamp>,
        /// The version of the rows that the equity curve is made from.
        curve: Option<u64>,
    },
}

impl PaneView {
    /// How many rows are above the first visible one, in a list with the newest first.
    pub(super) fn above(&self) -> Option<usize> {
        let above = self.is_newest_first.then_some(self.list.first);
        above.filter(|above| *above > 0)
    }
}
