//! What was asked of the service, with which key and which bytes, and what came of it: on disk before
//! the first byte leaves this machine.
//!
//! Contract: [`Journal::record`] returns after the intent is synced (`SQLite`, WAL, `synchronous=FULL`).
//! One process writes, held apart by a lock file that is never deleted. The API key is in nothing that is
//! stored; bodies and idempotency keys are, so the file is readable by its owner only. After the first
//! failed write the journal stays failed until it is opened again: a commit that failed may be found on
//! disk later, so what follows it could not be trusted. A damaged or newer file is refused and left as
//! it is.
//!
//! Known limit: not for network file systems, where neither the lock nor the sync is to be relied on.

mod entry;
mod error;
mod file;

pub use entry::{Entry, Intent, IntentId, Outcome, State};
pub use error::JournalError;

use crate::model::{Failure, IdempotencyKey, OrderId, Receipt, Text, Timestamp};
use rusqlite::{Connection, named_params, params};
use std::{fs::File, path::Path, sync::Arc};

/// The open journal; dropping it frees the lock.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    failed: Option<JournalError>,
    /// Never read: holding it open holds the lock.
    _lock: File,
}

impl Journal {
    /// Opens or creates the journal in `dir`, which is created (mode 0700) if it is not there.
    pub fn open(dir: &Path) -> Result<Self, JournalError> {
        let lock = file::lock(dir)?;
        Ok(Self {
            connection: file::database(dir)?,
            failed: None,
            _lock: lock,
        })
    }

    /// Puts an intent on disk. Until this has returned `Ok`, nothing of it may be sent.
    pub fn record(&mut self, now: Timestamp, intent: &Intent) -> Result<IntentId, JournalError> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO intents (created_at, base_url, account_id, method, target, body, key,
                                      risk, command)
                 VALUES (:at, :base_url, :account_id, :method, :target, :body, :key, :risk,
                         :command)",
                named_params! {
                    ":at": now.0,
                    ":base_url": intent.base_url,
                    ":account_id": intent.account_id.raw(),
                    ":method": intent.method,
                    ":target": intent.target,
                    ":body": intent.body,
                    ":key": intent.key.as_ref().map(IdempotencyKey::raw),
                    ":risk": intent.risk.to_string(),
                    ":command": intent.command,
                },
            )?;
            Ok(IntentId(connection.last_insert_rowid()))
        })
    }

    /// Notes how attempt `number` (from 1) ended: `why` it did not answer as wished, if so.
    pub fn attempt(
        &mut self,
        now: Timestamp,
        id: IntentId,
        number: u32,
        why: Option<&Failure>,
    ) -> Result<(), JournalError> {
        self.write(|connection| {
            connection.execute(
                "INSERT INTO attempts (intent_id, number, ended_at, status, detail)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    id.0,
                    number,
                    now.0,
                    why.and_then(|why| why.status),
                    why.map(ToString::to_string)
                ],
            )?;
            Ok(())
        })
    }

    /// Notes what became of the command. A doubt stays open: a later outcome replaces it.
    pub fn outcome(
        &mut self,
        now: Timestamp,
        id: IntentId,
        result: &Result<Receipt, Failure>,
    ) -> Result<(), JournalError> {
        let outcome = Outcome::of(now, result);
        self.write(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO outcomes (intent_id, at, state, detail, order_id, request_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    id.0,
                    outcome.at.0,
                    outcome.state.to_string(),
                    outcome.detail,
                    outcome.order_id.as_ref().map(OrderId::raw),
                    outcome.request_id.as_ref().map(Text::raw),
                ],
            )?;
            Ok(())
        })
    }

    /// The newest intents, newest first.
    pub fn recent(&self, limit: u32) -> Result<Vec<Entry>, JournalError> {
        entry::select(&self.connection, "", limit)
    }

    /// The intent that was recorded with this key, if one was.
    pub fn by_key(&self, key: &IdempotencyKey) -> Result<Option<Entry>, JournalError> {
        entry::with_key(&self.connection, key)
    }

    /// Intents that may still be under way or whose effect is in doubt, newest first.
    pub fn open_intents(&self) -> Result<Vec<Entry>, JournalError> {
        let open = "WHERE o.state IS NULL OR o.state = 'unknown'";
        entry::select(&self.connection, open, u32::MAX)
    }

    /// Why this journal no longer takes anything, if so.
    pub fn failure(&self) -> Option<&JournalError> {
        self.failed.as_ref()
    }

    fn write<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        write(&self.connection).map_err(|why| {
            let why = JournalError::Write(Arc::new(why));
            self.failed = Some(why.clone());
            why
        })
    }
}

#[cfg(test)]
mod tests;
