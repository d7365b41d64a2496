//! The creation of a scaled order: `POST /v1/scaled-orders` (docs/service-api.md 4.3).

use crate::model::{AccountId, MarginMode, MarketId, Num, Side, value::words::words};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    /// How a scaled order spreads its size from the first price to the last: evenly, more at the end, or more at the start.
    Distribution { Flat, Ascending, Descending }
}

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
    /// 2 to 10.
    pub rung_count: Num,
    pub distribution: Distribution,
    /// A limit that crosses the market and would fill at once is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marketable_limit_acknowledged: Option<bool>,
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
