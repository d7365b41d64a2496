//! The way of a command on a desk whose journal another desk has.
//!
//! Contract: it is a verb's. What closes or cancels is handed to the desk that has the journal, and sent there as if it
//! had been typed there, and what follows the answer is looked at from both. Where that desk does not answer in a moment,
//! has not the account or turns it away, it goes out beside it, on a journal under `aside`; so does what may be done twice
//! when that desk has taken it and is gone or stopped, and a flatten is also left there, for it to follow where it wakes
//! soon. What raises exposure is refused, in words that name the other desk. When that
//! one is gone, the scribe takes the journal, and this desk finds out what it left open like any that is started.
//!
//! Known limit: a desk that is stopped when it has greeted keeps the command for three seconds; the next one goes beside
//! it at once. What is not to be done twice (a part of a position) is then in doubt.

use super::{Desk, follow};
use crate::{
    api::Request,
    app::{Msg, Sending, activity::notice::Tone},
    model::{Command, Failure, IdempotencyKey, Progress, Receipt, Risk, Ticket},
    runtime::journal::{
        journals::{FirstDesk, Keeper},
        scribe::MOMENT,
        shared_journal::AccountAddress,
        socket::{self, Asked, Caller, HandedOver, left},
    },
};
use std::fmt;
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

/// Why the desk that has the journal does not send a command.
enum Missed {
    /// What it does when it wakes is not known.
    Deaf(&'static str),
    Declined(String),
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deaf(why) => why,
            Self::Declined(why) => why,
        })
    }
}

impl Desk {
    /// Until that is this desk.
    pub(crate) async fn tells_who_has_the_journal(self) {
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
        (command.risk() == Risk::Increasing).then(|| trade_there(&first))
    }

    /// What comes of `command` on the desk that has the journal; `None` where it is for this one to send.
    pub(crate) async fn hand_over(
        &self,
        ticket: Ticket,
        command: &Command,
    ) -> Option<Result<Receipt, Failure>> {
        let first = self.scribe.first_desk()?;
        if self.refusal(command, self.wave()).is_some() {
            return None;
        }
        let missed = match self.greeted(&first).await {
            Err(missed) => missed,
            Ok(caller) => match self.ask_of(caller, ticket, command).await? {
                HandedOver::Ended(end) => {
                    if let Ok(receipt) = &end {
                        follow::check_echo(self, command, receipt).await;
                        follow::receipt(self, command, receipt, None);
                    }
                    return Some(end);
                }
                HandedOver::Lost if !is_harmless_twice(command) => return Some(Err(left())),
                HandedOver::NeverAsked | HandedOver::Lost => {
                    Missed::Deaf("does not answer any more")
                }
                HandedOver::TurnedAway(why) => {
                    Missed::Declined(format!("does not send it ({why})"))
                }
            },
        };
        let text = format!("{command}: {first} {missed}, so it goes out from here");
        self.note(Tone::Warn, text).await;
        if let (Command::Flatten(_), Missed::Deaf(_)) = (command, &missed) {
            self.leaves_flatten(&first).await;
        }
        None
    }

    /// At the socket of the other desk, where it has this account.
    async fn greeted(&self, first: &FirstDesk) -> Result<Caller, Missed> {
        let greeted = timeout(MOMENT, socket::call(&first.dir)).await;
        let caller = greeted.ok().flatten();
        let caller = caller.ok_or(Missed::Deaf("does not answer"))?;
        let here = AccountAddress::from(self.client.connection());
        if caller.greeting.accounts.contains(&here) {
            return Ok(caller);
        }
        let why = "does not trade this account".to_owned();
        Err(Missed::Declined(why))
    }

    /// A desk that wakes beside an account that was flattened meanwhile would trade on. Not by its signal, which is about
    /// the account on its screen, whichever that is.
    async fn leaves_flatten(&self, first: &FirstDesk) {
        let here = self.client.connection().into();
        let left = timeout(MOMENT, socket::leave_flatten(&first.dir, here));
        let (tone, words) = match left.await {
            Ok(Ok(())) => (
                Tone::Warn,
                format!(
                    "flattens too if it wakes within {} s; later it says so and does not, and is not halted",
                    socket::LAPSES.as_secs()
                ),
            ),
            Ok(Err(_)) | Err(_) => (
                Tone::Alert,
                "cannot be told and is NOT halted: it may trade on when it wakes".to_owned(),
            ),
        };
        self.note(tone, format!("flatten: {first} {words}")).await;
    }

    async fn ask_of(
        &self,
        caller: Caller,
        ticket: Ticket,
        command: &Command,
    ) -> Option<HandedOver> {
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
        let ended = caller.hand_over(self.client.connection().into(), asked, hear);
        let (end, ()) = tokio::join!(ended, self.passes_on(ticket, news));
        Some(end)
    }

    async fn passes_on(&self, ticket: Ticket, mut news: UnboundedReceiver<Progress>) {
        while let Some(progress) = news.recv().await {
            self.say(Msg::Progress(ticket, progress)).await;
        }
    }
}

pub(super) fn trade_there(first: &FirstDesk) -> Failure {
    Failure::local(format!(
        "{first} has the journal in {}: trade there, or end it and this desk takes over; closing and canceling \
         work here too",
        first.dir.display()
    ))
}

/// Whether the other desk may do it too, under a key of its own: all it can do is end what there still is.
fn is_harmless_twice(command: &Command) -> bool {
    command.facts().only_ends
}
