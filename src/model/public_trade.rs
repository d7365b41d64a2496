//! One public trade of a market.

use super::{Num, Side, Timestamp};

/// A public trade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicTrade {
    /// Rises with time within a market; `None` if unknown.
    pub id: Option<u64>,
    /// USD.
    pub price: Num,
    /// Coin.
    pub size: Num,
    /// The side that crossed the spread.
    pub aggressor: Side,
    pub at: Timestamp,
    /// Whether one side was this account; `None` if unknown.
    pub is_own: Option<bool>,
}
