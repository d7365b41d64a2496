//! The schema and its migrations.

use super::checksum;
use rusqlite::Connection;

/// The statements from each schema version to the next; the first builds an empty file.
pub(super) const MIGRATIONS: [&str; 4] = [
    "
    CREATE TABLE intents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created_at INTEGER NOT NULL,
        base_url TEXT NOT NULL,
        account_id TEXT NOT NULL,
        method TEXT NOT NULL,
        target TEXT NOT NULL,
        body BLOB NOT NULL,
        key TEXT UNIQUE,
        risk TEXT NOT NULL CHECK (risk IN ('reducing', 'neutral', 'increasing')),
        command TEXT NOT NULL
    ) STRICT;
    CREATE TABLE attempts (
        intent_id INTEGER NOT NULL REFERENCES intents (id),
        number INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        status INTEGER,
        detail TEXT,
        PRIMARY KEY (intent_id, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE outcomes (
        intent_id INTEGER PRIMARY KEY REFERENCES intents (id),
        at INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('done', 'failed', 'unknown')),
        detail TEXT NOT NULL,
        order_id TEXT,
        request_id TEXT
    ) STRICT;
",
    "
    CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO facts VALUES ('salt', randomblob(16));
    ALTER TABLE intents ADD COLUMN credential TEXT NOT NULL DEFAULT '';
    ALTER TABLE intents ADD COLUMN resource TEXT;
    ALTER TABLE intents ADD COLUMN parent INTEGER REFERENCES intents (id);
    ALTER TABLE intents ADD COLUMN deadline INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE intents ADD COLUMN replay_until INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE intents ADD COLUMN maybe_executed INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE intents ADD COLUMN state TEXT NOT NULL DEFAULT 'inflight' CHECK (state IN (
        'prepared', 'inflight', 'unknown', 'parked', 'queued',
        'done', 'rejected', 'unsent', 'abandoned'));
    ALTER TABLE intents ADD COLUMN told_at INTEGER;
    ALTER TABLE intents ADD COLUMN detail TEXT;
    ALTER TABLE intents ADD COLUMN order_id TEXT;
    ALTER TABLE intents ADD COLUMN request_id TEXT;
    UPDATE intents SET
        state = CASE o.state WHEN 'failed' THEN 'rejected' ELSE o.state END,
        maybe_executed = o.state <> 'failed',
        told_at = o.at, detail = o.detail, order_id = o.order_id, request_id = o.request_id
        FROM outcomes o WHERE o.intent_id = intents.id;
    DROP TABLE outcomes;
    CREATE INDEX open_intents ON intents (state)
        WHERE state IN ('prepared', 'inflight', 'unknown', 'parked', 'queued');
",
    "CREATE INDEX told ON intents (base_url, account_id, told_at);",
    "
    INSERT INTO facts VALUES ('uuid', randomblob(16));
    ALTER TABLE intents ADD COLUMN chain BLOB NOT NULL DEFAULT x'';
    ALTER TABLE intents ADD COLUMN sum BLOB NOT NULL DEFAULT x'';
    CREATE TABLE forgotten (id INTEGER PRIMARY KEY, chain BLOB NOT NULL) STRICT;
    CREATE TABLE damage (id INTEGER PRIMARY KEY, what TEXT NOT NULL) STRICT;
",
];

pub(super) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Runs the migrations that are missing since `version`, all or none of them.
pub(super) fn migrate(connection: &mut Connection, version: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let done = usize::try_from(version).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if version < newest() {
        checksum::append_all(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", newest())?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::{super::IntentState, *};

    #[test]
    fn the_index_of_what_is_open_is_by_the_states_that_are_asked_for() {
        let schema = MIGRATIONS.concat();
        assert!(
            schema.contains(&IntentState::open_list()),
            "{}",
            IntentState::open_list()
        );
    }
}
