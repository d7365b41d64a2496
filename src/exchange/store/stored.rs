//! What the records of a data directory add up to.

use super::super::{
    clock::ClockRecord,
    engine::{CheckpointChunk, CheckpointTable, Engine, Millis},
    idempotency::IdempotencyRecords,
    operations::SlicedOperations,
    recorder::{LogEntry, RecordingEngine},
};
use super::{
    StoreFault, StoreResult,
    record::{Blob, Commit, StoreRecord, StoredExchange},
};
use serde_json::value::RawValue;
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

/// About the length of an input in the log.
const INPUT_BYTES: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Stored {
    /// Of the log.
    path: PathBuf,
    pub(super) exchange: Option<StoredExchange>,
    clock: Option<ClockRecord>,
    /// Its last input, and everything but the rows.
    checkpoint: Option<(u64, Blob)>,
    chunks: BTreeMap<(CheckpointTable, usize), Blob>,
    /// Behind the checkpoint.
    inputs: Vec<LogEntry>,
    /// By user and key.
    keys: HashMap<(usize, String), StoredKey>,
    /// Also of those that were forgotten.
    key_count: usize,
    operations: BTreeMap<usize, Blob>,
    /// About how many bytes of the log count no more.
    pub(super) superseded: usize,
    /// Why a line cannot be understood.
    unreadable: Option<serde_json::Error>,
}

#[derive(Debug)]
struct StoredKey {
    /// Among all keys.
    position: usize,
    record: Box<RawValue>,
}

/// A restored engine, and its last checkpoint.
#[derive(Debug)]
pub(super) struct Restored {
    pub(super) engine: RecordingEngine,
    pub(super) seq: u64,
    pub(super) at: Millis,
}

impl Stored {
    /// Nothing yet, of the log at `path`.
    pub(super) fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            ..Self::default()
        }
    }

    /// Takes in a line of the log.
    pub(super) fn take(&mut self, text: &str) {
        match serde_json::from_str(text) {
            Ok(Commit { changes }) => changes.into_iter().for_each(|record| self.apply(record)),
            Err(why) => self.unreadable = Some(why),
        }
    }

    fn apply(&mut self, record: StoreRecord) {
        match record {
            StoreRecord::Exchange(exchange) => self.exchange = Some(exchange),
            StoreRecord::Opened => {
                if let Some(exchange) = &mut self.exchange {
                    exchange.openings += 1;
                }
            }
            StoreRecord::Input(entry) => self.inputs.push(entry),
            StoreRecord::Key { user, key, record } => {
                self.key_count += 1;
                let position = self.key_count;
                let kept = StoredKey { position, record };
                self.keys.insert((user, key), kept);
            }
            StoreRecord::KeyForgotten { user, key } => {
                let forgotten = self.keys.remove(&(user, key));
                self.superseded += forgotten.map_or(0, |kept| kept.record.get().len());
            }
            StoreRecord::Operation { index, record } => {
                self.operations.insert(index, record);
            }
            StoreRecord::OperationDropped { index } => {
                self.operations.remove(&index);
            }
            StoreRecord::Clock(clock) => self.clock = Some(clock),
            StoreRecord::Chunk { table, place, rows } => {
                let before = self.chunks.insert((table, place), rows);
                self.superseded += before.map_or(0, |Blob(rows)| rows.len() / 3 * 4);
            }
            StoreRecord::Checkpoint { seq, core } => {
                self.superseded += core.0.len() / 3 * 4;
                self.checkpoint = Some((seq, core));
                let before = self.inputs.len();
                self.inputs.retain(|entry| entry.seq > seq);
                self.superseded += (before - self.inputs.len()) * INPUT_BYTES;
            }
            StoreRecord::Reset => {
                *self = Self {
                    path: std::mem::take(&mut self.path),
                    exchange: self.exchange.take(),
                    ..Self::default()
                };
            }
        }
    }
}

/// For a start. What was taken out is gone from here.
impl Stored {
    /// Fails if a line cannot be understood, or if what belongs to an exchange is missing.
    pub(super) fn check(&self) -> StoreResult<()> {
        if let Some(why) = &self.unreadable {
            return Err(self.damaged(why));
        }
        if self.exchange.is_some() && (self.checkpoint.is_none() || self.clock.is_none()) {
            return Err(self.damaged("there is no checkpoint"));
        }
        Ok(())
    }

    pub(super) fn clock(&self) -> StoreResult<ClockRecord> {
        self.clock.ok_or_else(|| self.damaged("there is no clock"))
    }

    /// Loads the checkpoint, replays the inputs, and advances to `horizon`. An exchange of this start keeps rows for
    /// `keep` after their end.
    pub(super) fn engine(
        &mut self,
        keep: Option<Millis>,
        horizon: Millis,
    ) -> StoreResult<Restored> {
        let Some((checkpoint, Blob(core))) = self.checkpoint.take() else {
            return Err(self.damaged("there is no checkpoint"));
        };
        let chunks = std::mem::take(&mut self.chunks).into_iter();
        let chunks =
            chunks.map(|((table, place), Blob(rows))| CheckpointChunk { table, place, rows });
        let mut engine = Engine::restore(&core, chunks).map_err(|why| self.damaged(&why))?;
        engine.keep_for(keep);
        let (mut seq, at) = (checkpoint, engine.now());
        for entry in std::mem::take(&mut self.inputs) {
            if entry.seq != seq + 1 {
                return Err(self.damaged(&format!("input {} is missing", seq + 1)));
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

    pub(super) fn keys(&mut self) -> StoreResult<IdempotencyRecords> {
        let mut keys = IdempotencyRecords::default();
        for (user, key, record) in self.take_keys() {
            let restored = keys.restore(user, key, &record);
            restored.map_err(|why| self.damaged(&why))?;
        }
        Ok(keys)
    }

    /// Oldest first.
    fn take_keys(&mut self) -> impl Iterator<Item = (usize, String, Box<RawValue>)> + use<> {
        let mut keys: Vec<_> = std::mem::take(&mut self.keys).into_iter().collect();
        keys.sort_unstable_by_key(|(_, kept)| kept.position);
        let flat = |((user, key), kept): (_, StoredKey)| (user, key, kept.record);
        keys.into_iter().map(flat)
    }

    pub(super) fn operations(&mut self) -> StoreResult<SlicedOperations> {
        let mut operations = SlicedOperations::default();
        for (index, Blob(record)) in std::mem::take(&mut self.operations) {
            let restored = operations.restore(index, &record);
            restored.map_err(|why| self.damaged(&why))?;
        }
        Ok(operations)
    }

    fn damaged(&self, why: &(impl ToString + ?Sized)) -> StoreFault {
        StoreFault::Damaged {
            path: self.path.clone(),
            why: why.to_string(),
        }
    }

    /// The lines of a log that adds up to the same.
    pub(super) fn lines(mut self) -> impl Iterator<Item = serde_json::Result<String>> {
        let begin = [
            self.exchange.take().map(StoreRecord::Exchange),
            self.clock.map(StoreRecord::Clock),
        ];
        let keys = self.take_keys();
        let keys = keys.map(|(user, key, record)| StoreRecord::Key { user, key, record });
        let chunk = |((table, place), rows)| StoreRecord::Chunk { table, place, rows };
        let checkpoint = self.checkpoint;
        let checkpoint = checkpoint.map(|(seq, core)| StoreRecord::Checkpoint { seq, core });
        let operation = |(index, record)| StoreRecord::Operation { index, record };
        let records = begin.into_iter().flatten();
        let records = records.chain(self.chunks.into_iter().map(chunk));
        let records = records.chain(checkpoint);
        let records = records.chain(self.inputs.into_iter().map(StoreRecord::Input));
        let records = records.chain(keys);
        let records = records.chain(self.operations.into_iter().map(operation));
        records.map(|record| {
            serde_json::to_string(&Commit {
                changes: vec![record],
            })
        })
    }
}
