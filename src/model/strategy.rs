//! Orders that work over time or over prices: TWAP/VWAP and scaled orders (ladders).

use super::{AccountId, MarketId, Num, OrderId, ScaledId, Text, Timestamp, TwapId};
use serde::{Deserialize, Serialize};

/// A TWAP or VWAP order. Sizes are signed like positions; which of the two it is, the service does not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Twap {
    pub id: TwapId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    #[serde(default)]
    pub provider: Text,
    #[serde(default)]
    pub symbol: Text,
    #[serde(default)]
    pub coin: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_size: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled_size: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leverage: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce_only: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub randomize: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_interval_seconds: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice_count: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices_attempted: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_decimals: Option<Num>,
    /// The set of words is not shown in `api.md`; kept as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_reason: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_child_order_id: Option<OrderId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
}

impl Twap {
    /// Share of the size already filled, 0 to 1.
    pub fn filled_share(&self) -> Option<Num> {
        self.filled_size?.abs().over(self.total_size?.abs())
    }

    /// Share of its time that has passed at `now`, 0 to 1; `None` while it waits for its trigger, and of a time that
    /// ends before it begins.
    pub fn elapsed_share(&self, now: Timestamp) -> Option<Num> {
        let (start, end) = (self.activated_at?.0, self.end_at?.0);
        let whole = end.checked_sub(start).filter(|whole| *whole > 0)?;
        let passed = now.0.saturating_sub(start).clamp(0, whole);
        Num::from(passed).over(Num::from(whole))
    }

    /// When the service says it was stopped or completed.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.canceled_at.or(self.completed_at)
    }

    /// Filled share minus elapsed share: negative is behind schedule.
    pub fn drift(&self, now: Timestamp) -> Option<Num> {
        self.filled_share()?.minus(self.elapsed_share(now)?)
    }
}

/// A scaled order: one order per price rung between `start_price` and `end_price`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaled {
    pub id: ScaledId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    #[serde(default)]
    pub provider: Text,
    #[serde(default)]
    pub symbol: Text,
    #[serde(default)]
    pub coin: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_size: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leverage: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_price: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rung_count: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed_count: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected_count: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_decimals: Option<Num>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce_only: Option<bool>,
    /// The set of words is not shown in `api.md`; kept as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<Timestamp>,
    #[serde(default)]
    pub rungs: Vec<Rung>,
}

impl Scaled {
    /// When the service says it was canceled or completed.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.canceled_at.or(self.completed_at)
    }
}

/// One price of a ladder. A rejected rung has a reason and no order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    pub price: Num,
    pub size: Num,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject_reason: Option<Text>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twap(activated_at: i64, end_at: i64) -> Twap {
        let json = format!(
            r#"{{"id":"t","account_id":"a","market_id":"paper|BTC","kind":"twap","side":"buy","total_size":1,
            "filled_size":0.5,"status":"active","slice_count":2,"activated_at":{activated_at},"end_at":{end_at}}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_time_that_ends_before_it_begins_has_no_share_and_hurts_nobody() {
        let start = 1_790_000_000_000;
        let now = Timestamp(start + 500);
        let half: Num = "0.5".parse().unwrap();
        assert_eq!(twap(start, start + 1_000).elapsed_share(now), Some(half));
        for (activated_at, end_at) in [(start + 1, start), (start, start)] {
            let odd = twap(activated_at, end_at);
            assert_eq!((odd.elapsed_share(now), odd.drift(now)), (None, None));
        }
    }
}
