//! The journal's own thread: a disk that is slow makes a command wait, never the desk, and an exit only
//! for a moment.

use super::journals::{FirstDesk, Job, Journals, Keeper, Opened};
use crate::{
    app::{Msg, activity::notice::Tone},
    journal::{Journal, JournalError, lock_holder},
    model::Risk,
    runtime::base::clock::Clock,
};
use std::{
    path::{Path, PathBuf},
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

/// How long an exit waits for the disk: its first byte is to leave within 250 ms of the key.
pub(crate) const MOMENT: Duration = Duration::from_millis(100);
/// After this the trader is told for what is waited: before the first of those who need not wait gives up.
const WHILE: Duration = Duration::from_millis(900);

#[derive(Debug, Clone)]
pub(crate) struct Scribe {
    jobs: mpsc::Sender<Job>,
    keeper: watch::Receiver<Keeper>,
    alarm: Alarm,
    /// Somebody has waited in vain, and the disk has not come back since: no exit waits.
    behind: Arc<AtomicBool>,
    /// That it hangs has been said, and it has not come back since.
    hangs: Arc<AtomicBool>,
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
        // Of all the journals there is none that is free: each command says so.
        if let JournalError::Held { .. } = why {
            return None;
        }
        if self.rung.swap(true, Ordering::Relaxed) {
            return None;
        }
        let text = format!("{why}. New orders are held back; closing and canceling still work");
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

/// How long apart somebody is looked at who has the journal and is no desk.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// So many looks later it is said.
const SOON: u32 = 20;

/// The journal in `dir`, unless another desk has it. Anybody else (a verb, a look) is done with it sooner or later, and
/// is waited for.
pub fn open(dir: &Path) -> Result<Journal, JournalError> {
    open_after(dir, |_| ())
}

/// The same; `waits` is told, once, of whom it waits for longer than a moment.
pub(crate) fn open_after(
    dir: &Path,
    waits: impl FnOnce(&JournalError),
) -> Result<Journal, JournalError> {
    let mut waits = Some(waits);
    let mut look = 0_u32;
    loop {
        look = look.saturating_add(1);
        let held = match Journal::open(dir) {
            Err(why @ JournalError::Held { .. }) => why,
            opened => return opened,
        };
        if lock_holder(dir).is_some_and(|holder| holder.listens) {
            return Err(held);
        }
        if look >= SOON
            && let Some(waits) = waits.take()
        {
            waits(&held);
        }
        // On a thread of its own.
        thread::park_timeout(LOOK_AGAIN);
    }
}

/// Rows that are forgotten at once: what is written meanwhile waits for them, and an exit has no more than its moment.
const BATCH: u32 = 200;
/// Between two batches everybody else has the disk.
const REST: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_hours(24);

/// Forgets a few of the rows that were settled more than `days` ago (zero keeps them all); whether there may be more. A
/// journal that is only looked at stays as it is; one that fails in this says so at the next write.
pub fn tidy(journal: &mut Journal, clock: Clock, days: u32) -> bool {
    if days == 0 || journal.failure().is_some() {
        return false;
    }
    match journal.prune(clock.now(), DAY.saturating_mul(days), BATCH) {
        Ok(0) => false,
        Ok(rows) => {
            tracing::info!(rows, days, "forgot what was settled long ago");
            rows == usize::try_from(BATCH).unwrap_or(usize::MAX)
        }
        Err(why) => {
            tracing::error!(%why, "the journal is down");
            false
        }
    }
}

/// Writes to the log without waiting for it: it may be on the very disk that is in trouble.
pub(crate) fn aside(log: impl FnOnce() + Send + 'static) {
    drop(tokio::task::spawn_blocking(log));
}

impl Scribe {
    /// `open` runs on the new thread; a journal that another desk has is taken when that one is gone. That it does not
    /// open, or later fails, is said once on `events`; each caller still gets the error.
    pub(crate) fn spawn(
        open: impl FnOnce() -> Opened + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        Self::attended(open, |_| (), events)
    }

    /// The same; `taken` is told of the journal once it is open.
    pub(crate) fn attended(
        open: impl FnOnce() -> Opened + Send + 'static,
        taken: impl FnOnce(&Journal) + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let (told, keeper) = watch::channel(Keeper::Unknown);
        let behind = Arc::new(AtomicBool::new(false));
        let hangs = Arc::new(AtomicBool::new(false));
        let caught_up = [Arc::clone(&behind), Arc::clone(&hangs)];
        thread::spawn(move || {
            let mut journals = Journals::of(open(), Box::new(taken));
            loop {
                tell(&told, &journals);
                journals.settle_in();
                match next(&inbox, &journals) {
                    Ok(job) => job(&mut journals),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                // One job of many done is not yet a disk that keeps up.
                for job in inbox.try_iter() {
                    job(&mut journals);
                }
                for flag in &caught_up {
                    flag.store(false, Ordering::Relaxed);
                }
                journals.look_again();
            }
        });
        Self {
            jobs,
            keeper,
            alarm: Alarm {
                events,
                rung: Arc::default(),
            },
            behind,
            hangs,
        }
    }

    /// Whose the journal is, and when that changes.
    pub(crate) fn keeper(&self) -> watch::Receiver<Keeper> {
        self.keeper.clone()
    }

    /// The desk that has the journal, if this one is the second.
    pub(crate) fn first_desk(&self) -> Option<FirstDesk> {
        match &*self.keeper.borrow() {
            Keeper::Another(first) => Some(first.clone()),
            Keeper::Unknown | Keeper::ThisDesk => None,
        }
    }

    /// Whether the journal has failed anybody: nothing that raises exposure may be sent any more.
    pub(crate) fn is_down(&self) -> bool {
        self.alarm.rung.load(Ordering::Relaxed)
    }

    /// Runs `job` on the journal's thread, after all jobs before it, and waits for its result: no longer than
    /// `patience`, after which it is [`JournalError::Slow`], and the job is still done when the disk gets to it.
    async fn write_within<T: Send + 'static>(
        &self,
        patience: Duration,
        job: impl FnOnce(&mut Journals) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let alarm = self.alarm.clone();
        let answer = self.queue(move |journals| {
            let result = job(journals);
            alarm.hear(&result);
            result
        });
        match timeout(patience, self.heard(answer)).await {
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

    /// Waits for `job` as long as `patience` where it raises exposure, and as [`Self::write_soon`] where it must not wait.
    pub(crate) async fn carry<T: Send + 'static>(
        &self,
        risk: Risk,
        patience: Duration,
        job: impl FnOnce(&mut Journals) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        match risk {
            Risk::Increasing => self.write_within(patience, job).await,
            Risk::Neutral | Risk::Reducing => self.write_soon(job).await,
        }
    }

    /// For what must not wait: a moment, and not at all where others have waited in vain.
    pub(crate) async fn write_soon<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journals) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let is_behind = self.behind.load(Ordering::Relaxed);
        let patience = if is_behind { Duration::ZERO } else { MOMENT };
        self.write_within(patience, job).await
    }

    /// What `answer` is, however long that takes; of a disk that takes long it is said. `None` when the journal's thread
    /// is gone.
    pub(crate) async fn heard<T>(&self, mut answer: oneshot::Receiver<T>) -> Option<T> {
        if let Ok(answer) = timeout(WHILE, &mut answer).await {
            return answer.ok();
        }
        // Another desk is waited for, not the disk.
        if self.first_desk().is_none() {
            self.say_it_hangs();
        }
        answer.await.ok()
    }

    /// Nobody waits for the disk any more who need not, until it has caught up; who does is told for what, once.
    fn say_it_hangs(&self) {
        self.behind.store(true, Ordering::Relaxed);
        if self.hangs.swap(true, Ordering::Relaxed) || self.is_down() {
            return;
        }
        let text = "the disk of the journal does not answer: new orders wait for it, what closes or cancels goes out \
                    ahead of it";
        let msg = Msg::Said(Tone::Warn, text.to_owned());
        // Whoever has so much to read already is not kept waiting for this.
        let _full = self.alarm.events.try_send(msg);
    }

    /// Puts `job` at the end of the queue at once; its result comes when it comes.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journals) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        self.queue(job)
    }

    /// The same on the desk's own journal alone: where another desk has that, before anything else when it is gone.
    pub(crate) fn ask_own<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |journals| {
            let _left = reply.send(journals.own().and_then(job));
        });
        let _stopped = self.jobs.send(Box::new(|journals| journals.when_own(job)));
        answer
    }

    /// What the journal says as it stands now, whoever has it.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, JournalError>> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |journals| {
            journals.read(move |journal| {
                let _left = reply.send(journal.and_then(read));
            });
        });
        let _stopped = self.jobs.send(job);
        answer
    }

    fn queue<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Journals) -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |journals| {
            // Whoever asked has left; the work is done all the same.
            let _left = reply.send(job(journals));
        });
        // A thread that is gone drops the job, and with it the reply.
        let _stopped = self.jobs.send(job);
        answer
    }

    /// Looks at every row of the journal in `dir` once, beside the desk: of a large one opening looks at the newest only.
    pub(crate) async fn checks(self, dir: PathBuf) {
        let mut keeper = self.keeper();
        let is_own = |keeper: &Keeper| *keeper == Keeper::ThisDesk;
        if keeper.wait_for(is_own).await.is_err() {
            return;
        }
        let (found, answer) = oneshot::channel();
        thread::spawn(move || {
            let journal = Journal::check(&dir);
            let said = journal
                .ok()
                .and_then(|journal| journal.damage().map(str::to_owned));
            let _left = found.send(said);
        });
        let Ok(Some(said)) = answer.await else {
            return;
        };
        let alarm = self.alarm.clone();
        drop(self.ask(move |journals| {
            let heeded = journals.own().and_then(|own| own.stop_for_damage(&said));
            alarm.hear(&heeded);
            heeded
        }));
    }

    /// Has the journal forget what was settled more than `days` ago: now, and once a day for as long as the desk is open.
    pub(crate) async fn tidies(self, clock: Clock, days: u32) {
        while self.is_tidied(clock, days).await {
            sleep(DAY).await;
        }
    }

    /// Ends when nothing more is to be forgotten today; `false` where the journal does not open.
    async fn is_tidied(&self, clock: Clock, days: u32) -> bool {
        loop {
            let more = self.ask_own(move |journal| Ok(tidy(journal, clock, days)));
            match more.await {
                Ok(Ok(true)) => sleep(REST).await,
                Ok(Ok(false)) => return true,
                Ok(Err(_)) | Err(_) => return false,
            }
        }
    }

    pub(crate) async fn tell(&self, why: &JournalError) {
        let Some(msg) = self.alarm.ring(why) else {
            return;
        };
        let cause = why.clone();
        aside(move || tracing::error!(why = %cause, "the journal is down"));
        // The desk is leaving: nobody is there to be told.
        let _closed = self.alarm.events.send(msg).await;
    }
}

/// Whose the journal is, where that is news.
fn tell(told: &watch::Sender<Keeper>, journals: &Journals) {
    let now = journals.keeper();
    told.send_if_modified(|keeper| {
        let is_news = *keeper != now;
        *keeper = now;
        is_news
    });
}

/// What is to be done next; a timeout where it is time to look after the journal.
fn next(inbox: &mpsc::Receiver<Job>, journals: &Journals) -> Result<Job, RecvTimeoutError> {
    match journals.rest() {
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

    #[tokio::test(start_paused = true)]
    async fn a_desk_that_stays_open_forgets_every_day_and_all_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().to_owned();
        let (events, _said) = tokio::sync::mpsc::channel(8);
        let scribe = Scribe::spawn(move || open(&place), events);
        let fill = scribe.ask_own(|journal| {
            settled(journal, 0, 0)?;
            (0..=BATCH).try_for_each(|number| settled(journal, 100, number))
        });
        fill.await.unwrap().unwrap();
        let _tidies = tokio::spawn(scribe.clone().tidies(Clock::Frozen(NOW), 90));
        only_the_newest_stays(&scribe).await;
        let more = scribe.ask_own(|journal| settled(journal, 91, 0));
        more.await.unwrap().unwrap();
        sleep(DAY).await;
        only_the_newest_stays(&scribe).await;
    }

    /// Issue 14, item 3.
    #[tokio::test]
    async fn what_a_check_beside_an_open_desk_finds_is_said_and_holds_back_new_orders() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().to_owned();
        let (events, mut said) = tokio::sync::mpsc::channel(8);
        let scribe = Scribe::spawn(move || open(&place), events);
        let fill = scribe.ask_own(|journal| settled(journal, 0, 0));
        fill.await.unwrap().unwrap();
        std::fs::remove_file(dir.path().join("journal.ring")).unwrap();
        scribe.clone().checks(dir.path().to_owned()).await;
        let Some(Msg::Said(Tone::Alert, text)) = said.recv().await else {
            panic!("nothing is said");
        };
        assert!(text.contains("journal.ring is missing"), "{text}");
        assert!(text.contains("New orders are held back"), "{text}");
        assert!(scribe.is_down());
        let next = scribe.ask_own(|journal| settled(journal, 0, 1));
        assert!(next.await.unwrap().is_err());
    }

    async fn count(scribe: &Scribe) -> usize {
        let count = scribe.ask_own(|journal| Ok(journal.recent(999)?.len()));
        count.await.unwrap().unwrap()
    }

    async fn only_the_newest_stays(scribe: &Scribe) {
        // Far fewer rests than in a day.
        for _ in 0..100 {
            if count(scribe).await == 1 {
                return;
            }
            sleep(REST).await;
        }
        panic!("{} rows", count(scribe).await);
    }
}
