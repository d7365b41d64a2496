//! The only writer to the service: every command is journalled, sent, asked again as the policy says,
//! and settled exactly once.
//!
//! Contract: the intent is on disk before the first byte leaves; every attempt carries the same key and
//! the same bytes; at most one command per resource is on the wire, later ones wait in the order they
//! were given (new orders do not wait for each other). Without a working journal nothing that raises
//! exposure is sent, everything else is.
//!
//! Known limits: what is on the wire when the desk stops stays open in the journal; nothing resumes it
//! yet. A disk that hangs (rather than fails) holds every command back, exits too.

mod lanes;

use super::{Clock, jitter::Jitter, scribe::Scribe};
use crate::{
    api::Request,
    app::Msg,
    client::{
        Attempt, Client, Mutation,
        policy::{Pause, Tries, Verdict},
    },
    journal::{Entry, Intent, IntentId, Journal, JournalError},
    model::{Command, Failure, FailureKind, IdempotencyKey, Progress, Receipt, Risk, Ticket},
};
use lanes::Lanes;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc::Sender,
    task::JoinSet,
    time::{Instant, sleep},
};

/// Dropping it stops what is on its way; the journal keeps what was.
#[derive(Debug)]
pub struct Outbox {
    desk: Desk,
    lanes: Lanes,
    flights: JoinSet<()>,
}

/// What every command on its way needs.
#[derive(Debug, Clone)]
struct Desk {
    client: Client,
    clock: Clock,
    scribe: Scribe,
    events: Sender<Msg>,
}

impl Outbox {
    /// `open` opens the journal, on a thread of its own. Progress and outcomes go out on `events`.
    ///
    /// Must be called within a tokio runtime.
    pub fn spawn(
        client: Client,
        clock: Clock,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let scribe = Scribe::spawn(open, events.clone());
        Self {
            desk: Desk {
                client,
                clock,
                scribe,
                events,
            },
            lanes: Lanes::default(),
            flights: JoinSet::new(),
        }
    }

    /// Takes the command on its way and returns at once. Ends with one [`Msg::Settled`] for the ticket.
    pub fn send(&mut self, ticket: Ticket, command: Command) {
        let key = IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        self.send_as(ticket, command, key);
    }

    /// As [`Self::send`], under a key the caller chose. What the journal holds under that key already goes
    /// out again as it was, byte for byte, whatever `command` would be spelled like now; that both are one
    /// wish is the caller's to make sure of.
    pub fn send_as(&mut self, ticket: Ticket, command: Command, key: IdempotencyKey) {
        while self.flights.try_join_next().is_some() {}
        let turn = self.lanes.join(command.resource());
        let desk = self.desk.clone();
        self.flights.spawn(async move {
            turn.come().await;
            let result = desk.deliver(ticket, &command, key).await;
            drop(turn);
            desk.say(Msg::Settled(ticket, result)).await;
        });
    }
}

impl Desk {
    async fn deliver(
        &self,
        ticket: Ticket,
        command: &Command,
        key: IdempotencyKey,
    ) -> Result<Receipt, Failure> {
        let mut request = Request::of(command, key, &self.client.connection().dialect)
            .map_err(|why| Failure::local(format!("the request could not be written: {why}")))?;
        let mut tries = Tries::of(command);
        let (intent, before) = match self.known(&request).await {
            Some(entry) => {
                request.body.clone_from(&entry.intent.body);
                if !entry.surely_failed() {
                    tries = tries.after(again());
                }
                (Some(entry.id), entry.attempts)
            }
            None => (self.record(command, &request).await?, 0),
        };
        let errand = Arc::new(Errand {
            intent,
            before,
            desk: self.clone(),
            ticket,
            request,
            mutation: Mutation::of(command),
        });
        let (trying, telling) = (Arc::clone(&errand), Arc::clone(&errand));
        let mut jitter = Jitter::seeded(uuid::Uuid::new_v4().as_u64_pair().0);
        let result = pursue(
            tries,
            move || jitter.per_mille(),
            move |number| Arc::clone(&trying).attempt(number),
            move |meanwhile, after| Arc::clone(&telling).tell(meanwhile, after),
        )
        .await;
        errand.note_outcome(&result).await;
        result
    }

    /// What was sent before under the key of `request`.
    async fn known(&self, request: &Request) -> Option<Entry> {
        let key = request.key.clone()?;
        let found = self.scribe.write(move |journal| journal.by_key(&key)).await;
        // A journal that cannot be read says so when the intent is to be recorded.
        found.ok().flatten()
    }

    /// Puts the intent on disk; without a journal only what does not raise exposure may go on.
    async fn record(
        &self,
        command: &Command,
        request: &Request,
    ) -> Result<Option<IntentId>, Failure> {
        let connection = self.client.connection();
        let risk = command.risk();
        let intent = Intent {
            base_url: connection.base_url.clone(),
            account_id: connection.account_id.clone(),
            method: request.method.to_string(),
            target: request.target.clone(),
            body: request.body.clone(),
            key: request.key.clone(),
            risk,
            command: command.to_string(),
        };
        let now = self.clock.now();
        let recorded = self
            .scribe
            .write(move |journal| journal.record(now, &intent))
            .await;
        match recorded {
            Ok(id) => Ok(Some(id)),
            Err(why) if risk == Risk::Increasing => Err(Failure::local(format!(
                "{why}. Nothing that raises exposure is sent without it; closing and canceling still work"
            ))),
            Err(_) => Ok(None),
        }
    }

    async fn say(&self, msg: Msg) {
        // Nobody listens while the desk shuts down.
        let _closed = self.events.send(msg).await;
    }
}

/// One command on its way, with the bytes that every attempt carries.
#[derive(Debug)]
struct Errand {
    desk: Desk,
    ticket: Ticket,
    /// `None` where there is no journal.
    intent: Option<IntentId>,
    /// Attempts of an earlier run.
    before: u32,
    request: Request,
    mutation: Mutation,
}

impl Errand {
    async fn attempt(self: Arc<Self>, number: u32) -> Attempt {
        let pause = self.desk.client.pause_left();
        if !pause.is_zero() {
            return Attempt::NotSent(Failure {
                retry_after: Some(pause),
                ..Failure::new(
                    FailureKind::Limited,
                    format!("the service asks for {} s of silence", pause.as_secs() + 1),
                )
            });
        }
        let sending = Progress::Sending { attempt: number };
        self.desk.say(Msg::Progress(self.ticket, sending)).await;
        let attempt = self.desk.client.send(&self.request, self.mutation).await;
        let why = trouble(&attempt).cloned();
        let (now, number) = (self.desk.clock.now(), self.before + number);
        self.note(move |journal, intent| journal.attempt(now, intent, number, why.as_ref()))
            .await;
        attempt
    }

    async fn tell(self: Arc<Self>, meanwhile: Pause, after: Duration) {
        let progress = meanwhile.progress(self.desk.clock.now().plus(after));
        self.desk.say(Msg::Progress(self.ticket, progress)).await;
    }

    async fn note_outcome(&self, result: &Result<Receipt, Failure>) {
        let (now, result) = (self.desk.clock.now(), result.clone());
        self.note(move |journal, intent| journal.outcome(now, intent, &result))
            .await;
    }

    async fn note(
        &self,
        write: impl FnOnce(&mut Journal, IntentId) -> Result<(), JournalError> + Send + 'static,
    ) {
        let Some(intent) = self.intent else { return };
        // A note that fails changes nothing about what was sent; the scribe tells the trader.
        let _told = self
            .desk
            .scribe
            .write(move |journal| write(journal, intent))
            .await;
    }
}

/// The doubt a repeated command starts with.
fn again() -> Failure {
    Failure::new(
        FailureKind::Unknown,
        "it was sent before, and may have taken effect then",
    )
}

fn trouble(attempt: &Attempt) -> Option<&Failure> {
    match attempt {
        Attempt::Done(_) | Attempt::Running { .. } => None,
        Attempt::Refused(why) | Attempt::NotSent(why) | Attempt::Doubtful(why) => Some(why),
    }
}

/// Attempts, and waits between them, until the policy calls it over.
async fn pursue<A, T>(
    mut tries: Tries,
    mut draw: impl FnMut() -> u32,
    mut attempt: impl FnMut(u32) -> A,
    mut tell: impl FnMut(Pause, Duration) -> T,
) -> Result<Receipt, Failure>
where
    A: Future<Output = Attempt>,
    T: Future<Output = ()>,
{
    let start = Instant::now();
    let mut number = 0;
    loop {
        number += 1;
        let came = attempt(number).await;
        match tries.judge(came, start.elapsed(), draw()) {
            Verdict::Settle(result) => return result,
            Verdict::Again { after, meanwhile } => {
                tell(meanwhile, after).await;
                sleep(after).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
