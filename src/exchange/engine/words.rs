//! The closed vocabularies of orders and strategies. `into_str` gives the API's spelling.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Side {
    Buy,
    Sell,
}

impl Side {
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// +1 for buy, -1 for sell.
    #[must_use]
    pub fn sign(self) -> i64 {
        match self {
            Self::Buy => 1,
            Self::Sell => -1,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MarginMode {
    Cross,
    Isolated,
}

/// How the engine executes an order (`type` in the API).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum OrderType {
    Market,
    Limit,
    StopMarket,
    StopLimit,
    TakeMarket,
    TakeLimit,
    TakeProfit,
    Liquidation,
    CloseOut,
}

/// What the user placed (`mode` in the API).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum OrderMode {
    Market,
    Limit,
    Chase,
    StopMarket,
    StopLimit,
    TakeMarket,
    TakeLimit,
    TakeProfit,
    Conditional,
    Liquidation,
    CloseOut,
}

impl OrderMode {
    /// Chase executes as a limit, conditional as a market order; every other mode is its own type.
    #[must_use]
    pub fn order_type(self) -> OrderType {
        match self {
            Self::Market | Self::Conditional => OrderType::Market,
            Self::Limit | Self::Chase => OrderType::Limit,
            Self::StopMarket => OrderType::StopMarket,
            Self::StopLimit => OrderType::StopLimit,
            Self::TakeMarket => OrderType::TakeMarket,
            Self::TakeLimit => OrderType::TakeLimit,
            Self::TakeProfit => OrderType::TakeProfit,
            Self::Liquidation => OrderType::Liquidation,
            Self::CloseOut => OrderType::CloseOut,
        }
    }
}

/// `pending` is an armed order waiting for its trigger, `resting` one in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum OrderStatus {
    Pending,
    Filled,
    Rejected,
    Expired,
    Resting,
    Canceled,
}

impl OrderStatus {
    #[must_use]
    pub fn is_working(self) -> bool {
        matches!(self, Self::Pending | Self::Resting)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TimeInForce {
    Gtc,
    Ioc,
    Fok,
    Gtd,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TriggerDirection {
    Above,
    Below,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum LiquidityRole {
    Maker,
    Taker,
}

/// Which curve a time-sliced order follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TwapKind {
    Twap,
    Vwap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, Serialize, Deserialize)]
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
