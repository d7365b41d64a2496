//! The way of a command on a desk whose journal another desk has.
//!
//! Contract: it is a verb's. What closes or cancels is handed to the desk that has the journal, and sent there as if it
//! had been typed there. Where that desk does not answer in a moment, has not the account or turns it away, it goes out
//! beside it, on a journal under `aside`. What raises exposure is refused, in words that name the other desk. When that
//! one is gone, the scribe takes the journal, and this desk finds out what it left open like any that is started.
//!
//! Known limit: a desk that is stopped in the instant between its greeting and taking a command keeps that command in
//! doubt for ten seconds; the next one goes beside it.

use super::Desk;
use crate::{
    api::Request,
    app::{Msg, Sending, notice::Tone},
    model::{Command, Failure, IdempotencyKey, Progress, Receipt, Risk, Ticket},
    runtime::{
        flatten,
        journals::{FirstDesk, Keeper},
        scribe::MOMENT,
        shared_journal::AccountAddress,
        socket::{self, Asked, Caller, TurnedAway},
    },
};
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

/// What the other desk says of a command.
type Told = Result<Result<Receipt, Failure>, TurnedAway>;

impl Desk {
    /// Until that is this desk.
    pub(super) async fn tells_who_has_the_journal(self) {
        let mut keeper = self.scribe.keeper();
        let mut is_told = false;
        loop {
            let now = keeper.borrow_and_update().clone();
            match now {
                Keeper::Unknown => {}
                Keeper::ThisDesk => {
                    if is_told {
                        self.say(Msg::Second(None)).await;
                    }
                    return;
                }
                Keeper::Another(first) => {
                    is_told = true;
                    self.say(Msg::Second(Some(first.to_string()))).await;
                }
            }
            if keeper.changed().await.is_err() {
                return;
            }
        }
    }

    /// Why a second desk does not send `command`, if so.
    pub(super) fn second_objection(&self, command: &Command) -> Option<Failure> {
        let first = self.scribe.first_desk()?;
        (command.risk() == Risk::Increasing).then(|| {
            Failure::local(format!(
                "{first} has the journal in {}: trade there, or end it and this desk takes over; closing and canceling \
                 work here too",
                first.dir.display()
            ))
        })
    }

    pub(super) async fn flatten(
        &self,
        ticket: Ticket,
        command: &Command,
    ) -> Result<Receipt, Failure> {
        match self.hand_over(ticket, command).await {
            Some(end) => end,
            None => flatten::flatten(self, Some(ticket), None).await,
        }
    }

    /// What comes of `command` on the desk that has the journal; `None` where it is for this one to send.
    pub(super) async fn hand_over(
        &self,
        ticket: Ticket,
        command: &Command,
    ) -> Option<Result<Receipt, Failure>> {
        let first = self.scribe.first_desk()?;
        if self.refusal(command, self.wave()).is_some() {
            return None;
        }
        let turned_away = match self.caller(&first).await {
            Some(caller) => match self.ask_of(caller, ticket, command).await? {
                Ok(end) => return Some(end),
                Err(TurnedAway(why)) => format!("does not send it ({why})"),
            },
            None => "does not answer for this account".to_owned(),
        };
        let text = format!("{command}: {first} {turned_away}, so it goes out from here");
        self.note(Tone::Warn, text).await;
        None
    }

    /// At the socket of the other desk, where it has this account.
    async fn caller(&self, first: &FirstDesk) -> Option<Caller> {
        let greeted = timeout(MOMENT, socket::call(&first.dir)).await;
        let here = AccountAddress::from(self.client.connection());
        let caller = greeted.ok().flatten();
        caller.filter(|caller| caller.greeting.accounts.contains(&here))
    }

    async fn ask_of(&self, caller: Caller, ticket: Ticket, command: &Command) -> Option<Told> {
        let key = IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let request = Request::of(command, key.clone(), &self.client.dialect());
        let asked = match (command, &request) {
            (Command::Flatten(_), _) => Asked::Flatten,
            (_, Ok(request)) => Asked::Send {
                request,
                key: &key,
                sending: Sending::First,
                risk: command.risk(),
            },
            // Said by whoever tries to send it here.
            (_, Err(_)) => return None,
        };
        // What hears ends with the answer, and so does passing it on.
        let (heard, news) = unbounded_channel();
        let hear = move |progress: &Progress| drop(heard.send(progress.clone()));
        let ended = caller.ask(self.client.connection().into(), asked, hear);
        let (end, ()) = tokio::join!(ended, self.passes_on(ticket, news));
        Some(end)
    }

    async fn passes_on(&self, ticket: Ticket, mut news: UnboundedReceiver<Progress>) {
        while let Some(progress) = news.recv().await {
            self.say(Msg::Progress(ticket, progress)).await;
        }
    }
}
