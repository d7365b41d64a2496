//! What is written: one batch per request, in the order in which the floor was held.

use super::super::{
    clock::ClockRecord,
    engine::{Checkpoint, CheckpointChunk},
};
use super::{
    fault::EncodeFault,
    recorder::{LogEntry, RecordingEngine},
    seal::sealed,
};
use rusqlite::{Transaction, params};

/// All of it is on disk, or none.
#[derive(Debug)]
pub(super) struct WriteBatch {
    pub(super) number: u64,
    pub(super) records: Vec<StoreRecord>,
}

#[derive(Debug)]
pub(in crate::exchange) enum StoreRecord {
    Note(EncodedLogEntry),
    /// An idempotency key, and what it stands for.
    Key {
        user: usize,
        key: String,
        record: Vec<u8>,
    },
    KeyForgotten {
        user: usize,
        key: String,
    },
    /// A close-all operation as it is now.
    Operation {
        index: usize,
        record: Vec<u8>,
    },
    Clock(ClockRecord),
    /// Replaces every note up to `seq`.
    Checkpoint {
        seq: u64,
        checkpoint: Checkpoint,
    },
    /// Replaces all there is but the exchange's name, scenario and seed.
    Anew {
        seq: u64,
        checkpoint: Checkpoint,
        clock: ClockRecord,
    },
}

#[derive(Debug)]
pub(in crate::exchange) struct EncodedLogEntry {
    seq: u64,
    at: i64,
    mark: u64,
    act: Vec<u8>,
}

impl EncodedLogEntry {
    fn new(note: &LogEntry) -> Result<Self, EncodeFault> {
        Ok(Self {
            seq: note.seq,
            at: note.at.0,
            mark: note.mark,
            act: postcard::to_stdvec(&note.act)?,
        })
    }
}

/// What the recorder noted, as it is written.
pub(in crate::exchange) fn noted(
    recorder: &mut RecordingEngine,
) -> Result<Vec<StoreRecord>, EncodeFault> {
    let notes = recorder.take_notes();
    let record = |note| EncodedLogEntry::new(note).map(StoreRecord::Note);
    notes.iter().map(record).collect()
}

impl StoreRecord {
    pub(super) fn write(&self, to: &Transaction<'_>) -> rusqlite::Result<()> {
        match self {
            Self::Note(note) => {
                let sql = "INSERT INTO log (seq, at, mark, sealed) VALUES (?1, ?2, ?3, ?4)";
                let values = params![
                    note.seq,
                    note.at,
                    note.mark.cast_signed(),
                    sealed(&note.act)
                ];
                to.prepare_cached(sql)?.execute(values)?;
            }
            Self::Key { user, key, record } => {
                let sql = "INSERT INTO keys (user, key, sealed) VALUES (?1, ?2, ?3)";
                let values = params![user, key, sealed(record)];
                to.prepare_cached(sql)?.execute(values)?;
            }
            Self::KeyForgotten { user, key } => {
                let sql = "DELETE FROM keys WHERE user = ?1 AND key = ?2";
                to.prepare_cached(sql)?.execute(params![user, key])?;
            }
            Self::Operation { index, record } => {
                let sql = "INSERT OR REPLACE INTO operations (id, sealed) VALUES (?1, ?2)";
                to.prepare_cached(sql)?
                    .execute(params![index, sealed(record)])?;
            }
            Self::Clock(clock) => keep(*clock, to)?,
            Self::Checkpoint { seq, checkpoint } => put(checkpoint, *seq, to)?,
            Self::Anew {
                seq,
                checkpoint,
                clock,
            } => {
                to.execute_batch(DELETE_ALL)?;
                put(checkpoint, *seq, to)?;
                keep(*clock, to)?;
            }
        }
        Ok(())
    }
}

/// What a new beginning leaves nothing in.
const DELETE_ALL: &str = "
    DELETE FROM chunks;
    DELETE FROM log;
    DELETE FROM keys;
    DELETE FROM operations;
";

fn keep(clock: ClockRecord, to: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO clock (id, horizon, speed, paused) VALUES (1, ?1, ?2, ?3)";
    let speed = clock.speed.thousandths();
    let values = params![clock.horizon.0, speed, clock.paused];
    to.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

fn put(checkpoint: &Checkpoint, seq: u64, to: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO core (id, seq, sealed) VALUES (1, ?1, ?2)";
    to.prepare_cached(sql)?
        .execute(params![seq, sealed(&checkpoint.core)])?;
    let sql = "INSERT OR REPLACE INTO chunks (kind, place, sealed) VALUES (?1, ?2, ?3)";
    let mut chunk = to.prepare_cached(sql)?;
    for CheckpointChunk { table, place, rows } in &checkpoint.chunks {
        chunk.execute(params![*table as u8, place, sealed(rows)])?;
    }
    to.prepare_cached("DELETE FROM log WHERE seq <= ?1")?
        .execute([seq])?;
    Ok(())
}
