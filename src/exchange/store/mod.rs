//! `--data-dir`: an exchange that outlives its process.
//!
//! Contract: no answer leaves before everything it may tell of is on disk (`SQLite`, WAL, `synchronous=FULL`). The
//! engine is deterministic, so what is kept is its last checkpoint and a log of what was done to it since, each record
//! stamped with its virtual time; idempotency keys, close-all operations and the clock are kept as they are. All that
//! one request did is one transaction, shared with the requests beside it; requests are carried out while others wait
//! for the disk. Starting again does the log again and compares: the same history, or the directory is refused.
//!
//! The clock: virtual time that nobody wrote anything at must not be taken back either, so a time ahead is written
//! every few seconds and no answer tells of a later one. After a crash time goes on from there; after an
//! orderly stop, from where it stood. Wall time asleep is not made up for.
//!
//! After the first write that fails nothing is carried out or answered any more but 503.
//!
//! Known limits: fault rules and changed budgets end with the process. Taking a checkpoint holds the state's lock
//! while the changed rows are encoded.

mod checksum;
mod fault;
mod file;
mod load;
mod record;
mod recorder;
mod snapshot;
mod writer;

#[cfg(test)]
mod tests;

pub(super) use fault::EncodeFault;
pub use fault::StoreFault;
pub(super) use load::{LoadedExchange, open};
pub(super) use record::{StoreRecord, encoded_log};
pub(super) use recorder::RecordingEngine;

use super::{
    api_error::ApiError,
    clock::ClockRecord,
    engine::{Checkpoint, Millis},
    state::ExchangeState,
};
use record::WriteBatch;
use rusqlite::Connection;
use std::{
    fs::File,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock,
        atomic::{AtomicU64, Ordering},
        mpsc::{Sender, channel},
    },
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Log entries between two checkpoints.
const CHECKPOINT_ENTRIES: u64 = 4_096;
/// Virtual time between two checkpoints: replaying that much at a start takes well under a second.
const CHECKPOINT_SPAN: Millis = Millis::seconds(20 * 60);

/// Writes the records of a running exchange.
#[derive(Debug)]
pub(super) struct ExchangeStore {
    outbox: Mutex<WriteQueue>,
    /// The number of the last batch that was handed over.
    submitted: AtomicU64,
    written: watch::Receiver<WriteProgress>,
    broken: OnceLock<StoreFault>,
}

/// How far writing has come.
#[derive(Debug, Clone)]
enum WriteProgress {
    /// The number of the last batch on it.
    Upto(u64),
    Failed(Arc<StoreFault>),
}

/// Used only while the state is locked, so that batches are numbered in the order of the changes.
#[derive(Debug)]
struct WriteQueue {
    /// `None` once the exchange has stopped.
    writer: Option<Sender<WriteBatch>>,
    number: u64,
    clock: ClockRecord,
    /// The record and the time of the last checkpoint.
    checkpoint: (u64, Millis),
}

impl ExchangeStore {
    /// Starts to write. `seq` and `at` are those of the checkpoint in the database.
    fn new(
        (connection, lock): (Connection, File),
        clock: ClockRecord,
        checkpoint: (u64, Millis),
    ) -> Self {
        let (writer, inbox) = channel();
        let (tell, written) = watch::channel(WriteProgress::Upto(0));
        std::thread::spawn(move || writer::run(connection, lock, &inbox, &tell));
        Self {
            outbox: Mutex::new(WriteQueue {
                writer: Some(writer),
                number: 0,
                clock,
                checkpoint,
            }),
            submitted: AtomicU64::new(0),
            written,
            broken: OnceLock::new(),
        }
    }

    /// Queues the changes since the last call for writing.
    pub(super) fn submit(&self, state: &mut ExchangeState) {
        self.attempt(|outbox| outbox.submit(state, &self.submitted));
    }

    /// As [`ExchangeStore::submit`]; a checkpoint with it, if one is due.
    pub(super) fn submit_with_checkpoint(&self, state: &mut ExchangeState) {
        self.attempt(|outbox| {
            outbox.submit(state, &self.submitted)?;
            if outbox.is_checkpoint_due(state) {
                outbox.checkpoint(state, &self.submitted)?;
            }
            Ok(())
        });
    }

    /// Replaces everything in the store by the state after a reset. It is one record, so that a crash leaves either the
    /// old state or the new.
    fn reset(&self, state: &mut ExchangeState) {
        self.attempt(|outbox| outbox.reset(state, &self.submitted));
    }

    /// The last of all: a checkpoint, and the time as it is. [`ExchangeStore::closed`] tells when it is on disk.
    pub(super) fn close(&self, state: &mut ExchangeState) {
        self.attempt(|outbox| {
            outbox.submit(state, &self.submitted)?;
            let horizon = state.engine.now();
            let clock = ClockRecord {
                horizon,
                ..outbox.clock
            };
            outbox.send(vec![StoreRecord::Clock(clock)], &self.submitted)?;
            outbox.checkpoint(state, &self.submitted)?;
            outbox.writer = None;
            Ok(())
        });
    }

    fn attempt(&self, hand_over: impl FnOnce(&mut WriteQueue) -> Result<(), StoreFault>) {
        let done = match self.outbox.lock() {
            Ok(mut outbox) => hand_over(&mut outbox),
            Err(_) => Err(StoreFault::Stopped),
        };
        if let Err(why) = done {
            tracing::error!(%why, "the exchange's records cannot be handed over");
            // The first reason stays.
            let _later = self.broken.set(why);
        }
    }

    /// 503 once a record could not be written: the state in memory is ahead of the disk and must not be shown.
    pub(super) fn check_healthy(&self) -> Result<(), ApiError> {
        if let Some(why) = self.broken.get() {
            return Err(why.into());
        }
        match &*self.written.borrow() {
            WriteProgress::Upto(_) => Ok(()),
            WriteProgress::Failed(why) => Err((&**why).into()),
        }
    }

    /// Waits until everything handed over so far is on disk.
    pub(super) async fn written(&self) -> Result<(), ApiError> {
        let wanted = self.submitted.load(Ordering::Acquire);
        let done = |written: &WriteProgress| match written {
            WriteProgress::Upto(last) => *last >= wanted,
            WriteProgress::Failed(_) => true,
        };
        if !done(&self.written.borrow()) && self.written.clone().wait_for(done).await.is_err() {
            return Err((&StoreFault::Stopped).into());
        }
        self.check_healthy()
    }

    /// Waits until the directory has been given up; the writer ends once nobody can hand anything over.
    pub(super) async fn closed(&self) {
        if let Ok(mut outbox) = self.outbox.lock() {
            outbox.writer = None;
        }
        let mut written = self.written.clone();
        while written.changed().await.is_ok() {}
    }

    pub(super) fn failure(&self) -> FailureWatch {
        FailureWatch(Some(self.written.clone()))
    }
}

/// Reports the first failed write.
#[derive(Debug, Clone)]
pub(super) struct FailureWatch(Option<watch::Receiver<WriteProgress>>);

impl FailureWatch {
    /// Of an exchange in memory.
    pub(super) fn never() -> Self {
        Self(None)
    }

    /// Waits for the first write that fails; for ever, if none does.
    pub(super) async fn wait(&self) -> Arc<StoreFault> {
        if let Some(mut written) = self.0.clone() {
            let failed = |written: &WriteProgress| matches!(written, WriteProgress::Failed(_));
            if let Ok(failed) = written.wait_for(failed).await
                && let WriteProgress::Failed(why) = &*failed
            {
                return Arc::clone(why);
            }
        }
        std::future::pending().await
    }
}

impl WriteQueue {
    fn submit(
        &mut self,
        state: &mut ExchangeState,
        submitted: &AtomicU64,
    ) -> Result<(), StoreFault> {
        if self.writer.is_none() {
            state.discard_changes();
            return Ok(());
        }
        let mut records = state.changes()?;
        let clock = state.clock.kept(state.engine.now(), self.clock.horizon);
        if clock != self.clock {
            records.push(StoreRecord::Clock(clock));
            self.clock = clock;
        }
        if records.is_empty() {
            return Ok(());
        }
        self.send(records, submitted)
    }

    fn is_checkpoint_due(&self, state: &ExchangeState) -> bool {
        let (seq, at) = self.checkpoint;
        state.engine.seq() - seq >= CHECKPOINT_ENTRIES || state.engine.now() - at >= CHECKPOINT_SPAN
    }

    fn checkpoint(
        &mut self,
        state: &mut ExchangeState,
        submitted: &AtomicU64,
    ) -> Result<(), StoreFault> {
        let (seq, checkpoint) = self.take_checkpoint(state)?;
        self.send(vec![StoreRecord::Checkpoint { seq, checkpoint }], submitted)
    }

    fn reset(
        &mut self,
        state: &mut ExchangeState,
        submitted: &AtomicU64,
    ) -> Result<(), StoreFault> {
        let (seq, checkpoint) = self.take_checkpoint(state)?;
        let now = state.engine.now();
        let clock = state.clock.kept(now, now);
        self.clock = clock;
        let reset = StoreRecord::Reset {
            seq,
            checkpoint,
            clock,
        };
        self.send(vec![reset], submitted)
    }

    fn take_checkpoint(
        &mut self,
        state: &mut ExchangeState,
    ) -> Result<(u64, Checkpoint), EncodeFault> {
        let (seq, at) = (state.engine.seq(), state.engine.now());
        let checkpoint = state.engine.engine_mut().checkpoint()?;
        self.checkpoint = (seq, at);
        Ok((seq, checkpoint))
    }

    fn send(&mut self, records: Vec<StoreRecord>, submitted: &AtomicU64) -> Result<(), StoreFault> {
        let writer = self.writer.as_ref().ok_or(StoreFault::Stopped)?;
        self.number += 1;
        let number = self.number;
        writer
            .send(WriteBatch { number, records })
            .map_err(|_| StoreFault::Stopped)?;
        submitted.store(number, Ordering::Release);
        Ok(())
    }
}

/// The locked state: its changes are queued for writing when it is dropped.
#[derive(Debug)]
pub(super) struct StateGuard<'a> {
    pub(super) state: MutexGuard<'a, ExchangeState>,
    pub(super) store: Option<&'a ExchangeStore>,
    pub(super) broken: &'a CancellationToken,
}

impl StateGuard<'_> {
    /// What was on it is gone, and so is what was kept of it.
    pub(super) fn reset(&mut self, state: ExchangeState) {
        *self.state = state;
        if let Some(store) = self.store {
            store.reset(&mut self.state);
        }
    }

    /// Takes a checkpoint, if one is due.
    pub(super) fn checkpoint(&mut self) {
        if let Some(store) = self.store {
            store.submit_with_checkpoint(&mut self.state);
        }
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        // What a panic left half done is not written: a restart goes on from before it.
        if std::thread::panicking() {
            return self.broken.cancel();
        }
        match self.store {
            Some(store) => store.submit(&mut self.state),
            None => self.state.discard_changes(),
        }
    }
}

impl std::ops::Deref for StateGuard<'_> {
    type Target = ExchangeState;

    fn deref(&self) -> &ExchangeState {
        &self.state
    }
}

impl std::ops::DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut ExchangeState {
        &mut self.state
    }
}
