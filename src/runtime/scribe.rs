//! The journal's own thread: a disk that is slow makes a command wait, never the desk, and an exit only
//! for a moment.

use super::Clock;
use crate::{
    app::{Msg, notice::Tone},
    journal::{Journal, JournalError},
    model::Risk,
};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc::Sender, oneshot},
    time::timeout,
};

/// How long an exit waits for the disk: its first byte is to leave within 250 ms of the key.
const MOMENT: Duration = Duration::from_millis(100);

type Job = Box<dyn FnOnce(&mut Result<Journal, JournalError>) + Send>;

#[derive(Debug, Clone)]
pub(super) struct Scribe {
    jobs: mpsc::Sender<Job>,
    alarm: Alarm,
    /// An exit has waited its moment in vain, and the disk has not come back since: no other waits.
    behind: Arc<AtomicBool>,
}

/// Tells once that the journal is down.
#[derive(Debug, Clone)]
struct Alarm {
    events: Sender<Msg>,
    rung: Arc<AtomicBool>,
}

impl Alarm {
    /// What is to be said, the first time.
    fn ring(&self, why: &JournalError) -> Option<Msg> {
        if self.rung.swap(true, Ordering::Relaxed) {
            return None;
        }
        let text = if let JournalError::Held { .. } = why {
            format!("{why}. This desk only shows: it sends nothing")
        } else {
            format!("{why}. New orders are held back; closing and canceling still work")
        };
        Some(Msg::Said(Tone::Alert, text))
    }

    /// On the journal's thread: also where nobody waits for the result any more.
    fn hear<T>(&self, result: &Result<T, JournalError>) {
        if let Err(why) = result
            && let Some(msg) = self.ring(why)
        {
            tracing::error!(%why, "the journal is down");
            // The desk is leaving: nobody is there to be told.
            let _closed = self.events.blocking_send(msg);
        }
    }
}

/// The journal in `dir`: to write, or, when another desk has it, to read along.
pub fn open(dir: &Path) -> Result<Journal, JournalError> {
    match Journal::open(dir) {
        Err(JournalError::Held { .. }) => Journal::look(dir),
        other => other,
    }
}

/// What comes of opening it.
pub(super) type Opening = Result<Journal, JournalError>;

/// The same for the desk, which lets go of what was settled more than `days` ago; zero keeps everything.
pub(super) fn opening(
    dir: PathBuf,
    clock: Clock,
    days: u32,
) -> impl FnOnce() -> Opening + Send + 'static {
    move || {
        let mut journal = open(&dir)?;
        tidy(&mut journal, clock, days);
        Ok(journal)
    }
}

/// Forgets what was settled more than `days` ago. A journal that is only looked at stays as it is; one that fails in
/// this says so at the next write.
pub fn tidy(journal: &mut Journal, clock: Clock, days: u32) {
    if days == 0 || journal.failure().is_some() {
        return;
    }
    let keep = Duration::from_hours(24).saturating_mul(days);
    match journal.prune(clock.now(), keep) {
        Ok(0) => {}
        Ok(rows) => tracing::info!(rows, days, "forgot what was settled long ago"),
        Err(why) => tracing::error!(%why, "the journal is down"),
    }
}

/// Writes to the log without waiting for it: it may be on the very disk that is in trouble.
pub(super) fn aside(log: impl FnOnce() + Send + 'static) {
    drop(tokio::task::spawn_blocking(log));
}

impl Scribe {
    /// `open` runs on the new thread. That the journal does not open, or later fails, is said once on
    /// `events`; each caller still gets the error.
    pub(super) fn spawn(
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let behind = Arc::new(AtomicBool::new(false));
        let caught_up = Arc::clone(&behind);
        std::thread::spawn(move || {
            let mut journal = open();
            while let Ok(job) = inbox.recv() {
                job(&mut journal);
                // One job of many done is not yet a disk that keeps up.
                for job in inbox.try_iter() {
                    job(&mut journal);
                }
                caught_up.store(false, Ordering::Relaxed);
            }
        });
        Self {
            jobs,
            alarm: Alarm {
                events,
                rung: Arc::default(),
            },
            behind,
        }
    }

    /// Whether the journal has failed anybody: nothing that raises exposure may be sent any more.
    pub(super) fn is_down(&self) -> bool {
        self.alarm.rung.load(Ordering::Relaxed)
    }

    /// Runs `job` on the journal's thread, after all jobs before it, and waits for its result.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let alarm = self.alarm.clone();
        let heard = move |journal: &mut Result<Journal, JournalError>| {
            let result = on(journal, job);
            alarm.hear(&result);
            result
        };
        let answer = self.queue(heard).await;
        if let Ok(result) = answer {
            return result;
        }
        self.tell(&JournalError::Stopped).await;
        Err(JournalError::Stopped)
    }

    /// [`Self::write`] for what raises exposure, [`Self::write_soon`] for what must not wait.
    pub(super) async fn carry<T: Send + 'static>(
        &self,
        risk: Risk,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match risk {
            Risk::Increasing => self.write(job).await,
            Risk::Neutral | Risk::Reducing => self.write_soon(job).await,
        }
    }

    /// The same for what must not wait: after a moment it is [`JournalError::Slow`], and the job is still
    /// done when the disk gets to it.
    pub(super) async fn write_soon<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let patience = if self.behind.load(Ordering::Relaxed) {
            Duration::ZERO
        } else {
            MOMENT
        };
        let written = timeout(patience, self.write(job)).await;
        written.unwrap_or_else(|_| {
            self.behind.store(true, Ordering::Relaxed);
            Err(JournalError::Slow)
        })
    }

    /// Puts `job` at the end of the queue at once; its result comes when it comes.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        self.queue(move |journal| on(journal, job))
    }

    fn queue<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Result<Journal, JournalError>) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |journal| {
            // Whoever asked has left; the work is done all the same.
            let _left = reply.send(job(journal));
        });
        // A thread that is gone drops the job, and with it the reply.
        let _stopped = self.jobs.send(job);
        answer
    }

    pub(super) async fn tell(&self, why: &JournalError) {
        let Some(msg) = self.alarm.ring(why) else {
            return;
        };
        let cause = why.clone();
        aside(move || tracing::error!(why = %cause, "the journal is down"));
        // The desk is leaving: nobody is there to be told.
        let _closed = self.alarm.events.send(msg).await;
    }
}

/// What comes of `job`, where the journal could be opened.
fn on<T>(
    journal: &mut Result<Journal, JournalError>,
    job: impl FnOnce(&mut Journal) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    match journal {
        Ok(journal) => job(journal),
        Err(why) => Err(why.clone()),
    }
}
