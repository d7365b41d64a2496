//! The creation of a TWAP or VWAP order: `POST /v1/twap-orders` (docs/service-api.md 4.2).

use crate::model::{AccountId, MarginMode, MarketId, Num, Side, value::words::words};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    /// How a sliced order spreads its size over time: evenly, or by the usual volume of each hour.
    Curve { Twap, Vwap }
}

/// A new order that is placed slice by slice, as in JSON. `size` is unsigned, as in an order; the resource's sizes are
/// signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceTwap {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    /// In coin, above zero, all slices together.
    pub size: Num,
    /// The midpoint when the order was written; the service never prices by it.
    pub expected_price: Num,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    /// Absent means a TWAP.
    #[serde(default = "evenly", rename = "strategy")]
    pub curve: Curve,
    /// 5 to 1,440.
    pub duration_minutes: Num,
    /// 30 to 43,200, at most half the duration; absent leaves it to the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_interval_seconds: Option<Num>,
    /// Slices vary in size.
    #[serde(default)]
    pub randomize: bool,
    /// It starts when the mark reaches this price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_price: Option<Num>,
    /// It ends when the mark reaches this price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Num>,
}

fn evenly() -> Curve {
    Curve::Twap
}

impl fmt::Display for PlaceTwap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, symbol) = (self.size.grouped(), self.market_id.symbol());
        let what = format!("{} {size} {symbol}", self.side);
        let minutes = self.duration_minutes;
        write!(f, "{what} {} over {minutes} min", self.curve)?;
        if self.reduce_only {
            write!(f, " reduce-only")?;
        }
        Ok(())
    }
}
