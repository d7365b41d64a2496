//! Challenge limits set by the trader, for a service that does not report them.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Serialize};

/// An unset limit is not measured. The service's own figure takes precedence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [guard]", default)]
pub struct Guard {
    /// The initial balance, USD: the base of drawdown and target.
    #[serde(with = "words::decimal")]
    pub start_balance: Option<Num>,
    /// The most that may be lost in a UTC day, USD.
    #[serde(with = "words::decimal")]
    pub daily_loss: Option<Num>,
    /// The most that may be lost in total, USD.
    #[serde(with = "words::decimal")]
    pub drawdown: Option<Num>,
    /// The profit to reach, USD.
    #[serde(with = "words::decimal")]
    pub target: Option<Num>,
    /// Trading days to reach.
    #[serde(with = "words::decimal")]
    pub trading_days: Option<Num>,
    /// The largest share of the best day in all profit, percent.
    #[serde(with = "words::decimal")]
    pub consistency: Option<Num>,
    /// Whether entries are locked when a loss limit is reached.
    pub lock: bool,
}
