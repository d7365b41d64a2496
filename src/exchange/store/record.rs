//! The records on disk: one batch per request, in the order in which requests held the state.

use super::super::{
    clock::ClockRecord,
    engine::{Checkpoint, CheckpointChunk},
};
use super::{
    checksum::with_checksum,
    fault::EncodeFault,
    recorder::{LogEntry, RecordingEngine},
};
use rusqlite::{Transaction, params};

/// Written entirely or not at all.
#[derive(Debug)]
pub(super) struct WriteBatch {
    pub(super) number: u64,
    pub(super) records: Vec<StoreRecord>,
}

#[derive(Debug)]
pub(in crate::exchange) enum StoreRecord {
    LogEntry(EncodedLogEntry),
    /// An idempotency key and its result.
    Key {
        user: usize,
        key: String,
        record: Vec<u8>,
    },
    KeyForgotten {
        user: usize,
        key: String,
    },
    /// The current state of a close-all operation.
    Operation {
        index: usize,
        record: Vec<u8>,
    },
    /// A close-all operation that is no longer kept.
    OperationDropped {
        index: usize,
    },
    Clock(ClockRecord),
    /// Replaces every log entry up to `seq`.
    Checkpoint {
        seq: u64,
        checkpoint: Checkpoint,
    },
    /// Replaces everything but the exchange's name, scenario and seed.
    Reset {
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
    fn new(entry: &LogEntry) -> Result<Self, EncodeFault> {
        Ok(Self {
            seq: entry.seq,
            at: entry.at.0,
            mark: entry.mark,
            act: postcard::to_stdvec(&entry.act)?,
        })
    }
}

/// Encodes the recorder's log.
pub(in crate::exchange) fn encoded_log(
    recorder: &mut RecordingEngine,
) -> Result<Vec<StoreRecord>, EncodeFault> {
    let entries = recorder.take_entries();
    let record = |entry| EncodedLogEntry::new(entry).map(StoreRecord::LogEntry);
    entries.iter().map(record).collect()
}

impl StoreRecord {
    pub(super) fn write(&self, to: &Transaction<'_>) -> rusqlite::Result<()> {
        match self {
            Self::LogEntry(entry) => {
                let sql = "INSERT INTO log (seq, at, mark, sealed) VALUES (?1, ?2, ?3, ?4)";
                let values = params![
                    entry.seq,
                    entry.at,
                    entry.mark.cast_signed(),
                    with_checksum(&entry.act)
                ];
                to.prepare_cached(sql)?.execute(values)?;
            }
            Self::Key { user, key, record } => {
                let sql = "INSERT INTO keys (user, key, sealed) VALUES (?1, ?2, ?3)";
                let values = params![user, key, with_checksum(record)];
                to.prepare_cached(sql)?.execute(values)?;
            }
            Self::KeyForgotten { user, key } => {
                let sql = "DELETE FROM keys WHERE user = ?1 AND key = ?2";
                to.prepare_cached(sql)?.execute(params![user, key])?;
            }
            Self::Operation { index, record } => {
                let sql = "INSERT OR REPLACE INTO operations (id, sealed) VALUES (?1, ?2)";
                to.prepare_cached(sql)?
                    .execute(params![index, with_checksum(record)])?;
            }
            Self::OperationDropped { index } => {
                let sql = "DELETE FROM operations WHERE id = ?1";
                to.prepare_cached(sql)?.execute([index])?;
            }
            Self::Clock(clock) => write_clock(*clock, to)?,
            Self::Checkpoint { seq, checkpoint } => write_checkpoint(checkpoint, *seq, to)?,
            Self::Reset {
                seq,
                checkpoint,
                clock,
            } => {
                to.execute_batch(DELETE_ALL)?;
                write_checkpoint(checkpoint, *seq, to)?;
                write_clock(*clock, to)?;
            }
        }
        Ok(())
    }
}

/// Deletes everything that a reset replaces.
const DELETE_ALL: &str = "
    DELETE FROM chunks;
    DELETE FROM log;
    DELETE FROM keys;
    DELETE FROM operations;
";

fn write_clock(clock: ClockRecord, to: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO clock (id, horizon, speed, paused) VALUES (1, ?1, ?2, ?3)";
    let speed = clock.speed.thousandths();
    let values = params![clock.horizon.0, speed, clock.paused];
    to.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

fn write_checkpoint(
    checkpoint: &Checkpoint,
    seq: u64,
    to: &Transaction<'_>,
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO core (id, seq, sealed) VALUES (1, ?1, ?2)";
    to.prepare_cached(sql)?
        .execute(params![seq, with_checksum(&checkpoint.core)])?;
    let sql = "INSERT OR REPLACE INTO chunks (kind, place, sealed) VALUES (?1, ?2, ?3)";
    let mut chunk = to.prepare_cached(sql)?;
    for CheckpointChunk { table, place, rows } in &checkpoint.chunks {
        chunk.execute(params![*table as u8, place, with_checksum(rows)])?;
    }
    to.prepare_cached("DELETE FROM log WHERE seq <= ?1")?
        .execute([seq])?;
    Ok(())
}
