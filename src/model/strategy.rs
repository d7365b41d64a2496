//! Orders that work over time or over prices: TWAP, VWAP and scaled orders.

use super::{
    AccountId, Curve, Distribution, Lenient, LiquidityRole, MarginMode, MarketId, Num, OrderId,
    ScaledId, Side, Text, Timestamp, TwapId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A TWAP or VWAP order. A row without `side` has signed sizes, like a position.
#[serde_with::apply(Text => #[serde(default, deserialize_with = "Text::read_name")])]
#[serde_with::apply(Num => #[serde(deserialize_with = "Num::read_row")])]
#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "Num::read_row_any")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Twap {
    /// Its id.
    pub id: TwapId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    /// The venue of the market.
    pub provider: Text,
    /// The market's short name.
    pub symbol: Text,
    /// The venue's name of the market.
    pub coin: Text,
    /// twap or vwap.
    pub strategy: Option<Lenient<Curve>>,
    /// buy or sell.
    pub side: Option<Lenient<Side>>,
    /// cross or isolated.
    pub margin_mode: Option<Lenient<MarginMode>>,
    /// In coin.
    pub total_size: Option<Num>,
    /// In coin.
    pub filled_size: Option<Num>,
    /// Notional over margin.
    pub leverage: Option<Num>,
    /// The average price of its fills, USD.
    pub average_price: Option<Num>,
    /// The mark that starts it, USD.
    pub trigger_price: Option<Num>,
    /// The mark above which it ends, USD.
    pub max_price: Option<Num>,
    /// The mark below which it ends, USD.
    pub min_price: Option<Num>,
    /// Whether it can only make a position smaller.
    pub reduce_only: Option<bool>,
    /// Whether slices differ in size by chance.
    pub randomize: Option<bool>,
    /// How long it runs.
    pub duration_minutes: Option<Num>,
    /// From slice to slice.
    pub slice_interval_seconds: Option<Num>,
    /// How many slices it has.
    pub slice_count: Option<Num>,
    /// How many slices were tried.
    pub slices_attempted: Option<Num>,
    /// Decimals of a size in coin.
    pub size_decimals: Option<Num>,
    /// In the service's own word (`docs/service-api.md 2.3`).
    pub status: Option<Text>,
    /// Why it ended.
    pub completion_reason: Option<Text>,
    /// The order of its present slice.
    pub current_child_order_id: Option<OrderId>,
    /// When it was created.
    pub started_at: Option<Timestamp>,
    /// When its time is over.
    pub end_at: Option<Timestamp>,
    /// When it began to run.
    pub activated_at: Option<Timestamp>,
    /// When its next slice is due.
    pub next_run_at: Option<Timestamp>,
    /// When it was stopped.
    pub canceled_at: Option<Timestamp>,
    /// When it ended by itself.
    pub completed_at: Option<Timestamp>,
}

/// The side of an order by its own word, or by the sign of its size.
fn side(word: Option<&Lenient<Side>>, size: Option<Num>) -> Option<Side> {
    match word {
        Some(word) => word.known(),
        None if size?.is_zero() => None,
        None if size?.is_negative() => Some(Side::Sell),
        None => Some(Side::Buy),
    }
}

impl Twap {
    /// `None` if the service names a side that perpdeck does not know, or none and no size.
    pub fn side(&self) -> Option<Side> {
        side(self.side.as_ref(), self.total_size)
    }

    /// Share of the size already filled, 0 to 1.
    pub fn filled_share(&self) -> Option<Num> {
        self.filled_size?.abs().over(self.total_size?.abs())
    }

    /// The share of its time that has passed at `now`, 0 to 1; `None` while it waits for its trigger, or if it ends
    /// before it begins.
    pub fn elapsed_share(&self, now: Timestamp) -> Option<Num> {
        let (start, end) = (self.activated_at?.0, self.end_at?.0);
        let whole = end.checked_sub(start).filter(|whole| *whole > 0)?;
        let passed = now.0.saturating_sub(start).clamp(0, whole);
        Num::from(passed).over(Num::from(whole))
    }

    /// When it was stopped or completed.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.canceled_at.or(self.completed_at)
    }

    /// The filled share minus the due share: negative is behind schedule. The due share counts slices if the schedule
    /// is known, and time otherwise.
    pub fn drift(&self, now: Timestamp) -> Option<Num> {
        let filled = self.filled_share()?;
        filled.minus(self.due_share(now)?)
    }

    /// The share due by `now`: the first slice is due at the start. Sizes are whole lots, so a fill within one lot of
    /// the due size counts as due.
    pub fn due_share(&self, now: Timestamp) -> Option<Num> {
        let filled = self.filled_share()?;
        let (least, most) = match self.slices_due(now) {
            Some(due) => due,
            None => (self.elapsed_share(now)?, self.elapsed_share(now)?),
        };
        let due = filled.max(least).min(most);
        let is_within = |lot: Num| filled.minus(due).is_some_and(|apart| apart.abs() <= lot);
        Some(if self.lot_share().is_some_and(is_within) {
            filled
        } else {
            due
        })
    }

    /// One lot as a share of the size.
    fn lot_share(&self) -> Option<Num> {
        let decimals = u32::try_from(self.size_decimals?.to_i64()?).ok()?;
        Num::new(1, decimals).over(self.total_size?.abs())
    }

    /// The shares after the slices due by `now`, without and with the one that is due now. The number of tried slices
    /// decides which applies, unless slices differ in size.
    fn slices_due(&self, now: Timestamp) -> Option<(Num, Num)> {
        let count = self.slice_count?;
        let whole = count.to_i64().filter(|count| *count > 0)?;
        let every = self.slice_interval_seconds?.to_i64()?.checked_mul(1_000)?;
        let passed = now.0.saturating_sub(self.activated_at?.0).max(0);
        let before = passed.checked_div(every)?.clamp(0, whole - 1);
        let (without, with) = (Num::from(before), Num::from(before + 1));
        let share = |slices: Num| slices.over(count);
        match self.slices_attempted {
            Some(tried) if self.randomize != Some(true) => {
                let tried = share(tried.max(without).min(with))?;
                Some((tried, tried))
            }
            Some(_) | None => Some((share(without)?, share(with)?)),
        }
    }
}

/// A scaled order: one order per price rung between `start_price` and `end_price`.
#[serde_with::apply(Text => #[serde(default, deserialize_with = "Text::read_name")])]
#[serde_with::apply(Num => #[serde(deserialize_with = "Num::read_row")])]
#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "Num::read_row_any")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scaled {
    /// Its id.
    pub id: ScaledId,
    #[serde(default)]
    pub account_id: AccountId,
    pub market_id: MarketId,
    /// The venue of the market.
    pub provider: Text,
    /// The market's short name.
    pub symbol: Text,
    /// The venue's name of the market.
    pub coin: Text,
    /// buy or sell.
    pub side: Option<Lenient<Side>>,
    /// cross or isolated.
    pub margin_mode: Option<Lenient<MarginMode>>,
    /// How the size is spread over the rungs.
    pub distribution: Option<Lenient<Distribution>>,
    /// In coin.
    pub total_size: Option<Num>,
    /// Notional over margin.
    pub leverage: Option<Num>,
    /// The price of the first rung, USD.
    pub start_price: Option<Num>,
    /// The price of the last rung, USD.
    pub end_price: Option<Num>,
    /// How many rungs it has.
    pub rung_count: Option<Num>,
    /// How many rungs were placed.
    pub placed_count: Option<Num>,
    /// How many rungs were refused.
    pub rejected_count: Option<Num>,
    /// Decimals of a size in coin.
    pub size_decimals: Option<Num>,
    /// Whether it can only make a position smaller.
    pub reduce_only: Option<bool>,
    /// In the service's own word (`docs/service-api.md 2.3`).
    pub status: Option<Text>,
    /// When it was placed.
    pub started_at: Option<Timestamp>,
    /// When its last rung ended.
    pub completed_at: Option<Timestamp>,
    /// When it was canceled.
    pub canceled_at: Option<Timestamp>,
    /// Each rung with its price, size and order; in JSON only.
    #[serde(default)]
    pub rungs: Vec<Rung>,
}

impl Scaled {
    /// `None` if the service names a side that perpdeck does not know, or none and no size.
    pub fn side(&self) -> Option<Side> {
        side(self.side.as_ref(), self.total_size)
    }

    /// When it was canceled or completed.
    pub fn ended_at(&self) -> Option<Timestamp> {
        self.canceled_at.or(self.completed_at)
    }

    /// The rungs that the service did not place.
    pub fn refused_rungs(&self) -> Vec<&Rung> {
        let is_refused = |rung: &&Rung| rung.order_id.is_none() && rung.reject_reason.is_some();
        self.rungs.iter().filter(is_refused).collect()
    }
}

/// One rung of a scaled order. A rejected rung has a reason and no order.
#[serde_with::apply(Num => #[serde(deserialize_with = "Num::read_row")])]
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rung {
    pub price: Num,
    pub size: Num,
    pub order_id: Option<OrderId>,
    pub reject_reason: Option<Text>,
    pub liquidity_role: Option<Lenient<LiquidityRole>>,
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

    /// The drift after these seconds, with this much filled in `tried` of eleven slices, one every thirty seconds.
    fn drift(seconds: i64, filled: &str, tried: i64) -> String {
        let start = 1_790_000_000_000;
        let sliced = Twap {
            total_size: Some(Num::from(11_u32)),
            filled_size: Some(filled.parse().unwrap()),
            slice_count: Some(Num::from(11_u32)),
            slice_interval_seconds: Some(Num::from(30_u32)),
            slices_attempted: Some(Num::from(tried)),
            ..twap(start, start + 300_000)
        };
        let drift = sliced.drift(Timestamp(start + 1_000 * seconds)).unwrap();
        drift.rounded(4).normalized().to_string()
    }

    #[test]
    fn the_first_slice_is_due_at_the_start_and_a_lot_is_no_drift() {
        let start = 1_790_000_000_000;
        let new = Twap {
            total_size: Some("0.55".parse().unwrap()),
            filled_size: Some("0.0499".parse().unwrap()),
            size_decimals: Some(Num::from(4_u32)),
            slice_count: Some(Num::from(11_u32)),
            slice_interval_seconds: Some(Num::from(30_u32)),
            slices_attempted: Some(Num::ONE),
            ..twap(start, start + 300_000)
        };
        let at = Timestamp(start + 1_000);
        assert_eq!(
            new.drift(at)
                .unwrap()
                .to_string()
                .trim_start_matches("0.")
                .trim_matches('0'),
            ""
        );
        assert_eq!(new.due_share(at), new.filled_share());
        let unfilled = Twap {
            filled_size: Some(Num::ZERO),
            ..new
        };
        assert_eq!(
            unfilled.due_share(at).unwrap().rounded(2).to_string(),
            "0.09"
        );
        assert_eq!(
            unfilled.drift(at).unwrap().rounded(4).to_string(),
            "-0.0909"
        );
    }

    #[test]
    fn one_that_keeps_to_its_slices_does_not_drift() {
        for (seconds, filled, tried) in [
            (3, "1", 1),
            (29, "1", 1),
            (30, "1", 1),
            (31, "2", 2),
            (300, "11", 11),
        ] {
            assert_eq!(drift(seconds, filled, tried), "0", "after {seconds} s");
        }
        assert_eq!(drift(35, "1", 2), "-0.0909", "the second has not filled");
        assert_eq!(drift(95, "1", 1), "-0.1818", "two are overdue");
        assert_eq!(drift(3, "2", 2), "0.0909", "one came early");
    }
}
