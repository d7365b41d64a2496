//! What there is, before anything is written: the rows, and what `SQLite` says of the file.
//!
//! Contract: every row of a journal is looked at while there are few, and when a desk or a list checks it whole. Of a large
//! one whose every row was looked at lately, opening looks at the newest, at what is open and at what the ring knows:
//! all that can still be sent or asked about. Where anything of that is wrong, all of it is looked at.

use super::{
    IntentState, JournalError,
    checksum::{self, CheckedRow, CheckedRows, JournalIdentity},
    damage_report::{self, DamageReport, DatabaseState, FileContents, Flaw, RingState},
    ring::RingContents,
    schema,
};
use rusqlite::Connection;
use std::{collections::BTreeSet, path::Path};

/// Rows that opening looks at: a large journal opens within a tenth of a second.
pub(super) const NEWEST_ROWS: i64 = 4_096;

/// The fact that says up to which row all of them were looked at.
const CHECKED: &str = "checked";

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckDepth {
    Whole,
    Newest,
}

/// What stands beside the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideFiles<'a> {
    pub(super) ring: &'a RingContents,
    /// Commits of the log behind a damaged frame.
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
        let structure = self.complaints.first().cloned().map(Flaw::Structure);
        report.flaws.extend(structure);
        report
    }
}

/// What there is, before anything is written; refuses what is newer.
pub(super) fn inspect(
    connection: &Connection,
    path: &Path,
    beside: SideFiles<'_>,
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
    let look = |depth| look(connection, (version, depth), beside).map_err(refused);
    let found = look(depth)?;
    if found.extent != CheckedRows::Whole && !found.report(beside.ring).flaws.is_empty() {
        return look(CheckDepth::Whole);
    }
    Ok(found)
}

fn look(
    connection: &Connection,
    (version, depth): (i64, CheckDepth),
    beside: SideFiles<'_>,
) -> rusqlite::Result<Inspection> {
    let extent = extent(connection, (version, depth), beside)?;
    let mut found = Inspection {
        version,
        identity: JournalIdentity::default(),
        ring: RingState::Unfilled,
        rows: vec![],
        newest: 0,
        complaints: vec![],
        lost_commits: beside.lost_commits,
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

/// Which rows are to be looked at.
fn extent(
    connection: &Connection,
    (version, depth): (i64, CheckDepth),
    beside: SideFiles<'_>,
) -> rusqlite::Result<CheckedRows> {
    if version != schema::newest() || depth == CheckDepth::Whole || beside.lost_commits > 0 {
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
    also.extend(beside.ring.slots.iter().map(|slot| slot.id.0));
    Ok(CheckedRows::Newest { since, also })
}

/// Notes that all rows of a large journal were looked at, and are whole by now.
pub(super) fn note_checked(connection: &Connection, found: &Inspection) -> rusqlite::Result<()> {
    if found.extent != CheckedRows::Whole || found.newest <= NEWEST_ROWS {
        return Ok(());
    }
    let note = "INSERT OR REPLACE INTO facts VALUES (?1, ?2)";
    let newest = found.newest.to_le_bytes();
    connection.execute(note, rusqlite::params![CHECKED, newest])?;
    Ok(())
}

/// Has the next one who opens it look at all rows.
pub(super) fn forget_checked(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM facts WHERE name = ?1", [CHECKED])?;
    Ok(())
}

/// So many of them say enough.
const COMPLAINTS: &str = "PRAGMA integrity_check(20)";

fn complaints(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(COMPLAINTS)?;
    let said = statement.query_map([], |row| row.get::<_, String>(0))?;
    let said: Vec<_> = said.collect::<rusqlite::Result<_>>()?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// What `SQLite` says of a row, or of an index that can be made anew, in a file whose pages hold together.
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
