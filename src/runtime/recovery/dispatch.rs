//! The entry point of the outbox. A flatten runs on its own; the outbox delivers every other command; recovery runs
//! first.

use super::{dry_run::DryRunOutbox, flatten, recover::recover};
use crate::{
    app::{Effect, Msg},
    client::Client,
    journal::{Journal, JournalError},
    model::{Command, IdempotencyKey, SlicedOperation, Ticket},
    runtime::{
        base::{clock::Clock, process::ProcessKind},
        journal::{
            earlier::JournalAccess,
            journal_writer::JournalWriter,
            shared_journal::{AccountAddress, JournalAccounts, ResumedIntents},
        },
        outbox::{CommandOrigin, OutboxContext, ParkedDecision, interrupted},
    },
};
use std::path::Path;
use tokio::{sync::mpsc::Sender, task::JoinSet};

/// Where the desk's commands go.
#[derive(Debug)]
pub(crate) enum CommandSink {
    Sends(Box<Outbox>),
    Tells(DryRunOutbox),
}

impl CommandSink {
    /// A dry run has no journal to write.
    pub(crate) fn open(
        journal_access: &JournalAccess,
        client: Client,
        (clock, accounts): (Clock, JournalAccounts),
        events: Sender<Msg>,
    ) -> Self {
        match journal_access {
            JournalAccess::Writer(writer) => {
                let shared = (writer.clone(), accounts);
                Self::Sends(Box::new(Outbox::beside(client, clock, shared, events)))
            }
            JournalAccess::ReadOnly(dir) => {
                Self::Tells(DryRunOutbox::begin(client, dir.clone(), events))
            }
        }
    }

    pub(crate) fn send(&mut self, ticket: Ticket, command: Command) {
        match self {
            Self::Sends(outbox) => outbox.send(ticket, command),
            Self::Tells(dry_run) => dry_run.tell(ticket, command),
        }
    }

    /// A dry run has no operation that could leave anything.
    pub(crate) fn read_remains(&self, ticket: Ticket, operation: SlicedOperation) {
        if let Self::Sends(outbox) = self {
            tokio::spawn(outbox.context.clone().read_remains(ticket, operation));
        }
    }

    /// A person's decision about an unknown outcome or a halt. A dry run has neither.
    pub(crate) fn decide(&self, effect: &Effect) {
        let Self::Sends(outbox) = self else {
            return;
        };
        if let Effect::Resend(ticket) = effect {
            outbox.again(*ticket);
        } else if let Effect::GiveUp(ticket) = effect {
            outbox.give_up(*ticket);
        } else if let Effect::Rearm = effect {
            outbox.rearm();
        }
    }
}

/// Dropping it stops the commands it was given. Recovery of the last session, and reads that follow a response, run
/// until the runtime ends. The journal keeps all rows.
#[derive(Debug)]
pub struct Outbox {
    pub(in crate::runtime) context: OutboxContext,
    tasks: JoinSet<()>,
}

/// What the outbox of one verb goes by.
#[derive(Debug)]
pub struct VerbRun {
    pub clock: Clock,
    /// Accounts whose rows are not looked at.
    pub others: Vec<AccountAddress>,
    /// Rows that the commands of the verb resume.
    pub resumed: ResumedIntents,
    /// New orders within a second, whoever gives them; 0: no limit.
    pub orders_per_second: u32,
}

impl Outbox {
    /// Of a desk that has one account: `open` opens the journal in `dir` on a thread of its own. Progress and outcomes go out
    /// on `events`.
    ///
    /// Must be called within a tokio runtime.
    pub fn spawn(
        client: Client,
        clock: Clock,
        dir: &Path,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let writer = JournalWriter::spawn(ProcessKind::Desk, dir, open, |_| (), events.clone());
        let accounts = JournalAccounts::among(client.connection(), vec![]);
        Self::beside(client, clock, (writer, accounts), events)
    }

    /// For the commands of a verb: `open` opens the journal in `dir` on a thread of its own. Recovery only reads what became
    /// of earlier rows, and leaves the rest to a desk. Progress and outcomes go out on `events`.
    ///
    /// Must be called within a tokio runtime.
    pub fn for_verb(
        client: Client,
        run: VerbRun,
        dir: &Path,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
    ) -> Self {
        let writer = JournalWriter::spawn(ProcessKind::Verb, dir, open, |_| (), events.clone());
        let own = client.connection();
        let accounts = JournalAccounts::among(own, run.others).apart_from(run.resumed);
        let how = (run.clock, ProcessKind::Verb);
        let mut context = OutboxContext::new(client, how, writer, events);
        context.orders_per_second = run.orders_per_second;
        Self::of(context, accounts)
    }

    /// For a desk, with a journal that other accounts also write. Recovery then decides what the last session left open.
    pub(crate) fn beside(
        client: Client,
        clock: Clock,
        (writer, accounts): (JournalWriter, JournalAccounts),
        events: Sender<Msg>,
    ) -> Self {
        let how = (clock, ProcessKind::Desk);
        Self::of(OutboxContext::new(client, how, writer, events), accounts)
    }

    fn of(context: OutboxContext, accounts: JournalAccounts) -> Self {
        let mut tasks = JoinSet::new();
        let process = context.process;
        // Subscribed before the first look: what happens in between is seen twice and not missed.
        let mut news = context.writer.news();
        let look = move |context: &OutboxContext| {
            let accounts = accounts.clone();
            let left = move |journal: &mut Journal| accounts.left(journal, process);
            context.writer.ask(left)
        };
        let (first, outbox) = (look(&context), context.clone());
        tasks.spawn(async move {
            recover(context.clone(), first).await;
            if process == ProcessKind::Verb {
                return;
            }
            while let Some(reported) = news.recv().await {
                context.note_reported(&reported).await;
                // What a process left that died meanwhile: one look for all that came during the last one.
                if news.is_empty() {
                    recover(context.clone(), look(&context)).await;
                }
            }
        });
        Self {
            context: outbox,
            tasks,
        }
    }

    /// Starts the command and returns at once. Ends with one [`Msg::Settled`] for the ticket.
    pub fn send(&mut self, ticket: Ticket, command: Command) {
        self.reap();
        let context = self.context.clone();
        if let Command::Flatten(_) = command {
            self.tasks.spawn(async move {
                let flat = Box::pin(flatten::flatten(&context, Some(ticket), None));
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

    /// As [`Self::send`], for one request under a key the caller chose. If the journal has a request under that key, it
    /// is resent byte for byte, however `command` would be encoded now. The caller must ensure that both are the same
    /// request and that the service still keeps the key.
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

    /// Drops deliveries that have ended.
    fn reap(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }

    /// Resends the parked command of this ticket: the same key, the same bytes.
    pub fn again(&self, ticket: Ticket) {
        self.context.decide(ticket, ParkedDecision::Again);
    }

    /// Allows new entries again: a person has seen why the desk halted.
    pub fn rearm(&self) {
        let context = self.context.clone();
        tokio::spawn(async move { context.rearm().await });
    }

    /// Stops all sending. Each command still ends with one [`Msg::Settled`], within about a second: as unknown, or as
    /// unsent if none of it can have left, which the journal records.
    ///
    /// Known limit: recovery of an earlier session goes on until the process ends.
    pub fn stop(&self) {
        self.context.stop();
    }

    /// Whether everything queued is on the disk, within a second.
    pub async fn is_written(&self) -> bool {
        self.context.is_written().await
    }

    /// Drops the parked command of this ticket, whatever became of it.
    pub fn give_up(&self, ticket: Ticket) {
        self.context.decide(ticket, ParkedDecision::GiveUp);
    }
}
