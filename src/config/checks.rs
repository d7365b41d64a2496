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
