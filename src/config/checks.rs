//! Limits on orders that increase exposure. Reducing orders are never checked.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The limits of a new order. An unset limit is not checked; a set limit whose data is missing or old refuses the
/// order.
#[serde_with::apply(Duration => #[serde(with = "words::duration")])]
#[serde_with::apply(Option<Num> => #[serde(with = "words::decimal")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [checks]", default)]
pub struct Checks {
    /// Per order, in coin.
    pub max_size: Option<Num>,
    /// Per order, USD.
    pub max_notional: Option<Num>,
    /// All open positions and the order together, USD.
    pub max_open_notional: Option<Num>,
    pub max_leverage: Option<Num>,
    /// How much worse than the mid a limit price may be, in basis points.
    pub price_collar_bps: Option<Num>,
    /// The oldest price, positions or equity that an order may be measured by.
    pub facts_within: Duration,
    /// The same order within this time counts as a mistake; zero disables the check.
    pub duplicate_within: Duration,
    /// New orders in any one second; zero means no limit.
    pub orders_per_second: u32,
    /// How far equity may fall below its first value, USD.
    pub max_session_loss: Option<Num>,
    /// How many percent worse than the best price a limit may be at all.
    pub refuse_through_market: Option<Num>,
    /// From here on: beyond which figure a new order is asked about once. How many percent worse than the best price.
    pub ask_through_market: Option<Num>,
    /// How many percent from the market a limit or a trigger waits.
    pub ask_away_from_market: Option<Num>,
    /// Its notional in percent of the equity times the highest leverage.
    pub ask_notional: Option<Num>,
    /// Its notional in percent of the equity.
    pub ask_order_of_equity: Option<Num>,
    /// All that is open after it, in times the equity.
    pub ask_leverage: Option<Num>,
    /// How many percent from the mark it would be liquidated.
    pub ask_liquidation_within: Option<Num>,
    /// How many mean ranges of 1m candles from the mark it would be liquidated.
    pub ask_liquidation_ranges: Option<Num>,
    /// What it loses at its stop, in percent of the equity.
    pub ask_loss_at_stop: Option<Num>,
    /// Its size in times the largest recent one of its market.
    pub ask_size_times: Option<Num>,
    /// Whether to ask if no price of the market is known.
    pub ask_without_price: bool,
}

impl Checks {
    /// Whether any limit needs a market price.
    pub fn needs_prices(&self) -> bool {
        [
            self.max_notional,
            self.max_open_notional,
            self.price_collar_bps,
        ]
        .iter()
        .any(Option::is_some)
    }
}
