//! One trade of a market's tape.

use super::{Num, Side, Timestamp};

/// A trade that everybody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicTrade {
    /// Rises by time within a market; `None` where the source tells none.
    pub id: Option<u64>,
    /// USD.
    pub price: Num,
    /// Coin.
    pub size: Num,
    /// Who crossed the spread.
    pub aggressor: Side,
    pub at: Timestamp,
    /// Whether one side was this account's; `None` where the source does not tell.
    pub is_own: Option<bool>,
}
