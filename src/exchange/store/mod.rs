//! `--data-dir`: an exchange that survives its process.
//!
//! Contract: no response is sent before everything it may show is on disk: in one append-only log. The
//! engine is deterministic, so the store holds its last checkpoint and a log of later inputs, each with its virtual
//! time; idempotency keys, close-all and cancel-all operations and the clock are stored as they are. The changes of one request share
//! one line with those of concurrent requests; requests run while others wait for the disk. A restart replays the
//! inputs and compares the result: the same history, or the directory is refused.
//!
//! The clock must not go back either, even if nothing was written: a time ahead is written every few seconds, and no
//! response shows a later time. After a crash, time continues from there; after an orderly stop, from where it stood.
//! Wall time while stopped is not made up for.
//!
//! After the first failed write every request gets 503.
//!
//! Known limits: fault rules and changed budgets end with the process. A checkpoint holds the state's lock while it
//! encodes the changed rows. Now and then the log is written anew: meanwhile no answer leaves.

mod fault;
mod file;
mod load;
mod record;
mod stored;
mod writer;

#[cfg(test)]
mod cost_tests;
#[cfg(test)]
mod tests;

pub use fault::StoreFault;
pub(super) use fault::{EncodeFault, StoreResult};
pub(super) use load::{LoadedExchange, open};
pub(super) use record::{Blob, StoreRecord, inputs};

use super::{
    api_error::ApiResult,
    clock::ClockRecord,
    engine::{Checkpoint, Millis},
    response_cache::StateVersion,
    state::ExchangeState,
};
use file::StoreLog;
use record::WriteBatch;
use std::{
    mem,
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
/// Virtual time between two checkpoints: a restart replays that much in well under a second.
const CHECKPOINT_SPAN: Millis = Millis::seconds(20 * 60);

/// Writes the records of a running exchange.
#[derive(Debug)]
pub(super) struct ExchangeStore {
    outbox: Mutex<WriteQueue>,
    /// The number of the last submitted batch.
    submitted: AtomicU64,
    written: watch::Receiver<WriteProgress>,
    broken: OnceLock<StoreFault>,
}

/// How far writing has come.
#[derive(Debug, Clone)]
enum WriteProgress {
    /// The number of the last batch on disk.
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
    /// Starts the writer. `checkpoint` is the one in the log: its last input, and its time.
    fn new(log: StoreLog, clock: ClockRecord, checkpoint: (u64, Millis)) -> Self {
        let (writer, inbox) = channel();
        let (tell, written) = watch::channel(WriteProgress::Upto(0));
        std::thread::spawn(move || writer::run(log, &inbox, &tell));
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

    /// Replaces the whole store with the state after a reset. It is one batch, so a crash leaves either the old state or
    /// the new one.
    fn reset(&self, state: &mut ExchangeState) {
        self.attempt(|outbox| outbox.reset(state, &self.submitted));
    }

    /// The last write: a checkpoint and the current time. [`ExchangeStore::closed`] returns when it is on disk.
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

    fn attempt(&self, hand_over: impl FnOnce(&mut WriteQueue) -> StoreResult<()>) {
        let done = match self.outbox.lock() {
            Ok(mut outbox) => hand_over(&mut outbox),
            Err(_) => Err(StoreFault::Stopped),
        };
        if let Err(why) = done {
            tracing::error!(%why, "the exchange's records cannot be handed over");
            // The first failure is kept.
            let _later = self.broken.set(why);
        }
    }

    /// 503 once a record could not be written: the state in memory is ahead of the disk and must not be shown.
    pub(super) fn check_healthy(&self) -> ApiResult<()> {
        // Why the writer has ended comes before that nothing can be handed to it.
        if let WriteProgress::Failed(why) = &*self.written.borrow() {
            return Err((&**why).into());
        }
        self.broken.get().map_or(Ok(()), |why| Err(why.into()))
    }

    /// Waits until everything submitted so far is on disk.
    pub(super) async fn written(&self) -> ApiResult<()> {
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

    /// Waits until the directory is released; the writer ends when no sender is left.
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
    /// For an exchange in memory.
    pub(super) fn never() -> Self {
        Self(None)
    }

    /// Waits for the first failed write; for ever if none fails.
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
    fn submit(&mut self, state: &mut ExchangeState, submitted: &AtomicU64) -> StoreResult<()> {
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

    fn checkpoint(&mut self, state: &mut ExchangeState, submitted: &AtomicU64) -> StoreResult<()> {
        let (seq, checkpoint) = self.take_checkpoint(state)?;
        self.send(record::checkpoint(seq, checkpoint).collect(), submitted)
    }

    fn reset(&mut self, state: &mut ExchangeState, submitted: &AtomicU64) -> StoreResult<()> {
        let (seq, checkpoint) = self.take_checkpoint(state)?;
        let now = state.engine.now();
        let clock = state.clock.kept(now, now);
        self.clock = clock;
        let mut records = vec![StoreRecord::Reset, StoreRecord::Clock(clock)];
        records.extend(record::checkpoint(seq, checkpoint));
        self.send(records, submitted)
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

    fn send(&mut self, records: Vec<StoreRecord>, submitted: &AtomicU64) -> StoreResult<()> {
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
#[derive(Debug, derive_more::Deref, derive_more::DerefMut)]
pub(super) struct StateGuard<'a> {
    #[deref(forward)]
    #[deref_mut(forward)]
    pub(super) state: MutexGuard<'a, ExchangeState>,
    pub(super) store: Option<&'a ExchangeStore>,
    pub(super) broken: &'a CancellationToken,
    pub(super) changed: &'a watch::Sender<StateVersion>,
}

impl StateGuard<'_> {
    /// Replaces the state, and everything that was stored of it.
    pub(super) fn reset(&mut self, mut state: ExchangeState) {
        state.engine.replaces(&self.state.engine);
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
        // A panic may have left half a change: it is not written, and a restart continues from before it.
        if std::thread::panicking() {
            return self.broken.cancel();
        }
        match self.store {
            Some(store) => store.submit(&mut self.state),
            None => self.state.discard_changes(),
        }
        let version = self.state.engine.version();
        self.changed
            .send_if_modified(|version_sent| mem::replace(version_sent, version) != version);
    }
}
