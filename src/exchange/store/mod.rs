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
//! Known limits: planted faults and changed budgets end with the process. Taking a checkpoint holds the floor for as
//! long as it takes to put what changed in bytes.

mod fault;
mod file;
mod load;
mod record;
mod recorder;
mod seal;
mod shelf;
mod writer;

#[cfg(test)]
mod tests;

pub(super) use fault::EncodeFault;
pub use fault::StoreFault;
pub(super) use load::{Resumed, open};
pub(super) use record::{Record, noted};
pub(super) use recorder::Recorder;

use super::{clock::Kept, engine::Millis, fault::Fault, floor::Floor};
use record::Batch;
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

/// A checkpoint is due after so many records,
const RECORDS: u64 = 4_096;
/// or after so much virtual time: what a start has to do again takes well under a second.
const SPAN: Millis = Millis::seconds(20 * 60);

/// Where the records of a running exchange go.
#[derive(Debug)]
pub(super) struct Store {
    outbox: Mutex<Outbox>,
    /// The number of the last batch that was handed over.
    submitted: AtomicU64,
    settled: watch::Receiver<Settled>,
    broken: OnceLock<StoreFault>,
}

/// How far the disk is.
#[derive(Debug, Clone)]
enum Settled {
    /// The number of the last batch on it.
    Upto(u64),
    Failed(Arc<StoreFault>),
}

/// Used with the floor in hand only, so that batches are numbered in the order of what they tell.
#[derive(Debug)]
struct Outbox {
    /// `None` once the exchange has stopped.
    writer: Option<Sender<Batch>>,
    number: u64,
    clock: Kept,
    /// The record and the time of the last checkpoint.
    checkpoint: (u64, Millis),
}

impl Store {
    /// Starts to write. `seq` and `at` are those of the checkpoint in the database.
    fn new((connection, lock): (Connection, File), clock: Kept, checkpoint: (u64, Millis)) -> Self {
        let (writer, inbox) = channel();
        let (tell, settled) = watch::channel(Settled::Upto(0));
        std::thread::spawn(move || writer::run(connection, lock, &inbox, &tell));
        Self {
            outbox: Mutex::new(Outbox {
                writer: Some(writer),
                number: 0,
                clock,
                checkpoint,
            }),
            submitted: AtomicU64::new(0),
            settled,
            broken: OnceLock::new(),
        }
    }

    /// Hands over what was done on the floor since the last time.
    pub(super) fn submit(&self, floor: &mut Floor) {
        self.attempt(|outbox| outbox.submit(floor, &self.submitted));
    }

    /// As [`Store::submit`]; a checkpoint with it, if one is due.
    pub(super) fn submit_whole(&self, floor: &mut Floor) {
        self.attempt(|outbox| {
            outbox.submit(floor, &self.submitted)?;
            if outbox.is_checkpoint_due(floor) {
                outbox.checkpoint(floor, &self.submitted)?;
            }
            Ok(())
        });
    }

    /// The floor as it begins anew takes the place of everything that is kept: one record, so that a crash finds all of
    /// the one or all of the other.
    fn begin_anew(&self, floor: &mut Floor) {
        self.attempt(|outbox| outbox.begin_anew(floor, &self.submitted));
    }

    /// The last of all: a checkpoint, and the time as it is. [`Store::closed`] tells when it is on disk.
    pub(super) fn close(&self, floor: &mut Floor) {
        self.attempt(|outbox| {
            outbox.submit(floor, &self.submitted)?;
            let horizon = floor.engine.now();
            let clock = Kept {
                horizon,
                ..outbox.clock
            };
            outbox.send(vec![Record::Clock(clock)], &self.submitted)?;
            outbox.checkpoint(floor, &self.submitted)?;
            outbox.writer = None;
            Ok(())
        });
    }

    fn attempt(&self, hand_over: impl FnOnce(&mut Outbox) -> Result<(), StoreFault>) {
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

    /// 503 once a record could not be written: the floor is ahead of the disk then and nobody may see it.
    pub(super) fn sound(&self) -> Result<(), Fault> {
        if let Some(why) = self.broken.get() {
            return Err(why.into());
        }
        match &*self.settled.borrow() {
            Settled::Upto(_) => Ok(()),
            Settled::Failed(why) => Err((&**why).into()),
        }
    }

    /// Waits until everything handed over so far is on disk.
    pub(super) async fn settled(&self) -> Result<(), Fault> {
        let wanted = self.submitted.load(Ordering::Acquire);
        let done = |settled: &Settled| match settled {
            Settled::Upto(last) => *last >= wanted,
            Settled::Failed(_) => true,
        };
        if !done(&self.settled.borrow()) && self.settled.clone().wait_for(done).await.is_err() {
            return Err((&StoreFault::Stopped).into());
        }
        self.sound()
    }

    /// Waits until the directory has been given up; the writer ends once nobody can hand anything over.
    pub(super) async fn closed(&self) {
        if let Ok(mut outbox) = self.outbox.lock() {
            outbox.writer = None;
        }
        let mut settled = self.settled.clone();
        while settled.changed().await.is_ok() {}
    }

    pub(super) fn failure(&self) -> Failure {
        Failure(Some(self.settled.clone()))
    }
}

/// Tells when an exchange can no longer keep its records.
#[derive(Debug, Clone)]
pub(super) struct Failure(Option<watch::Receiver<Settled>>);

impl Failure {
    /// Of an exchange in memory.
    pub(super) fn never() -> Self {
        Self(None)
    }

    /// Waits for the first write that fails; for ever, if none does.
    pub(super) async fn happened(&self) -> Arc<StoreFault> {
        if let Some(mut settled) = self.0.clone() {
            let failed = |settled: &Settled| matches!(settled, Settled::Failed(_));
            if let Ok(failed) = settled.wait_for(failed).await
                && let Settled::Failed(why) = &*failed
            {
                return Arc::clone(why);
            }
        }
        std::future::pending().await
    }
}

impl Outbox {
    fn submit(&mut self, floor: &mut Floor, submitted: &AtomicU64) -> Result<(), StoreFault> {
        if self.writer.is_none() {
            floor.forget_changes();
            return Ok(());
        }
        let mut records = floor.changes()?;
        let clock = floor.clock.kept(floor.engine.now(), self.clock.horizon);
        if clock != self.clock {
            records.push(Record::Clock(clock));
            self.clock = clock;
        }
        if records.is_empty() {
            return Ok(());
        }
        self.send(records, submitted)
    }

    fn is_checkpoint_due(&self, floor: &Floor) -> bool {
        let (seq, at) = self.checkpoint;
        floor.engine.seq() - seq >= RECORDS || floor.engine.now() - at >= SPAN
    }

    fn checkpoint(&mut self, floor: &mut Floor, submitted: &AtomicU64) -> Result<(), StoreFault> {
        let (seq, at) = (floor.engine.seq(), floor.engine.now());
        let checkpoint = floor.engine.engine_mut().checkpoint();
        let checkpoint = checkpoint.map_err(EncodeFault::from)?;
        self.checkpoint = (seq, at);
        self.send(vec![Record::Checkpoint { seq, checkpoint }], submitted)
    }

    fn begin_anew(&mut self, floor: &mut Floor, submitted: &AtomicU64) -> Result<(), StoreFault> {
        let (seq, at) = (floor.engine.seq(), floor.engine.now());
        let checkpoint = floor.engine.engine_mut().checkpoint();
        let checkpoint = checkpoint.map_err(EncodeFault::from)?;
        let clock = floor.clock.kept(at, at);
        (self.checkpoint, self.clock) = ((seq, at), clock);
        let anew = Record::Anew {
            seq,
            checkpoint,
            clock,
        };
        self.send(vec![anew], submitted)
    }

    fn send(&mut self, records: Vec<Record>, submitted: &AtomicU64) -> Result<(), StoreFault> {
        let writer = self.writer.as_ref().ok_or(StoreFault::Stopped)?;
        self.number += 1;
        let number = self.number;
        writer
            .send(Batch { number, records })
            .map_err(|_| StoreFault::Stopped)?;
        submitted.store(number, Ordering::Release);
        Ok(())
    }
}

/// The floor, held: what is done on it is handed over when it is let go.
#[derive(Debug)]
pub(super) struct Held<'a> {
    pub(super) floor: MutexGuard<'a, Floor>,
    pub(super) store: Option<&'a Store>,
    pub(super) broken: &'a CancellationToken,
}

impl Held<'_> {
    /// What was on it is gone, and so is what was kept of it.
    pub(super) fn begin_anew(&mut self, floor: Floor) {
        *self.floor = floor;
        if let Some(store) = self.store {
            store.begin_anew(&mut self.floor);
        }
    }

    /// Takes a checkpoint, if one is due.
    pub(super) fn checkpoint(&mut self) {
        if let Some(store) = self.store {
            store.submit_whole(&mut self.floor);
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // What a panic left half done is not written: a restart goes on from before it.
        if std::thread::panicking() {
            return self.broken.cancel();
        }
        match self.store {
            Some(store) => store.submit(&mut self.floor),
            None => self.floor.forget_changes(),
        }
    }
}

impl std::ops::Deref for Held<'_> {
    type Target = Floor;

    fn deref(&self) -> &Floor {
        &self.floor
    }
}

impl std::ops::DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Floor {
        &mut self.floor
    }
}
