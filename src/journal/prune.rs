//! What the journal forgets.

use crate::model::Timestamp;
use rusqlite::{Connection, named_params};
use std::time::Duration;

/// Settled, told of and begun before `:before`, and under no key that may still be sent again.
const PAST: &str = "state NOT IN ('prepared', 'inflight', 'unknown', 'parked', 'queued')
    AND created_at < :before AND coalesce(told_at, created_at) < :before AND replay_until < :now";

/// In one transaction: all of it or nothing.
pub(super) fn prune(
    connection: &Connection,
    now: Timestamp,
    keep: Duration,
) -> rusqlite::Result<usize> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(created_at) FROM intents", [], |row| row.get(0))?;
    let Some(newest) = newest else { return Ok(0) };
    // A clock that is years ahead must not empty the journal.
    let days = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
    let before = newest.min(now.0).saturating_sub(days);
    let values = named_params! { ":before": before, ":now": now.0 };
    let gone = format!(
        "SELECT id FROM intents WHERE {PAST} AND id NOT IN
             (SELECT parent FROM intents WHERE parent IS NOT NULL AND NOT ({PAST}))"
    );
    // For every row that goes each other row would be asked whether it names it, which the condition has done.
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    let transaction = connection.unchecked_transaction()?;
    let attempts = format!("DELETE FROM attempts WHERE intent_id IN ({gone})");
    transaction.execute(&attempts, values)?;
    let rows = transaction.execute(&format!("DELETE FROM intents WHERE id IN ({gone})"), values)?;
    transaction.commit()?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    Ok(rows)
}
