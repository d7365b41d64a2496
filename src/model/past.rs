//! What an earlier session asked of the service and what came of it, as it was written down then.

use super::{
    AccountId, Command, Failure, IdempotencyKey, OrderId, OrderStatus, Receipt, Risk, Text,
    Timestamp,
};

/// A command that was settled before this session. Nothing of it is known but what was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub mark: PastMark,
    pub asked_at: Timestamp,
    /// What was asked, in one line.
    pub asked: Text,
    /// The same, where this desk can read what was sent.
    pub command: Option<Command>,
    /// The status that the order it made had then.
    pub order_status: Option<OrderStatus>,
    pub result: Result<Receipt, Failure>,
    pub record: Record,
}

/// Where a command stands among those that were settled: later ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastMark {
    pub told_at: Timestamp,
    /// Its number in the journal.
    pub number: i64,
}

impl PastMark {
    /// After everything that was ever settled.
    pub const END: Self = Self {
        told_at: Timestamp(i64::MAX),
        number: i64::MAX,
    };
}

/// Some of what was settled, the latest first.
#[derive(Debug, Clone, PartialEq)]
pub struct PastPage {
    pub rows: Vec<Past>,
    /// Whether there is more before the last of them.
    pub has_more: bool,
}

/// What the journal holds of a command besides what it asked and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub state: String,
    pub risk: Risk,
    pub method: Text,
    pub target: Text,
    pub body: Text,
    pub key: Option<IdempotencyKey>,
    pub base_url: Text,
    pub account_id: AccountId,
    pub resource: Option<Text>,
    /// The number of the flatten it is a part of.
    pub parent: Option<i64>,
    pub deadline: Timestamp,
    pub replay_until: Timestamp,
    pub maybe_executed: bool,
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
    /// The oldest first.
    pub attempts: Vec<Attempted>,
}

/// How one attempt to send it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    pub at: Timestamp,
    /// Of the answer, if one that was not as wished came.
    pub status: Option<u16>,
    /// Why it did not answer as wished; `None` where it did.
    pub why: Option<Text>,
}
