//! The closed vocabularies of the engine. Order words are the model's; strategy words, which the API leaves open, are
//! here. `into_str` gives the wire's spelling.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

pub use crate::model::{
    Curve, Distribution, ExecutionType, ExitGroup, Interval, LiquidityRole, MarginMode, OrderMode,
    OrderStatus, OrderType, Side, TimeInForce, TriggerDirection,
};

#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    IntoStaticStr,
    EnumString,
    VariantNames,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TwapStatus {
    Pending,
    Active,
    Completed,
    Canceled,
    Failed,
}

impl TwapStatus {
    #[must_use]
    pub fn is_live(self) -> bool {
        matches!(self, Self::Pending | Self::Active)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum CompletionReason {
    Filled,
    DurationElapsed,
    MaxPriceReached,
    MinPriceReached,
    PositionClosed,
    InsufficientMargin,
    Liquidated,
    AccountBreached,
    MarketUnavailable,
    CanceledByUser,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum ScaledStatus {
    Placing,
    Working,
    Completed,
    Canceled,
    Rejected,
}
