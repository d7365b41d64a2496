//! What a row of any list stands for.

use crate::model::{OrderId, PositionId, ScaledId, TwapId};
use strum::EnumTryAs;

/// What a row stands for. The selection is one of these, never an index, so a poll that reorders rows
/// cannot change what a key acts on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, EnumTryAs)]
pub enum RowId {
    Position(PositionId),
    Order(OrderId),
    Twap(TwapId),
    Scaled(ScaledId),
    /// The n-th rung of a ladder, in the order the service lists them.
    Rung(ScaledId, usize),
    /// A line of the activity or the calls pane, by its running number.
    Line(u64),
}
