//! The files: lock, permissions, schema.

use super::JournalError;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

const DATABASE: &str = "journal.sqlite3";
const LOCK: &str = "journal.lock";

/// The statements that lead from each schema version to the next; the first builds an empty file.
const MIGRATIONS: [&str; 1] = ["
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
"];

fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Takes the journal for this process, for as long as the file is held. The lock dies with the process,
/// so the file is never deleted and its age means nothing.
pub(super) fn lock(dir: &Path) -> Result<File, JournalError> {
    let place = |why: io::Error| JournalError::Place {
        path: dir.to_owned(),
        why: Arc::new(why),
    };
    private_dir(dir).map_err(place)?;
    let lock = private_file(&dir.join(LOCK)).map_err(place)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(JournalError::Held(dir.to_owned())),
        Err(TryLockError::Error(why)) => Err(place(why)),
    }
}

/// The database, checked and at the newest schema. Nothing is written to a file that is refused.
pub(super) fn database(dir: &Path) -> Result<Connection, JournalError> {
    let path = dir.join(DATABASE);
    let place = |why: io::Error| JournalError::Place {
        path: path.clone(),
        why: Arc::new(why),
    };
    drop(private_file(&path).map_err(place)?);
    // The name of a new file is durable only when its directory is.
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(place)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let refused = |why| refusal(&path, why);
    let mut connection = Connection::open_with_flags(&path, flags).map_err(refused)?;
    let version = inspect(&connection).map_err(refused)?;
    if version > newest() {
        return Err(JournalError::Newer {
            path,
            found: version,
            known: newest(),
        });
    }
    if let Some(why) = complaint(&connection).map_err(refused)? {
        return Err(JournalError::Damaged { path, why });
    }
    settle(&mut connection, version).map_err(refused)?;
    Ok(connection)
}

/// Before anything is written: which version is it?
fn inspect(connection: &Connection) -> rusqlite::Result<i64> {
    // One connection, one process: no shared memory file, and no other reader of a half-written page.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn complaint(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

/// Durable settings, then the migrations that are missing, all or none of them.
fn settle(connection: &mut Connection, version: i64) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // Plain fsync does not reach the platter on macOS; elsewhere these do nothing.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
    let transaction = connection.transaction()?;
    let done = usize::try_from(version).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", newest())?;
    transaction.commit()
}

fn refusal(path: &Path, why: rusqlite::Error) -> JournalError {
    let path: PathBuf = path.to_owned();
    match why.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => JournalError::Damaged {
            path,
            why: why.to_string(),
        },
        _ => JournalError::Open {
            path,
            why: Arc::new(why),
        },
    }
}

fn private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Opens or creates a file only its owner may read; an older file's looser mode is tightened.
fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}
