//! The database: its lock and its tables.

use super::fault::StoreFault;
use crate::disk::{self, HeldFile};
use rusqlite::Connection;
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

pub(super) const DATABASE: &str = "exchange.sqlite3";
const LOCK: &str = "exchange.lock";

/// The layout of the tables and of what is in them. Raised with any change to a type that is stored, or to what one of its
/// fields means: those of the engine's rows, [`EngineInput`](super::recorder::EngineInput), the idempotency records and
/// the close-all operations.
pub(super) const FORMAT: u32 = 5;

/// "prpx": distinguishes our file from another program's.
const APPLICATION_ID: u32 = 0x7072_7078;

pub(super) const TABLES: &str = "
    CREATE TABLE exchange (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        origin TEXT NOT NULL CHECK (origin IN ('built_in', 'given')),
        scenario TEXT NOT NULL,
        seed INTEGER NOT NULL,
        openings INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE clock (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        -- No answer has told of a later time than this.
        horizon INTEGER NOT NULL,
        speed INTEGER NOT NULL,
        paused INTEGER NOT NULL CHECK (paused IN (0, 1))
    ) STRICT;
    CREATE TABLE core (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        -- The last record of the log that is in it.
        seq INTEGER NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT;
    CREATE TABLE chunks (
        kind INTEGER NOT NULL,
        place INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        PRIMARY KEY (kind, place)
    ) STRICT;
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        mark INTEGER NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT;
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user INTEGER NOT NULL,
        key TEXT NOT NULL,
        sealed BLOB NOT NULL,
        UNIQUE (user, key)
    ) STRICT;
    CREATE TABLE operations (
        id INTEGER PRIMARY KEY,
        sealed BLOB NOT NULL
    ) STRICT;
";

/// A database that belongs to this process, and what it contains.
#[derive(Debug)]
pub(super) struct OpenedDatabase {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    pub(super) claim: DirectoryClaim,
    pub(super) state: DatabaseState,
}

/// The lock of the directory, for as long as this is kept, and the database in it.
#[derive(Debug)]
pub(super) struct DirectoryClaim {
    _lock: File,
    pub(super) database: HeldFile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DatabaseState {
    Empty,
    Kept,
}

/// Locks the directory, creates it if missing, and inspects the database without changing it.
pub(super) fn open(dir: &Path) -> Result<OpenedDatabase, StoreFault> {
    let path = dir.join(DATABASE);
    let place = |why: io::Error| StoreFault::Place {
        path: dir.to_owned(),
        why,
    };
    disk::private_dir(dir).map_err(place)?;
    let lock = disk::claim(&dir.join(LOCK)).map_err(place)?;
    let lock = lock.ok_or_else(|| StoreFault::Held(dir.to_owned()))?;
    drop(disk::private_file(&path).map_err(place)?);
    disk::sync_dir(dir).map_err(place)?;
    let claim = DirectoryClaim {
        _lock: lock,
        database: HeldFile::at(&path).map_err(place)?,
    };
    let refused = |why| refusal(&path, why);
    let connection = disk::inspect(&path).map_err(refused)?;
    let state = state(&connection, &path)?;
    if let Some(why) = disk::complaint(&connection).map_err(refused)? {
        return Err(StoreFault::Damaged { path, why });
    }
    Ok(OpenedDatabase {
        path,
        connection,
        claim,
        state,
    })
}

fn state(connection: &Connection, path: &Path) -> Result<DatabaseState, StoreFault> {
    let refused = |why| refusal(path, why);
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: u32 = connection
        .query_row(tables, [], |row| row.get(0))
        .map_err(refused)?;
    let application = number("application_id").map_err(refused)?;
    let found = number("user_version").map_err(refused)?;
    match (application, tables) {
        (0, 0) => Ok(DatabaseState::Empty),
        (APPLICATION_ID, _) if found == FORMAT => Ok(DatabaseState::Kept),
        (APPLICATION_ID, _) => Err(StoreFault::Format {
            path: path.to_owned(),
            found,
            known: FORMAT,
        }),
        _ => Err(StoreFault::Foreign {
            path: path.to_owned(),
        }),
    }
}

/// The tables of a new exchange, in the transaction that also fills them.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", FORMAT)
}

pub(super) fn refusal(path: &Path, why: rusqlite::Error) -> StoreFault {
    let path = path.to_owned();
    if disk::is_damage(&why) {
        let why = why.to_string();
        StoreFault::Damaged { path, why }
    } else {
        StoreFault::Open { path, why }
    }
}
