//! One command's journey over the wire, until the policy calls it over.

use super::{
    Desk,
    desk::NOTING,
    gate::Wave,
    past::{Past, Trail},
    record::{Before, Recorded},
};
use crate::{
    api::Request,
    app::{Msg, activity::notice::Tone},
    client::{
        Attempt, Evidence, Mutation, ReconcileOutcome, RequestClass,
        policy::{Interim, NextStep, RetryState},
    },
    journal::{IntentId, IntentRow, Journal, JournalError, ReplayWindow, StateUpdate},
    model::{CloseAll, Command, Failure, FailureKind, Progress, Receipt, Risk, Ticket, Timestamp},
    runtime::{
        base::{jitter::Jitter, lock::locked},
        journal::journals::{Journals, Row, slot_of},
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

/// Who hears how an errand goes.
#[derive(Debug, Clone)]
pub(crate) enum Teller {
    /// The desk, under this number.
    Ticket(Ticket),
    /// The flatten it is a part of.
    Flatten(UnboundedSender<CloseAll>),
}

/// Whose an errand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    Here,
    /// Another service's, account's or key's: shown, never sent.
    Elsewhere,
}

impl Home {
    /// What is said of a command that an earlier session left open.
    fn doubt(self) -> &'static str {
        match self {
            Self::Here => "it was under way when the desk stopped, and may have taken effect",
            Self::Elsewhere => {
                "it was sent to another service, for another account or with another key, and may have taken effect \
                 there; from here it is never sent"
            }
        }
    }
}

/// One command on its way, with the bytes that every attempt carries.
#[derive(Debug)]
pub(crate) struct Errand {
    pub(super) desk: Desk,
    pub(super) teller: Teller,
    pub(super) command: Command,
    pub(super) recorded: Recorded,
    /// Its first sending.
    pub(super) since: Timestamp,
    past: Mutex<Past>,
    mutation: Mutation,
    pub(super) home: Home,
}

impl Errand {
    pub(super) fn new(
        desk: Desk,
        teller: Teller,
        command: Command,
        recorded: Recorded,
        since: Timestamp,
    ) -> Self {
        let before = recorded.before.as_ref();
        let trail = match before {
            Some(before) if before.may_have_acted => Trail::Left,
            Some(_) | None => Trail::Launched,
        };
        Self {
            mutation: command.facts().mutation,
            desk,
            teller,
            command,
            recorded,
            since,
            past: Mutex::new(Past::new(trail, since)),
            home: Home::Here,
        }
    }

    /// A command of an earlier session: it may have left already, unless the journal knows better.
    pub(crate) fn resumed(
        desk: Desk,
        teller: Teller,
        command: Command,
        request: Request,
        (entry, home): (&IntentRow, Home),
    ) -> Self {
        let recorded = Recorded {
            request,
            intent: slot_of(Row::own(entry.id)),
            before: Some(Before::of(entry)),
        };
        let trail = if entry.maybe_executed {
            Trail::Left
        } else {
            Trail::Held
        };
        Self {
            home,
            past: Mutex::new(Past::new(trail, entry.created_at)),
            ..Self::new(desk, teller, command, recorded, entry.created_at)
        }
    }

    /// The same as a part of the flatten that hears of it there.
    pub(crate) fn part_of(self, flatten: UnboundedSender<CloseAll>) -> Self {
        Self {
            teller: Teller::Flatten(flatten),
            ..self
        }
    }

    /// Somebody has decided on what is sent from here on.
    pub(super) fn begin(&self, at: Timestamp, wave: Wave) {
        self.past().begin(at, wave);
    }

    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    pub(crate) fn command(&self) -> &Command {
        &self.command
    }

    /// Sends it until it is settled. An end in doubt is [`FailureKind::Unknown`].
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
        // Before it is asked whether anything hinders: who latches the desk waits for what is past that.
        let _entering = self.desk.enter(self.command.risk());
        if let Some(why) = self.hindrance(number).await {
            return Attempt::NotSent(why);
        }
        self.progress(Progress::Sending { attempt: number }).await;
        self.past().leave();
        let attempt = self
            .desk
            .client
            .send(&self.recorded.request, self.mutation)
            .await;
        self.write_down(&attempt).await;
        attempt
    }

    /// Why nothing may be sent at this moment, if so.
    async fn hindrance(&self, number: u32) -> Option<Failure> {
        if let Some(why) = self.refusal().or_else(|| self.too_late()) {
            return Some(why);
        }
        let exit = self.class() == RequestClass::Exit;
        if self.desk.client.key_refused() && !(exit && number == 1) {
            return Some(Failure::new(
                FailureKind::Auth,
                "the service refuses the key; nothing is sent before it takes it again (r asks)",
            ));
        }
        if !exit && self.desk.scribe.is_down() {
            return Some(Failure::local(
                "the journal is down: nothing that raises exposure is sent",
            ));
        }
        if let Some(why) = self.short_budget().or_else(|| self.past().early()) {
            return Some(why);
        }
        if !exit && number > 1 && !self.desk.client.spend_retry() {
            return Some(Failure::new(
                FailureKind::Limited,
                "too many retries in vain: nothing that raises exposure is retried before something is taken again",
            ));
        }
        // Last, for they may wait for the disk.
        let mut unwritten = self.relaunch().await;
        if !exit && unwritten.is_none() {
            let patience = self.desk.patience(self.command.risk());
            let heeded = self.desk.heeds_halt_beside(patience).await;
            unwritten = heeded.err().map(|why| Failure::from(&why));
        }
        let why = unwritten.or_else(|| self.refusal().or_else(|| self.too_late()));
        why.or_else(|| self.desk.stopped())
    }

    /// Why the desk holds it back, if so.
    fn refusal(&self) -> Option<Failure> {
        let given = self.past().given();
        self.desk.refusal(&self.command, given)
    }

    fn too_late(&self) -> Option<Failure> {
        let (now, window) = (self.desk.clock.now(), self.window());
        let patience = self.desk.patience(self.command.risk());
        self.past().too_late(&self.command, now, patience, window)
    }

    /// Whether a byte of it may have left, in this session or an earlier one.
    pub(super) fn has_left(&self) -> bool {
        self.past().has_left()
    }

    /// What is known of it before this session does anything about it.
    pub(super) fn inherited(&self) -> Failure {
        if self.has_left() {
            return Failure::new(FailureKind::Unknown, self.home.doubt());
        }
        let words = "the desk stopped before any of it left this machine: it surely had no effect";
        Failure::local(words)
    }

    /// While the same request may be sent again.
    pub(super) fn window(&self) -> ReplayWindow {
        match self.home {
            Home::Elsewhere => ReplayWindow::closed(self.since),
            Home::Here => self.past().window(),
        }
    }

    /// The service wants silence, or what it is known to take in a minute is spent.
    fn short_budget(&self) -> Option<Failure> {
        let client = &self.desk.client;
        let (pause, wait) = (client.pause_left(), client.wait(self.class()));
        let why = if !pause.is_zero() {
            "the service asks for silence"
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

    fn past(&self) -> MutexGuard<'_, Past> {
        locked(&self.past)
    }

    fn class(&self) -> RequestClass {
        match self.command.risk() {
            Risk::Increasing => RequestClass::Entry,
            Risk::Neutral | Risk::Reducing => RequestClass::Exit,
        }
    }

    /// The journal said that nothing had left: it must know better before something does.
    async fn relaunch(&self) -> Option<Failure> {
        if !self.past().is_held() {
            return None;
        }
        let patience = self.desk.patience(self.command.risk());
        if let Err(why) = self.write(patience, Journal::mark_inflight).await {
            if self.command.risk() == Risk::Increasing {
                return Some(Failure::from(&why));
            }
            let (desk, request) = (&self.desk, &self.recorded.request);
            desk.without_journal(&self.command, request, "sent ahead of the journal")
                .await;
        }
        self.past().launch();
        None
    }

    async fn write_down(&self, attempt: &Attempt) {
        let (now, why) = (self.desk.clock.now(), attempt.trouble().cloned());
        let hold = {
            let mut past = self.past();
            past.tried(attempt, now);
            // A way out would not wait for the disk to know better, which then says of what has left that it has not.
            past.is_held() && self.command.risk() == Risk::Increasing
        };
        let note = move |journal: &mut Journal, id| {
            journal.attempt(now, id, why.as_ref())?;
            if hold {
                journal.mark_unsent(id)
            } else {
                Ok(())
            }
        };
        let _noted = self.write(NOTING, note).await;
    }

    async fn reconcile(self: Arc<Self>) -> Result<ReconcileOutcome, Failure> {
        let linked = self.desk.linked_orders(self.command.risk()).await;
        let evidence = Evidence {
            since: self.since,
            linked: linked.as_deref(),
        };
        let outcome = self.desk.client.reconcile(&self.command, evidence).await?;
        let proof = match &outcome {
            ReconcileOutcome::Done(Receipt::Order { order, .. }) => Some(&order.id),
            ReconcileOutcome::Done(_)
            | ReconcileOutcome::NotDone
            | ReconcileOutcome::Ended(_)
            | ReconcileOutcome::Inconclusive => None,
        };
        // What only changes an order has no key, and finds the order that another command made.
        let made = proof.zip(self.recorded.request.key.as_ref());
        // Another command of the same shape, in doubt like this one, was first to find it.
        let is_taken = made.is_some_and(|(id, key)| !self.desk.claim(id, key));
        Ok(if is_taken {
            ReconcileOutcome::Inconclusive
        } else {
            outcome
        })
    }

    async fn tell(self: Arc<Self>, meanwhile: Interim, after: Duration) {
        if let Interim::Stalled(operation) = &meanwhile
            && self.past().stall()
        {
            let (done, total) = (operation.done_count(), operation.total_count);
            let text = format!("{} stands still at {done} of {total}", self.command);
            self.desk.note(Tone::Alert, text).await;
        }
        if let (Teller::Flatten(operations), Interim::Running(operation)) =
            (&self.teller, &meanwhile)
        {
            // The flatten has ended: nobody is there to hear.
            let _over = operations.send(operation.clone());
        }
        let retry_at = self.desk.clock.now().plus(after);
        self.progress(meanwhile.progress(retry_at)).await;
    }

    pub(super) async fn progress(&self, progress: Progress) {
        if let Teller::Ticket(ticket) = self.teller {
            self.desk.say(Msg::Progress(ticket, progress)).await;
        }
    }

    /// Where the command stands, in the journal. A note that fails changes nothing about what was sent;
    /// the scribe tells the trader.
    pub(super) async fn settle(&self, update: StateUpdate) {
        let now = self.desk.clock.now();
        let tell = move |journal: &mut Journal, id| journal.record_state(now, id, &update);
        let _told = self.write(NOTING, tell).await;
    }

    /// What raises exposure waits for it so long; a journal that is slow writes it later all the same.
    async fn write(
        &self,
        patience: Duration,
        write: impl FnOnce(&mut Journal, IntentId) -> Result<(), JournalError> + Send + 'static,
    ) -> Result<(), JournalError> {
        let (scribe, slot) = (&self.desk.scribe, Arc::clone(&self.recorded.intent));
        let job = move |journals: &mut Journals| match journals.page(&slot)? {
            Some((journal, id)) => write(journal, id),
            None => Ok(()),
        };
        scribe.carry(self.command.risk(), patience, job).await
    }
}

/// Attempts and reads, and waits between them, until the policy calls it over.
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
