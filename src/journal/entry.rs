//! The rows: requests and their outcomes.

use super::{ReplayWindow, WriterId, exact};
use crate::model::{
    AccountId, CancelAll, CloseAll, Command, FLATTEN, Failure, FailureKind, IdempotencyKey,
    OrderId, OrderStatus, Proof, Receipt, Risk, Text, Timestamp,
};
use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

/// The number of a recorded intent. It grows and is never reused.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct IntentId(pub i64);

/// A mutation as it is about to be sent, byte for byte.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub base_url: String,
    #[serde(deserialize_with = "exact::text")]
    pub account_id: AccountId,
    /// Fingerprint of its API key ([`super::Journal::fingerprint`]); empty if unknown.
    pub credential: String,
    pub method: String,
    pub target: String,
    #[serde(with = "exact::body")]
    pub body: Vec<u8>,
    /// `None` if the endpoint takes no keys.
    #[serde(default, deserialize_with = "exact::text_if_any")]
    pub key: Option<IdempotencyKey>,
    pub risk: Risk,
    /// One line for a person.
    pub command: String,
    /// The order, position, TWAP, scaled order or account it changes; `None` for a new order.
    pub resource: Option<String>,
    /// The flatten it is part of.
    pub parent: Option<IntentId>,
    /// The order whose bracket it places targets of.
    #[serde(default, deserialize_with = "exact::text_if_any")]
    pub entry: Option<OrderId>,
    /// The canceled order in whose place it puts a new one.
    #[serde(default, deserialize_with = "exact::text_if_any")]
    pub replaces: Option<OrderId>,
    /// After this it is not sent for the first time, unless a person decides so.
    #[serde(deserialize_with = "exact::millis")]
    pub deadline: Timestamp,
    /// After this the service may have dropped the key: the same request could create a new order.
    #[serde(deserialize_with = "exact::millis")]
    pub replay_until: Timestamp,
}

impl Intent {
    /// A flatten is not a request itself; its parts are.
    pub fn is_flatten(&self) -> bool {
        self.target.starts_with(FLATTEN)
    }
}

/// An intent with everything known about it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRow {
    pub id: IntentId,
    #[serde(deserialize_with = "exact::millis")]
    pub created_at: Timestamp,
    pub intent: Intent,
    /// Attempts that ended, oldest first; one more may have been in flight when the desk stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptRow>,
    /// Whether a byte may have left this machine without proof that it had no effect.
    pub maybe_executed: bool,
    pub state: IntentState,
    /// Whose it is while it is open; `None` if nobody's.
    pub by: Option<WriterId>,
    /// `None` until there is a report.
    pub outcome: Option<Outcome>,
}

/// How an attempt ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRow {
    #[serde(deserialize_with = "exact::millis")]
    pub ended_at: Timestamp,
    pub status: Option<u16>,
    /// Why it did not succeed; `None` if it did.
    pub detail: Option<String>,
}

/// What the journal holds under the key of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: the intent was recorded.
    New(IntentId),
    /// An earlier intent.
    Known(Box<IntentRow>),
    /// Nothing was recorded.
    Refused(Objection),
}

/// Why an intent is not recorded now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// New entries on this account are halted, for this reason.
    Halted(String),
    /// Another process has recorded a close-all or a flatten since the command was given.
    ClosedSince,
    /// Another process has the same key or object on the wire: its command, and its number if it is known.
    Busy(String, Option<u32>),
    /// As many new orders as are allowed were recorded within the last second.
    RateSpent,
}

/// What is checked beside the key, under the same lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimCheck {
    /// When the command was given: a new entry is not recorded after a close-all or flatten of another process.
    pub given_at: Timestamp,
    /// The lowest number that no row had then, as far as this process had read: what another one recorded under it or a
    /// higher one came after the command, whatever the clock of that process says.
    pub unread: IntentId,
    /// The target of a close-all of its account.
    pub close_all: String,
    /// Whether it waits for what other processes have on the wire for its key or object.
    pub waits: bool,
    /// New orders on the account within a second, whoever gives them; 0: no limit.
    pub orders_per_second: u32,
}

impl IntentRow {
    /// Whether the service still keeps its key.
    pub fn is_replayable(&self, now: Timestamp) -> bool {
        ReplayWindow::between(self.created_at, self.intent.replay_until).is_open(now)
    }

    /// The last detail; empty if there is none.
    pub fn detail(&self) -> &str {
        let outcome = self.outcome.as_ref();
        outcome.map_or("", |outcome| outcome.detail.as_str())
    }

    /// Why it was not done, as reported then. An older version may have used other words.
    pub fn failure(&self) -> Option<Failure> {
        let (kind, proves) = match self.state {
            IntentState::Done => return None,
            IntentState::Rejected => (FailureKind::Invalid, Proof::Refused),
            IntentState::Prepared | IntentState::Unsent => (FailureKind::Local, Proof::Unsent),
            IntentState::Inflight
            | IntentState::Unknown
            | IntentState::Parked
            | IntentState::Queued
            | IntentState::Abandoned => (FailureKind::Unknown, Proof::Nothing),
        };
        let (outcome, detail) = (self.outcome.as_ref(), self.detail());
        Some(Failure {
            proves,
            order_id: outcome.and_then(|outcome| outcome.order_id.clone()),
            request_id: outcome.and_then(|outcome| outcome.request_id.clone()),
            ..Failure::read(detail).unwrap_or_else(|| Failure::new(kind, detail))
        })
    }

    /// The receipt of a command that was done, from the journal alone; for a close-all with its counts. `command` is
    /// the request, if this desk can parse it.
    pub fn receipt(&self, command: Option<&Command>) -> Receipt {
        let detail = self.detail();
        if let Some(Command::CloseAll(account)) = command
            && let Some(counts) =
                CloseAll::read(detail, "close_all_positions", account, self.created_at)
        {
            return Receipt::CloseAll(counts);
        }
        if let Some(Command::CancelAll(account)) = command
            && let Some(counts) =
                CancelAll::read(detail, "cancel_all_orders", account, self.created_at)
        {
            return Receipt::CancelAll(counts);
        }
        Receipt::AlreadySo(detail.into())
    }

    /// Whether its first sending is too late.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        now > self.intent.deadline
    }
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, VariantArray, Serialize, Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum IntentState {
    /// On disk, not sent yet.
    Prepared,
    /// In flight, or it was when the desk stopped.
    Inflight,
    /// It may have executed.
    Unknown,
    /// It may have executed, and a person is asked.
    Parked,
    /// Accepted; the service cancels it later.
    Queued,
    /// It executed.
    Done,
    /// The service refused it; it had no effect.
    Rejected,
    /// No byte of it was sent.
    Unsent,
    /// A person gave it up without knowing whether it executed.
    Abandoned,
}

impl IntentState {
    /// Whether its outcome can still change.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::Prepared | Self::Inflight | Self::Unknown | Self::Parked | Self::Queued
        )
    }
}

/// The last report about an intent.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    #[serde(deserialize_with = "exact::millis")]
    pub at: Timestamp,
    /// What the service did, or why it did not.
    pub detail: String,
    #[serde(default, deserialize_with = "exact::text_if_any")]
    pub order_id: Option<OrderId>,
    #[serde(default, deserialize_with = "exact::text_if_any")]
    pub request_id: Option<Text>,
}

impl Outcome {
    /// The reported status of its order.
    pub fn order_status(&self) -> Option<OrderStatus> {
        let id = self.order_id.as_ref()?.to_string();
        let rest = self.detail.strip_prefix("order ")?.strip_prefix(&id)?;
        let word = rest.strip_prefix(' ')?.split(';').next()?;
        word.parse().ok()
    }
}

/// A new state of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateUpdate {
    pub state: IntentState,
    pub detail: String,
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
}

impl StateUpdate {
    /// A state and why, in words for a person.
    pub fn new(state: IntentState, detail: impl Into<String>) -> Self {
        Self {
            state,
            detail: detail.into(),
            order_id: None,
            request_id: None,
        }
    }

    /// The state that the outcome of a command leads to.
    pub fn of(result: &Result<Receipt, Failure>) -> Self {
        match result {
            Ok(receipt) => Self {
                order_id: order(receipt),
                ..Self::new(done(receipt), describe(receipt))
            },
            Err(why) => Self {
                order_id: why.order_id.clone(),
                request_id: why.request_id.clone(),
                ..Self::new(failed(why), why.to_string())
            },
        }
    }
}

fn done(receipt: &Receipt) -> IntentState {
    match receipt {
        Receipt::Cancel(result) if result.queued && !result.canceled => IntentState::Queued,
        // The service accepted the order and then rejected it: there is a row, and no effect.
        Receipt::Order { order, .. } if order.status.is(&OrderStatus::Rejected) => {
            IntentState::Rejected
        }
        Receipt::Order { .. }
        | Receipt::Cancel(_)
        | Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => IntentState::Done,
    }
}

fn failed(why: &Failure) -> IntentState {
    match why.proves {
        Proof::Unsent => IntentState::Unsent,
        Proof::Refused => IntentState::Rejected,
        Proof::Nothing => IntentState::Unknown,
    }
}

fn describe(receipt: &Receipt) -> String {
    match receipt {
        Receipt::Order {
            order,
            queued: true,
        } => format!("order {} queued", order.id),
        Receipt::Order { order, .. } => format!("order {} {}", order.id, order.status),
        Receipt::Cancel(result) => match (result.canceled, result.queued) {
            (true, _) => format!("order {} canceled", result.id),
            (false, true) => format!("cancel of order {} queued", result.id),
            (false, false) => format!("order {} not canceled", result.id),
        },
        Receipt::Position(position) => format!("position {} changed", position.id),
        Receipt::Twap(twap) if twap.ended_at().is_none() => format!("TWAP {} started", twap.id),
        Receipt::Twap(twap) => format!("TWAP {} stopped", twap.id),
        Receipt::Scaled(scaled) if scaled.ended_at().is_none() => {
            format!("scaled order {} placed", scaled.id)
        }
        Receipt::Scaled(scaled) => format!("scaled order {} canceled", scaled.id),
        Receipt::CloseAll(operation) => operation.to_string(),
        Receipt::CancelAll(operation) => operation.to_string(),
        Receipt::AlreadySo(what) => what.to_string(),
        Receipt::Flat(proof) => format!("flat: {proof}"),
    }
}

fn order(receipt: &Receipt) -> Option<OrderId> {
    match receipt {
        Receipt::Order { order, .. } => Some(order.id.clone()),
        Receipt::Cancel(result) => Some(result.id.clone()),
        Receipt::Position(_)
        | Receipt::Twap(_)
        | Receipt::Scaled(_)
        | Receipt::CloseAll(_)
        | Receipt::CancelAll(_)
        | Receipt::AlreadySo(_)
        | Receipt::Flat(_) => None,
    }
}
