//! The files: the lock and its holder; opening to write and to read.

use super::{
    Holder, JournalError,
    checksum::JournalIdentity,
    damage_report::{self, DamageKind, RingState},
    inspection::{CheckDepth, SideFiles, inspect, note_checked, refuse_structure},
    repair::{self, RingRefill},
    ring::{Ring, RingContents},
    schema,
    transaction::Database,
    wal,
};
use crate::disk::{self, HeldFile};
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
/// Attempts to lock while another process only looks who holds the lock.
const LOCK_ATTEMPTS: u32 = 50;
const A_GLANCE: Duration = Duration::from_millis(1);

/// Locks the journal for this process as long as the file is held, and writes the process number into it. The lock ends
/// with the process: the file is never deleted, and its age means nothing.
pub(super) fn lock(dir: &Path) -> Result<File, JournalError> {
    let place = |why: io::Error| JournalError::Place {
        path: dir.to_owned(),
        why: Arc::new(why),
    };
    disk::private_dir(dir).map_err(place)?;
    let mut claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    for _ in 0..LOCK_ATTEMPTS {
        if claimed.is_some() || lock_holder(dir).is_some() {
            break;
        }
        thread::park_timeout(A_GLANCE);
        claimed = disk::claim(&dir.join(LOCK)).map_err(place)?;
    }
    let Some(mut lock) = claimed else {
        return Err(JournalError::Held(Holder {
            dir: dir.to_owned(),
            process: named(dir).map(|holder| holder.process),
        }));
    };
    // The number only identifies the holder: a full disk must not prevent the lock.
    let _unnamed = lock
        .set_len(0)
        .and_then(|()| lock.write_all(process::id().to_string().as_bytes()));
    Ok(lock)
}

/// Written after the process number by a process that flattens on SIGUSR1.
const LISTENS: &str = " listens";

/// Marks this process in the lock file as one that flattens on SIGUSR1.
pub(super) fn announce(mut lock: &File) -> io::Result<()> {
    lock.seek(SeekFrom::End(0))?;
    lock.write_all(LISTENS.as_bytes())
}

/// A process that holds a journal now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LockHolder {
    pub process: u32,
    /// Whether it flattens on SIGUSR1; the signal would end any other process.
    pub listens: bool,
}

/// The process that holds the journal in `dir`, if any.
pub fn lock_holder(dir: &Path) -> Option<LockHolder> {
    let lock = disk::own_file(&dir.join(LOCK)).ok()?;
    // Shared, so that two processes that look do not take each other for a holder.
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

/// An open database, and the damage found in it.
pub(super) struct OpenedDatabase {
    pub(super) database: Database,
    pub(super) damage: Option<String>,
}

/// Opens the database, checks it, repairs it and migrates it. Nothing is written to a file that is refused; its error
/// still names the commands of unknown outcome.
pub(super) fn database(dir: &Path) -> Result<OpenedDatabase, JournalError> {
    mended(dir).map_err(|refused| {
        if let JournalError::Damaged { path, why } = &refused {
            return JournalError::Damaged {
                path: path.clone(),
                why: format!("{why}{}", in_doubt(&Ring::read_file(dir))),
            };
        }
        refused
    })
}

/// Names the commands that the ring shows as open.
fn in_doubt(ring: &RingContents) -> String {
    let open = ring.slots.iter().filter(|slot| slot.is_open());
    let open: BTreeSet<i64> = open.map(|slot| slot.id.0).collect();
    if open.is_empty() {
        return String::new();
    }
    format!("; status unknown: {}", damage_report::numbers(&open))
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
    let (ring, known) = claim_files(dir, &path).map_err(place)?;
    let file = HeldFile::at(&path).map_err(place)?;
    let log = repair::log(&dir.join(LOG));
    let refused = |why| JournalError::opening(&path, why);
    let mut connection = untouched(&path).map_err(refused)?;
    let side_files = SideFiles {
        ring: &known,
        lost_commits: wal::lost_commits(&log),
    };
    let found = inspect(&connection, &path, side_files, CheckDepth::Newest)?;
    refuse_structure(&found, &path)?;
    let report = found.report(&known);
    let mut words = None;
    if !report.flaws.is_empty() {
        // Closing a file that SQLite has open would release SQLite's locks.
        drop(connection);
        let copy = repair::keep_evidence(dir, DATABASE);
        words = Some(describe(&report.flaws, copy.as_deref()));
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
        file,
    };
    Ok(OpenedDatabase { database, damage })
}

/// Makes sure that the files of the journal are this user's own, and reads the ring.
fn claim_files(dir: &Path, database: &Path) -> io::Result<(Ring, RingContents)> {
    drop(disk::private_file(database)?);
    // SQLite opens these files by name; the private directory protects them.
    for name in [LOG, MEMORY] {
        disk::must_be_own(&dir.join(name))?;
    }
    let ring = Ring::open(dir)?;
    disk::sync_dir(dir)?;
    Ok(ring)
}

/// Opened so that nothing is written back before [`disk::make_durable`], not even on close.
fn untouched(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | PLAIN;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Migrates to the newest schema and writes it into the database file, so that a damaged log can cost rows but never
/// all of them.
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

/// For a person, with the directory of the copied files.
fn describe(flaws: &[DamageKind], copy: Option<&str>) -> String {
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

/// Opens the database read-only while another process may write it.
pub(super) fn readable(dir: &Path, depth: CheckDepth) -> Result<OpenedDatabase, JournalError> {
    let path = dir.join(DATABASE);
    // While a holder writes, its files do not match; it has checked them itself.
    let is_written = lock_holder(dir).is_some();
    let mut known = Ring::read_file(dir);
    let mut lost_commits = wal::lost_commits(&repair::log(&dir.join(LOG)));
    if is_written {
        (known.unreadable, lost_commits) = (0, 0);
    }
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | PLAIN)
        .map_err(|why| JournalError::opening(&path, why))?;
    let side_files = SideFiles {
        ring: &known,
        lost_commits,
    };
    let found = inspect(&connection, &path, side_files, depth)?;
    if found.version < schema::newest() {
        let why = "an older version wrote it; a desk converts it when it starts".to_owned();
        return Err(JournalError::Damaged { path, why });
    }
    let mut flaws = found.report(&known).flaws;
    if is_written {
        // The ring was read before the rows.
        flaws.retain(|flaw| {
            !matches!(
                flaw,
                DamageKind::RingBehind { .. } | DamageKind::OutcomeLost(_)
            )
        });
    }
    let damage = if flaws.is_empty() {
        repair::unseen(&connection).map_err(|why| JournalError::opening(&path, why))?
    } else {
        Some(format!(
            "the journal is damaged on the disk: {}. The next desk restores what journal.ring knows, and halts",
            damage_report::words(&flaws)
        ))
    };
    let file = HeldFile::at(&path).map_err(|why| JournalError::Place {
        path,
        why: Arc::new(why),
    })?;
    let database = Database {
        identity: found.identity,
        connection,
        ring: None,
        file,
    };
    Ok(OpenedDatabase { database, damage })
}

/// One thread, one connection.
const PLAIN: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX;

/// Copies the file as the older version left it before a migration.
fn back_up(connection: &Connection, dir: &Path, version: i64) -> rusqlite::Result<()> {
    let copy = dir.join(format!("journal.v{version}.sqlite3"));
    // SQLite fills an empty file and refuses any other: a second attempt does not overwrite an older copy.
    let fresh = !copy.exists();
    if fresh && disk::private_file(&copy).is_ok() {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    Ok(())
}
