//! Why an order of a received market filled: the frame, and what of it was taken (docs/engine.md 12.4).

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{FrameSource, Lots, Millis, OrderId, Px, RowRing};

/// Fills of a market whose evidence is kept.
const EVIDENCE_CAPACITY: usize = 8_192;

/// One fill of an order, and the frame it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FillEvidence {
    /// The order itself, not a row of a part.
    pub order: OrderId,
    /// Virtual time.
    pub at: Millis,
    pub size: Lots,
    pub cause: FillCause,
    pub frame: FrameStamp,
    /// What the fill took of the book; empty for a fill by a trade.
    pub levels: Vec<EvidenceLevel>,
    /// Of the trade that filled a resting order.
    pub trade_id: Option<u64>,
    /// The queue ahead of a resting order before its fill; `None`: it did not queue.
    pub ahead: Option<Lots>,
    pub after_gap: AfterGap,
    /// What the optimistic queue had filled of the order by then.
    pub optimistic_filled: Lots,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FillCause {
    /// The order took from the book.
    Walk,
    /// A trade at its price, after the queue ahead of it.
    Trade,
    /// A trade beyond its price.
    Through,
    /// A new book whose other side had reached its price.
    Cross,
}

/// When a frame was received and what the venue dates it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameStamp {
    pub source: FrameSource,
    pub received_at: Millis,
    pub venue_time: Millis,
}

/// A level of the book that a fill took from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceLevel {
    pub px: Px,
    pub shown: Lots,
    /// What orders of this exchange had taken of it before.
    pub consumed: Lots,
    pub taken: Lots,
}

/// Whether a fill comes of the first book and mark after a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterGap {
    No,
    Yes,
}

impl FillEvidence {
    pub(crate) fn none() -> RowRing<Self> {
        RowRing::new(EVIDENCE_CAPACITY, 1)
    }
}

/// Every fill of an order with its evidence, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEvidence<'a> {
    pub order: OrderId,
    pub filled: Lots,
    pub optimistic_filled: Lots,
    pub fills: Vec<&'a FillEvidence>,
}
