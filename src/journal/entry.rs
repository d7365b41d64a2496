//! The rows: what was meant, and what came of it.

use super::JournalError;
use crate::model::{AccountId, Failure, IdempotencyKey, OrderId, Receipt, Risk, Text, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, types::Type};
use std::{str::FromStr, sync::Arc};
use strum::{Display, EnumString};

/// The number of a recorded intent; grows, is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentId(pub i64);

/// A mutation as it is about to be sent, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub base_url: String,
    pub account_id: AccountId,
    pub method: String,
    pub target: String,
    pub body: Vec<u8>,
    /// Absent where the endpoint keeps no keys.
    pub key: Option<IdempotencyKey>,
    pub risk: Risk,
    /// One line for a person.
    pub command: String,
}

/// An intent and all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: IntentId,
    pub created_at: Timestamp,
    pub intent: Intent,
    /// Attempts that ended; one more may have been on the wire when the desk stopped.
    pub attempts: u32,
    /// `None` while nothing conclusive is known.
    pub outcome: Option<Outcome>,
}

impl Entry {
    /// Whether it is proved that it had no effect.
    pub fn surely_failed(&self) -> bool {
        let outcome = self.outcome.as_ref();
        outcome.is_some_and(|outcome| outcome.state == State::Failed)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum State {
    Done,
    /// It surely had no effect.
    Failed,
    /// It may have had an effect.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub at: Timestamp,
    pub state: State,
    /// What the service made of it, or why it did not.
    pub detail: String,
    pub order_id: Option<OrderId>,
    pub request_id: Option<Text>,
}

impl Outcome {
    pub(super) fn of(at: Timestamp, result: &Result<Receipt, Failure>) -> Self {
        match result {
            Ok(receipt) => Self {
                at,
                state: State::Done,
                detail: told(receipt),
                order_id: order(receipt),
                request_id: None,
            },
            Err(why) => Self {
                at,
                state: if why.is_doubtful() {
                    State::Unknown
                } else {
                    State::Failed
                },
                detail: why.to_string(),
                order_id: why.order_id.clone(),
                request_id: why.request_id.clone(),
            },
        }
    }
}

fn told(receipt: &Receipt) -> String {
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
        Receipt::Twap(twap) => format!("TWAP {} stopped", twap.id),
        Receipt::Scaled(scaled) => format!("ladder {} canceled", scaled.id),
        Receipt::CloseAll(operation) => format!(
            "{}: {} of {} submitted, {} failed",
            operation.id, operation.succeeded_count, operation.total_count, operation.failed_count
        ),
    }
}

fn order(receipt: &Receipt) -> Option<OrderId> {
    match receipt {
        Receipt::Order { order, .. } => Some(order.id.clone()),
        Receipt::Cancel(result) => Some(result.id.clone()),
        Receipt::Position(_) | Receipt::Twap(_) | Receipt::Scaled(_) | Receipt::CloseAll(_) => None,
    }
}

/// A key is of one intent at most.
pub(super) fn with_key(
    connection: &Connection,
    key: &IdempotencyKey,
) -> Result<Option<Entry>, JournalError> {
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

/// Entries under `condition` (over `intents i` and `outcomes o`), newest first.
pub(super) fn select(
    connection: &Connection,
    condition: &str,
    limit: u32,
) -> Result<Vec<Entry>, JournalError> {
    let sql = format!(
        "SELECT i.id, i.created_at, i.base_url, i.account_id, i.method, i.target, i.body, i.key,
                i.risk, i.command, o.at, o.state, o.detail, o.order_id, o.request_id,
                (SELECT count(*) FROM attempts a WHERE a.intent_id = i.id) AS attempts
         FROM intents i LEFT JOIN outcomes o ON o.intent_id = i.id
         {condition} ORDER BY i.id DESC LIMIT ?1"
    );
    let read = || -> rusqlite::Result<Vec<Entry>> {
        connection
            .prepare_cached(&sql)?
            .query_map([limit], entry)?
            .collect()
    };
    read().map_err(|why| JournalError::Read(Arc::new(why)))
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: IntentId(row.get("id")?),
        created_at: Timestamp(row.get("created_at")?),
        intent: Intent {
            base_url: row.get("base_url")?,
            account_id: row.get::<_, String>("account_id")?.into(),
            method: row.get("method")?,
            target: row.get("target")?,
            body: row.get("body")?,
            key: row.get::<_, Option<String>>("key")?.map(Into::into),
            risk: word(row, "risk")?,
            command: row.get("command")?,
        },
        attempts: row.get("attempts")?,
        outcome: outcome(row)?,
    })
}

fn outcome(row: &Row<'_>) -> rusqlite::Result<Option<Outcome>> {
    let Some(at) = row.get::<_, Option<i64>>("at")? else {
        return Ok(None);
    };
    Ok(Some(Outcome {
        at: Timestamp(at),
        state: word(row, "state")?,
        detail: row.get("detail")?,
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
