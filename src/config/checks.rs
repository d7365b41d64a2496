//! Limits on what raises exposure. What reduces it is never checked.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a new order must keep to before it leaves. Nothing set, nothing checked; a limit that is set and whose facts
/// are missing or old refuses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [checks]", default)]
pub struct Checks {
    /// Of one order, in coin.
    #[serde(with = "words::decimal")]
    pub max_size: Option<Num>,
    /// Of one order, USD.
    #[serde(with = "words::decimal")]
    pub max_notional: Option<Num>,
    /// Of all open positions and the order together, USD.
    #[serde(with = "words::decimal")]
    pub max_open_notional: Option<Num>,
    #[serde(with = "words::decimal")]
    pub max_leverage: Option<Num>,
    /// How much worse than the middle of the market a limit may be, in basis points.
    #[serde(with = "words::decimal")]
    pub price_collar_bps: Option<Num>,
    /// How old a price, the positions or the equity may be that an order is measured by.
    #[serde(with = "words::duration")]
    pub facts_within: Duration,
    /// The same order again within this time is taken for a mistake; zero takes none for one.
    #[serde(with = "words::duration")]
    pub duplicate_within: Duration,
    /// New orders in any one second; zero is no limit.
    pub orders_per_second: u32,
    /// How much equity may fall below the first one seen, USD.
    #[serde(with = "words::decimal")]
    pub max_session_loss: Option<Num>,
    /// How many percent worse than the best price a limit may be at all.
    #[serde(with = "words::decimal")]
    pub refuse_through_market: Option<Num>,
    /// From here on: beyond which figure a new order is asked about once. How many percent worse than the best price.
    #[serde(with = "words::decimal")]
    pub ask_through_market: Option<Num>,
    /// How many percent from the market a limit or a trigger waits.
    #[serde(with = "words::decimal")]
    pub ask_away_from_market: Option<Num>,
    /// Its notional in percent of the equity times the highest leverage.
    #[serde(with = "words::decimal")]
    pub ask_notional: Option<Num>,
    /// Its notional in percent of the equity.
    #[serde(with = "words::decimal")]
    pub ask_order_of_equity: Option<Num>,
    /// All that is open after it, in times the equity.
    #[serde(with = "words::decimal")]
    pub ask_leverage: Option<Num>,
    /// How many percent from the mark it would be liquidated.
    #[serde(with = "words::decimal")]
    pub ask_liquidation_within: Option<Num>,
    /// How many mean ranges of 1m candles from the mark it would be liquidated.
    #[serde(with = "words::decimal")]
    pub ask_liquidation_ranges: Option<Num>,
    /// What it loses at its stop, in percent of the equity.
    #[serde(with = "words::decimal")]
    pub ask_loss_at_stop: Option<Num>,
    /// Its size in times the largest recent one of its market.
    #[serde(with = "words::decimal")]
    pub ask_size_times: Option<Num>,
    /// Whether it is asked about where no price of its market is known.
    pub ask_without_price: bool,
}

impl Checks {
    /// Whether any limit is measured at a market's price.
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
