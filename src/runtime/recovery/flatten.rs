//! Flatten: stops TWAPs, cancels scaled orders and orders, closes everything, and repeats until two reads find nothing.
//!
//! Contract: the close-all is sent at once, beside the reads that find what else is open. Each round closes with a new
//! key (the same key would return the old result); [`FlattenRun`] decides what a round ends and whether another one
//! follows. Nothing that increases
//! exposure is sent meanwhile, nor afterwards until a person resumes entries. It needs no journal and no screen. The
//! reads at the end decide commands whose outcome is unknown. A list that cannot be read does not stop the others from
//! being closed. It reports flat only after two complete reads that found nothing, begun after every order on the wire
//! had its response or its time limit.
//!
//! Known limit: a scaled order is found by its working rungs; one without any cannot fill.

use crate::{
    app::{
        Msg,
        activity::notice::Tone,
        workflows::{AfterRead, FlattenRun, ReadValue, key_refused},
    },
    client::policy::RetryState,
    journal::{IntentId, IntentState, StateUpdate},
    model::{
        CloseAll, Command, Failure, FailureKind, FlatProof, Page, Progress, Receipt, Resource,
        Ticket,
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

/// Commands on the wire beside the close-all.
const CONCURRENT_COMMANDS: usize = 4;
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

struct Flatten<'a> {
    context: &'a OutboxContext,
    ticket: Option<Ticket>,
    parent: IntentRef,
    run: FlattenRun,
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
    let mut flatten = Flatten {
        context,
        ticket,
        parent,
        run: FlattenRun::default(),
        answers_due: Some(Instant::now() + context.client.timeouts().scaled(ANSWER_WAIT)),
    };
    let result = flatten.rounds(closing).await;
    flatten.note_end(&result).await;
    let why = match &result {
        Ok(_) => "flattened",
        Err(_) => "flattened, but not confirmed flat",
    };
    context.halt(why).await;
    result
}

impl Flatten<'_> {
    async fn rounds(&mut self, mut closing: Option<Delivery>) -> Result<Receipt, Failure> {
        while self.run.begins_round() {
            self.tell().await;
            self.round(closing.take()).await;
            if let Some(proof) = self.prove().await {
                return Ok(Receipt::Flat(proof));
            }
            if self.context.client.key_refused() {
                return Err(key_refused());
            }
        }
        Err(self.run.failure())
    }

    /// One close-all, and beside it a sweep of everything that could open a position again.
    async fn round(&mut self, closing: Option<Delivery>) {
        let (operations, mut reported) = unbounded_channel();
        let closes = self.run.needs_close_all();
        let (context, parent) = (self.context, &self.parent);
        let close = async {
            let (delivery, tries) = match closing {
                Some(delivery) => go_on(delivery.part_of(operations)),
                None if closes => {
                    let account = context.client.connection().account_id.clone();
                    let command = Command::CloseAll(account);
                    begin(context, parent, command, operations).await?
                }
                None => return Ok(()),
            };
            let result = delivery.deliver(tries).await;
            if let Err(why) = &result {
                context.note(Tone::Warn, format!("flatten: {why}")).await;
            }
            result.map(drop)
        };
        let mut work = Box::pin(join(close, sweep(context, parent)));
        loop {
            tokio::select! {
                (result, ended) = &mut work => {
                    self.run.swept(ended, result);
                    return;
                }
                Some(operation) = reported.recv() => {
                    self.run.operated(operation);
                    self.tell().await;
                }
            }
        }
    }

    /// Reads until two complete reads find nothing; `None` if something is open or nothing can be read. What a read finds
    /// is ended.
    async fn prove(&mut self) -> Option<FlatProof> {
        let (context, client) = (self.context, &self.context.client);
        while self.run.reads_on() && !client.key_refused() {
            sleep(client.pause_left()).await;
            let (at, value) = (context.clock.now(), self.read_value().await);
            let remains = client.remains().await;
            let left = remains.left();
            if let Err(why) = &left
                && self.run.is_first_failure()
            {
                let text = format!("flatten: {why}");
                context.note(Tone::Warn, text).await;
            }
            let next = self.run.saw(at, value, remains);
            if left.is_ok() {
                self.tell().await;
            }
            if let AfterRead::Flat(proof) = next {
                return Some(proof);
            }
            for commands in self.run.to_end() {
                let ended = end_all(context, &self.parent, commands).await;
                self.run.ended(ended);
            }
            match next {
                AfterRead::ReadAgain(pause) => sleep(client.timeouts().scaled(pause)).await,
                AfterRead::Flat(_) | AfterRead::RoundOver => return None,
            }
        }
        None
    }

    /// What a read is worth that begins now.
    async fn read_value(&mut self) -> ReadValue {
        if !self.context.has_entries_inflight().await {
            return ReadValue::Proves;
        }
        match self.answers_due {
            Some(due) if Instant::now() < due => ReadValue::OnlyShows,
            Some(_) => {
                self.answers_due = None;
                let text = "flatten: an order sent before it is still unanswered, and may yet open something";
                self.context.note(Tone::Alert, text).await;
                ReadValue::Proves
            }
            None => ReadValue::Proves,
        }
    }

    async fn tell(&self) {
        if let Some(ticket) = self.ticket {
            let progress = Progress::Flattening(self.run.progress().clone());
            self.context.say(Msg::Progress(ticket, progress)).await;
        }
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

/// Records a command of the flatten; says why, if it is not sent.
async fn begin(
    context: &OutboxContext,
    parent: &IntentRef,
    command: Command,
    operations: UnboundedSender<CloseAll>,
) -> Result<(Arc<Delivery>, RetryState), Failure> {
    let tries = RetryState::new(&command, context.client.timeouts());
    let (sink, origin) = (
        ProgressSink::Flatten(operations),
        CommandOrigin::part(parent),
    );
    let started = context.start(sink, command, origin, context.clock.now());
    match started.await {
        Ok(delivery) => Ok((delivery, tries)),
        Err(why) => {
            context.note(Tone::Alert, format!("flatten: {why}")).await;
            Err(why)
        }
    }
}

/// The close-all of an earlier session.
fn go_on(delivery: Delivery) -> (Arc<Delivery>, RetryState) {
    let timeouts = delivery.context().client.timeouts();
    let doubt = Failure::new(
        FailureKind::Unknown,
        "it was under way when the desk stopped",
    );
    let tries = RetryState::with_unknown_outcome(delivery.command(), timeouts, doubt);
    (Arc::new(delivery), tries)
}

/// Stops TWAPs first (a slice opens a position again), then scaled orders, then everything else that could open one.
/// The next read handles a list that cannot be read in time.
async fn sweep(context: &OutboxContext, parent: &IntentRef) -> HashSet<Resource> {
    let (client, timeouts) = (&context.client, context.client.timeouts());
    let (stopped, head_start) = oneshot::channel::<()>();
    let stops = async {
        let twaps = first_read(context, || client.active_twaps()).await;
        let ended = end_all(context, parent, stops(&twaps)).await;
        drop(stopped);
        ended
    };
    let cancels = async {
        let orders = first_read(context, || client.working_orders()).await;
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
                    let stated = why.retry_after.unwrap_or_default();
                    sleep(stated.max(timeouts.scaled(READ_RETRY_INTERVAL))).await;
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
    match begin(context, parent, command, silent).await {
        Ok((delivery, tries)) => delivery.deliver(tries).await.is_ok(),
        Err(_) => false,
    }
}
