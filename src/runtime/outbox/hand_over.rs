//! A command on a second desk, while another desk holds the journal.
//!
//! Contract: the second desk acts as a verb does. It hands a close or cancel to the holding desk, which sends it as its
//! own; both desks follow up the response. The second desk sends the command itself, with an overflow journal, if the
//! holding desk does not respond in time, lacks the account or rejects the command. It also does so if the holding desk
//! accepted the command and then died or stopped, provided the command is harmless twice. A flatten is also left at a
//! stopped desk, which runs it if it wakes soon. New entries are refused, naming the holding desk. Once that desk is
//! gone, the journal's thread takes the journal over, and recovery runs as after a start.
//!
//! Known limit: a desk that stops right after its greeting keeps the command for three seconds; the next command goes
//! out at once. A command that is not harmless twice (closing a part of a position) then has an unknown outcome.

use super::{OutboxContext, follow};
use crate::{
    api::Request,
    app::{Msg, Sending, activity::notice::Tone},
    model::{Command, Failure, IdempotencyKey, Progress, Receipt, Ticket},
    runtime::journal::{
        journal_set::HoldingDesk,
        journal_writer::EXIT_JOURNAL_TIMEOUT,
        shared_journal::AccountAddress,
        socket::{self, DeskConnection, HandOverResult, unknown_after_hand_over},
        wire_request::HandOverRequest,
    },
};
use std::fmt;
use tokio::{
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

/// Why the holding desk does not send a command.
enum NotHandedOver {
    /// It does not respond, and may still act when it wakes.
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
    /// Reports each new holder of the journal; `None` once it is this desk.
    pub(crate) async fn report_holder(self) {
        let mut holder = self.writer.holder_changes();
        while holder.changed().await.is_ok() {
            let now = holder
                .borrow_and_update()
                .as_ref()
                .map(HoldingDesk::to_string);
            self.say(Msg::Second(now)).await;
        }
    }

    /// The outcome of `command` at the desk that holds the journal; `None` if this desk must send it.
    pub(crate) async fn hand_over(
        &self,
        ticket: Ticket,
        command: &Command,
    ) -> Option<Result<Receipt, Failure>> {
        let holder = self.writer.holder()?;
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
        let text = format!("{command}: {holder} {missed}, so this process sends it");
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

    /// A desk that wakes after the account was flattened here would trade on. A signal would not help: it concerns the
    /// account on that desk's screen.
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
                    "also flattens if it resumes within {} s; later it only reports the request, and is not halted",
                    socket::LAPSES.as_secs()
                ),
            ),
            Ok(Err(_)) | Err(_) => (
                Tone::Alert,
                "cannot be reached and is NOT halted: it may continue to trade when it resumes"
                    .to_owned(),
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
        let request = Request::encode(command, key.clone(), &self.client.dialect());
        let asked = match (command, &request) {
            (Command::Flatten(_), _) => HandOverRequest::Flatten,
            (_, Ok(request)) => HandOverRequest::Send {
                request,
                key: &key,
                sending: Sending::First,
                risk: command.risk(),
            },
            // The attempt to send it from here reports this.
            (_, Err(_)) => return None,
        };
        // The progress sender lives until the response, and so does the loop that forwards it.
        let (progress_sender, progress) = unbounded_channel();
        let on_progress = move |progress: &Progress| drop(progress_sender.send(progress.clone()));
        let ended = caller.hand_over(self.client.connection().into(), asked, on_progress);
        let (end, ()) = tokio::join!(ended, self.forward_progress(ticket, progress));
        Some(end)
    }

    async fn forward_progress(&self, ticket: Ticket, mut events: UnboundedReceiver<Progress>) {
        while let Some(progress) = events.recv().await {
            self.say(Msg::Progress(ticket, progress)).await;
        }
    }
}

/// Whether both desks may send it under different keys: it can only close what is still open.
fn is_harmless_twice(command: &Command) -> bool {
    command.facts().only_ends
}
