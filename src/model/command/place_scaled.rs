//! The creation of a scaled order, in the paper exchange's JSON like that of a TWAP.

use crate::model::{AccountId, MarginMode, MarketId, Num, Side};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A new scaled order, as in JSON: limit orders between two prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceScaled {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    /// In coin, above zero, all rungs together.
    pub size: Num,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    pub start_price: Num,
    pub end_price: Num,
    pub rung_count: Num,
    /// Size of the last rung over the first; absent is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skew: Option<Num>,
}

impl fmt::Display for PlaceScaled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, symbol) = (self.size.grouped(), self.market_id.symbol());
        let what = format!("{} {size} {symbol}", self.side);
        let (start, end) = (self.start_price.grouped(), self.end_price.grouped());
        let rungs = self.rung_count;
        write!(f, "{what} ladder, {rungs} rungs from {start} to {end}")?;
        if self.reduce_only {
            write!(f, " reduce-only")?;
        }
        Ok(())
    }
}
