//! The entrance of the outbox: a flatten runs on its own, every other command is delivered; at the start, recovery runs.

use super::{flatten, recover::recover};
use crate::{
    app::Msg,
    client::Client,
    journal::{Journal, JournalError},
    model::{Command, IdempotencyKey, Ticket},
    runtime::{
        base::clock::Clock,
        journal::{
            journal_writer::JournalWriter,
            shared_journal::{AccountAddress, JournalAccounts, ResumedIntents},
        },
        outbox::{CommandOrigin, OutboxContext, OutboxUse, ParkedDecision, interrupted},
    },
};
use tokio::{sync::mpsc::Sender, task::JoinSet};

/// Dropping it stops what it was given to send; what the last session left, and what follows an answer, goes on until
/// the runtime ends. The journal keeps what was.
#[derive(Debug)]
pub struct Outbox {
    pub(in crate::runtime) context: OutboxContext,
    tasks: JoinSet<()>,
}

impl Outbox {
    /// `open` opens the journal, on a thread of its own; then what the last session left open is found
    /// out. Progress and outcomes go out on `events`.
    ///
    /// Must be called within a tokio runtime.
    pub fn spawn(
        client: Client,
        clock: Clock,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let writer = JournalWriter::spawn(open, events.clone());
        let accounts = JournalAccounts::among(client.connection(), vec![]);
        Self::beside(client, clock, (writer, accounts), events)
    }

    /// For the deeds of a verb: what an earlier session left open is only found out about by reads, and left to a desk
    /// where they do not tell; what `others` left open is theirs altogether, and what `resumed` with these deeds is theirs.
    pub fn for_verb(
        client: Client,
        clock: Clock,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
        (others, resumed): (Vec<AccountAddress>, ResumedIntents),
    ) -> Self {
        let writer = JournalWriter::spawn(open, events.clone());
        let accounts = JournalAccounts::among(client.connection(), others).apart_from(resumed);
        Self::of(
            OutboxContext::new(client, (clock, OutboxUse::Verb), writer, events),
            accounts,
        )
    }

    /// The same with a journal that others write too.
    pub(crate) fn beside(
        client: Client,
        clock: Clock,
        (writer, accounts): (JournalWriter, JournalAccounts),
        events: Sender<Msg>,
    ) -> Self {
        let how = (clock, OutboxUse::Session);
        Self::of(OutboxContext::new(client, how, writer, events), accounts)
    }

    fn of(context: OutboxContext, accounts: JournalAccounts) -> Self {
        let mut tasks = JoinSet::new();
        // Asked for now, so that it is answered before anything of this session is written.
        let now = context.clock.now();
        let left = context
            .writer
            .ask_own(move |journal| accounts.left(journal, now));
        if context.outbox_use == OutboxUse::Session {
            tasks.spawn(context.clone().tells_who_has_the_journal());
        }
        tasks.spawn(recover(context.clone(), left));
        Self { context, tasks }
    }

    /// Takes the command on its way and returns at once. Ends with one [`Msg::Settled`] for the ticket.
    pub fn send(&mut self, ticket: Ticket, command: Command) {
        self.reap();
        let context = self.context.clone();
        if let Command::Flatten(_) = command {
            self.tasks.spawn(async move {
                let flat = Box::pin(flatten::asked(&context, ticket, &command));
                let result = context.unless_stopped(flat).await;
                let result = result.unwrap_or_else(|| Err(interrupted()));
                context.say(Msg::Settled(ticket, result)).await;
            });
            return;
        }
        let turn = self.context.join(&command);
        let origin = CommandOrigin {
            epoch: context.given(&command),
            ..CommandOrigin::default()
        };
        let run = context.run(ticket, command, origin, turn);
        self.tasks.spawn(run);
    }

    /// As [`Self::send`], for one request under a key the caller chose. What the journal holds under that key
    /// already goes out again as it was, byte for byte, whatever `command` would be spelled like now; that
    /// both are one wish, and that the service still knows the key, is the caller's to make sure of.
    pub fn send_as(&mut self, ticket: Ticket, command: Command, key: IdempotencyKey) {
        self.reap();
        let turn = self.context.join(&command);
        let origin = CommandOrigin {
            key: Some(key),
            epoch: self.context.given(&command),
            ..CommandOrigin::default()
        };
        let run = self.context.clone().run(ticket, command, origin, turn);
        self.tasks.spawn(run);
    }

    /// Lets go of the flights that have ended.
    fn reap(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }

    /// Sends the parked command of this ticket again: the same key, the same bytes.
    pub fn again(&self, ticket: Ticket) {
        self.context.decide(ticket, ParkedDecision::Again);
    }

    /// What raises exposure may be sent again: a person has seen why the desk halted.
    pub fn rearm(&self) {
        let context = self.context.clone();
        tokio::spawn(async move { context.rearm().await });
    }

    /// Nothing that was given goes out from here on. Each command still ends with one [`Msg::Settled`], within a second or
    /// so: as in doubt, or, where surely nothing of it has left, as unsent, which the journal notes.
    ///
    /// Known limit: a desk's goes on with what an earlier session left open until the process ends.
    pub fn stop(&self) {
        self.context.stop();
    }

    /// Whether all that was to be written is with the disk, within a second.
    pub async fn is_written(&self) -> bool {
        self.context.is_written().await
    }

    /// Lets go of the parked command of this ticket, whatever became of it.
    pub fn give_up(&self, ticket: Ticket) {
        self.context.decide(ticket, ParkedDecision::GiveUp);
    }
}
