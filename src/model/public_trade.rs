//! One public trade of a market.

use super::{Num, Side, Timestamp};
use serde::{Deserialize, Serialize};

/// A public trade, in JSON as the paper exchange reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicTrade {
    /// Rises with time within a market; `None` if unknown.
    #[serde(rename = "trade_id")]
    pub id: Option<u64>,
    /// USD.
    pub price: Num,
    /// Coin.
    pub size: Num,
    /// The side that crossed the spread.
    pub aggressor: Side,
    #[serde(rename = "time")]
    pub at: Timestamp,
    /// Whether one side was this account; `None` if unknown.
    #[serde(rename = "own", skip_serializing_if = "Option::is_none")]
    pub is_own: Option<bool>,
}
