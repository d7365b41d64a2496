//! Deletes old rows.

use super::{IntentState, checksum};
use crate::model::Timestamp;
use rusqlite::{Connection, named_params};
use std::time::Duration;

/// Settled, reported and begun before `:before`, and without a key that may still be resent.
fn past() -> String {
    format!(
        "state NOT IN {} AND created_at < :before
         AND coalesce(told_at, created_at) < :before AND replay_until < :now",
        IntentState::open_list()
    )
}

/// Deletes at most `most` rows in one transaction, parts before their parent, and returns them.
pub(super) fn prune(
    connection: &Connection,
    now: Timestamp,
    keep: Duration,
    most: u32,
) -> rusqlite::Result<Vec<i64>> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(created_at) FROM intents", [], |row| row.get(0))?;
    let Some(newest) = newest else {
        return Ok(vec![]);
    };
    // A clock that is years ahead must not empty the journal.
    let days = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
    let before = newest.min(now.0).saturating_sub(days);
    let values = named_params! { ":before": before, ":now": now.0, ":most": most };
    let past = past();
    let gone = format!(
        "SELECT id FROM intents WHERE {past} AND id NOT IN
             (SELECT parent FROM intents WHERE parent IS NOT NULL AND NOT ({past}))
         ORDER BY id DESC LIMIT :most"
    );
    // SQLite would search every row for references to each deleted one; the condition has excluded those.
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    let transaction = connection.unchecked_transaction()?;
    // This scans every row, once.
    let ids: Vec<i64> = transaction
        .prepare_cached(&gone)?
        .query_map(values, |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    checksum::forget(&transaction, &ids)?;
    for id in &ids {
        transaction
            .prepare_cached("DELETE FROM attempts WHERE intent_id = ?1")?
            .execute([id])?;
        transaction
            .prepare_cached("DELETE FROM intents WHERE id = ?1")?
            .execute([id])?;
    }
    checksum::shorten(&transaction)?;
    transaction.commit()?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    Ok(ids)
}
