//! A command on a desk while another desk holds the journal.
//!
//! Contract: it is a verb's. What closes or cancels is handed to the desk that has the journal, and sent there as if it
//! had been typed there, and what follows the answer is looked at from both. Where that desk does not answer in a moment,
//! has not the account or turns it away, it goes out beside it, on a journal under `log_in_background`; so does what may be done twice
//! when that desk has taken it and is gone or stopped, and a flatten is also left there, for it to follow where it wakes
//! soon. What raises exposure is refused, in words that name the other desk. When that
//! one is gone, the scribe takes the journal, and this desk finds out what it left open like any that is started.
//!
//! Known limit: a desk that is stopped when it has greeted keeps the command for three seconds; the next one goes beside
//! it at once. What is not to be done twice (a part of a position) is then in doubt.

use super::{OutboxContext, follow};
use crate::{
    api::Request,
    app::{Msg, Sending, activity::notice::Tone},
    model::{Command, Failure, IdempotencyKey, Progress, Receipt, Risk, Ticket},
    runtime::journal::{
        journal_set::{HoldingDesk, LockOwner},
        journal_writer::EXIT_JOURNAL_TIMEOUT,
        shared_journal::AccountAddress,
        socket::{self, DeskConnection, HandOverRequest, HandOverResult, unknown_after_hand_over},
    },
};
use std::fmt;
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

/// Why the holding desk does not send a command.
enum NotHandedOver {
    /// It does not answer, and may still act when it wakes.
    Silent(&'static str),
    Declined(String),
}

impl fmt::Display for NotHandedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Silent(why) => why,
            Self::Declined(why) => why,
        })
    }
}

impl OutboxContext {
    /// Reports who holds the journal, until this desk does.
    pub(crate) async fn tells_who_has_the_journal(self) {
        let mut lock_owner = self.writer.lock_owner();
        let mut is_told = false;
        loop {
            let now = lock_owner.borrow_and_update().clone();
            match now {
                LockOwner::Unknown => {}
                LockOwner::ThisProcess => {
                    if is_told {
                        self.say(Msg::Second(None)).await;
                    }
                    return;
                }
                LockOwner::Another(holder) => {
                    is_told = true;
                    self.say(Msg::Second(Some(holder.to_string()))).await;
                }
            }
            if lock_owner.changed().await.is_err() {
                return;
            }
        }
    }

    /// Why a second desk does not send `command`, if so.
    pub(super) fn second_objection(&self, command: &Command) -> Option<Failure> {
        let holder = self.writer.holding_desk()?;
        (command.risk() == Risk::Increasing).then(|| holder.refuses_new_orders())
    }

    /// What comes of `command` on the context that has the journal; `None` where it is for this one to send.
    pub(crate) async fn hand_over(
        &self,
        ticket: Ticket,
        command: &Command,
    ) -> Option<Result<Receipt, Failure>> {
        let holder = self.writer.holding_desk()?;
        if self.refusal(command, self.epoch()).is_some() {
            return None;
        }
        let missed = match self.greeted(&holder).await {
            Err(missed) => missed,
            Ok(caller) => match self.ask_of(caller, ticket, command).await? {
                HandOverResult::Ended(end) => {
                    if let Ok(receipt) = &end {
                        follow::check_echo(self, command, receipt).await;
                        follow::receipt(self, command, receipt, None);
                    }
                    return Some(end);
                }
                HandOverResult::Lost if !is_harmless_twice(command) => {
                    return Some(Err(unknown_after_hand_over()));
                }
                HandOverResult::NeverAsked | HandOverResult::Lost => {
                    NotHandedOver::Silent("does not answer any more")
                }
                HandOverResult::TurnedAway(why) => {
                    NotHandedOver::Declined(format!("does not send it ({why})"))
                }
            },
        };
        let text = format!("{command}: {holder} {missed}, so it goes out from here");
        self.note(Tone::Warn, text).await;
        if let (Command::Flatten(_), NotHandedOver::Silent(_)) = (command, &missed) {
            self.leaves_flatten(&holder).await;
        }
        None
    }

    /// Connects to the holding desk, if it answers and has this account.
    async fn greeted(&self, holder: &HoldingDesk) -> Result<DeskConnection, NotHandedOver> {
        let greeted = timeout(EXIT_JOURNAL_TIMEOUT, socket::call(&holder.dir)).await;
        let caller = greeted.ok().flatten();
        let caller = caller.ok_or(NotHandedOver::Silent("does not answer"))?;
        let here = AccountAddress::from(self.client.connection());
        if caller.greeting.accounts.contains(&here) {
            return Ok(caller);
        }
        let why = "does not trade this account".to_owned();
        Err(NotHandedOver::Declined(why))
    }

    /// A desk that wakes beside an account that was flattened meanwhile would trade on. Not by its signal, which is about
    /// the account on its screen, whichever that is.
    async fn leaves_flatten(&self, holder: &HoldingDesk) {
        let here = self.client.connection().into();
        let left = timeout(
            EXIT_JOURNAL_TIMEOUT,
            socket::leave_flatten(&holder.dir, here),
        );
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
        self.note(tone, format!("flatten: {holder} {words}")).await;
    }

    async fn ask_of(
        &self,
        caller: DeskConnection,
        ticket: Ticket,
        command: &Command,
    ) -> Option<HandOverResult> {
        let key = IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let request = Request::of(command, key.clone(), &self.client.dialect());
        let asked = match (command, &request) {
            (Command::Flatten(_), _) => HandOverRequest::Flatten,
            (_, Ok(request)) => HandOverRequest::Send {
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

/// Whether the other desk may do it too, under a key of its own: all it can do is end what there still is.
fn is_harmless_twice(command: &Command) -> bool {
    command.facts().only_ends
}
