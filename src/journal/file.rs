//! The files: the lock and who holds it, opening to write and to read.

use super::{
    JournalError,
    checksum::JournalIdentity,
    damage_report::{self, Flaw, RingState},
    inspection::{CheckDepth, SideFiles, inspect, note_checked, refuse_structure},
    repair::{self, RingRefill},
    ring::{Ring, RingContents},
    schema,
    transaction::Database,
    wal,
};
use crate::disk;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    collections::BTreeSet,
    fs::{File, TryLockError},
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
    process,
    sync::Arc,
    thread,
    time::Duration,
};

const DATABASE: &str = "journal.sqlite3";
const LOG: &str = "journal.sqlite3-wal";
const MEMORY: &str = "journal.sqlite3-shm";
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
        if claimed.is_some() || lock_holder(dir).is_some() {
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
pub struct LockHolder {
    pub process: u32,
    /// It flattens when it gets SIGUSR1; any other would end.
    pub listens: bool,
}

/// Who holds the journal in `dir`, if anybody does.
pub fn lock_holder(dir: &Path) -> Option<LockHolder> {
    let lock = disk::own_file(&dir.join(LOCK)).ok()?;
    // Shared, so that two who look do not take each other for somebody who holds it.
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => named(dir),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn named(dir: &Path) -> Option<LockHolder> {
    let text = String::from_utf8(disk::read_own(&dir.join(LOCK)).ok()?).ok()?;
    Some(LockHolder {
        process: text.trim_end_matches(LISTENS).trim().parse().ok()?,
        listens: text.ends_with(LISTENS),
    })
}

/// An open database, and what was found damaged in it.
pub(super) struct OpenedDatabase {
    pub(super) database: Database,
    pub(super) damage: Option<String>,
}

/// The database, checked, mended and at the newest schema. Nothing is written to a file that is refused; what was in
/// doubt in it is named all the same.
pub(super) fn database(dir: &Path) -> Result<OpenedDatabase, JournalError> {
    mended(dir).map_err(|refused| {
        if let JournalError::Damaged { path, why } = &refused {
            return JournalError::Damaged {
                path: path.clone(),
                why: format!("{why}{}", in_doubt(&Ring::look(dir))),
            };
        }
        refused
    })
}

/// What the ring says is open, where it says so of anything.
fn in_doubt(ring: &RingContents) -> String {
    let open = ring.slots.iter().filter(|slot| slot.is_open());
    let open: BTreeSet<i64> = open.map(|slot| slot.id.0).collect();
    if open.is_empty() {
        return String::new();
    }
    format!("; in doubt: {}", damage_report::numbers(&open))
}

fn mended(dir: &Path) -> Result<OpenedDatabase, JournalError> {
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
    // SQLite opens these by their names: the directory, which is ours alone, guards them.
    for beside in [LOG, MEMORY] {
        disk::must_be_own(&dir.join(beside)).map_err(place)?;
    }
    let (ring, known) = Ring::open(dir).map_err(place)?;
    disk::sync_dir(dir).map_err(place)?;
    let log = repair::log(&dir.join(LOG));
    let refused = |why| JournalError::opening(&path, why);
    let mut connection = untouched(&path).map_err(refused)?;
    let beside = SideFiles {
        ring: &known,
        lost_commits: wal::lost_commits(&log),
    };
    let found = inspect(&connection, &path, beside, CheckDepth::Newest)?;
    refuse_structure(&found, &path)?;
    let report = found.report(&known);
    let mut words = None;
    if !report.flaws.is_empty() {
        // Closing a file that SQLite has open would free SQLite's locks.
        drop(connection);
        let copy = repair::keep_evidence(dir, DATABASE);
        words = Some(said(&report.flaws, copy.as_deref()));
        connection = untouched(&path).map_err(refused)?;
    }
    disk::make_durable(&connection).map_err(refused)?;
    bring_forward(&mut connection, dir, found.version).map_err(refused)?;
    if let Some(words) = &words {
        tracing::error!("{words}");
        if !found.complaints.is_empty() {
            connection.execute_batch("REINDEX").map_err(refused)?;
        }
        repair::repair(&connection, &report, &found.rows, words).map_err(refused)?;
    }
    let identity = JournalIdentity::read(&connection).map_err(refused)?;
    let trust = match (words, found.ring) {
        (None, RingState::Filled) => RingRefill::WhatItKnows,
        (Some(_), _) | (None, RingState::Unfilled) => RingRefill::Nothing,
    };
    let ring = repair::refill((dir, ring, &known), &connection, &identity, trust).map_err(place)?;
    if found.ring == RingState::Unfilled {
        let filled = "INSERT OR REPLACE INTO facts VALUES ('ring', x'01')";
        connection.execute_batch(filled).map_err(refused)?;
    }
    note_checked(&connection, &found).map_err(refused)?;
    let damage = repair::unseen(&connection).map_err(refused)?;
    let ring = Some(ring);
    let database = Database {
        connection,
        identity,
        ring,
    };
    Ok(OpenedDatabase { database, damage })
}

/// Opened so that nothing is written back before [`disk::make_durable`], not even on closing.
fn untouched(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | PLAIN;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// To the newest schema, which is then in the database itself: a damaged log may cost rows, and never all of them.
fn bring_forward(connection: &mut Connection, dir: &Path, version: i64) -> rusqlite::Result<()> {
    if version == schema::newest() {
        return Ok(());
    }
    if version > 0 {
        back_up(connection, dir, version)?;
    }
    schema::migrate(connection, version)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// In words for a person, with where the files are kept as they were found.
fn said(flaws: &[Flaw], copy: Option<&str>) -> String {
    let copy = copy.map_or_else(
        || "there was no room for a copy of it".to_owned(),
        |copy| format!("a copy of it is in {copy}"),
    );
    format!(
        "the journal was damaged on the disk: {}; {copy}. Compare your orders and positions with the service",
        damage_report::words(flaws)
    )
}

pub(super) fn is_there(dir: &Path) -> bool {
    dir.join(DATABASE).exists()
}

/// The database as another process writes it: to look at, never to change.
pub(super) fn readable(dir: &Path, depth: CheckDepth) -> Result<OpenedDatabase, JournalError> {
    let path = dir.join(DATABASE);
    // What whoever has it writes at this moment is half written: it has looked at its files itself.
    let is_written = lock_holder(dir).is_some();
    let mut known = Ring::look(dir);
    let mut lost_commits = wal::lost_commits(&repair::log(&dir.join(LOG)));
    if is_written {
        (known.unreadable, lost_commits) = (0, 0);
    }
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | PLAIN)
        .map_err(|why| JournalError::opening(&path, why))?;
    let beside = SideFiles {
        ring: &known,
        lost_commits,
    };
    let found = inspect(&connection, &path, beside, depth)?;
    if found.version < schema::newest() {
        let why = "it is of an older version; open it once with a desk of its own".to_owned();
        return Err(JournalError::Damaged { path, why });
    }
    let mut flaws = found.report(&known).flaws;
    if is_written {
        // The ring was read before the rows.
        flaws.retain(|flaw| !matches!(flaw, Flaw::RingBehind { .. } | Flaw::OutcomeLost(_)));
    }
    let damage = if flaws.is_empty() {
        repair::unseen(&connection).map_err(|why| JournalError::opening(&path, why))?
    } else {
        Some(format!(
            "the journal is damaged on the disk: {}. The next desk restores what journal.ring knows, and halts",
            damage_report::words(&flaws)
        ))
    };
    let database = Database {
        identity: found.identity,
        connection,
        ring: None,
    };
    Ok(OpenedDatabase { database, damage })
}

/// One thread, one connection.
const PLAIN: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

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
