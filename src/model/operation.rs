//! Operations of the service that act on many objects, one slice of them per request: close-all-positions and
//! cancel-all-orders. The same request is repeated with its key until it is completed.

use super::{AccountId, Lenient, OperationId, OrderId, Text, Timestamp, value::words::words};
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{Display, EnumString, VariantArray};

words! {
    OperationStatus { Running, Completed }
    CancelStatus { Canceled, Queued, Failed }
}

/// `completed` says that every object was acted on, not what became of it: a submitted close is an order, not a fill, and
/// a queued cancel has not happened yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de>"))]
pub struct Operation<R> {
    pub id: OperationId,
    /// `close_all_positions` or `cancel_all_orders`.
    pub operation: Text,
    pub account_id: AccountId,
    pub status: Lenient<OperationStatus>,
    /// `docs/service-api.md 2.4` has the most of each.
    pub total_count: u32,
    pub succeeded_count: u32,
    pub failed_count: u32,
    pub results: Vec<R>,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
}

pub type CancelAll = Operation<CancelAllResult>;

/// What became of one order of a cancel-all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelAllResult {
    pub order_id: OrderId,
    pub status: Lenient<CancelStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_code: Option<Text>,
}

impl<R> Operation<R> {
    pub fn done_count(&self) -> u32 {
        self.succeeded_count.saturating_add(self.failed_count)
    }

    pub fn is_running(&self) -> bool {
        self.status.is(&OperationStatus::Running)
    }

    /// Parses the output of `Display`, without the results; `None` for other text.
    pub fn read(text: &str, operation: &str, account: &AccountId, at: Timestamp) -> Option<Self> {
        let (id, counts) = text.split_once(": ")?;
        let (succeeded, rest) = counts.split_once(" of ")?;
        let (total, failed) = rest.split_once(" submitted, ")?;
        Some(Self {
            id: id.into(),
            operation: operation.into(),
            account_id: account.clone(),
            status: Lenient::Known(OperationStatus::Completed),
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
impl<R> fmt::Display for Operation<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, total, failed) = (self.succeeded_count, self.total_count, self.failed_count);
        write!(
            f,
            "{}: {done} of {total} submitted, {failed} failed",
            self.id
        )
    }
}

impl CancelAll {
    /// The orders that are not canceled.
    pub fn failures(&self) -> impl Iterator<Item = &CancelAllResult> {
        let is_failed = |result: &&CancelAllResult| result.status.is(&CancelStatus::Failed);
        self.results.iter().filter(is_failed)
    }

    /// Orders whose cancel the service has accepted but not carried out: they may still fill.
    pub fn queued(&self) -> impl Iterator<Item = &OrderId> {
        let is_queued = |result: &&CancelAllResult| result.status.is(&CancelStatus::Queued);
        let queued = self.results.iter().filter(is_queued);
        queued.map(|result| &result.order_id)
    }

    pub fn queued_count(&self) -> usize {
        self.queued().count()
    }
}
