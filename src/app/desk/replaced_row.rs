//! A row that another one takes the place of, and the cursor on it.

use crate::{
    app::account::{pane::Pane, row_id::RowId},
    model::{MarketId, OrderId, Ticket, Timestamp},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowReplacement {
    pub(super) pane: Pane,
    pub(super) old: RowId,
    pub(super) new: NewRow,
    pub(super) since: Timestamp,
    /// Where the cursor lies in between.
    pub(super) fell_to: Option<RowId>,
}

/// What takes the place of the old row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewRow {
    /// Another position in this market.
    PositionIn(MarketId),
    /// An order that is not sent yet.
    Unsent,
    Sent(Ticket),
    Order(OrderId),
}
