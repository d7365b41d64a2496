//! The close-all-positions operation. `completed` does not mean flat: a submitted close is an order, not a fill.

use super::{
    AccountId, Lenient, OperationId, Order, Position, PositionId, Text, Timestamp,
    value::words::words,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    CloseAllStatus { Running, Completed }
    CloseResultStatus { Submitted, Failed }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseAll {
    pub id: OperationId,
    /// Always `close_all_positions`.
    pub operation: Text,
    pub account_id: AccountId,
    pub status: Lenient<CloseAllStatus>,
    /// 0 to 100, as are the two counts below; `docs/service-api.md 2.4`.
    pub total_count: u32,
    pub succeeded_count: u32,
    pub failed_count: u32,
    pub results: Vec<CloseResult>,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
}

impl CloseAll {
    pub fn done_count(&self) -> u32 {
        self.succeeded_count.saturating_add(self.failed_count)
    }

    /// Whether it was to close this one: it closes what was open when it began.
    pub fn knew(&self, position: &PositionId) -> bool {
        let mut known = self.results.iter();
        known.any(|result| result.position_id == *position)
    }

    pub fn failures(&self) -> impl Iterator<Item = &CloseResult> {
        self.results
            .iter()
            .filter(|r| !r.status.is(&CloseResultStatus::Submitted))
    }

    /// Parses the output of `Display`, without the results; `None` for other text.
    pub fn read(text: &str, account: &AccountId, at: Timestamp) -> Option<Self> {
        let (id, counts) = text.split_once(": ")?;
        let (succeeded, rest) = counts.split_once(" of ")?;
        let (total, failed) = rest.split_once(" submitted, ")?;
        Some(Self {
            id: id.into(),
            operation: "close_all_positions".into(),
            account_id: account.clone(),
            status: Lenient::Known(CloseAllStatus::Completed),
            total_count: total.parse().ok()?,
            succeeded_count: succeeded.parse().ok()?,
            failed_count: failed.strip_suffix(" failed")?.parse().ok()?,
            results: vec![],
            created_at: at,
            completed_at: None,
        })
    }
}

impl Position {
    /// That it is still open, with the close-all's reason: `BTC 0.1 (no_liquidity)`.
    pub fn left_by(&self, operation: Option<&CloseAll>) -> String {
        let results = operation.iter().flat_map(|operation| &operation.results);
        let mut own = results.filter(|result| result.position_id == self.id);
        let words = own.next().map(CloseResult::reason).unwrap_or_default();
        let why = if words.is_empty() {
            words
        } else {
            format!(" ({words})")
        };
        format!("{} {}{why}", self.market_id.symbol(), self.size)
    }
}

/// `op-1: 2 of 3 submitted, 1 failed`.
impl fmt::Display for CloseAll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, total, failed) = (self.succeeded_count, self.total_count, self.failed_count);
        write!(
            f,
            "{}: {done} of {total} submitted, {failed} failed",
            self.id
        )
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseResult {
    pub position_id: PositionId,
    pub status: Lenient<CloseResultStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_code: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<Text>,
}

impl CloseResult {
    /// The service's reasons for the failure: `no_liquidity, max_loss`; may be empty.
    pub fn reason(&self) -> String {
        let words = self.failure_code.iter().chain(&self.rule_id);
        let words: Vec<_> = words.map(ToString::to_string).collect();
        words.join(", ")
    }
}
