//! The rows: requests and their outcomes.

use super::{JournalError, ReplayWindow};
use crate::disk::is_damage;
use crate::model::{
    AccountId, CancelAll, CloseAll, Command, FLATTEN, Failure, FailureKind, IdempotencyKey,
    OrderId, OrderStatus, Proof, Receipt, Risk, Text, Timestamp,
};
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, types::Type};
use std::{str::FromStr, sync::Arc};
use strum::{Display, EnumString, VariantArray};

/// The number of a recorded intent. It grows and is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentId(pub i64);

/// A mutation as it is about to be sent, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub base_url: String,
    pub account_id: AccountId,
    /// Fingerprint of its API key ([`super::Journal::fingerprint`]); empty if unknown.
    pub credential: String,
    pub method: String,
    pub target: String,
    pub body: Vec<u8>,
    /// `None` if the endpoint takes no keys.
    pub key: Option<IdempotencyKey>,
    pub risk: Risk,
    /// One line for a person.
    pub command: String,
    /// The order, position, TWAP, scaled order or account it changes; `None` for a new order.
    pub resource: Option<String>,
    /// The flatten it is part of.
    pub parent: Option<IntentId>,
    /// After this it is not sent for the first time, unless a person decides so.
    pub deadline: Timestamp,
    /// After this the service may have dropped the key: the same request could create a new order.
    pub replay_until: Timestamp,
}

impl Intent {
    /// A flatten is not a request itself; its parts are.
    pub fn is_flatten(&self) -> bool {
        self.target.starts_with(FLATTEN)
    }
}

/// An intent with everything known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentRow {
    pub id: IntentId,
    pub created_at: Timestamp,
    pub intent: Intent,
    /// Attempts that ended; one more may have been in flight when the desk stopped.
    pub attempts: u32,
    /// Whether a byte may have left this machine without proof that it had no effect.
    pub maybe_executed: bool,
    pub state: IntentState,
    /// `None` until there is a report.
    pub outcome: Option<Outcome>,
}

/// What the journal holds under the key of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: the intent was recorded.
    New(IntentId),
    /// An earlier intent.
    Known(Box<IntentRow>),
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
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

    /// The states that [`Self::is_open`], as an SQL list.
    pub(super) fn open_list() -> String {
        let open = Self::VARIANTS.iter().filter(|state| state.is_open());
        let names: Vec<String> = open.map(|state| format!("'{state}'")).collect();
        format!("({})", names.join(", "))
    }
}

/// The last report about an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub at: Timestamp,
    /// What the service did, or why it did not.
    pub detail: String,
    pub order_id: Option<OrderId>,
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
        Receipt::Scaled(ladder) if ladder.ended_at().is_none() => {
            format!("ladder {} placed", ladder.id)
        }
        Receipt::Scaled(ladder) => format!("ladder {} canceled", ladder.id),
        Receipt::CloseAll(operation) => operation.to_string(),
        Receipt::CancelAll(operation) => operation.to_string(),
        Receipt::AlreadySo(what) => what.to_string(),
        Receipt::Flat(proof) => proof.to_string(),
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

/// At most one intent has a key.
pub(super) fn with_key(
    connection: &Connection,
    key: &IdempotencyKey,
) -> Result<Option<IntentRow>, JournalError> {
    let find = || -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id FROM intents WHERE key = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        statement
            .query_row([key.raw()], |row| row.get(0))
            .optional()
    };
    let found = find().map_err(|why| JournalError::Read(Arc::new(why)))?;
    let Some(id) = found else { return Ok(None) };
    let entries = select(connection, &format!("WHERE i.id = {id}"), 1)?;
    Ok(entries.into_iter().next())
}

/// Rows under `condition` (over `intents i`), newest first.
pub(super) fn select(
    connection: &Connection,
    condition: &str,
    limit: u32,
) -> Result<Vec<IntentRow>, JournalError> {
    select_by(connection, condition, "i.id DESC", &[&limit])
}

/// Rows under `condition`, in this `order`; the first of the `values` is the limit, the others belong to the condition.
pub(super) fn select_by(
    connection: &Connection,
    condition: &str,
    order: &str,
    values: &[&dyn ToSql],
) -> Result<Vec<IntentRow>, JournalError> {
    rows(connection, condition, order, values).map_err(|why| JournalError::Read(Arc::new(why)))
}

/// The same. Skips rows that damage made unreadable; the damage report covers them.
pub(super) fn rows(
    connection: &Connection,
    condition: &str,
    order: &str,
    values: &[&dyn ToSql],
) -> rusqlite::Result<Vec<IntentRow>> {
    let mut statement = connection.prepare_cached(&sql(condition, order))?;
    let mut entries = vec![];
    for row in statement.query_map(values, entry)? {
        match row {
            Ok(entry) => entries.push(entry),
            Err(why) if is_unreadable(&why) => {}
            // A read-only journal shows what it can.
            Err(why) if is_damage(&why) && connection.is_readonly("main")? => break,
            Err(why) => return Err(why),
        }
    }
    Ok(entries)
}

fn is_unreadable(why: &rusqlite::Error) -> bool {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
    };
    matches!(
        why,
        FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | Utf8Error(..)
    )
}

pub(super) fn sql(condition: &str, order: &str) -> String {
    format!(
        "SELECT i.*, (SELECT count(*) FROM attempts a WHERE a.intent_id = i.id) AS attempts
         FROM intents i {condition} ORDER BY {order} LIMIT ?1"
    )
}

fn entry(row: &Row<'_>) -> rusqlite::Result<IntentRow> {
    Ok(IntentRow {
        id: IntentId(row.get("id")?),
        created_at: Timestamp(row.get("created_at")?),
        intent: Intent {
            base_url: row.get("base_url")?,
            account_id: row.get::<_, String>("account_id")?.into(),
            credential: row.get("credential")?,
            method: row.get("method")?,
            target: row.get("target")?,
            body: row.get("body")?,
            key: row.get::<_, Option<String>>("key")?.map(Into::into),
            risk: word(row, "risk")?,
            command: row.get("command")?,
            resource: row.get("resource")?,
            parent: row.get::<_, Option<i64>>("parent")?.map(IntentId),
            deadline: Timestamp(row.get("deadline")?),
            replay_until: Timestamp(row.get("replay_until")?),
        },
        attempts: row.get("attempts")?,
        maybe_executed: row.get("maybe_executed")?,
        state: word(row, "state")?,
        outcome: outcome(row)?,
    })
}

fn outcome(row: &Row<'_>) -> rusqlite::Result<Option<Outcome>> {
    let Some(at) = row.get::<_, Option<i64>>("told_at")? else {
        return Ok(None);
    };
    Ok(Some(Outcome {
        at: Timestamp(at),
        detail: row.get::<_, Option<String>>("detail")?.unwrap_or_default(),
        order_id: row.get::<_, Option<String>>("order_id")?.map(Into::into),
        request_id: row.get::<_, Option<String>>("request_id")?.map(Into::into),
    }))
}

fn word<T: FromStr<Err = strum::ParseError>>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    row.get::<_, String>(column)?
        .parse()
        .map_err(|why: T::Err| {
            let index = row.as_ref().column_index(column).unwrap_or(usize::MAX);
            rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(why))
        })
}
