//! One transaction: its rows are checksummed, committed, and copied into the ring.

use super::{
    IntentId, JournalError,
    checksum::{self, Hash, JournalIdentity},
    entry,
    insert::NewRow,
    ring::{Ring, RingSlot},
};
use crate::disk::HeldFile;
use rusqlite::{Connection, Params, Transaction, TransactionBehavior};
use std::{collections::BTreeSet, io, sync::Arc};

/// The database and the files beside it.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    pub(super) identity: JournalIdentity,
    /// `None` if the journal is read-only.
    pub(super) ring: Option<Ring>,
    pub(super) file: HeldFile,
}

/// What a transaction writes.
pub(super) struct WriteTransaction<'a> {
    connection: &'a Connection,
    identity: JournalIdentity,
    rows: BTreeSet<i64>,
}

impl WriteTransaction<'_> {
    pub(super) fn connection(&self) -> &Connection {
        self.connection
    }

    /// Adds a row to the table and the chain; `None` if none was inserted.
    pub(super) fn insert(&mut self, row: &NewRow<'_>) -> rusqlite::Result<Option<IntentId>> {
        let Some(id) = row.insert(self.connection)? else {
            return Ok(None);
        };
        checksum::append(self.connection, &self.identity, id)?;
        self.rows.insert(id);
        Ok(Some(IntentId(id)))
    }

    /// Changes existing rows.
    pub(super) fn update(&mut self, sql: &str, values: impl Params) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{sql} RETURNING id"))?;
        let ids: Vec<i64> = statement
            .query_map(values, |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        ids.into_iter().try_for_each(|id| self.renew(id))
    }

    /// Renews the checksum of a row that another table's change concerns.
    pub(super) fn renew(&mut self, id: i64) -> rusqlite::Result<()> {
        self.rows.insert(id);
        checksum::renew(self.connection, &self.identity, id)
    }

    fn slots(&self) -> rusqlite::Result<Vec<RingSlot>> {
        let slots = self.rows.iter();
        let slots = slots.map(|id| slot(self.connection, &self.identity, *id));
        Ok(slots.collect::<rusqlite::Result<Vec<_>>>()?.concat())
    }
}

/// The row as a ring slot; `None` if it cannot be read.
fn slot(
    connection: &Connection,
    identity: &JournalIdentity,
    id: i64,
) -> rusqlite::Result<Vec<RingSlot>> {
    let chain: Hash = connection
        .prepare_cached("SELECT chain FROM intents WHERE id = ?1")?
        .query_row([id], |row| row.get(0))?;
    let entries = entry::rows(connection, "WHERE i.id = ?2", "i.id", &[&1, &id])?;
    let slots = entries.iter();
    Ok(slots
        .map(|entry| RingSlot::new(identity.uuid, chain, entry))
        .collect())
}

/// What the ring should hold: every open intent, and the newest of the others.
pub(super) fn newest_slots(
    connection: &Connection,
    identity: &JournalIdentity,
    most: usize,
) -> rusqlite::Result<Vec<RingSlot>> {
    let newest = format!(
        "SELECT id FROM intents ORDER BY state IN {} DESC, id DESC LIMIT ?1",
        super::IntentState::open_list()
    );
    let ids: Vec<i64> = connection
        .prepare(&newest)?
        .query_map([i64::try_from(most).unwrap_or(i64::MAX)], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let slots = ids.into_iter().map(|id| slot(connection, identity, id));
    Ok(slots.collect::<rusqlite::Result<Vec<_>>>()?.concat())
}

impl Database {
    /// Commits what `write` writes. A slot that says settled must not outlive a rolled-back commit: its slot is
    /// reopened before the commit. All other slots are written after it.
    pub(super) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut WriteTransaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        if self.file.is_gone() {
            let path = self.file.path().to_owned();
            return Err(JournalError::Gone { path });
        }
        let refused = |why| JournalError::Write(Arc::new(why));
        let Some(ring) = &mut self.ring else {
            return Err(JournalError::Stopped);
        };
        let behaviour = TransactionBehavior::Immediate;
        let commit = Transaction::new_unchecked(&self.connection, behaviour).map_err(refused)?;
        let mut transaction = WriteTransaction {
            connection: &self.connection,
            identity: self.identity,
            rows: BTreeSet::new(),
        };
        let written = write(&mut transaction).map_err(refused)?;
        let slots = transaction.slots().map_err(refused)?;
        let unnoted = |why: io::Error| JournalError::Ring(Arc::new(why));
        for slot in &slots {
            ring.reopen(slot).map_err(unnoted)?;
        }
        commit.commit().map_err(refused)?;
        for slot in &slots {
            ring.note(slot).map_err(unnoted)?;
        }
        Ok(written)
    }
}

#[cfg(test)]
pub(super) mod cost_tests;
