//! Reads a journal before anything is written: its rows, and `SQLite`'s own checks.
//!
//! Contract: a small journal is checked row by row, and so is any journal on a full check. Opening a large journal that
//! was recently checked in full checks only its newest rows, its open rows and the rows in the ring: everything that
//! can still be sent or asked about. If any of them is damaged, all rows are checked.

use super::{
    IntentState, JournalError,
    checksum::{self, CheckedRow, CheckedRows, JournalIdentity},
    damage_report::{self, DamageKind, DamageReport, DatabaseState, FileContents, RingState},
    ring::RingContents,
    schema,
};
use rusqlite::Connection;
use std::{collections::BTreeSet, path::Path};

/// Rows that opening checks: a large journal opens within a tenth of a second.
pub(super) const NEWEST_ROWS: i64 = 4_096;

/// The fact that holds the newest row of the last full check.
const CHECKED: &str = "checked";

/// How much is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckDepth {
    Whole,
    Newest,
}

/// The files `side_files` the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideFiles<'a> {
    pub(super) ring: &'a RingContents,
    /// Commits of the log after a damaged frame.
    pub(super) lost_commits: usize,
}

/// What is known before anything is written.
pub(super) struct Inspection {
    pub(super) version: i64,
    /// Of a database at the newest schema.
    pub(super) identity: JournalIdentity,
    pub(super) ring: RingState,
    pub(super) rows: Vec<CheckedRow>,
    newest: i64,
    pub(super) complaints: Vec<String>,
    lost_commits: usize,
    extent: CheckedRows,
}

impl Inspection {
    pub(super) fn report<'a>(&'a self, ring: &'a RingContents) -> DamageReport<'a> {
        let base = match self.version {
            0 => DatabaseState::Empty,
            version if version < schema::newest() => DatabaseState::Older,
            _ => DatabaseState::Rows {
                uuid: self.identity.uuid,
                ring: self.ring,
                rows: &self.rows,
                newest: self.newest,
            },
        };
        let mut report = damage_report::decide(FileContents {
            base,
            ring,
            lost_commits: self.lost_commits,
        });
        let structure = self.complaints.first().cloned().map(DamageKind::Structure);
        report.flaws.extend(structure);
        report
    }
}

/// Inspects the files before anything is written; refuses a newer schema.
pub(super) fn inspect(
    connection: &Connection,
    path: &Path,
    side_files: SideFiles<'_>,
    depth: CheckDepth,
) -> Result<Inspection, JournalError> {
    let refused = |why| JournalError::opening(path, why);
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
    let checks = |depth| run_checks(connection, (version, depth), side_files).map_err(refused);
    let found = checks(depth)?;
    if found.extent != CheckedRows::Whole && !found.report(side_files.ring).flaws.is_empty() {
        return checks(CheckDepth::Whole);
    }
    Ok(found)
}

fn run_checks(
    connection: &Connection,
    (version, depth): (i64, CheckDepth),
    side_files: SideFiles<'_>,
) -> rusqlite::Result<Inspection> {
    let extent = extent(connection, (version, depth), side_files)?;
    let mut found = Inspection {
        version,
        identity: JournalIdentity::default(),
        ring: RingState::Unfilled,
        rows: vec![],
        newest: 0,
        complaints: vec![],
        lost_commits: side_files.lost_commits,
        extent,
    };
    if found.extent == CheckedRows::Whole {
        found.complaints = complaints(connection)?;
    }
    let is_structural = found.complaints.iter().any(|why| !is_of_a_row(why));
    if version == schema::newest() && !is_structural {
        found.identity = JournalIdentity::read(connection)?;
        if checksum::fact(connection, "ring")?.is_some() {
            found.ring = RingState::Filled;
        }
        (found.rows, found.newest) = checksum::check(connection, &found.identity, &found.extent)?;
    }
    Ok(found)
}

/// Which rows to check.
fn extent(
    connection: &Connection,
    (version, depth): (i64, CheckDepth),
    side_files: SideFiles<'_>,
) -> rusqlite::Result<CheckedRows> {
    if version != schema::newest() || depth == CheckDepth::Whole || side_files.lost_commits > 0 {
        return Ok(CheckedRows::Whole);
    }
    let newest = "SELECT coalesce(max(id), 0) FROM intents";
    let newest: i64 = connection.query_row(newest, [], |row| row.get(0))?;
    let since = newest.saturating_sub(NEWEST_ROWS);
    let checked = checksum::fact(connection, CHECKED)?;
    let checked = checked.and_then(|bytes| bytes.try_into().ok());
    let checked = checked.map(i64::from_le_bytes);
    if since <= 0 || !checked.is_some_and(|checked| (since..=newest).contains(&checked)) {
        return Ok(CheckedRows::Whole);
    }
    let open = format!(
        "SELECT id FROM intents WHERE state IN {}",
        IntentState::open_list()
    );
    let mut also: BTreeSet<i64> = connection
        .prepare(&open)?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    also.extend(side_files.ring.slots.iter().map(|slot| slot.id.0));
    Ok(CheckedRows::Newest { since, also })
}

/// Records that all rows of a large journal were checked and are whole.
pub(super) fn note_checked(connection: &Connection, found: &Inspection) -> rusqlite::Result<()> {
    if found.extent != CheckedRows::Whole || found.newest <= NEWEST_ROWS {
        return Ok(());
    }
    let note = "INSERT OR REPLACE INTO facts VALUES (?1, ?2)";
    let newest = found.newest.to_le_bytes();
    connection.execute(note, rusqlite::params![CHECKED, newest])?;
    Ok(())
}

/// Makes the next opening check all rows.
pub(super) fn forget_checked(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM facts WHERE name = ?1", [CHECKED])?;
    Ok(())
}

/// At most 20 complaints.
const COMPLAINTS: &str = "PRAGMA integrity_check(20)";

fn complaints(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(COMPLAINTS)?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<_> = lines.collect::<rusqlite::Result<_>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Complaints of `SQLite` about a row, or about an index that can be rebuilt, in a file whose pages are intact.
const OF_A_ROW: [&str; 6] = [
    "CHECK constraint failed in ",
    "NULL value in ",
    "TEXT value in ",
    "missing from index ",
    "wrong # of entries in index ",
    "non-unique entry in index ",
];

fn is_of_a_row(complaint: &str) -> bool {
    OF_A_ROW.iter().any(|known| complaint.contains(known))
}

pub(super) fn refuse_structure(found: &Inspection, path: &Path) -> Result<(), JournalError> {
    let structural = found.complaints.iter().find(|why| !is_of_a_row(why));
    structural.map_or(Ok(()), |why| {
        Err(JournalError::Damaged {
            path: path.to_owned(),
            why: why.clone(),
        })
    })
}
