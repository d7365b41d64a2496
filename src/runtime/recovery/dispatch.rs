//! Where commands are given: a flatten goes its own way, everything else is delivered; and at the start, what the last
//! session left open is found out.

use super::{flatten, recover::recover};
use crate::{
    app::Msg,
    client::Client,
    journal::{Journal, JournalError},
    model::{Command, IdempotencyKey, Ticket},
    runtime::{
        base::clock::Clock,
        journal::{
            scribe::Scribe,
            shared_journal::{AccountAddress, GoesOn, JournalAccounts},
        },
        outbox::{Decision, Desk, Origin, Stay, interrupted},
    },
};
use tokio::{sync::mpsc::Sender, task::JoinSet};

/// Dropping it stops what it was given to send; what the last session left, and what follows an answer, goes on until
/// the runtime ends. The journal keeps what was.
#[derive(Debug)]
pub struct Outbox {
    pub(in crate::runtime) desk: Desk,
    flights: JoinSet<()>,
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
        let scribe = Scribe::spawn(open, events.clone());
        let accounts = JournalAccounts::among(client.connection(), vec![]);
        Self::beside(client, clock, (scribe, accounts), events)
    }

    /// For the deeds of a verb: what an earlier session left open is only found out about by reads, and left to a desk
    /// where they do not tell; what `others` left open is theirs altogether, and what `goes_on` with these deeds is theirs.
    pub fn for_deeds(
        client: Client,
        clock: Clock,
        open: impl FnOnce() -> Result<Journal, JournalError> + Send + 'static,
        events: Sender<Msg>,
        (others, goes_on): (Vec<AccountAddress>, GoesOn),
    ) -> Self {
        let scribe = Scribe::spawn(open, events.clone());
        let accounts = JournalAccounts::among(client.connection(), others).apart_from(goes_on);
        Self::of(
            Desk::new(client, (clock, Stay::Deeds), scribe, events),
            accounts,
        )
    }

    /// The same with a journal that others write too.
    pub(crate) fn beside(
        client: Client,
        clock: Clock,
        (scribe, accounts): (Scribe, JournalAccounts),
        events: Sender<Msg>,
    ) -> Self {
        let how = (clock, Stay::Session);
        Self::of(Desk::new(client, how, scribe, events), accounts)
    }

    fn of(desk: Desk, accounts: JournalAccounts) -> Self {
        let mut flights = JoinSet::new();
        // Asked for now, so that it is answered before anything of this session is written.
        let now = desk.clock.now();
        let left = desk
            .scribe
            .ask_own(move |journal| accounts.left(journal, now));
        if desk.stay == Stay::Session {
            flights.spawn(desk.clone().tells_who_has_the_journal());
        }
        flights.spawn(recover(desk.clone(), left));
        Self { desk, flights }
    }

    /// Takes the command on its way and returns at once. Ends with one [`Msg::Settled`] for the ticket.
    pub fn send(&mut self, ticket: Ticket, command: Command) {
        self.reap();
        let desk = self.desk.clone();
        if let Command::Flatten(_) = command {
            self.flights.spawn(async move {
                let flat = Box::pin(flatten::asked(&desk, ticket, &command));
                let result = desk.unless_stopped(flat).await;
                let result = result.unwrap_or_else(|| Err(interrupted()));
                desk.say(Msg::Settled(ticket, result)).await;
            });
            return;
        }
        let turn = self.desk.join(&command);
        let origin = Origin {
            wave: desk.given(&command),
            ..Origin::default()
        };
        let run = desk.run(ticket, command, origin, turn);
        self.flights.spawn(run);
    }

    /// As [`Self::send`], for one request under a key the caller chose. What the journal holds under that key
    /// already goes out again as it was, byte for byte, whatever `command` would be spelled like now; that
    /// both are one wish, and that the service still knows the key, is the caller's to make sure of.
    pub fn send_as(&mut self, ticket: Ticket, command: Command, key: IdempotencyKey) {
        self.reap();
        let turn = self.desk.join(&command);
        let origin = Origin {
            key: Some(key),
            wave: self.desk.given(&command),
            ..Origin::default()
        };
        let run = self.desk.clone().run(ticket, command, origin, turn);
        self.flights.spawn(run);
    }

    /// Lets go of the flights that have ended.
    fn reap(&mut self) {
        while self.flights.try_join_next().is_some() {}
    }

    /// Sends the parked command of this ticket again: the same key, the same bytes.
    pub fn again(&self, ticket: Ticket) {
        self.desk.decide(ticket, Decision::Again);
    }

    /// What raises exposure may be sent again: a person has seen why the desk halted.
    pub fn rearm(&self) {
        let desk = self.desk.clone();
        tokio::spawn(async move { desk.rearm().await });
    }

    /// Nothing that was given goes out from here on. Each command still ends with one [`Msg::Settled`], within a second or
    /// so: as in doubt, or, where surely nothing of it has left, as unsent, which the journal notes.
    ///
    /// Known limit: a desk's goes on with what an earlier session left open until the process ends.
    pub fn stop(&self) {
        self.desk.stop();
    }

    /// Whether all that was to be written is with the disk, within a second.
    pub async fn is_written(&self) -> bool {
        self.desk.is_written().await
    }

    /// Lets go of the parked command of this ticket, whatever became of it.
    pub fn give_up(&self, ticket: Ticket) {
        self.desk.decide(ticket, Decision::GiveUp);
    }
}
