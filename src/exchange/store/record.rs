//! The records of the log, in the order in which requests held the state.
//!
//! One line has the changes of all requests that share a commit: it is written entirely or not at all.

use super::super::{
    clock::ClockRecord,
    engine::{Checkpoint, CheckpointChunk, CheckpointTable},
    recorder::{LogEntry, RecordingEngine},
    scenario::ScenarioSource,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::value::RawValue;

/// What one request changed.
#[derive(Debug)]
pub(super) struct WriteBatch {
    pub(super) number: u64,
    pub(super) records: Vec<StoreRecord>,
}

/// One line of the log.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Commit {
    pub(super) changes: Vec<StoreRecord>,
}

/// What is stored here, and every type in it, is on disk: see [`FORMAT`](super::file::FORMAT).
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::exchange) enum StoreRecord {
    /// The first record of all.
    Exchange(StoredExchange),
    /// The directory was opened once more.
    Opened,
    Input(LogEntry),
    /// An idempotency key and its result.
    Key {
        user: usize,
        key: String,
        record: Box<RawValue>,
    },
    KeyForgotten {
        user: usize,
        key: String,
    },
    /// The current state of a close-all or cancel-all operation.
    Operation {
        index: usize,
        record: Blob,
    },
    /// A close-all or cancel-all operation that is no longer kept.
    OperationDropped {
        index: usize,
    },
    Clock(ClockRecord),
    /// Neighboring rows of a table, in place of those before.
    Chunk {
        table: CheckpointTable,
        place: usize,
        rows: Blob,
    },
    /// Completes a checkpoint, behind its chunks: it replaces every input up to `seq`.
    Checkpoint {
        seq: u64,
        core: Blob,
    },
    /// Drops everything but the exchange's identity; a checkpoint and the clock follow in the same line.
    Reset,
}

/// The identity of a stored exchange.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::exchange) struct StoredExchange {
    pub(super) origin: ScenarioSource,
    pub(super) scenario: String,
    pub(super) seed: u64,
    /// How often the directory was opened again.
    pub(super) openings: u64,
}

/// Bytes; in the log their base64.
#[derive(Debug)]
pub(in crate::exchange) struct Blob(pub(in crate::exchange) Vec<u8>);

impl Serialize for Blob {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Blob {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(from)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

/// The recorder's log.
pub(in crate::exchange) fn inputs(recorder: &mut RecordingEngine) -> Vec<StoreRecord> {
    let entries = recorder.take_entries().into_iter();
    entries.map(StoreRecord::Input).collect()
}

/// What replaces every input up to `seq`.
pub(super) fn checkpoint(seq: u64, checkpoint: Checkpoint) -> impl Iterator<Item = StoreRecord> {
    let Checkpoint { core, chunks } = checkpoint;
    let core = Blob(core);
    let chunks = chunks.into_iter().map(chunk);
    chunks.chain([StoreRecord::Checkpoint { seq, core }])
}

fn chunk(CheckpointChunk { table, place, rows }: CheckpointChunk) -> StoreRecord {
    let rows = Blob(rows);
    StoreRecord::Chunk { table, place, rows }
}
