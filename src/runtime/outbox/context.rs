//! The state that all deliveries share: client, journal, queues, halts, open questions.

use super::{
    entry_gate::{EntryBlock, EntryGate, Epoch, InFlightGuard, closed_since, halted},
    resource_queues::{QueueTurn, ResourceQueues},
};
use crate::{
    api::Route,
    app::{Msg, activity::notice::Tone},
    client::{Client, RequestClass},
    journal::{
        ClaimCheck, Halts, IntentRow, IntentState, Journal, JournalError, Objection, ReportedRow,
        StateUpdate,
    },
    model::{
        AccountId, Command, Failure, FailureKind, READ_ONLY, Resource, Risk, Ticket, Timestamp,
    },
    runtime::{
        base::{clock::Clock, lock::locked, process::ProcessKind},
        journal::{
            earlier,
            journal_writer::{IntentRef, JournalWriter, News, log_in_background},
        },
    },
};
use std::{
    collections::HashMap,
    io, mem,
    pin::pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{mpsc::Sender, oneshot, watch},
    time::timeout,
};

/// How long a note that changes nothing about what was sent (a halt, an outcome) waits for the disk.
pub(super) const NOTE_TIMEOUT: Duration = Duration::from_secs(1);

/// A wait for recovery longer than this is reported.
const RECOVERY_NOTE_AFTER: Duration = Duration::from_secs(1);

const RATE_SPENT: &str = "orders_per_second is reached: nothing was sent";

/// The result of a write that is queued.
type PendingWrite = oneshot::Receiver<Result<(), JournalError>>;

/// What a person decides about a parked command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParkedDecision {
    /// Send the same request with the same key.
    Again,
    GiveUp,
}

#[derive(Debug, Clone)]
pub(crate) struct OutboxContext {
    /// For the reads that commands need; a command goes out under its own class.
    pub(crate) client: Client,
    pub(crate) clock: Clock,
    pub(crate) process: ProcessKind,
    pub(crate) writer: JournalWriter,
    pub(super) events: Sender<Msg>,
    /// Of a verb, which has no session that counts them; 0: no limit.
    pub(crate) orders_per_second: u32,
    shared: Arc<OutboxState>,
}

#[derive(Debug, Default)]
struct OutboxState {
    resource_queues: Mutex<ResourceQueues>,
    questions: Mutex<HashMap<Ticket, oneshot::Sender<ParkedDecision>>>,
    /// The newest command of each resource: an older one is not sent again.
    newest: Mutex<HashMap<Resource, Ticket>>,
    gate: Arc<EntryGate>,
    /// What the halts in the state directory said of this account last.
    noted: Mutex<Option<String>>,
    /// Whether recovery is over.
    ready: watch::Sender<bool>,
    /// How many commands recovery handles.
    left_open: AtomicUsize,
    /// Whether sending has stopped.
    stopped: watch::Sender<bool>,
}

/// Recovery is over when this is dropped.
#[derive(Debug)]
pub(crate) struct ReadyOnDrop(Arc<OutboxState>);

impl Drop for ReadyOnDrop {
    fn drop(&mut self) {
        self.0.ready.send_replace(true);
    }
}

impl OutboxContext {
    pub(crate) fn new(
        client: Client,
        (clock, process): (Clock, ProcessKind),
        writer: JournalWriter,
        events: Sender<Msg>,
    ) -> Self {
        Self {
            client: client.with_class(RequestClass::CommandRead),
            clock,
            process,
            writer,
            events,
            orders_per_second: 0,
            shared: Arc::default(),
        }
    }

    pub(crate) async fn say(&self, msg: Msg) {
        // The desk is shutting down: nobody receives it.
        let _closed = self.events.send(msg).await;
    }

    pub(crate) async fn note(&self, tone: Tone, text: impl Into<String>) {
        self.say(Msg::Notify(tone, text.into())).await;
    }

    /// Blocks new orders until the guard is dropped.
    pub(crate) fn block_entries(&self) -> EntryBlock {
        self.shared.gate.block_entries()
    }

    /// Counts a request of this risk that is about to be sent.
    pub(super) fn count_in_flight(&self, risk: Risk) -> Option<InFlightGuard> {
        self.shared.gate.count_in_flight(risk)
    }

    /// The epoch of a command given now.
    pub(crate) fn epoch(&self) -> Epoch {
        self.shared.gate.epoch(self.writer.unread())
    }

    /// The epoch of `command`; a close-all begins a new one, so that entries given before it are not sent.
    pub(crate) fn given(&self, command: &Command) -> Epoch {
        if let Command::CloseAll(_) = command {
            self.shared.gate.close();
        }
        self.epoch()
    }

    /// Joins the queue of the resource that `command` changes.
    pub(crate) fn join(&self, command: &Command) -> QueueTurn {
        locked(&self.shared.resource_queues).join(command)
    }

    /// Halts trading until a person resumes entries here or in a later desk.
    pub(crate) async fn halt(&self, why: impl Into<String>) {
        let why = why.into();
        self.shared.gate.halt(why.clone());
        let noted = self.note_halt(why.clone());
        self.say_halted(why).await;
        if let Some(why) = self.write_error(noted).await {
            let text = format!("{why}: a restarted desk would continue to trade");
            self.note(Tone::Alert, text).await;
        }
    }

    /// Notes a halt for other desks, and for the next one.
    pub(crate) fn note_halt(&self, why: String) -> PendingWrite {
        let (base_url, account) = self.address();
        self.change_halts(move |halts| halts.halt(&base_url, &account, &why))
    }

    /// Changes the noted halts, and remembers what they say of this account then.
    fn change_halts(
        &self,
        change: impl FnOnce(&Halts) -> io::Result<()> + Send + 'static,
    ) -> PendingWrite {
        let (base_url, account) = self.address();
        let shared = Arc::clone(&self.shared);
        self.writer.ask_halts(move |halts| {
            let changed = change(halts);
            *locked(&shared.noted) = halts.of(&base_url, &account);
            changed
        })
    }

    /// Takes in what another process has noted: a halt, or that a person has resumed entries.
    pub(crate) async fn apply_noted_halt(&self) {
        let (base_url, account) = self.address();
        let shared = Arc::clone(&self.shared);
        let look = self.writer.ask_halts(move |halts| {
            let noted = halts.of(&base_url, &account);
            let before = mem::replace(&mut *locked(&shared.noted), noted.clone());
            Ok((before != noted).then_some((before, noted)))
        });
        match look.await {
            Ok(Ok(Some((_, Some(why))))) => self.stay_halted(why).await,
            Ok(Ok(Some((before, None)))) => {
                if self.shared.gate.rearm(before.as_deref()) {
                    self.say(Msg::Halted(None)).await;
                }
            }
            Ok(Ok(None) | Err(_)) | Err(_) => {}
        }
    }

    /// Why an entry that was given then may not be sent any more, after what other processes have recorded since.
    /// Waits for the journal, since the check must come before the order.
    pub(super) async fn barred(
        &self,
        given: (Timestamp, Epoch),
        patience: Duration,
    ) -> Result<Option<Failure>, JournalError> {
        let ((base_url, account), now) = (self.address(), self.clock.now());
        let check = self.check(given);
        let look =
            move |journal: &mut Journal| journal.objection(now, (&base_url, &account), &check);
        let objection = self
            .writer
            .write_before_sending(Risk::Increasing, patience, look)
            .await?;
        Ok(match objection {
            Some(why) => Some(self.apply_objection(why).await),
            None => None,
        })
    }

    /// What the journal checks for a command that was given then, and that waits for nobody.
    pub(super) fn check(&self, (given_at, epoch): (Timestamp, Epoch)) -> ClaimCheck {
        let account = self.client.connection().account_id.clone();
        ClaimCheck {
            given_at,
            unread: epoch.unread,
            close_all: Route::CloseAll(account).target(),
            waits: false,
            orders_per_second: self.orders_per_second,
        }
    }

    /// What an objection of the journal means for the command, and for this desk.
    pub(super) async fn apply_objection(&self, objection: Objection) -> Failure {
        match objection {
            Objection::Halted(why) => {
                self.apply_noted_halt().await;
                halted(&why)
            }
            Objection::ClosedSince => closed_since(),
            Objection::RateSpent => Failure {
                retry_after: Some(Duration::from_secs(1)),
                ..Failure::new(FailureKind::Limited, RATE_SPENT)
            },
            Objection::Busy(command, process) => {
                let process = process.map_or_else(String::new, |number| format!(" ({number})"));
                let why =
                    format!("another perpdeck{process} is sending {command}; nothing was sent");
                Failure::new(FailureKind::Unavailable, why)
            }
        }
    }

    /// Whether a new entry of this or another process is unanswered.
    pub(crate) async fn has_entries_inflight(&self) -> bool {
        if !self.shared.gate.is_quiet() {
            return true;
        }
        let (base_url, account) = self.address();
        let look = move |journal: &mut Journal| journal.has_entry_inflight((&base_url, &account));
        // Without a journal only this process is known.
        self.writer.write_soon(look).await.unwrap_or(false)
    }

    /// Halts for a reason that is on disk already.
    pub(crate) async fn stay_halted(&self, why: String) {
        self.shared.gate.halt(why.clone());
        self.say_halted(why).await;
    }

    async fn say_halted(&self, why: String) {
        let cause = why.clone();
        log_in_background(move || tracing::warn!(why = %cause, "halted"));
        self.say(Msg::Halted(Some(why))).await;
    }

    /// Ends the halt that the person has seen; a newer one stays.
    pub(crate) async fn rearm(&self) {
        let seen = self.shared.gate.halted();
        let (base_url, account) = self.address();
        let noted = self.change_halts(move |halts| halts.rearm(&base_url, &account));
        drop(self.writer.ask(Journal::damage_is_seen));
        match self.write_error(noted).await {
            // The file still halts: no order would be sent.
            Some(why @ JournalError::Halt { .. }) if locked(&self.shared.noted).is_some() => {
                let text = format!("entries stay halted: {why}");
                return self.note(Tone::Alert, text).await;
            }
            Some(why) => {
                let text = format!("{why}: a restarted desk will still be halted");
                self.note(Tone::Warn, text).await;
            }
            None => {}
        }
        if self.shared.gate.rearm(seen.as_deref()) {
            self.say(Msg::Halted(None)).await;
        }
    }

    /// Says what other processes have done on this account.
    pub(crate) async fn note_reported(&self, reported: &News) {
        let (base_url, account) = self.address();
        let is_here = |row: &IntentRow| {
            (&row.intent.base_url, &row.intent.account_id) == (&base_url, &account)
        };
        let here = reported.iter().filter(|reported| is_here(&reported.row));
        let done = earlier::done(here.map(|reported| reported.row.clone()));
        if !done.rows.is_empty() {
            self.say(Msg::DoneElsewhere(done)).await;
        }
        for ReportedRow { row, process } in reported.iter() {
            if is_here(row) {
                let process = process.map_or_else(String::new, |number| format!(" ({number})"));
                let (command, detail) = (&row.intent.command, row.detail());
                let text = format!("another perpdeck{process}: {command}: {detail}");
                self.note(Tone::Plain, text).await;
            }
        }
    }

    fn address(&self) -> (String, AccountId) {
        let connection = self.client.connection();
        (connection.base_url.clone(), connection.account_id.clone())
    }

    /// Why the note is not on disk in time, if so.
    async fn write_error(&self, noted: PendingWrite) -> Option<JournalError> {
        match timeout(NOTE_TIMEOUT, noted).await {
            Ok(Ok(noted)) => noted.err(),
            Ok(Err(_)) => Some(JournalError::Stopped),
            Err(_) => Some(JournalError::Slow),
        }
    }

    pub(crate) fn ready_when_dropped(&self) -> ReadyOnDrop {
        ReadyOnDrop(Arc::clone(&self.shared))
    }

    /// Waits for recovery.
    pub(super) async fn ready(&self) {
        // The sender lives in this context.
        let mut ready = self.shared.ready.subscribe();
        let _over = ready.wait_for(|ready| *ready).await;
    }

    pub(crate) fn stop(&self) {
        self.shared.stopped.send_replace(true);
    }

    /// Why nothing is sent any more, if sending has stopped.
    pub(super) fn stopped(&self) -> Option<Failure> {
        let is_stopped = *self.shared.stopped.borrow();
        is_stopped.then(|| Failure::new(FailureKind::Unavailable, "interrupted"))
    }

    /// Runs `work`; `None` if sending stops first.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        // The sender lives in this context.
        let mut stopped = self.shared.stopped.subscribe();
        tokio::select! {
            biased;
            done = work => Some(done),
            _ = stopped.wait_for(|stopped| *stopped) => None,
        }
    }

    /// The outcome of a command that was stopped before anything was sent.
    pub(super) async fn withdraw(&self, intent: &IntentRef) -> Failure {
        let words = "interrupted; nothing was sent";
        let noted = self.record_unsent(intent, words);
        let words = match timeout(NOTE_TIMEOUT, noted).await {
            Ok(_) => words.to_owned(),
            Err(_) => {
                format!("{words}; the journal may still list it as open: it does not answer")
            }
        };
        Failure::new(FailureKind::Unavailable, words)
    }

    /// Marks the row, if there is one, as unsent.
    pub(super) fn record_unsent(&self, intent: &IntentRef, why: &'static str) -> PendingWrite {
        let (now, intent) = (self.clock.now(), Arc::clone(intent));
        self.writer.ask(move |journal| {
            // The job that makes the row was before this.
            let unsent = StateUpdate::new(IntentState::Unsent, why);
            match intent.get() {
                Some(id) => journal.record_state(now, *id, &unsent),
                None => Ok(()),
            }
        })
    }

    pub(crate) async fn is_written(&self) -> bool {
        let last = self.writer.ask(|_| Ok(()));
        timeout(NOTE_TIMEOUT, last).await.is_ok()
    }

    /// Sets how many commands recovery handles.
    pub(crate) fn set_left_open(&self, count: usize) {
        self.shared.left_open.store(count, Ordering::Relaxed);
    }

    /// Waits for recovery up to `patience`, and reports a wait longer than [`RECOVERY_NOTE_AFTER`].
    pub(super) async fn ready_within(&self, patience: Duration) -> Result<(), Failure> {
        let mut is_ready = pin!(self.ready());
        let moment = self
            .client
            .timeouts()
            .scaled(RECOVERY_NOTE_AFTER)
            .min(patience);
        if timeout(moment, &mut is_ready).await.is_ok() {
            return Ok(());
        }
        let count = self.shared.left_open.load(Ordering::Relaxed);
        let text = match count {
            0 => "first reading the commands that the last session left open".to_owned(),
            1 => "first finding out the outcome of 1 command of the last session".to_owned(),
            _ => format!("first finding out the outcome of {count} commands of the last session"),
        };
        self.note(Tone::Plain, text).await;
        let found = timeout(patience.saturating_sub(moment), is_ready).await;
        found.map_err(|_| {
            let why =
                "the outcomes of the last session's commands are not known yet; nothing was sent";
            Failure::new(FailureKind::Unavailable, why)
        })
    }

    /// Why `command` may not be sent now, if so.
    pub(crate) fn refusal(&self, command: &Command, given: Epoch) -> Option<Failure> {
        if self.client.is_read_only() {
            return Some(Failure::local(READ_ONLY));
        }
        self.shared.gate.refusal(command.risk(), given)
    }

    /// `ticket` is now the newest command for `resource`.
    pub(super) fn supersede(&self, resource: &Resource, ticket: Ticket) {
        if *resource != Resource::NewOrder {
            locked(&self.shared.newest).insert(resource.clone(), ticket);
        }
    }

    pub(super) fn is_newest(&self, resource: &Resource, ticket: Ticket) -> bool {
        let newest = locked(&self.shared.newest);
        newest.get(resource).is_none_or(|newest| *newest == ticket)
    }

    /// Opens a question about `ticket`.
    pub(super) fn ask(&self, ticket: Ticket) -> oneshot::Receiver<ParkedDecision> {
        let (answer, decided) = oneshot::channel();
        locked(&self.shared.questions).insert(ticket, answer);
        decided
    }

    pub(crate) fn decide(&self, ticket: Ticket, decision: ParkedDecision) {
        let question = locked(&self.shared.questions).remove(&ticket);
        // No question: it was settled in the meantime.
        let _settled = question.map(|question| question.send(decision));
    }
}
