//! Challenge limits set by the trader, for a service that does not report them.

use super::words;
use crate::model::Num;
use serde::{Deserialize, Serialize};

/// An unset limit is not measured. The service's own figure takes precedence.
#[serde_with::apply(Option<Num> => #[serde(with = "words::decimal")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [guard]", default)]
pub struct Guard {
    /// The initial balance, USD: the base of drawdown and target.
    pub start_balance: Option<Num>,
    /// The most that may be lost in a UTC day, USD.
    pub daily_loss: Option<Num>,
    /// The most that may be lost in total, USD.
    pub drawdown: Option<Num>,
    /// The profit to reach, USD.
    pub target: Option<Num>,
    /// Trading days to reach.
    pub trading_days: Option<Num>,
    /// The largest share of the best day in all profit, percent.
    pub consistency: Option<Num>,
    /// Whether entries are locked when a loss limit is reached.
    pub lock: bool,
}
