//! Bodies that create TWAPs and scaled orders. The documents say that the service can, not how
//! (`docs/service-api.md 7`): these are the paper exchange's, under the paths that [`super::Dialect`] names.

use crate::model::{AccountId, Curve, MarginMode, MarketId, Num, PlaceScaled, PlaceTwap, Side};
use serde::{Deserialize, Serialize};

/// A new TWAP or VWAP order. `size` is unsigned, as in an order; the resource's sizes are signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwapBody {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
    pub size: Num,
    pub leverage: Num,
    pub margin_mode: MarginMode,
    #[serde(default)]
    pub reduce_only: bool,
    /// Absent means a TWAP.
    #[serde(default = "even")]
    pub kind: Curve,
    pub duration_minutes: Num,
    #[serde(default)]
    pub randomize: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Num>,
}

fn even() -> Curve {
    Curve::Twap
}

impl TwapBody {
    pub(super) fn new(order: &PlaceTwap) -> Self {
        Self {
            account_id: order.account_id.clone(),
            market_id: order.market_id.clone(),
            side: order.side,
            size: order.size,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            kind: order.curve,
            duration_minutes: order.duration_minutes,
            randomize: order.randomize,
            trigger_price: order.trigger_price,
            max_price: order.max_price,
            min_price: order.min_price,
        }
    }

    pub(super) fn into_order(self) -> PlaceTwap {
        PlaceTwap {
            account_id: self.account_id,
            market_id: self.market_id,
            curve: self.kind,
            side: self.side,
            size: self.size,
            leverage: self.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            duration_minutes: self.duration_minutes,
            randomize: self.randomize,
            trigger_price: self.trigger_price,
            max_price: self.max_price,
            min_price: self.min_price,
        }
    }
}

/// A new scaled order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaledBody {
    pub account_id: AccountId,
    pub market_id: MarketId,
    pub side: Side,
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

impl ScaledBody {
    pub(super) fn new(order: &PlaceScaled) -> Self {
        Self {
            account_id: order.account_id.clone(),
            market_id: order.market_id.clone(),
            side: order.side,
            size: order.size,
            leverage: order.leverage,
            margin_mode: order.margin_mode,
            reduce_only: order.reduce_only,
            start_price: order.start_price,
            end_price: order.end_price,
            rung_count: order.rung_count,
            skew: order.skew,
        }
    }

    pub(super) fn into_order(self) -> PlaceScaled {
        PlaceScaled {
            account_id: self.account_id,
            market_id: self.market_id,
            side: self.side,
            size: self.size,
            leverage: self.leverage,
            margin_mode: self.margin_mode,
            reduce_only: self.reduce_only,
            start_price: self.start_price,
            end_price: self.end_price,
            rung_count: self.rung_count,
            skew: self.skew,
        }
    }
}
