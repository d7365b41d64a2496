//! The files: the lock and who holds it, opening to write and to read.

use super::{JournalError, schema};
use crate::disk;
use rusqlite::{Connection, OpenFlags};
use std::{
    fs::{self, File, TryLockError},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
    process,
    sync::Arc,
    thread,
    time::Duration,
};

const DATABASE: &str = "journal.sqlite3";
const LOCK: &str = "journal.lock";
/// How often it is tried again where nobody has the journal, and somebody only looked who does.
const GLANCES: u32 = 50;
const A_GLANCE: Duration = Duration::from_millis(1);

/// Takes the journal for this process, for as long as the file is held, and writes the process's number
/// into it. The lock dies with the process, so the file is never deleted and its age means nothing.
pub(super) fn lock(dir: &Path) -> Result<File, JournalError> {
    let place = |why: io::Error| JournalError::Place {
        path: dir.to_owned(),
        why: Arc::new(why),
    };
    disk::private_dir(dir).map_err(place)?;
    let mut claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    for _ in 0..GLANCES {
        if claimed.is_some() || holder(dir).is_some() {
            break;
        }
        thread::park_timeout(A_GLANCE);
        claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    }
    let Some(mut lock) = claimed else {
        return Err(JournalError::Held {
            path: dir.to_owned(),
            holder: named(dir).map(|holder| holder.process),
        });
    };
    // A full disk must not keep anybody from the journal: the number only serves to be found.
    let _unnamed = lock
        .set_len(0)
        .and_then(|()| lock.write_all(process::id().to_string().as_bytes()));
    Ok(lock)
}

/// What a process that flattens on a signal writes behind its number.
const LISTENS: &str = " listens";

/// Writes into the lock that this process flattens when it gets SIGUSR1.
pub(super) fn announce(mut lock: &File) -> io::Result<()> {
    lock.seek(SeekFrom::End(0))?;
    lock.write_all(LISTENS.as_bytes())
}

/// A process that holds a journal at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub process: u32,
    /// It flattens when it gets SIGUSR1; any other would end.
    pub listens: bool,
}

/// Who holds the journal in `dir`, if anybody does.
pub fn holder(dir: &Path) -> Option<Holder> {
    let lock = File::open(dir.join(LOCK)).ok()?;
    // Shared, so that two who look do not take each other for somebody who holds it.
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => named(dir),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn named(dir: &Path) -> Option<Holder> {
    let text = fs::read_to_string(dir.join(LOCK)).ok()?;
    Some(Holder {
        process: text.trim_end_matches(LISTENS).trim().parse().ok()?,
        listens: text.ends_with(LISTENS),
    })
}

/// The database, checked and at the newest schema. Nothing is written to a file that is refused.
pub(super) fn database(dir: &Path) -> Result<Connection, JournalError> {
    let path = dir.join(DATABASE);
    let place = |why: io::Error| {
        let path = path.clone();
        if why.kind() == io::ErrorKind::StorageFull {
            return JournalError::Full { path };
        }
        let why = Arc::new(why);
        JournalError::Place { path, why }
    };
    drop(disk::private_file(&path).map_err(place)?);
    disk::sync_dir(dir).map_err(place)?;
    let refused = |why| refusal(&path, why);
    let mut connection =
        Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | PLAIN)
            .map_err(refused)?;
    let version = inspect(&connection, &path)?;
    disk::make_durable(&connection).map_err(refused)?;
    if (1..schema::newest()).contains(&version) {
        back_up(&connection, dir, version).map_err(refused)?;
    }
    schema::migrate(&mut connection, version).map_err(refused)?;
    Ok(connection)
}

pub(super) fn is_there(dir: &Path) -> bool {
    dir.join(DATABASE).exists()
}

/// The database as another process writes it: to look at, never to change.
pub(super) fn readable(dir: &Path) -> Result<Connection, JournalError> {
    let path = dir.join(DATABASE);
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | PLAIN)
        .map_err(|why| refusal(&path, why))?;
    let version = inspect(&connection, &path)?;
    if version < schema::newest() {
        let why = "it is of an older version; open it once with a desk of its own".to_owned();
        return Err(JournalError::Damaged { path, why });
    }
    Ok(connection)
}

/// One thread, one connection.
const PLAIN: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// The version, before anything is written; refuses what is damaged or newer.
fn inspect(connection: &Connection, path: &Path) -> Result<i64, JournalError> {
    let refused = |why| refusal(path, why);
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(refused)?;
    if version > schema::newest() {
        return Err(JournalError::Newer {
            path: path.to_owned(),
            found: version,
            known: schema::newest(),
        });
    }
    match disk::complaint(connection).map_err(refused)? {
        None => Ok(version),
        Some(why) => Err(JournalError::Damaged {
            path: path.to_owned(),
            why,
        }),
    }
}

/// The file as the older program left it, beside the one that is about to change.
fn back_up(connection: &Connection, dir: &Path, version: i64) -> rusqlite::Result<()> {
    let copy = dir.join(format!("journal.v{version}.sqlite3"));
    // SQLite fills an empty file and refuses any other: an older copy is not overwritten by a second try.
    let fresh = !copy.exists();
    if fresh && disk::private_file(&copy).is_ok() {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    Ok(())
}

fn refusal(path: &Path, why: rusqlite::Error) -> JournalError {
    let path = path.to_owned();
    if disk::is_full(&why) {
        return JournalError::Full { path };
    }
    if disk::is_damage(&why) {
        let why = why.to_string();
        return JournalError::Damaged { path, why };
    }
    JournalError::Open {
        path,
        why: Arc::new(why),
    }
}
