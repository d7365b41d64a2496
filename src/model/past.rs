//! Commands of earlier sessions and their outcomes, from the journal.

use super::{
    AccountId, Command, Failure, IdempotencyKey, OrderId, OrderStatus, Receipt, Risk, Text,
    Timestamp,
};

/// A command that was settled before this session, as recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub mark: PastMark,
    pub requested_at: Timestamp,
    /// The command in one line.
    pub request_line: Text,
    /// The command, if this desk can parse it.
    pub command: Option<Command>,
    /// The status of its order at that time.
    pub order_status: Option<OrderStatus>,
    pub result: Result<Receipt, Failure>,
    pub record: Record,
}

/// The sort key of settled commands; later ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PastMark {
    pub settled_at: Timestamp,
    /// Its number in the journal.
    pub number: i64,
}

impl PastMark {
    /// After every settled command.
    pub const END: Self = Self {
        settled_at: Timestamp(i64::MAX),
        number: i64::MAX,
    };
}

/// A page of settled commands, latest first.
#[derive(Debug, Clone, PartialEq)]
pub struct PastPage {
    pub rows: Vec<Past>,
    /// Whether older ones follow.
    pub has_more: bool,
}

/// What the journal holds of a command besides the request and its outcome.
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
    /// The number of the flatten it is part of.
    pub parent: Option<i64>,
    pub deadline: Timestamp,
    pub replay_until: Timestamp,
    pub maybe_executed: bool,
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
    /// Oldest first.
    pub attempts: Vec<Attempted>,
}

/// How one attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    pub at: Timestamp,
    /// The status of its response, if it failed.
    pub status: Option<u16>,
    /// Why it failed; `None` if it succeeded.
    pub why: Option<Text>,
}
