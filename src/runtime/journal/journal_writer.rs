//! The thread that writes the journal. A slow disk delays a new order, never the screen; a close or cancel waits at most
//! [`EXIT_JOURNAL_TIMEOUT`].

use super::journal_set::{JournalJob, JournalSet, OpenResult};
use crate::{
    app::{Msg, activity::notice::Tone},
    journal::{Holder, Journal, JournalError, lock_holder},
    model::{ProcessKind, Risk},
    runtime::base::clock::Clock,
};
use std::{
    mem,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};
use tokio::{
    sync::{mpsc::Sender, oneshot, watch},
    time::{sleep, timeout},
};

/// How long a close or cancel waits for the disk: its first byte leaves within 250 ms of the key.
pub(crate) const EXIT_JOURNAL_TIMEOUT: Duration = Duration::from_millis(100);
/// A wait longer than this is reported.
const WARN_AFTER: Duration = Duration::from_millis(900);

#[derive(Debug, Clone)]
pub(crate) struct JournalWriter {
    jobs: mpsc::Sender<JournalJob>,
    holder: watch::Receiver<Option<Holder>>,
    alarm: FailureAlarm,
    /// A wait timed out and the disk has not caught up since: closes and cancels do not wait.
    behind: Arc<AtomicBool>,
    /// The hang has been reported, and the disk has not caught up since.
    hangs: Arc<AtomicBool>,
}

/// Reports the first journal failure only.
#[derive(Debug, Clone)]
struct FailureAlarm {
    events: Sender<Msg>,
    raised: Arc<AtomicBool>,
}

impl FailureAlarm {
    /// The message for the first failure.
    fn raise(&self, why: &JournalError) -> Option<Msg> {
        // All overflow journals are in use: each command reports it itself.
        if let JournalError::Held { .. } = why {
            return None;
        }
        if self.raised.swap(true, Ordering::Relaxed) {
            return None;
        }
        let text = format!("{why}. New orders are refused; closing and canceling still work");
        Some(Msg::Notify(Tone::Alert, text))
    }

    /// Called on the journal's thread, so that it also works if nobody waits for the result.
    fn check<T>(&self, result: &Result<T, JournalError>) {
        if let Err(why) = result
            && let Some(msg) = self.raise(why)
        {
            tracing::error!(%why, "the journal is down");
            // The desk is shutting down: nobody receives it.
            let _closed = self.events.blocking_send(msg);
        }
    }
}

/// Poll interval while another process holds the journal lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Polls of the lock before a desk reports the wait.
pub(crate) const WARN_POLLS: u32 = 20;

/// Opens the journal in `dir`, unless a desk holds it. Waits for any other holder (a verb), which finishes soon.
pub fn open(dir: &Path) -> OpenResult {
    open_after(dir, u32::MAX, |_, _| ())
}

/// The same with at most so many polls of the lock; calls `waits` with the number of each and the holder.
pub fn open_after(dir: &Path, polls: u32, mut waits: impl FnMut(u32, &JournalError)) -> OpenResult {
    let mut poll = 0_u32;
    loop {
        let held = match Journal::open(dir) {
            Err(why @ JournalError::Held { .. }) => why,
            opened => return opened,
        };
        if poll >= polls || lock_holder(dir).is_some_and(|holder| holder.listens) {
            return Err(held);
        }
        poll = poll.saturating_add(1);
        waits(poll, &held);
        // This runs on a thread of its own.
        thread::park_timeout(LOCK_POLL_INTERVAL);
    }
}

const DAY: Duration = Duration::from_hours(24);

/// Deletes rows settled more than `days` ago (0 keeps all). Leaves a journal opened for reading alone; a failure is
/// reported at the next write.
pub fn prune(journal: &mut Journal, clock: Clock, days: u32) {
    if journal.failure().is_some() {
        return;
    }
    let keep = match days {
        0 => Duration::MAX,
        days => DAY.saturating_mul(days),
    };
    match journal.prune(clock.now(), keep) {
        Ok(0) => {}
        Ok(rows) => tracing::info!(rows, days, "deleted commands that were settled long ago"),
        Err(why) => tracing::error!(%why, "old commands are not deleted"),
    }
}

/// Logs without waiting: the log may be on the disk that hangs.
pub(crate) fn log_in_background(log: impl FnOnce() + Send + 'static) {
    drop(tokio::task::spawn_blocking(log));
}

impl JournalWriter {
    /// `holder` is who holds the journal, if that is known; `open` runs on the new thread; `taken` is called with the journal once it is open. While another desk holds the
    /// journal, a desk takes it over when that one ends. The first failure goes out on `events`; each caller also gets its
    /// error.
    pub(crate) fn spawn(
        (process, holder): (ProcessKind, Option<Holder>),
        open: impl FnOnce() -> OpenResult + Send + 'static,
        taken: impl FnOnce(&Journal) + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let (jobs, inbox) = mpsc::channel::<JournalJob>();
        let (holder_sender, holder) = watch::channel(holder);
        let behind = Arc::new(AtomicBool::new(false));
        let hangs = Arc::new(AtomicBool::new(false));
        let caught_up = [Arc::clone(&behind), Arc::clone(&hangs)];
        thread::spawn(move || {
            let mut journals = JournalSet::new(process, open(), Box::new(taken));
            loop {
                let now = journals.holder();
                holder_sender.send_if_modified(|holder| mem::replace(holder, now.clone()) != now);
                journals.run_waiting_jobs();
                match next(&inbox, &journals) {
                    Ok(job) => job(&mut journals),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                // The disk has caught up only when the queue is empty.
                for job in inbox.try_iter() {
                    job(&mut journals);
                }
                for flag in &caught_up {
                    flag.store(false, Ordering::Relaxed);
                }
                journals.try_take_over();
            }
        });
        Self {
            jobs,
            holder,
            alarm: FailureAlarm {
                events,
                raised: Arc::default(),
            },
            behind,
            hangs,
        }
    }

    /// The desk that holds the journal, if it is not this one, and its changes. `None` also while the journal opens.
    pub(crate) fn holder_changes(&self) -> watch::Receiver<Option<Holder>> {
        self.holder.clone()
    }

    pub(crate) fn holder(&self) -> Option<Holder> {
        self.holder.borrow().clone()
    }

    /// Whether the journal has failed: new orders are refused from then on.
    pub(crate) fn is_down(&self) -> bool {
        self.alarm.raised.load(Ordering::Relaxed)
    }

    /// Queues `job` and waits up to `patience` for its result, then returns [`JournalError::Slow`]; the job still runs when
    /// the disk gets to it.
    async fn write_within<T: Send + 'static>(
        &self,
        patience: Duration,
        job: impl FnOnce(&mut JournalSet) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let alarm = self.alarm.clone();
        let answer = self.ask(move |journals| {
            let result = job(journals);
            alarm.check(&result);
            result
        });
        match timeout(patience, self.wait_for_answer(answer)).await {
            Ok(Some(result)) => result,
            Ok(None) => {
                self.tell(&JournalError::Stopped).await;
                Err(JournalError::Stopped)
            }
            Err(_) => {
                self.behind.store(true, Ordering::Relaxed);
                Err(JournalError::Slow)
            }
        }
    }

    /// Waits up to `patience` if the risk is increasing; otherwise as [`Self::write_soon`].
    pub(crate) async fn write_for_risk<T: Send + 'static>(
        &self,
        risk: Risk,
        patience: Duration,
        job: impl FnOnce(&mut JournalSet) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match risk {
            Risk::Increasing => self.write_within(patience, job).await,
            Risk::Neutral | Risk::Reducing => self.write_soon(job).await,
        }
    }

    /// For closes and cancels: waits [`EXIT_JOURNAL_TIMEOUT`], and not at all while the disk is behind.
    pub(crate) async fn write_soon<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut JournalSet) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let is_behind = self.behind.load(Ordering::Relaxed);
        let patience = if is_behind {
            Duration::ZERO
        } else {
            EXIT_JOURNAL_TIMEOUT
        };
        self.write_within(patience, job).await
    }

    /// Waits for `answer` without a limit and reports a slow disk. `None` if the journal's thread has ended.
    pub(crate) async fn wait_for_answer<T>(&self, mut answer: oneshot::Receiver<T>) -> Option<T> {
        if let Ok(answer) = timeout(WARN_AFTER, &mut answer).await {
            return answer.ok();
        }
        // A second desk waits for the holder, not for the disk.
        if self.holder().is_none() {
            self.report_hang();
        }
        answer.await.ok()
    }

    /// Stops closes and cancels from waiting until the disk has caught up, and reports the hang once.
    fn report_hang(&self) {
        self.behind.store(true, Ordering::Relaxed);
        if self.hangs.swap(true, Ordering::Relaxed) || self.is_down() {
            return;
        }
        let text = "the disk of the journal does not answer: new orders wait for it; closes and cancels are still sent";
        let msg = Msg::Notify(Tone::Warn, text.to_owned());
        // Queue full: drop the message.
        let _full = self.alarm.events.try_send(msg);
    }

    /// Queues `job` at once and does not wait for its result.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut JournalSet) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: JournalJob = Box::new(move |journals| {
            // The caller may be gone; the job ran all the same.
            let _left = reply.send(job(journals));
        });
        // If the thread has ended, the job is dropped, and with it the reply.
        let _stopped = self.jobs.send(job);
        answer
    }

    /// The same for the desk's own journal; while another desk holds that, the job waits for the take-over.
    pub(crate) fn ask_own<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: JournalJob = Box::new(move |journals| {
            let _left = reply.send(journals.own().and_then(job));
        });
        let _stopped = self
            .jobs
            .send(Box::new(|journals| journals.run_when_own(job)));
        answer
    }

    /// Reads the journal as it is now, whoever holds it.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: JournalJob = Box::new(move |journals| {
            journals.read(move |journal| {
                let _left = reply.send(journal.and_then(read));
            });
        });
        let _stopped = self.jobs.send(job);
        answer
    }

    /// Deletes rows settled more than `days` ago, now and once a day, as long as the journal opens.
    pub(crate) async fn prune_daily(self, clock: Clock, days: u32) {
        let pruned = || {
            self.ask_own(move |journal| {
                prune(journal, clock, days);
                Ok(())
            })
        };
        while matches!(pruned().await, Ok(Ok(()))) {
            sleep(DAY).await;
        }
    }

    pub(crate) async fn tell(&self, why: &JournalError) {
        let Some(msg) = self.alarm.raise(why) else {
            return;
        };
        let cause = why.clone();
        log_in_background(move || tracing::error!(why = %cause, "the journal is down"));
        // The desk is shutting down: nobody receives it.
        let _closed = self.alarm.events.send(msg).await;
    }
}

/// The next job, or a timeout when the lock is due for a check.
fn next(
    inbox: &mpsc::Receiver<JournalJob>,
    journals: &JournalSet,
) -> Result<JournalJob, RecvTimeoutError> {
    match journals.poll_interval() {
        Some(rest) => inbox.recv_timeout(rest),
        None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        journal::{Intent, IntentState, StateUpdate},
        model::{Risk, Timestamp},
    };

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    /// Done so many days ago, under a number of its own.
    fn settled(journal: &mut Journal, days: u32, number: u32) -> Result<(), JournalError> {
        let days = i64::try_from((DAY * days).as_millis()).unwrap();
        let at = Timestamp(NOW.0 - days);
        let intent = Intent {
            base_url: "https://x.test".to_owned(),
            account_id: "chal-1".into(),
            credential: String::new(),
            method: "POST".to_owned(),
            target: "/v1/orders".to_owned(),
            body: vec![],
            key: Some(format!("{days}-{number}").into()),
            risk: Risk::Increasing,
            command: "buy".to_owned(),
            resource: None,
            parent: None,
            deadline: at,
            replay_until: at,
        };
        let id = journal.record(at, &intent)?;
        journal.record_state(at, id, &StateUpdate::new(IntentState::Done, "so"))
    }

    fn desk(dir: &Path, events: Sender<Msg>) -> JournalWriter {
        let place = dir.to_owned();
        JournalWriter::spawn(
            (ProcessKind::Desk, None),
            move || open(&place),
            |_| (),
            events,
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_desk_that_stays_open_forgets_every_day_and_all_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (events, _said) = tokio::sync::mpsc::channel(8);
        let writer = desk(dir.path(), events);
        let fill = writer.ask_own(|journal| {
            settled(journal, 0, 0)?;
            (0..=200).try_for_each(|number| settled(journal, 100, number))
        });
        fill.await.unwrap().unwrap();
        let _tidies = tokio::spawn(writer.clone().prune_daily(Clock::Frozen(NOW), 90));
        only_the_newest_stays(&writer).await;
        let more = writer.ask_own(|journal| settled(journal, 91, 0));
        more.await.unwrap().unwrap();
        sleep(DAY).await;
        only_the_newest_stays(&writer).await;
    }

    async fn count(writer: &JournalWriter) -> usize {
        let count = writer.ask_own(|journal| Ok(journal.recent(999)?.len()));
        count.await.unwrap().unwrap()
    }

    async fn only_the_newest_stays(writer: &JournalWriter) {
        // Far fewer rests than in a day.
        for _ in 0..100 {
            if count(writer).await == 1 {
                return;
            }
            sleep(Duration::from_secs(1)).await;
        }
        panic!("{} rows", count(writer).await);
    }
}
