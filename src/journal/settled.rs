//! Reads what was settled on one account, for `H` and the receipts of earlier sessions.

use super::{IntentId, IntentRow, IntentState, Journal, JournalError, entry};
use crate::model::{AccountId, Timestamp};
use rusqlite::{Connection, ToSql};
use std::sync::Arc;

/// A settled row with its attempts, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledIntent {
    pub entry: IntentRow,
    pub attempts: Vec<AttemptRow>,
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    pub ended_at: Timestamp,
    pub status: Option<u16>,
    /// Why it did not succeed; `None` if it did.
    pub detail: Option<String>,
}

/// Uses the index `told`, so that other accounts and older rows cost nothing.
fn of_account() -> String {
    format!(
        "WHERE i.base_url = ?2 AND i.account_id = ?3 AND (i.told_at, i.id) < (?4, ?5)
         AND i.state NOT IN {}",
        IntentState::open_list()
    )
}

impl Journal {
    /// The rows last settled on this account, latest first: at most `limit` rows before the row with that time and
    /// number in `before`.
    pub fn settled(
        &self,
        base_url: &str,
        account: &AccountId,
        before: (Timestamp, IntentId),
        limit: u32,
    ) -> Result<Vec<SettledIntent>, JournalError> {
        let (told_at, id) = (before.0.0, before.1.0);
        let values: [&dyn ToSql; 5] = [&limit, &base_url, &account.raw(), &told_at, &id];
        let connection = self.database()?;
        let entries = entry::select_by(connection, &of_account(), LATEST, &values)?;
        let rows = entries.into_iter().map(|entry| {
            Ok(SettledIntent {
                attempts: attempts(connection, entry.id)?,
                entry,
            })
        });
        let rows: rusqlite::Result<_> = rows.collect();
        rows.map_err(|why| JournalError::Read(Arc::new(why)))
    }
}

const LATEST: &str = "i.told_at DESC, i.id DESC";

fn attempts(connection: &Connection, id: IntentId) -> rusqlite::Result<Vec<AttemptRow>> {
    let sql = "SELECT ended_at, status, detail FROM attempts WHERE intent_id = ?1 ORDER BY number";
    connection
        .prepare_cached(sql)?
        .query_map([id.0], |row| {
            Ok(AttemptRow {
                ended_at: Timestamp(row.get(0)?),
                status: row.get(1)?,
                detail: row.get(2)?,
            })
        })?
        .collect()
}

/// The query plan.
#[cfg(test)]
pub(super) fn plan(connection: &Connection) -> Vec<String> {
    let sql = format!("EXPLAIN QUERY PLAN {}", entry::sql(&of_account(), LATEST));
    let mut statement = connection.prepare(&sql).unwrap();
    let steps = statement.query_map([1, 2, 3, 4, 5], |row| row.get("detail"));
    steps.unwrap().map(Result::unwrap).collect()
}
