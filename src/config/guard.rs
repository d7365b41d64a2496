//! The limits of a challenge as its trader knows them, for where the service does not tell.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Serialize};

/// Nothing set is nothing measured. What the service tells of the same limit counts before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [guard]", default)]
pub struct Guard {
    /// What the account began with, USD: drawdown and target are measured from it.
    #[serde(with = "words::decimal")]
    pub start_balance: Option<Num>,
    /// The most that may be lost in a day of UTC, USD.
    #[serde(with = "words::decimal")]
    pub daily_loss: Option<Num>,
    /// The most that may be lost in all, USD.
    #[serde(with = "words::decimal")]
    pub drawdown: Option<Num>,
    /// The profit to reach, USD.
    #[serde(with = "words::decimal")]
    pub target: Option<Num>,
    /// Days with a trade to reach.
    #[serde(with = "words::decimal")]
    pub trading_days: Option<Num>,
    /// The most that the best day may be of all profit, percent.
    #[serde(with = "words::decimal")]
    pub consistency: Option<Num>,
    /// Whether new risk is held back when a loss limit is reached.
    pub lock: bool,
}
