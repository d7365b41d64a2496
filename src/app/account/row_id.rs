//! The identity of a row in any list.

use crate::model::{OrderId, PositionId, ScaledId, TwapId};
use strum::EnumTryAs;

/// The identity of a row. The selection is one of these, never an index, so that a poll that reorders rows cannot
/// change what a key acts on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, EnumTryAs)]
pub enum RowId {
    Position(PositionId),
    Order(OrderId),
    Twap(TwapId),
    Scaled(ScaledId),
    /// The n-th rung of a scaled order, in the service's order.
    Rung(ScaledId, usize),
    /// A line of the activity or calls pane, by its number.
    Line(u64),
}
