//! Flatten: stops TWAPs, cancels scaled orders and orders, closes everything, and repeats until two reads find nothing.
//!
//! Contract: the close-all is sent at once, beside the reads that find what else is open. Each round closes with a new
//! key (the same key would return the old result), up to three rounds after the first; rounds whose lists cannot be read
//! do not count among them, up to a limit of their own. Reduce-only stops and targets
//! are canceled only when a read finds no position: until then they are the only protection. Nothing that increases
//! exposure is sent meanwhile, nor afterwards until a person re-arms the desk. It needs no journal and no screen. The
//! reads at the end decide commands whose outcome is unknown. A list that cannot be read does not stop the others from
//! being closed. It reports flat only after two complete reads that found nothing, begun after every order on the wire
//! had its response or its time limit.
//!
//! Known limit: a scaled order is found by its working rungs; one without any cannot fill.

use crate::{
    app::{Msg, activity::notice::Tone},
    client::policy::RetryState,
    journal::{IntentId, IntentState, StateUpdate},
    model::{
        CloseAll, Command, Failure, FailureKind, FlatFinding, FlatProof, Flattening, OpenExposure,
        Page, Progress, Proof, Proving, Receipt, Resource, Text, Ticket,
        remains::{entries, stops},
    },
    runtime::{
        journal::journal_writer::{IntentRef, known_ref},
        outbox::{CommandOrigin, Delivery, OutboxContext, ProgressSink},
    },
};
use futures_util::{
    StreamExt as _,
    future::{join, ready},
    stream,
};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::{
    sync::{
        mpsc::{UnboundedSender, unbounded_channel},
        oneshot,
    },
    time::{Instant, sleep, timeout},
};

/// Rounds whose lists were read and showed something.
const ROUNDS: u32 = 4;
/// Rounds whose lists could not be read, or had no end: five minutes of them.
const UNREAD_ROUNDS: u32 = 16;
/// Commands on the wire beside the close-all.
const CONCURRENT_COMMANDS: usize = 4;
/// Failed reads after which a round counts as having proved nothing.
const MOST_FAILED_READS: u32 = 5;
/// How long the first cancels wait for the TWAPs to stop.
const TWAP_HEAD_START: Duration = Duration::from_secs(2);
/// How long the first sweep of a round waits for a list.
const FIRST_READ_TIMEOUT: Duration = Duration::from_secs(15);
/// How long orders on the wire at the start have for their responses: reads before then prove nothing.
const ANSWER_WAIT: Duration = Duration::from_secs(15);
const READ_RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// A flatten that an earlier session began.
#[derive(Debug)]
pub(crate) struct ResumedFlatten {
    pub(crate) parent: IntentId,
    /// The close-all under way, which keeps its key.
    pub(crate) closing: Option<Delivery>,
}

struct FlattenRun<'a> {
    context: &'a OutboxContext,
    ticket: Option<Ticket>,
    parent: IntentRef,
    state: Flattening,
    /// What the last read found.
    remains: Option<OpenExposure>,
    /// What this round has ended.
    ended: HashSet<Resource>,
    /// Until then an order on the wire keeps any read from proving that the account is flat.
    answers_due: Option<Instant>,
}

/// Runs until the account is flat or the rounds are used up.
pub(crate) async fn flatten(
    context: &OutboxContext,
    ticket: Option<Ticket>,
    resumed: Option<ResumedFlatten>,
) -> Result<Receipt, Failure> {
    let _block = context.block_entries();
    let command = Command::Flatten(context.client.connection().account_id.clone());
    if let Some(why) = context.refusal(&command, context.epoch()) {
        return Err(why);
    }
    let (parent, closing) = match resumed {
        Some(resumed) => (known_ref(resumed.parent), resumed.closing),
        None => (context.record_flatten(&command).await, None),
    };
    // If the desk dies on the way, it must restart halted.
    drop(context.note_halt("a flatten began and did not finish".to_owned()));
    let mut run = FlattenRun {
        context,
        ticket,
        parent,
        state: Flattening::default(),
        remains: None,
        ended: HashSet::new(),
        answers_due: Some(Instant::now() + context.client.timeouts().scaled(ANSWER_WAIT)),
    };
    let result = run.rounds(closing).await;
    run.note_end(&result).await;
    let why = match &result {
        Ok(_) => "flattened",
        Err(_) => "flattened, but not confirmed flat",
    };
    context.halt(why).await;
    result
}

impl FlattenRun<'_> {
    async fn rounds(&mut self, mut closing: Option<Delivery>) -> Result<Receipt, Failure> {
        let (mut read, mut unread) = (0, 0);
        while read < ROUNDS && unread < UNREAD_ROUNDS {
            self.state = Flattening {
                round: read + unread + 1,
                left: self.state.left,
                ..Flattening::default()
            };
            self.tell().await;
            self.round(closing.take()).await;
            if let Some(proof) = self.prove().await {
                return Ok(Receipt::Flat(proof));
            }
            if self.context.client.key_refused() {
                // The service would refuse further rounds too.
                let why = "the service refuses the key: nothing can be closed or read with it";
                return Err(not_done(FailureKind::Auth, why));
            }
            match self.remains.as_ref().map(OpenExposure::left) {
                Some(Ok(_)) => read += 1,
                Some(Err(_)) | None => unread += 1,
            }
        }
        Err(self.failure())
    }

    /// One close-all, and beside it a sweep of everything that could open a position again.
    async fn round(&mut self, closing: Option<Delivery>) {
        let (operations, mut reported) = unbounded_channel();
        let nothing_open = self.remains.as_ref().is_some_and(OpenExposure::is_closed);
        let (context, parent) = (self.context, &self.parent);
        let close = async {
            match closing {
                Some(delivery) => go_on(Arc::new(delivery.part_of(operations))).await,
                None if nothing_open => {}
                None => close_all(context, parent, operations).await,
            }
        };
        let mut work = Box::pin(join(close, sweep(context, parent)));
        loop {
            tokio::select! {
                ((), ended) = &mut work => {
                    self.ended = ended;
                    return;
                }
                Some(operation) = reported.recv() => {
                    self.state.operation = Some(operation);
                    self.tell().await;
                }
            }
        }
    }

    /// Two complete reads that find nothing; `None` if something is open or nothing can be read. Each read also ends
    /// what it finds that the round has not ended yet.
    async fn prove(&mut self) -> Option<FlatProof> {
        let (context, timeouts) = (self.context, self.context.client.timeouts());
        let mut proving = Proving::default();
        let mut failed = 0;
        while failed < MOST_FAILED_READS && !context.client.key_refused() {
            sleep(context.client.pause_left()).await;
            let (at, tells) = (context.clock.now(), self.may_prove().await);
            let remains = context.client.remains().await;
            let (finding, pause) = match remains.left() {
                Ok(left) => {
                    let finding = if tells {
                        proving.saw(at, left)
                    } else {
                        FlatFinding::Open
                    };
                    self.state.left = Some(left);
                    self.state.clean_since = proving.clean_since();
                    self.tell().await;
                    (finding, proving.pause())
                }
                Err(why) => {
                    if failed == 0 {
                        context.note(Tone::Warn, format!("flatten: {why}")).await;
                    }
                    failed += 1;
                    (FlatFinding::Open, after(failed))
                }
            };
            if let FlatFinding::Proved(proof) = finding {
                return Some(proof);
            }
            self.sweep_on(&remains).await;
            self.remains = Some(remains);
            if finding == FlatFinding::Left {
                return None;
            }
            sleep(timeouts.scaled(pause)).await;
        }
        None
    }

    /// Whether a read that begins now can prove anything: an order on the wire may fill after it.
    async fn may_prove(&mut self) -> bool {
        if !self.context.has_entries_inflight().await {
            return true;
        }
        match self.answers_due {
            Some(due) if Instant::now() < due => false,
            Some(_) => {
                self.answers_due = None;
                let text = "flatten: an order sent before it is still unanswered, and may yet open something";
                self.context.note(Tone::Alert, text).await;
                true
            }
            None => true,
        }
    }

    /// Ends what the round has not ended yet, including reduce-only orders if no position is left to protect.
    async fn sweep_on(&mut self, remains: &OpenExposure) {
        let protection = if remains.is_closed() {
            remains.protection()
        } else {
            vec![]
        };
        let (stops, entries) = (stops(&remains.twaps), entries(&remains.orders));
        for commands in [stops, entries, protection] {
            let is_new = |command: &Command| !self.ended.contains(&command.resource());
            let commands = commands.into_iter().filter(is_new).collect();
            let ended = end_all(self.context, &self.parent, commands).await;
            self.ended.extend(ended);
        }
    }

    async fn tell(&self) {
        if let Some(ticket) = self.ticket {
            let progress = Progress::Flattening(self.state.clone());
            self.context.say(Msg::Progress(ticket, progress)).await;
        }
    }

    fn failure(&self) -> Failure {
        let message = match &self.remains {
            Some(remains) => self.describe(remains),
            None => "whether anything is left was not read".to_owned(),
        };
        // An unreadable list shows no conflict.
        let unread = self.remains.as_ref().and_then(OpenExposure::unread);
        let kind = unread.map_or(FailureKind::Conflict, |why| why.kind);
        not_done(
            kind,
            format!(
                "not confirmed flat after {} rounds; {message}",
                self.state.round
            ),
        )
    }

    /// What the last read found, and what the last close-all reported.
    fn describe(&self, remains: &OpenExposure) -> String {
        let operation = self.state.operation.as_ref();
        let positions = remains.positions().iter();
        let positions = positions.map(|position| position.left_by(operation));
        let orders = remains.orders().iter();
        let orders = orders.map(|order| format!("order {}", order.id));
        let twaps = remains.twaps().iter();
        let twaps = twaps.map(|twap| format!("TWAP {}", twap.id));
        let left: Vec<_> = positions.chain(orders).chain(twaps).collect();
        let left = (!left.is_empty()).then(|| format!("still there: {}", left.join(", ")));
        let unread = remains.left().err();
        let unread =
            unread.map(|why| format!("whether anything else is left could not be read: {why}"));
        let parts: Vec<_> = left.into_iter().chain(unread).collect();
        parts.join("; ")
    }

    /// Records the outcome in the journal. Once the account is flat, the unknown outcomes of its parts no longer
    /// matter.
    async fn note_end(&self, result: &Result<Receipt, Failure>) {
        let (now, flat) = (self.context.clock.now(), result.is_ok());
        let parent = Arc::clone(&self.parent);
        let update = match result {
            Ok(receipt) => StateUpdate::of(&Ok(receipt.clone())),
            Err(why) => StateUpdate::new(IntentState::Abandoned, why.to_string()),
        };
        let noted = self.context.writer.write_soon(move |journal| {
            let Some(parent) = parent.get().copied() else {
                return Ok(());
            };
            journal.record_state(now, parent, &update)?;
            if flat {
                journal.abandon_parts(now, parent)
            } else {
                Ok(())
            }
        });
        let _noted = noted.await;
    }
}

/// The flatten was begun and did not end flat.
fn not_done(kind: FailureKind, why: impl Into<Text>) -> Failure {
    Failure {
        proves: Proof::Refused,
        ..Failure::new(kind, why)
    }
}

async fn close_all(
    context: &OutboxContext,
    parent: &IntentRef,
    operations: UnboundedSender<CloseAll>,
) {
    let command = Command::CloseAll(context.client.connection().account_id.clone());
    let sink = ProgressSink::Flatten(operations);
    let tries = RetryState::new(&command, context.client.timeouts());
    match context
        .start(
            sink,
            command,
            CommandOrigin::part(parent),
            context.clock.now(),
        )
        .await
    {
        Ok(delivery) => complain(context, delivery.deliver(tries).await).await,
        Err(why) => context.note(Tone::Alert, format!("flatten: {why}")).await,
    }
}

async fn go_on(delivery: Arc<Delivery>) {
    let timeouts = delivery.context().client.timeouts();
    let doubt = Failure::new(
        FailureKind::Unknown,
        "it was under way when the desk stopped",
    );
    let tries = RetryState::with_unknown_outcome(delivery.command(), timeouts, doubt);
    complain(delivery.context(), delivery.deliver(tries).await).await;
}

async fn complain(context: &OutboxContext, result: Result<Receipt, Failure>) {
    if let Err(why) = result {
        context.note(Tone::Warn, format!("flatten: {why}")).await;
    }
}

/// Stops TWAPs first (a slice opens a position again), then scaled orders, then everything else that could open one.
/// The next read handles a list that cannot be read in time.
async fn sweep(context: &OutboxContext, parent: &IntentRef) -> HashSet<Resource> {
    let (client, timeouts) = (&context.client, context.client.timeouts());
    let account = &client.connection().account_id;
    let (stopped, head_start) = oneshot::channel::<()>();
    let stops = async {
        let twaps = first_read(context, || client.active_twaps(account)).await;
        let ended = end_all(context, parent, stops(&twaps)).await;
        drop(stopped);
        ended
    };
    let cancels = async {
        let orders = first_read(context, || client.working_orders(account)).await;
        let _in_time = timeout(timeouts.scaled(TWAP_HEAD_START), head_start).await;
        end_all(context, parent, entries(&orders)).await
    };
    let (mut ended, canceled) = join(stops, cancels).await;
    ended.extend(canceled);
    ended
}

/// Retries a list until it can be read or the time is up.
async fn first_read<T, F>(context: &OutboxContext, ask: impl Fn() -> F) -> Result<Page<T>, Failure>
where
    F: Future<Output = Result<Page<T>, Failure>>,
{
    let timeouts = context.client.timeouts();
    let rows = async {
        loop {
            sleep(context.client.pause_left()).await;
            match ask().await {
                Ok(page) => return Ok(page),
                Err(why) if why.kind == FailureKind::Auth => return Err(why),
                Err(why) => {
                    let asked = why.retry_after.unwrap_or_default();
                    sleep(asked.max(timeouts.scaled(READ_RETRY_INTERVAL))).await;
                }
            }
        }
    };
    timeout(timeouts.scaled(FIRST_READ_TIMEOUT), rows)
        .await
        .unwrap_or_else(|_| Err(Failure::new(FailureKind::Unreadable, "not read in time")))
}

/// Which of them were ended.
async fn end_all(
    context: &OutboxContext,
    parent: &IntentRef,
    commands: Vec<Command>,
) -> HashSet<Resource> {
    stream::iter(commands)
        .map(|command| async move {
            let resource = command.resource();
            end(context, parent, command).await.then_some(resource)
        })
        .buffer_unordered(CONCURRENT_COMMANDS)
        .filter_map(ready)
        .collect()
        .await
}

/// Whether it was ended. An object that is already gone counts, and will not be found again.
async fn end(context: &OutboxContext, parent: &IntentRef, command: Command) -> bool {
    let (silent, _receiver) = unbounded_channel();
    let tries = RetryState::new(&command, context.client.timeouts());
    let started = context.start(
        ProgressSink::Flatten(silent),
        command,
        CommandOrigin::part(parent),
        context.clock.now(),
    );
    match started.await {
        Ok(delivery) => delivery.deliver(tries).await.is_ok(),
        Err(why) => {
            context.note(Tone::Alert, format!("flatten: {why}")).await;
            false
        }
    }
}

/// Pause after this many failed reads: 1, 2, then 4 s.
fn after(failed: u32) -> Duration {
    Duration::from_secs(1 << failed.clamp(1, 3).saturating_sub(1))
}
