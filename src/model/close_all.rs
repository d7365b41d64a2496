//! The close-all-positions operation. `completed` does not mean flat: a submitted close is an order, not a fill.

use super::{AccountId, Lenient, OperationId, Order, PositionId, Text, Timestamp, order::words};
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
    /// 0 to 100, as are the two counts below; `api.md`, Close-all-positions operation.
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

    pub fn failures(&self) -> impl Iterator<Item = &CloseResult> {
        self.results
            .iter()
            .filter(|r| !r.status.is(&CloseResultStatus::Submitted))
    }

    /// What its `Display` wrote, without the results; `None` where that is something else.
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
