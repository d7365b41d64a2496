//! What the paper exchange keeps of an account over time, beside the service's lists.

use super::{MarketId, Num, PositionId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A funding payment of a position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FundingPayment {
    /// Its number; later ones are larger.
    pub payment_id: i64,
    /// When it was paid.
    #[serde(alias = "time")]
    pub paid_at: Timestamp,
    pub market_id: MarketId,
    /// The position that paid or received.
    pub position_id: PositionId,
    /// Of the position, in coin.
    pub size: Num,
    /// A fraction of the value, positive where longs pay.
    pub rate: Num,
    /// USD; below 0 the account paid.
    pub amount: Num,
    /// Whether the rate is the last known one, not that of the hour.
    pub estimated: bool,
}

/// The equity of an account at an instant, USD.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EquitySample {
    /// When it was measured.
    #[serde(alias = "time")]
    pub sampled_at: Timestamp,
    /// Cash and unrealized profit.
    pub equity: Num,
    /// Without what is open.
    pub cash: Num,
    /// Of what is open.
    pub unrealized_pnl: Num,
    /// What the insurance fund has advanced.
    pub insurance_advance: Num,
}
