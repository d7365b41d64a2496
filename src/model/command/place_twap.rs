//! The creation of a TWAP or VWAP order: `POST /v1/twap-orders` (docs/service-api.md 4.2).

use crate::model::{AccountId, MarginMode, MarketId, MarketNames, Num, Side, value::words::words};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

words! {
    /// How a sliced order spreads its size over time: evenly, or by the usual volume of each hour.
    Curve { Twap, Vwap }
}

/// A new order that is placed slice by slice, as in JSON. `size` is unsigned, as in an order; the resource's sizes are
/// signed.
#[serde_with::skip_serializing_none]
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
    pub slice_interval_seconds: Option<Num>,
    /// Slices vary in size.
    #[serde(default)]
    pub randomize: bool,
    /// It starts when the mark reaches this price.
    pub trigger_price: Option<Num>,
    /// It ends when the mark reaches this price.
    pub max_price: Option<Num>,
    pub min_price: Option<Num>,
}

fn evenly() -> Curve {
    Curve::Twap
}

impl PlaceTwap {
    pub(super) fn words(&self, names: &MarketNames) -> String {
        let (size, market) = (self.size.grouped(), names.shown(&self.market_id));
        let (curve, minutes) = (self.curve, self.duration_minutes);
        let reduces = if self.reduce_only { " reduce-only" } else { "" };
        let what = format!("{} {size} {market}", self.side);
        format!("{what} {curve} over {minutes} min{reduces}")
    }
}
