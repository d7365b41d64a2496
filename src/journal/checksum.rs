//! Checksums that show whether each row is unchanged and whether a row before it is missing.
//!
//! The `chain` of an intent hashes the columns that never change and the previous chain. Its `sum` hashes all columns
//! and attempts and is renewed with each change. Of each run of pruned rows the last chain is kept, so that the next
//! row can still be verified.

use super::IntentState;
use rusqlite::{Connection, OptionalExtension as _, Row, params, types::ValueRef};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Hash = [u8; 32];

/// The columns written once, with the row, and then those that change.
const COLUMNS: &str = "id, created_at, base_url, account_id, credential, method, target, body, key, risk, command, \
                       resource, parent, deadline, replay_until, \
                       state, maybe_executed, told_at, detail, order_id, request_id, chain, sum";
const FIXED: usize = 15;
const ALL: usize = 21;

/// The start of every hash of one journal, so that a row of another journal does not verify here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct JournalIdentity {
    pub(super) uuid: [u8; 16],
    seed: Hash,
}

impl JournalIdentity {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let uuid = fact(connection, "uuid")?.unwrap_or_default();
        let salt = fact(connection, "salt")?.unwrap_or_default();
        let mut seed = Sha256::new();
        feed(&mut seed, ValueRef::Blob(&uuid));
        feed(&mut seed, ValueRef::Blob(&salt));
        Ok(Self {
            uuid: uuid.try_into().unwrap_or_default(),
            seed: seed.finalize().into(),
        })
    }
}

pub(super) fn fact(connection: &Connection, name: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .query_row("SELECT value FROM facts WHERE name = ?1", [name], |row| {
            row.get(0)
        })
        .optional()
}

/// A row, and which checks it passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckedRow {
    pub(super) id: i64,
    pub(super) key: Option<String>,
    /// `None` if the stored state is not a known one.
    pub(super) state: Option<IntentState>,
    /// Every column is as it was written.
    pub(super) is_whole: bool,
    /// The row before it is the one that preceded it when it was written.
    pub(super) follows: bool,
}

impl CheckedRow {
    /// A row that cannot be read counts as open.
    pub(super) fn is_open(&self) -> bool {
        self.state.is_none_or(IntentState::is_open)
    }
}

/// Adds a new row to the chain.
pub(super) fn append(
    connection: &Connection,
    identity: &JournalIdentity,
    id: i64,
) -> rusqlite::Result<()> {
    let before = link_before(connection, id)?;
    let chain = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM intents WHERE id = ?1"))?
        .query_row([id], |row| link(identity, &before.1, row))?;
    connection
        .prepare_cached("UPDATE intents SET chain = ?2 WHERE id = ?1")?
        .execute(params![id, chain])?;
    renew(connection, identity, id)
}

/// The last link before a row, and the number of its row.
fn link_before(connection: &Connection, id: i64) -> rusqlite::Result<(i64, Hash)> {
    let before = [
        "SELECT id, chain FROM intents WHERE id < ?1 ORDER BY id DESC LIMIT 1",
        "SELECT id, chain FROM forgotten WHERE id < ?1 ORDER BY id DESC LIMIT 1",
    ];
    let mut newest = (0, Hash::default());
    for sql in before {
        let found = connection
            .prepare_cached(sql)?
            .query_row([id], |row| Ok((row.get::<_, i64>(0)?, hash(row, 1)?)))
            .optional()?;
        newest = found.filter(|(id, _)| *id > newest.0).unwrap_or(newest);
    }
    Ok(newest)
}

/// Renews the checksum of a changed row.
pub(super) fn renew(
    connection: &Connection,
    identity: &JournalIdentity,
    id: i64,
) -> rusqlite::Result<()> {
    let sum = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM intents WHERE id = ?1"))?
        .query_row([id], |row| sum(connection, identity, row))?;
    connection
        .prepare_cached("UPDATE intents SET sum = ?2 WHERE id = ?1")?
        .execute(params![id, sum])?;
    Ok(())
}

/// Builds the chain of a journal that had none.
pub(super) fn append_all(connection: &Connection) -> rusqlite::Result<()> {
    let identity = JournalIdentity::read(connection)?;
    let ids: Vec<i64> = connection
        .prepare("SELECT id FROM intents ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    ids.into_iter()
        .try_for_each(|id| append(connection, &identity, id))
}

/// Keeps the links of rows that are about to be deleted if a later row needs one.
pub(super) fn forget(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    for id in ids {
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO forgotten SELECT id, chain FROM intents WHERE id = ?1",
            )?
            .execute([id])?;
    }
    Ok(())
}

/// Keeps only the last link of each run of deleted rows.
pub(super) fn shorten(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM forgotten WHERE id < (SELECT max(id) FROM forgotten) AND NOT EXISTS (
             SELECT 1 FROM intents i WHERE i.id > forgotten.id
                 AND i.id < (SELECT min(later.id) FROM forgotten later WHERE later.id > forgotten.id))",
        [],
    )?;
    connection.execute(
        "DELETE FROM damage WHERE id NOT IN (SELECT id FROM intents)",
        [],
    )?;
    Ok(())
}

/// Which rows are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CheckedRows {
    Whole,
    /// Rows after `since`, and these rows before it.
    Newest {
        since: i64,
        also: BTreeSet<i64>,
    },
}

/// The rows, oldest first, and the highest row number ever used.
pub(super) fn check(
    connection: &Connection,
    identity: &JournalIdentity,
    extent: &CheckedRows,
) -> rusqlite::Result<(Vec<CheckedRow>, i64)> {
    let forgotten: BTreeMap<i64, Hash> = connection
        .prepare("SELECT id, chain FROM forgotten")?
        .query_map([], |row| Ok((row.get(0)?, hash(row, 1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let noted: BTreeSet<i64> = connection
        .prepare("SELECT id FROM damage")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let look = Checker {
        connection,
        identity,
        noted,
    };
    let mut checked = vec![];
    let mut before = (0, Hash::default());
    let mut since = 0;
    if let CheckedRows::Newest { since: from, also } = extent {
        for id in also.range(..=from) {
            checked.extend(look.single(*id)?);
        }
        since = *from;
        before = link_before(connection, since.saturating_add(1))?;
    }
    let rows = format!("SELECT {COLUMNS} FROM intents WHERE id > ?1 ORDER BY id");
    let mut statement = connection.prepare(&rows)?;
    let mut rows = statement.query([since])?;
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if let Some((last, chain)) = forgotten.range(..id).next_back()
            && *last > before.0
        {
            before = (*last, *chain);
        }
        checked.push(look.row(row, &before.1)?);
        before = (id, hash(row, ALL)?);
    }
    let newest = forgotten.last_key_value().map_or(0, |(id, _)| *id);
    Ok((checked, newest.max(before.0)))
}

struct Checker<'a> {
    connection: &'a Connection,
    identity: &'a JournalIdentity,
    /// Rows whose predecessor is known to be missing.
    noted: BTreeSet<i64>,
}

impl Checker<'_> {
    /// Checks one row alone; `None` if it does not exist.
    fn single(&self, id: i64) -> rusqlite::Result<Option<CheckedRow>> {
        let before = link_before(self.connection, id)?;
        self.connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM intents WHERE id = ?1"))?
            .query_row([id], |row| self.row(row, &before.1))
            .optional()
    }

    fn row(&self, row: &Row<'_>, before: &Hash) -> rusqlite::Result<CheckedRow> {
        let id = row.get(0)?;
        let key = row.get_ref(8)?.as_str_or_null().ok().flatten();
        let state = row.get_ref(FIXED)?.as_str().ok();
        let is_whole = sum(self.connection, self.identity, row)? == hash(row, ALL + 1)?;
        let is_noted = self.noted.contains(&id);
        Ok(CheckedRow {
            id,
            key: key.map(str::to_owned),
            state: state.and_then(|state| state.parse().ok()),
            is_whole,
            follows: is_noted || link(self.identity, before, row)? == hash(row, ALL)?,
        })
    }
}

fn link(identity: &JournalIdentity, before: &Hash, row: &Row<'_>) -> rusqlite::Result<Hash> {
    let mut hash = Sha256::new()
        .chain_update(identity.seed)
        .chain_update(before);
    for column in 0..FIXED {
        feed(&mut hash, row.get_ref(column)?);
    }
    Ok(hash.finalize().into())
}

fn sum(
    connection: &Connection,
    identity: &JournalIdentity,
    row: &Row<'_>,
) -> rusqlite::Result<Hash> {
    let mut hash = Sha256::new().chain_update(identity.seed);
    for column in 0..=ALL {
        feed(&mut hash, row.get_ref(column)?);
    }
    let attempts = "SELECT number, ended_at, status, detail FROM attempts WHERE intent_id = ?1 ORDER BY number";
    let mut attempts = connection.prepare_cached(attempts)?;
    let mut attempts = attempts.query([row.get::<_, i64>(0)?])?;
    while let Some(attempt) = attempts.next()? {
        for column in 0..4 {
            feed(&mut hash, attempt.get_ref(column)?);
        }
    }
    Ok(hash.finalize().into())
}

/// Type and length come first, so that no two rows encode to the same bytes.
fn feed(hash: &mut Sha256, value: ValueRef<'_>) {
    let number;
    let (kind, bytes): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(whole) => {
            number = whole.to_le_bytes();
            (1, &number)
        }
        ValueRef::Real(real) => {
            number = real.to_bits().to_le_bytes();
            (2, &number)
        }
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// A value that is no hash becomes one that no row has.
fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    let bytes = row.get_ref(column)?.as_bytes_or_null().ok().flatten();
    Ok(bytes
        .and_then(|bytes| bytes.try_into().ok())
        .unwrap_or_default())
}
