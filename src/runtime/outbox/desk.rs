//! What every command on its way needs.

use super::{
    gate::{Entering, Gate, Latch, Wave},
    lanes::{Lanes, Turn},
    second::trade_there,
};
use crate::{
    app::{Msg, activity::notice::Tone},
    client::Client,
    journal::{IntentState, JournalError, StateUpdate},
    model::{
        AccountId, Command, Failure, FailureKind, IdempotencyKey, OrderId, READ_ONLY, Resource,
        Risk, Ticket,
    },
    runtime::{
        base::{clock::Clock, lock::locked},
        journal::{
            journals::{FirstDesk, Journals, Keeper, Slot},
            scribe::{Scribe, aside},
        },
    },
};
use std::{
    collections::HashMap,
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

/// How long anything waits for the disk that changes nothing about what has left: a halt or its end, what became of an
/// order.
pub(super) const NOTING: Duration = Duration::from_secs(1);

/// How long a command waits for the last session's before it is said.
const MOMENT: Duration = Duration::from_secs(1);

/// What comes of a note in the journal.
type Noted = oneshot::Receiver<Result<(), JournalError>>;

/// A person's word on a parked command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The same request with the same key.
    Again,
    GiveUp,
}

/// How long an outbox stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// A desk's: it goes on with what was left open, and follows what it has sent.
    Session,
    /// A verb's: what was left open it only finds out about, and what follows its own deeds is its caller's to read.
    Deeds,
}

#[derive(Debug, Clone)]
pub(crate) struct Desk {
    pub(crate) client: Client,
    pub(crate) clock: Clock,
    pub(crate) stay: Stay,
    pub(crate) scribe: Scribe,
    events: Sender<Msg>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    lanes: Mutex<Lanes>,
    questions: Mutex<HashMap<Ticket, oneshot::Sender<Decision>>>,
    /// The newest command of each resource: what is older is not sent again after it.
    newest: Mutex<HashMap<Resource, Ticket>>,
    /// Orders that were found to be what a command in doubt made, by its key.
    claims: Mutex<HashMap<OrderId, IdempotencyKey>>,
    gate: Arc<Gate>,
    /// Whether it is known what became of the last session's commands.
    ready: watch::Sender<bool>,
    /// How many of them there are.
    left_open: AtomicUsize,
    /// Whether nothing goes out any more.
    stopped: watch::Sender<bool>,
}

/// When this goes, the desk knows what became of the last session's commands.
#[derive(Debug)]
pub(crate) struct Ready(Arc<Shared>);

impl Drop for Ready {
    fn drop(&mut self) {
        self.0.ready.send_replace(true);
    }
}

impl Desk {
    pub(crate) fn new(
        client: Client,
        (clock, stay): (Clock, Stay),
        scribe: Scribe,
        events: Sender<Msg>,
    ) -> Self {
        Self {
            client,
            clock,
            stay,
            scribe,
            events,
            shared: Arc::default(),
        }
    }

    pub(crate) async fn say(&self, msg: Msg) {
        // Nobody listens while the desk shuts down.
        let _closed = self.events.send(msg).await;
    }

    pub(crate) async fn note(&self, tone: Tone, text: impl Into<String>) {
        self.say(Msg::Said(tone, text.into())).await;
    }

    /// From now on, and until it is dropped, exposure may only go down.
    pub(crate) fn latch(&self) -> Latch {
        self.shared.gate.latch()
    }

    /// A request of this risk is about to leave.
    pub(super) fn enter(&self, risk: Risk) -> Option<Entering> {
        self.shared.gate.enter(risk)
    }

    /// What a command is given after that is given now.
    pub(crate) fn wave(&self) -> Wave {
        self.shared.gate.wave()
    }

    /// A person or a program has given `command`: a close-all ends what was given before it.
    pub(crate) fn given(&self, command: &Command) -> Wave {
        if let Command::CloseAll(_) = command {
            self.shared.gate.close();
        }
        self.wave()
    }

    /// Whether no request that raises exposure is on the wire.
    pub(crate) fn entries_answered(&self) -> bool {
        self.shared.gate.is_quiet()
    }

    /// A place at the end of the lane of what `command` changes.
    pub(crate) fn join(&self, command: &Command) -> Turn {
        locked(&self.shared.lanes).join(command)
    }

    /// Orders of this service that other intents are known to have made; `None` where the journal does not say, or not
    /// in time.
    pub(crate) async fn linked_orders(&self, risk: Risk) -> Option<Vec<OrderId>> {
        let base_url = self.client.connection().base_url.clone();
        let read = move |journals: &mut Journals| journals.new_page()?.linked_orders(&base_url);
        self.scribe.carry(risk, NOTING, read).await.ok()
    }

    /// Whether this order can be what the command under `key` made: each is the doing of one command.
    pub(super) fn claim(&self, order: &OrderId, key: &IdempotencyKey) -> bool {
        let mut claims = locked(&self.shared.claims);
        let owner = claims.entry(order.clone()).or_insert_with(|| key.clone());
        owner == key
    }

    /// From now on exposure may only go down, until a person re-arms the desk: this one or a later one.
    pub(crate) async fn halt(&self, why: impl Into<String>) {
        let why = why.into();
        self.shared.gate.halt(why.clone());
        let noted = self.note_halt(why.clone());
        self.say_halted(why).await;
        if let Some(why) = self.unnoted(noted).await {
            let text = format!("{why}: a desk that is started again would trade on");
            self.note(Tone::Alert, text).await;
        }
    }

    /// The next desk will be halted; this one is so by other means.
    pub(crate) fn note_halt(&self, why: String) -> Noted {
        let (base_url, account) = self.place();
        self.scribe
            .ask(move |journals| journals.new_page()?.halt(&base_url, &account, &why))
    }

    /// Why it was halted, where that is all that can be read.
    pub(crate) async fn noted_halt(&self) -> Option<String> {
        let (base_url, account) = self.place();
        let read = move |journals: &mut Journals| {
            let journal = journals.new_page()?;
            Ok(journal.halted(&base_url, &account).map(str::to_owned))
        };
        let noted = self.scribe.heard(self.scribe.ask(read)).await;
        noted.and_then(Result::ok).flatten()
    }

    /// Halts it where the account was flattened beside its journal while this process was stopped, or could not be asked.
    /// The word of the journal is waited for: an order that goes out must be after it.
    pub(super) async fn heeds_halt_beside(&self, patience: Duration) -> Result<(), JournalError> {
        let (base_url, account) = self.place();
        let look = move |journals: &mut Journals| {
            Ok(journals.new_page()?.take_overflow_halt(&base_url, &account))
        };
        if let Some(why) = self.scribe.carry(Risk::Increasing, patience, look).await? {
            self.stay_halted(why).await;
        }
        Ok(())
    }

    /// As it is on the disk already.
    pub(crate) async fn stay_halted(&self, why: String) {
        self.shared.gate.halt(why.clone());
        self.say_halted(why).await;
    }

    async fn say_halted(&self, why: String) {
        let cause = why.clone();
        aside(move || tracing::warn!(why = %cause, "halted"));
        self.say(Msg::Halted(Some(why))).await;
    }

    /// A person has seen why it is halted, as that stands now.
    pub(crate) async fn rearm(&self) {
        let seen = self.shared.gate.halted();
        let (base_url, account) = self.place();
        let noted = self
            .scribe
            .ask(move |journals| journals.new_page()?.rearm(&base_url, &account));
        if let Some(why) = self.unnoted(noted).await {
            let text = format!("{why}: a desk that is started again will be halted still");
            self.note(Tone::Warn, text).await;
        }
        if self.shared.gate.rearm(seen.as_deref()) {
            self.say(Msg::Halted(None)).await;
        }
    }

    fn place(&self) -> (String, AccountId) {
        let connection = self.client.connection();
        (connection.base_url.clone(), connection.account_id.clone())
    }

    /// Why it is not on the disk within a moment, if so.
    async fn unnoted(&self, noted: Noted) -> Option<JournalError> {
        match timeout(NOTING, noted).await {
            Ok(Ok(noted)) => noted.err(),
            Ok(Err(_)) => Some(JournalError::Stopped),
            Err(_) => Some(JournalError::Slow),
        }
    }

    pub(crate) fn ready_when_dropped(&self) -> Ready {
        Ready(Arc::clone(&self.shared))
    }

    /// Nothing is found out while another desk has the journal: that one is told of.
    pub(super) async fn ready(&self) -> Result<(), FirstDesk> {
        // The sender lives in the desk itself.
        let mut ready = self.shared.ready.subscribe();
        let mut keeper = self.scribe.keeper();
        let second = async {
            let is_second = |keeper: &Keeper| matches!(keeper, Keeper::Another(_));
            let found = keeper.wait_for(is_second).await.map(|found| found.clone());
            let Ok(Keeper::Another(first)) = found else {
                // The journal's thread is gone.
                return std::future::pending().await;
            };
            first
        };
        tokio::select! {
            biased;
            _ = ready.wait_for(|ready| *ready) => Ok(()),
            first = second => Err(first),
        }
    }

    pub(crate) fn stop(&self) {
        self.shared.stopped.send_replace(true);
    }

    /// Why nothing goes out any more, if so.
    pub(super) fn stopped(&self) -> Option<Failure> {
        let is_stopped = *self.shared.stopped.borrow();
        is_stopped.then(|| Failure::new(FailureKind::Unavailable, "interrupted"))
    }

    /// What comes of `work`; `None` where the outbox was stopped before it was done.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        // The sender lives in the desk itself.
        let mut stopped = self.shared.stopped.subscribe();
        tokio::select! {
            biased;
            done = work => Some(done),
            _ = stopped.wait_for(|stopped| *stopped) => None,
        }
    }

    /// The outcome of a command of which nothing has left, and never will.
    pub(super) async fn withdraw(&self, intent: &Slot) -> Failure {
        let words = "interrupted; nothing was sent";
        let noted = self.let_go(intent, words);
        let words = match timeout(NOTING, noted).await {
            Ok(_) => words.to_owned(),
            Err(_) => {
                format!("{words}; the journal may still call it open, for its disk does not answer")
            }
        };
        Failure::new(FailureKind::Unavailable, words)
    }

    /// Nothing of it has left: so its row will say, where it has one.
    pub(super) fn let_go(&self, intent: &Slot, why: &'static str) -> Noted {
        let (now, intent) = (self.clock.now(), Arc::clone(intent));
        self.scribe.ask(move |journals| {
            // The job that makes the row was before this.
            let unsent = StateUpdate::new(IntentState::Unsent, why);
            match journals.page(&intent)? {
                Some((journal, id)) => journal.record_state(now, id, &unsent),
                None => Ok(()),
            }
        })
    }

    pub(crate) async fn is_written(&self) -> bool {
        let last = self.scribe.ask(|_| Ok(()));
        timeout(NOTING, last).await.is_ok()
    }

    /// So many commands of the last session are being found out about.
    pub(crate) fn finds_out(&self, count: usize) {
        self.shared.left_open.store(count, Ordering::Relaxed);
    }

    /// [`Self::ready`] within `patience`; beside a desk that has the journal nothing is. Whoever waits longer than a moment
    /// is told for what.
    pub(super) async fn ready_within(&self, patience: Duration) -> Result<(), Failure> {
        let is_ready = async { self.ready().await.map_err(|first| trade_there(&first)) };
        let mut is_ready = pin!(is_ready);
        let moment = self.client.timeouts().scaled(MOMENT).min(patience);
        if let Ok(ready) = timeout(moment, &mut is_ready).await {
            return ready;
        }
        let count = self.shared.left_open.load(Ordering::Relaxed);
        let text = match count {
            0 => "reading first what the last session left open".to_owned(),
            1 => "finding out first what became of 1 command of the last session".to_owned(),
            _ => format!("finding out first what became of {count} commands of the last session"),
        };
        self.note(Tone::Plain, text).await;
        let found = timeout(patience.saturating_sub(moment), is_ready).await;
        found.unwrap_or_else(|_| {
            let why =
                "what became of the last session's commands is not found out yet; nothing was sent";
            Err(Failure::new(FailureKind::Unavailable, why))
        })
    }

    /// Why `command` may not be sent now, if so.
    pub(crate) fn refusal(&self, command: &Command, given: Wave) -> Option<Failure> {
        if self.client.is_read_only() {
            return Some(Failure::local(READ_ONLY));
        }
        if let Some(why) = self.second_objection(command) {
            return Some(why);
        }
        self.shared.gate.refusal(command.risk(), given)
    }

    /// `ticket` is now the newest wish about `resource`.
    pub(super) fn supersede(&self, resource: &Resource, ticket: Ticket) {
        if *resource != Resource::NewOrder {
            locked(&self.shared.newest).insert(resource.clone(), ticket);
        }
    }

    pub(super) fn is_newest(&self, resource: &Resource, ticket: Ticket) -> bool {
        let newest = locked(&self.shared.newest);
        newest.get(resource).is_none_or(|newest| *newest == ticket)
    }

    /// A question about `ticket` that is now open.
    pub(super) fn ask(&self, ticket: Ticket) -> oneshot::Receiver<Decision> {
        let (answer, decided) = oneshot::channel();
        locked(&self.shared.questions).insert(ticket, answer);
        decided
    }

    pub(crate) fn decide(&self, ticket: Ticket, decision: Decision) {
        let question = locked(&self.shared.questions).remove(&ticket);
        // No question: it was settled in the meantime.
        let _settled = question.map(|question| question.send(decision));
    }
}
