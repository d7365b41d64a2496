//! Reads a data directory and verifies every record.

use super::super::{
    clock::{ClockRecord, Speed},
    engine::{CheckpointChunk, CheckpointTable, Engine, Millis},
    idempotency::IdempotencyRecords,
    operations::SlicedOperations,
};
use super::{
    RecordingEngine, StoreFault,
    checksum::verified,
    file,
    recorder::{EngineInput, LogEntry},
};
use rusqlite::Connection;
use std::path::PathBuf;

/// The other columns of a row, and its verified record.
type CheckedRow<T> = (T, Vec<u8>);
/// Number, time and mark of a log entry.
type EntryStamp = (u64, i64, i64);

/// A database that is being read.
#[derive(Debug)]
pub(super) struct SnapshotReader {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    /// How long the exchange of this start keeps rows after their end.
    pub(super) keep: Option<Millis>,
}

/// The identity of a stored exchange.
#[derive(Debug)]
pub(super) struct StoredExchange {
    pub(super) origin: String,
    pub(super) scenario: String,
    pub(super) seed: u64,
    pub(super) openings: u64,
}

/// A restored engine, and its last checkpoint.
#[derive(Debug)]
pub(super) struct Restored {
    pub(super) engine: RecordingEngine,
    pub(super) seq: u64,
    pub(super) at: Millis,
}

impl SnapshotReader {
    pub(super) fn identity(&self) -> Result<StoredExchange, StoreFault> {
        self.row(
            "SELECT origin, scenario, seed, openings FROM exchange",
            |row| {
                Ok(StoredExchange {
                    origin: row.get("origin")?,
                    scenario: row.get("scenario")?,
                    seed: row.get::<_, i64>("seed")?.cast_unsigned(),
                    openings: row.get("openings")?,
                })
            },
        )
    }

    pub(super) fn clock(&self) -> Result<ClockRecord, StoreFault> {
        self.row("SELECT horizon, speed, paused FROM clock", |row| {
            let speed = Speed::from_thousandths(row.get("speed")?);
            Ok(ClockRecord {
                horizon: Millis(row.get("horizon")?),
                speed: speed.unwrap_or(Speed::REAL_TIME),
                paused: row.get("paused")?,
            })
        })
    }

    /// Loads the checkpoint, replays the log, and advances to `horizon`.
    pub(super) fn engine(&self, horizon: Millis) -> Result<Restored, StoreFault> {
        let mut engine = self.checkpoint_engine()?;
        engine.keep_for(self.keep);
        let (checkpoint, at): (u64, _) = (
            self.row("SELECT seq FROM core", |row| row.get("seq"))?,
            engine.now(),
        );
        let mut seq = checkpoint;
        for entry in self.log_entries()? {
            if entry.seq != seq + 1 {
                return Err(self.damaged(&format!("record {} is missing", seq + 1)));
            }
            seq = entry.seq;
            engine.advance_to(entry.at);
            entry.act.replay(&mut engine);
            if (engine.now(), engine.log_mark()) != (entry.at, entry.mark) {
                let path = self.path.clone();
                return Err(StoreFault::OtherHistory { path, seq });
            }
        }
        engine.advance_to(horizon);
        let engine = RecordingEngine::new(engine, seq);
        let seq = checkpoint;
        Ok(Restored { engine, seq, at })
    }

    fn checkpoint_engine(&self) -> Result<Engine, StoreFault> {
        let core = self.checked_rows("SELECT sealed FROM core", |_| Ok(()))?;
        let [((), core)] = &core[..] else {
            return Err(self.damaged("there is no checkpoint"));
        };
        let sql = "SELECT kind, place, sealed FROM chunks ORDER BY kind, place";
        let chunks = self.checked_rows(sql, |row| Ok((row.get("kind")?, row.get("place")?)))?;
        let chunk = |((kind, place), rows)| {
            let table = CheckpointTable::from_repr(kind);
            let table = table.ok_or_else(|| self.damaged("rows of no kind"))?;
            Ok(CheckpointChunk { table, place, rows })
        };
        let chunks: Result<Vec<_>, StoreFault> = chunks.into_iter().map(chunk).collect();
        Engine::restore(core, chunks?).map_err(|why| self.damaged(&why))
    }

    fn log_entries(&self) -> Result<Vec<LogEntry>, StoreFault> {
        let sql = "SELECT seq, at, mark, sealed FROM log ORDER BY seq";
        let stamp =
            |row: &rusqlite::Row<'_>| Ok((row.get("seq")?, row.get("at")?, row.get("mark")?));
        let entry = |((seq, at, mark), act): CheckedRow<EntryStamp>| {
            Ok(LogEntry {
                seq,
                at: Millis(at),
                mark: mark.cast_unsigned(),
                act: postcard::from_bytes::<EngineInput>(&act).map_err(|why| self.damaged(&why))?,
            })
        };
        self.checked_rows(sql, stamp)?
            .into_iter()
            .map(entry)
            .collect()
    }

    pub(super) fn keys(&self) -> Result<IdempotencyRecords, StoreFault> {
        let sql = "SELECT user, key, sealed FROM keys ORDER BY id";
        let mut keys = IdempotencyRecords::default();
        for ((user, key), record) in
            self.checked_rows(sql, |row| Ok((row.get("user")?, row.get("key")?)))?
        {
            keys.restore(user, key, &record)
                .map_err(|why| self.damaged(&why))?;
        }
        Ok(keys)
    }

    pub(super) fn operations(&self) -> Result<SlicedOperations, StoreFault> {
        let mut operations = SlicedOperations::default();
        let sql = "SELECT id, sealed FROM operations ORDER BY id";
        for (index, record) in self.checked_rows(sql, |row| row.get("id"))? {
            operations
                .restore(index, &record)
                .map_err(|why| self.damaged(&why))?;
        }
        Ok(operations)
    }

    /// The one row of a table.
    fn row<T>(
        &self,
        sql: &str,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreFault> {
        let row = self.connection.query_row(sql, [], read);
        row.map_err(|why| self.unreadable(why))
    }

    /// Every row: its other columns, and its verified record.
    fn checked_rows<T>(
        &self,
        sql: &str,
        mut columns: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<CheckedRow<T>>, StoreFault> {
        let mut read = || {
            let mut statement = self.connection.prepare(sql)?;
            let row =
                |row: &rusqlite::Row<'_>| Ok((columns(row)?, row.get::<_, Vec<u8>>("sealed")?));
            statement
                .query_map([], row)?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|why| self.unreadable(why))?;
        let open = |(columns, sealed): CheckedRow<T>| {
            let record = verified(sealed).map_err(|why| self.damaged(&why))?;
            Ok((columns, record))
        };
        rows.into_iter().map(open).collect()
    }

    pub(super) fn refusal(&self, why: rusqlite::Error) -> StoreFault {
        file::refusal(&self.path, why)
    }

    /// A table lacks a value, or has one of the wrong type.
    fn unreadable(&self, why: rusqlite::Error) -> StoreFault {
        if why.sqlite_error_code().is_some() {
            self.refusal(why)
        } else {
            self.damaged(&why)
        }
    }

    fn damaged(&self, why: &(impl ToString + ?Sized)) -> StoreFault {
        StoreFault::Damaged {
            path: self.path.clone(),
            why: why.to_string(),
        }
    }
}
