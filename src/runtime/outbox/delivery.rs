//! The delivery of one command: attempts and reads until the retry policy settles it.

use super::{
    OutboxContext,
    attempt_history::{AttemptHistory, SendState},
    context::NOTE_TIMEOUT,
    entry_gate::Epoch,
    record::RecordedRequest,
};
use crate::{
    api::Request,
    app::{Msg, activity::notice::Tone},
    client::{
        Attempt, Mutation, ReconcileOutcome, RequestClass,
        policy::{Interim, NextStep, RetryState},
    },
    journal::{IntentId, IntentRow, Journal, JournalError, ReplayWindow, StateUpdate},
    model::{
        CloseAll, Command, Failure, FailureKind, KeyScope, Progress, READ_ONLY_KEY, Receipt, Risk,
        SlicedOperation, Ticket, Timestamp,
    },
    runtime::{
        base::{jitter::Jitter, lock::locked},
        journal::journal_writer::known_ref,
    },
};
use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{
    sync::mpsc::UnboundedSender,
    time::{Instant, sleep},
};

/// Who receives the progress of a delivery.
#[derive(Debug, Clone)]
pub(crate) enum ProgressSink {
    /// The desk, under this ticket.
    Ticket(Ticket),
    /// The flatten it is a part of.
    Flatten(UnboundedSender<CloseAll>),
}

/// Whether a command belongs to this service, account and API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ownership {
    Own,
    /// It belongs to another: shown, never sent.
    Foreign,
}

impl Ownership {
    /// The message for a command that an earlier session left open.
    fn words(self) -> &'static str {
        match self {
            Self::Own => "it was under way when the desk stopped, and may have taken effect",
            Self::Foreign => {
                "it was sent to another service, for another account or with another key, and may have taken effect \
                 there; from here it is never sent"
            }
        }
    }
}

/// One command with the bytes that every attempt sends.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(super) context: OutboxContext,
    pub(super) sink: ProgressSink,
    pub(super) command: Command,
    pub(super) recorded: RecordedRequest,
    /// When it was first sent.
    pub(super) since: Timestamp,
    history: Mutex<AttemptHistory>,
    pub(super) mutation: Mutation,
    pub(super) ownership: Ownership,
}

impl Delivery {
    pub(super) fn new(
        context: OutboxContext,
        sink: ProgressSink,
        command: Command,
        recorded: RecordedRequest,
        since: Timestamp,
    ) -> Self {
        let before = recorded.before.as_ref();
        let send_state = match before {
            Some(before) if before.maybe_executed => SendState::MaybeSent,
            Some(_) | None => SendState::Released,
        };
        Self {
            mutation: command.facts().mutation,
            context,
            sink,
            command,
            recorded,
            since,
            history: Mutex::new(AttemptHistory::new(send_state, since)),
            ownership: Ownership::Own,
        }
    }

    /// A command of an earlier session: it may have left already, unless the journal knows better.
    pub(crate) fn resumed(
        context: OutboxContext,
        sink: ProgressSink,
        command: Command,
        request: Request,
        (entry, ownership): (&IntentRow, Ownership),
    ) -> Self {
        let recorded = RecordedRequest {
            request,
            intent: known_ref(entry.id),
            before: Some(Box::new(entry.clone())),
        };
        let send_state = if entry.maybe_executed {
            SendState::MaybeSent
        } else {
            SendState::Prepared
        };
        Self {
            ownership,
            history: Mutex::new(AttemptHistory::new(send_state, entry.created_at)),
            ..Self::new(context, sink, command, recorded, entry.created_at)
        }
    }

    /// The same as a part of a flatten, which receives the progress.
    pub(crate) fn part_of(self, flatten: UnboundedSender<CloseAll>) -> Self {
        Self {
            sink: ProgressSink::Flatten(flatten),
            ..self
        }
    }

    /// Notes the decision that the following attempts carry out.
    pub(super) fn begin(&self, at: Timestamp, epoch: Epoch) {
        self.history().begin(at, epoch);
    }

    pub(crate) fn context(&self) -> &OutboxContext {
        &self.context
    }

    pub(crate) fn command(&self) -> &Command {
        &self.command
    }

    /// Sends it until it settles. An unknown outcome is [`FailureKind::Unknown`].
    pub(super) async fn pursue(self: &Arc<Self>, tries: RetryState) -> Result<Receipt, Failure> {
        let mut jitter = Jitter::seeded(uuid::Uuid::new_v4().as_u64_pair().0);
        let (trying, looking, telling) = (self, self, self);
        pursue(
            tries,
            move || jitter.per_mille(),
            move |number| Arc::clone(trying).attempt(number),
            move || Arc::clone(looking).reconcile(),
            move |meanwhile, after| Arc::clone(telling).tell(meanwhile, after),
        )
        .await
    }

    async fn attempt(self: Arc<Self>, number: u32) -> Attempt {
        // Counted before the checks: a block on entries waits for requests that have passed them.
        let _in_flight = self.context.count_in_flight(self.command.risk());
        if let Some(why) = self.attempt_objection(number).await {
            return Attempt::NotSent(why);
        }
        self.progress(Progress::Sending { attempt: number }).await;
        self.history().leave();
        let client = self.context.client.for_class(self.class());
        let attempt = client.send(&self.recorded.request, self.mutation).await;
        self.write_down(&attempt).await;
        attempt
    }

    /// Why nothing may be sent now, if so (docs/delivery.md 3.1).
    async fn attempt_objection(&self, number: u32) -> Option<Failure> {
        if let Some(why) = self.refusal().or_else(|| self.too_late()) {
            return Some(why);
        }
        let exit = self.class() == RequestClass::Exit;
        let is_tried = exit && number == 1;
        if self.context.client.key_scope() == KeyScope::ReadOnly && !is_tried {
            return Some(Failure::local(READ_ONLY_KEY));
        }
        if self.context.client.key_refused() && !is_tried {
            return Some(Failure::new(
                FailureKind::Auth,
                "the service refuses the key: only exits are sent until it accepts a key (r retries)",
            ));
        }
        if !exit && self.context.writer.is_down() {
            return Some(Failure::local(
                "the journal is down: new orders are refused",
            ));
        }
        if let Some(why) = self.short_budget().or_else(|| self.history().early()) {
            return Some(why);
        }
        if !exit && number > 1 && !self.context.client.spend_retry() {
            return Some(Failure::new(
                FailureKind::Limited,
                "too many failed retries: new orders are not retried until the service accepts a request",
            ));
        }
        // Last, since they may wait for the disk.
        let mut unwritten = self.relaunch().await;
        if !exit && unwritten.is_none() {
            let patience = self.context.patience(self.command.risk());
            let given = self.history().given();
            let barred = self.context.barred(given, patience).await;
            unwritten = barred.unwrap_or_else(|why| Some(Failure::from(&why)));
        }
        let why = unwritten.or_else(|| self.refusal().or_else(|| self.too_late()));
        why.or_else(|| self.context.stopped())
    }

    /// Why the desk holds it back, if so.
    fn refusal(&self) -> Option<Failure> {
        let (_, epoch) = self.history().given();
        self.context.refusal(&self.command, epoch)
    }

    fn too_late(&self) -> Option<Failure> {
        let (now, window) = (self.context.clock.now(), self.window());
        let patience = self.context.patience(self.command.risk());
        self.history()
            .too_late(&self.command, now, patience, window)
    }

    /// Whether a byte of it may have left, in this session or an earlier one.
    pub(super) fn has_left(&self) -> bool {
        self.history().has_left()
    }

    /// What is known of it before this session acts.
    pub(super) fn inherited(&self) -> Failure {
        if self.has_left() {
            return Failure::new(FailureKind::Unknown, self.ownership.words());
        }
        let words = "the desk stopped before it sent any of it: it had no effect";
        Failure::local(words)
    }

    /// While the same request may be sent again.
    pub(super) fn window(&self) -> ReplayWindow {
        match self.ownership {
            Ownership::Foreign => ReplayWindow::closed(self.since),
            Ownership::Own => self.history().window(),
        }
    }

    /// The service requests a pause, or the learned request budget is spent.
    fn short_budget(&self) -> Option<Failure> {
        let client = self.context.client.for_class(self.class());
        let (pause, wait) = (client.pause_left(), client.wait());
        let why = if !pause.is_zero() {
            "the service asks for a pause"
        } else if !wait.is_zero() {
            "the request budget is spent"
        } else {
            return None;
        };
        Some(Failure {
            retry_after: Some(wait),
            ..Failure::new(
                FailureKind::Limited,
                format!("{why}, {} s", wait.as_secs() + 1),
            )
        })
    }

    fn history(&self) -> MutexGuard<'_, AttemptHistory> {
        locked(&self.history)
    }

    fn class(&self) -> RequestClass {
        self.command.risk().into()
    }

    /// The journal says `prepared`: it must say `inflight` before anything is sent.
    async fn relaunch(&self) -> Option<Failure> {
        if !self.history().is_held() {
            return None;
        }
        let (context, risk) = (&self.context, self.command.risk());
        let patience = context.patience(risk);
        // What reduces risk is `inflight` all the time, so that others wait for it.
        let waits = risk == Risk::Increasing && !self.command.facts().only_ends;
        let mark = move |journal: &mut Journal, id| {
            if waits {
                journal.relaunch(id)
            } else {
                journal.mark_inflight(id).map(|()| None)
            }
        };
        match self.write(patience, mark).await {
            Ok(None) => {}
            Ok(Some(busy)) => return Some(context.apply_objection(busy).await),
            Err(why) if risk == Risk::Increasing => return Some(Failure::from(&why)),
            Err(_) => {
                let how = "sent before the journal recorded it";
                let request = &self.recorded.request;
                context.without_journal(&self.command, request, how).await;
            }
        }
        self.history().launch();
        None
    }

    async fn write_down(&self, attempt: &Attempt) {
        let (now, why) = (self.context.clock.now(), attempt.trouble().cloned());
        let hold = {
            let mut history = self.history();
            history.tried(attempt, now);
            // Not for closes and cancels: they would not wait for `inflight` before the next attempt.
            history.is_held() && self.command.risk() == Risk::Increasing
        };
        let note = move |journal: &mut Journal, id| {
            journal.attempt(now, id, why.as_ref())?;
            if hold {
                journal.mark_prepared(id)
            } else {
                Ok(())
            }
        };
        let _noted = self.write(NOTE_TIMEOUT, note).await;
    }

    async fn reconcile(self: Arc<Self>) -> Result<ReconcileOutcome, Failure> {
        let key = self.recorded.request.key.as_ref();
        let client = &self.context.client;
        client.reconcile(&self.command, key, self.since).await
    }

    async fn tell(self: Arc<Self>, meanwhile: Interim, after: Duration) {
        if let Interim::Stalled(operation) = &meanwhile
            && self.history().stall()
        {
            let (done, total) = (operation.done_count(), operation.total_count());
            let text = format!("{} is stalled at {done} of {total}", self.command);
            self.context.note(Tone::Alert, text).await;
        }
        if let (
            ProgressSink::Flatten(operations),
            Interim::Running(SlicedOperation::CloseAll(operation)),
        ) = (&self.sink, &meanwhile)
        {
            // The flatten has ended: nobody receives it.
            let _over = operations.send(operation.clone());
        }
        let retry_at = self.context.clock.now().plus(after);
        self.progress(meanwhile.progress(retry_at)).await;
    }

    pub(super) async fn progress(&self, progress: Progress) {
        if let ProgressSink::Ticket(ticket) = self.sink {
            self.context.say(Msg::Progress(ticket, progress)).await;
        }
    }

    /// Writes the state of the command to the journal. A failure changes nothing about what was sent; the journal writer
    /// reports it.
    pub(super) async fn settle(&self, update: StateUpdate) {
        let now = self.context.clock.now();
        let tell = move |journal: &mut Journal, id| journal.record_state(now, id, &update);
        let _told = self.write(NOTE_TIMEOUT, tell).await;
    }

    /// Waits up to `patience` if the risk is increasing; a slow journal still writes it later.
    async fn write<T: Default + Send + 'static>(
        &self,
        patience: Duration,
        write: impl FnOnce(&mut Journal, IntentId) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (writer, intent_ref) = (&self.context.writer, Arc::clone(&self.recorded.intent));
        let job = move |journal: &mut Journal| match intent_ref.get() {
            Some(id) => write(journal, *id),
            None => Ok(T::default()),
        };
        writer
            .write_before_sending(self.command.risk(), patience, job)
            .await
    }
}

/// Attempts, reads and waits until the retry policy settles the command.
pub(super) async fn pursue<A, L, T>(
    mut tries: RetryState,
    mut draw: impl FnMut() -> u32,
    mut attempt: impl FnMut(u32) -> A,
    mut reconcile: impl FnMut() -> L,
    mut tell: impl FnMut(Interim, Duration) -> T,
) -> Result<Receipt, Failure>
where
    A: Future<Output = Attempt>,
    L: Future<Output = Result<ReconcileOutcome, Failure>>,
    T: Future<Output = ()>,
{
    let start = Instant::now();
    let mut number = 1;
    let mut verdict = tries.after_attempt(attempt(number).await, start.elapsed(), draw());
    loop {
        verdict = match verdict {
            NextStep::Settle(result) => return result,
            NextStep::Retry { after, meanwhile } => {
                tell(meanwhile, after).await;
                sleep(after).await;
                number += 1;
                tries.after_attempt(attempt(number).await, start.elapsed(), draw())
            }
            NextStep::Reconcile { after, meanwhile } => {
                tell(meanwhile, after).await;
                sleep(after).await;
                tries.after_read(reconcile().await, start.elapsed(), draw())
            }
        };
    }
}
