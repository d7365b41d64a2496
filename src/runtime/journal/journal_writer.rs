//! The thread that writes the journal. A slow disk delays a new order, never the screen; a close or cancel waits at most
//! [`EXIT_JOURNAL_TIMEOUT`].

use crate::{
    app::{Msg, activity::notice::Tone},
    journal::{HANG_CAUSES, Halts, IntentId, Journal, JournalError, ReportedRow},
    model::Risk,
    runtime::base::{clock::Clock, lock::locked, process::ProcessKind},
};
use std::{
    io,
    path::Path,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicI64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};
use tokio::{
    sync::{
        mpsc::{Sender, UnboundedReceiver, UnboundedSender, unbounded_channel},
        oneshot,
    },
    time::{sleep, timeout},
};

/// How long a close or cancel waits for the disk: its first byte leaves within 250 ms of the key.
pub(crate) const EXIT_JOURNAL_TIMEOUT: Duration = Duration::from_millis(100);
/// A wait longer than this is reported.
const WARN_AFTER: Duration = Duration::from_millis(900);
/// How often a desk looks what other processes have recorded, if it records nothing itself.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) type OpenResult = Result<Journal, JournalError>;

/// Runs on the journal's thread.
type JournalJob = Box<dyn FnOnce(&mut OpenResult) + Send>;

/// Runs on the thread of the halts.
type HaltJob = Box<dyn FnOnce(&Halts) + Send>;

/// The number of an intent, which the journal's thread fills in when it writes the row; later writes find the row by it.
pub(crate) type IntentRef = Arc<OnceLock<IntentId>>;

/// A reference to a row that exists.
pub(crate) fn known_ref(id: IntentId) -> IntentRef {
    IntentRef::from(OnceLock::from(id))
}

/// Rows of which other processes have reported.
pub(crate) type News = Arc<[ReportedRow]>;

/// The accounts that take in news. Each gets all of them, however long it is behind: a row is reported once.
type Listeners = Arc<Mutex<Vec<UnboundedSender<News>>>>;

#[derive(Debug, Clone)]
pub(crate) struct JournalWriter {
    jobs: mpsc::Sender<JournalJob>,
    /// A halt is noted also while the log is locked by a process that does not go on.
    halts: mpsc::Sender<HaltJob>,
    listeners: Listeners,
    alarm: FailureAlarm,
    /// A wait timed out and the disk has not caught up since: closes and cancels do not wait.
    behind: Arc<AtomicBool>,
    /// The hang has been reported, and the disk has not caught up since.
    hangs: Arc<AtomicBool>,
    /// [`Journal::unread`]; zero before the journal is open.
    unread: Arc<AtomicI64>,
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
    /// `open` opens the journal in `dir` on the new thread; `taken` is called with the journal once it is open. The first
    /// failure goes out on `events`; each caller also gets its error.
    pub(crate) fn spawn(
        process: ProcessKind,
        dir: &Path,
        open: impl FnOnce() -> OpenResult + Send + 'static,
        taken: impl FnOnce(&Journal) + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let (jobs, inbox) = mpsc::channel::<JournalJob>();
        let (halts, halting) = mpsc::channel::<HaltJob>();
        let noted = Halts::of_journal(dir);
        let writer = Self {
            jobs,
            halts,
            listeners: Listeners::default(),
            alarm: FailureAlarm {
                events,
                raised: Arc::default(),
            },
            behind: Arc::default(),
            hangs: Arc::default(),
            unread: Arc::default(),
        };
        let unread = Arc::clone(&writer.unread);
        let caught_up = [Arc::clone(&writer.behind), Arc::clone(&writer.hangs)];
        let mut look = Look {
            process,
            halts: noted.clone(),
            halted: noted.bytes(),
            listeners: Arc::clone(&writer.listeners),
        };
        thread::spawn(move || halting.iter().for_each(|job| job(&noted)));
        thread::spawn(move || {
            let mut journal = open();
            if let Ok(journal) = &journal {
                taken(journal);
            }
            loop {
                match look.next(&inbox) {
                    Ok(job) => job(&mut journal),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                // The disk has caught up only when the queue is empty.
                for job in inbox.try_iter() {
                    job(&mut journal);
                }
                for flag in &caught_up {
                    flag.store(false, Ordering::Relaxed);
                }
                if let Ok(journal) = &mut journal {
                    look.at(journal);
                    unread.store(journal.unread().0, Ordering::Relaxed);
                }
            }
        });
        writer
    }

    /// What other processes have recorded or changed from now on. An empty message says that there is something to look
    /// at.
    pub(crate) fn news(&self) -> UnboundedReceiver<News> {
        let (listener, news) = unbounded_channel();
        locked(&self.listeners).push(listener);
        news
    }

    /// The lowest number that no row has, as far as this process has read.
    pub(crate) fn unread(&self) -> IntentId {
        IntentId(self.unread.load(Ordering::Relaxed))
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
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let alarm = self.alarm.clone();
        let answer = self.queue(move |journal| {
            let result = journal.and_then(job);
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
    pub(crate) async fn write_before_sending<T: Send + 'static>(
        &self,
        risk: Risk,
        patience: Duration,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match risk {
            Risk::Increasing => self.write_within(patience, job).await,
            Risk::Neutral | Risk::Reducing => self.write_soon(job).await,
        }
    }

    /// For closes and cancels: waits [`EXIT_JOURNAL_TIMEOUT`], and not at all while the disk is behind.
    pub(crate) async fn write_soon<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
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
        self.report_hang();
        answer.await.ok()
    }

    /// Stops closes and cancels from waiting until the disk has caught up, and reports the hang once.
    fn report_hang(&self) {
        self.behind.store(true, Ordering::Relaxed);
        if self.hangs.swap(true, Ordering::Relaxed) || self.is_down() {
            return;
        }
        let text = format!(
            "the journal does not answer: {HANG_CAUSES}; new orders wait for it, closes and cancels are still sent"
        );
        let msg = Msg::Notify(Tone::Warn, text);
        // Queue full: drop the message.
        let _full = self.alarm.events.try_send(msg);
    }

    /// Queues `job` at once and does not wait for its result.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        self.queue(move |journal| journal.and_then(job))
    }

    fn queue<T: Send + 'static>(
        &self,
        job: impl FnOnce(Result<&mut Journal, JournalError>) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: JournalJob = Box::new(move |journal| {
            // The caller may be gone; the job ran all the same.
            let _left = reply.send(job(journal.as_mut().map_err(|why| why.clone())));
        });
        // If the thread has ended, the job is dropped, and with it the reply.
        let _stopped = self.jobs.send(job);
        answer
    }

    /// The same for the halts, which need no log.
    pub(crate) fn ask_halts<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Halts) -> io::Result<T> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: HaltJob = Box::new(move |halts| {
            let done = job(halts).map_err(|why| halts.error(why));
            let _left = reply.send(done);
        });
        let _stopped = self.halts.send(job);
        answer
    }

    /// Deletes rows settled more than `days` ago, now and once a day, as long as the journal opens.
    pub(crate) async fn prune_daily(self, clock: Clock, days: u32) {
        let pruned = || {
            self.ask(move |journal| {
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

/// How the journal's thread of a desk learns what other processes do.
struct Look {
    process: ProcessKind,
    halts: Halts,
    /// The halts as they were seen last.
    halted: Vec<u8>,
    listeners: Listeners,
}

impl Look {
    /// The next job, or a timeout when it is time to look.
    fn next(&self, inbox: &mpsc::Receiver<JournalJob>) -> Result<JournalJob, RecvTimeoutError> {
        match self.process {
            ProcessKind::Desk => inbox.recv_timeout(LOOK_INTERVAL),
            ProcessKind::Verb => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn at(&mut self, journal: &mut Journal) {
        if self.process == ProcessKind::Verb {
            return;
        }
        let halted = self.halts.bytes();
        let are_halts_new = halted != self.halted;
        self.halted = halted;
        // If it fails, the next write says so.
        let reported = journal
            .has_news()
            .then(|| journal.reported().ok())
            .flatten();
        if are_halts_new || reported.is_some() {
            let news = News::from(reported.unwrap_or_default());
            locked(&self.listeners).retain(|listener| listener.send(Arc::clone(&news)).is_ok());
        }
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
            entry: None,
            replaces: None,
            deadline: at,
            replay_until: at,
        };
        let id = journal.record(at, &intent)?;
        journal.record_state(at, id, &StateUpdate::new(IntentState::Done, "so"))
    }

    fn desk(dir: &Path, events: Sender<Msg>) -> JournalWriter {
        let place = dir.to_owned();
        JournalWriter::spawn(
            ProcessKind::Desk,
            dir,
            move || Journal::open(&place),
            |_| (),
            events,
        )
    }

    #[tokio::test]
    async fn a_desk_that_is_busy_for_long_misses_no_row_of_another_process() {
        let dir = tempfile::tempdir().unwrap();
        let (events, _said) = tokio::sync::mpsc::channel(8);
        let writer = desk(dir.path(), events);
        let mut news = writer.news();
        count(&writer).await;
        let mut other = Journal::open(dir.path()).unwrap();
        for number in 0..40 {
            settled(&mut other, 0, number).unwrap();
            count(&writer).await;
        }
        drop(writer);
        let mut rows = vec![];
        while let Some(reported) = news.recv().await {
            rows.extend(reported.iter().map(|reported| reported.row.id.0));
        }
        assert_eq!(rows, (1..=40).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_desk_that_stays_open_forgets_every_day_and_all_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let (events, _said) = tokio::sync::mpsc::channel(8);
        let writer = desk(dir.path(), events);
        let fill = writer.ask(|journal| {
            settled(journal, 0, 0)?;
            (0..=200).try_for_each(|number| settled(journal, 100, number))
        });
        fill.await.unwrap().unwrap();
        let _tidies = tokio::spawn(writer.clone().prune_daily(Clock::Frozen(NOW), 90));
        only_the_newest_stays(&writer).await;
        let more = writer.ask(|journal| settled(journal, 91, 0));
        more.await.unwrap().unwrap();
        sleep(DAY).await;
        only_the_newest_stays(&writer).await;
    }

    async fn count(writer: &JournalWriter) -> usize {
        let count = writer.ask(|journal| Ok(journal.recent(999)?.len()));
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
