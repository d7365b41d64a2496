//! The one statement that inserts a row into `intents`.

use super::{Intent, IntentState, Outcome};
use crate::model::{IdempotencyKey, OrderId, Text, Timestamp};
use rusqlite::{Connection, named_params};

macro_rules! insert {
    ($verb:literal) => {
        concat!(
            $verb,
            " INTO intents (id, created_at, base_url, account_id, credential, method, target, body, key, risk,
                 command, resource, parent, deadline, replay_until, state, maybe_executed,
                 told_at, detail, order_id, request_id)
             VALUES (:number, :at, :base_url, :account_id, :credential, :method, :target, :body, :key, :risk,
                 :command, :resource, :parent, :deadline, :replay_until, :state, :maybe_executed,
                 :told_at, :detail, :order_id, :request_id)"
        )
    };
}

const INSERT: &str = insert!("INSERT");
const INSERT_OR_IGNORE: &str = insert!("INSERT OR IGNORE");

/// What to do if the key of a new row exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownKey {
    /// The transaction fails.
    Fail,
    /// No row is inserted.
    Skip,
}

/// A row before it is chained.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRow<'a> {
    /// `None`: the next free number.
    pub(super) number: Option<i64>,
    pub(super) created_at: Timestamp,
    pub(super) intent: &'a Intent,
    pub(super) state: IntentState,
    pub(super) maybe_executed: bool,
    pub(super) outcome: Option<&'a Outcome>,
    pub(super) known_key: KnownKey,
}

impl<'a> NewRow<'a> {
    /// An intent that is about to be sent.
    pub(super) fn inflight(created_at: Timestamp, intent: &'a Intent) -> Self {
        Self {
            number: None,
            created_at,
            intent,
            state: IntentState::Inflight,
            maybe_executed: true,
            outcome: None,
            known_key: KnownKey::Fail,
        }
    }

    /// The number of the new row; `None` if none was inserted.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let (intent, outcome) = (self.intent, self.outcome);
        let mut statement = connection.prepare_cached(match self.known_key {
            KnownKey::Fail => INSERT,
            KnownKey::Skip => INSERT_OR_IGNORE,
        })?;
        let made = statement.execute(named_params! {
            ":number": self.number,
            ":at": self.created_at.0,
            ":base_url": intent.base_url,
            ":account_id": intent.account_id.raw(),
            ":credential": intent.credential,
            ":method": intent.method,
            ":target": intent.target,
            ":body": intent.body,
            ":key": intent.key.as_ref().map(IdempotencyKey::raw),
            ":risk": intent.risk.to_string(),
            ":command": intent.command,
            ":resource": intent.resource,
            ":parent": intent.parent.map(|id| id.0),
            ":deadline": intent.deadline.0,
            ":replay_until": intent.replay_until.0,
            ":state": self.state.to_string(),
            ":maybe_executed": self.maybe_executed,
            ":told_at": outcome.map(|outcome| outcome.at.0),
            ":detail": outcome.map(|outcome| outcome.detail.as_str()),
            ":order_id": outcome.and_then(|outcome| outcome.order_id.as_ref()).map(OrderId::raw),
            ":request_id": outcome.and_then(|outcome| outcome.request_id.as_ref()).map(Text::raw),
        })?;
        Ok((made > 0).then(|| connection.last_insert_rowid()))
    }
}
