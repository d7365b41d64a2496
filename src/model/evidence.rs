//! Why an order of a received market filled as it did, as the paper exchange reports.

use super::{Num, OrderId, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every fill of an order with the frame it rests on, the oldest first. Sizes in coin, prices in USD.
#[serde_with::apply(Text => #[serde(deserialize_with = "Text::read_name")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OrderEvidence {
    pub order_id: OrderId,
    /// What was booked: the pessimistic reading of the market.
    pub filled_size: Num,
    /// What an optimistic queue would have filled; absent where the market is generated.
    pub optimistic_filled: Option<Num>,
    pub fills: Vec<FillEvidence>,
}

/// One fill, and what was received that allows it.
#[serde_with::apply(Text => #[serde(deserialize_with = "Text::read_name")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FillEvidence {
    /// When it was booked.
    pub time: Timestamp,
    pub size: Num,
    /// `walk`, `trade`, `through` or `cross`.
    pub cause: Text,
    pub feed: Text,
    /// The recording; absent for a live feed.
    pub file: Option<Text>,
    /// The number of the live connection; absent for a recording.
    pub connection: Option<u64>,
    /// The line of the file, or the frame of the connection, from 0.
    pub line: u64,
    pub received_at: Timestamp,
    /// The venue's time of the book or the trade.
    pub venue_time: Timestamp,
    /// What it took of the book; empty for a fill by a trade.
    pub levels: Vec<EvidenceLevel>,
    /// The venue's id of the trade that filled a resting order.
    pub trade_id: Option<u64>,
    /// The queue ahead before a trade at the price of the order.
    pub ahead: Option<Num>,
    /// Whether it comes of the first book and mark after a gap.
    pub after_gap: bool,
    /// What the optimistic queue had filled of the order by then.
    pub optimistic_filled: Num,
}

/// A level of the book that a fill took from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceLevel {
    pub price: Num,
    pub shown: Num,
    /// Taken before by orders of the exchange.
    pub consumed: Num,
    pub taken: Num,
}

impl OrderEvidence {
    /// What the pessimistic and the optimistic reading filled, if they differ.
    pub fn bracket(&self) -> Option<(Num, Num)> {
        let optimistic = self.optimistic_filled?;
        (optimistic != self.filled_size).then_some((self.filled_size, optimistic))
    }
}
