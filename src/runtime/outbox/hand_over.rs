//! A command in a process that does not hold the journal (docs/delivery.md 8.1, 8.5).
//!
//! Contract: the desk that holds the journal is asked to send it, as a command of its own. This process sends it itself,
//! with an overflow journal, if the holder does not respond in time or lacks the account. A second desk also does so if
//! the holder declines, and if the holder accepted the command and then died or stopped, provided the command is
//! harmless twice; both desks follow up the response. A flatten of a second desk is also left at a stopped holder, which
//! runs it if it wakes soon. Once the holder is gone, the journal's thread takes the journal over for a second desk, and
//! recovery runs as after a start.
//!
//! Known limit: a desk that stops right after its greeting keeps the command for three seconds; the next command goes
//! out at once. A command that is not harmless twice (closing a part of a position) then has an unknown outcome.

use super::{OutboxContext, context::NOTE_TIMEOUT, follow, interrupted, record::CommandOrigin};
use crate::{
    api::Request,
    app::{Msg, Sending, activity::notice::Tone},
    journal::Holder,
    model::{
        Command, Dispatch, Failure, FailureKind, IdempotencyKey, JournalRole, ProcessKind, Receipt,
        Ticket,
    },
    runtime::journal::{
        journal_writer::EXIT_JOURNAL_TIMEOUT,
        shared_journal::AccountAddress,
        socket::{self, DeskConnection, FoundDesk, HandOverResult, find_desk},
        wire_request::WireRequest,
    },
};
use std::fmt;
use tokio::time::timeout;

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
            let now = holder.borrow_and_update().as_ref().map(Holder::to_string);
            self.say(Msg::Second(now)).await;
        }
    }

    /// The outcome of `command` if another process holds the journal; `None` if this one must send it.
    pub(crate) async fn hand_over(
        &self,
        ticket: Ticket,
        command: &Command,
        origin: &CommandOrigin,
    ) -> Option<Result<Receipt, Failure>> {
        let holder = self.writer.holder()?;
        if self.refusal(command, self.epoch()).is_some() {
            return None;
        }
        let found = find_desk(self.process, &holder.dir, &self.address()).await;
        let missed = match found {
            FoundDesk::Trading(desk) => {
                // The attempt to send it from here reports what cannot be encoded.
                let request = self.wire_request(command, origin).await?;
                let asked = Box::pin(self.ask_of(desk, (ticket, command), request));
                // A command that is stopped now may have been sent there.
                let stopped = || Ok(Err(interrupted()));
                match self.unless_stopped(asked).await.unwrap_or_else(stopped) {
                    Ok(end) => return Some(end),
                    Err(missed) => missed,
                }
            }
            FoundDesk::Elsewhere(_) => {
                NotHandedOver::Declined("does not trade this account".to_owned())
            }
            FoundDesk::Silent => NotHandedOver::Silent("does not answer"),
        };
        let dispatch = self.dispatch(JournalRole::Bypass, command);
        if dispatch == Dispatch::Refused {
            return Some(Err(match missed {
                NotHandedOver::Silent(_) => unasked(),
                NotHandedOver::Declined(why) => Failure::held_back(&format!("{holder} {why}")),
            }));
        }
        let text = format!("{command}: {holder} {missed}, so this process sends it");
        self.note(Tone::Warn, text).await;
        if let (Dispatch::FromOverflowAndLeft, NotHandedOver::Silent(_)) = (dispatch, &missed) {
            self.leaves_flatten(&holder).await;
        }
        None
    }

    fn address(&self) -> AccountAddress {
        self.client.connection().into()
    }

    async fn wire_request(&self, command: &Command, origin: &CommandOrigin) -> Option<WireRequest> {
        if let Command::Flatten(_) = command {
            return Some(WireRequest::Flatten);
        }
        let random = || IdempotencyKey::from(uuid::Uuid::new_v4().to_string());
        let key = origin.key.clone().unwrap_or_else(random);
        let request = Request::encode(command, key.clone()).ok()?;
        let sending = self.sending(origin.key.as_ref()).await;
        let how = (sending, origin.key_origin, command.risk());
        Some(WireRequest::send(request, key, how))
    }

    /// Whether an earlier request under a chosen key may have executed: the holder checked that one then.
    async fn sending(&self, chosen: Option<&IdempotencyKey>) -> Sending {
        let Some(key) = chosen.cloned() else {
            return Sending::First;
        };
        let read = self.writer.read(move |journal| journal.by_key(&key));
        match timeout(NOTE_TIMEOUT, read).await {
            Ok(Ok(Ok(Some(known)))) if known.maybe_executed => Sending::Again,
            // Without an answer in time nothing is known of the key.
            Ok(_) | Err(_) => Sending::First,
        }
    }

    /// The outcome, by the rules of docs/delivery.md 8.5.
    async fn ask_of(
        &self,
        desk: DeskConnection,
        (ticket, command): (Ticket, &Command),
        request: WireRequest,
    ) -> Result<Result<Receipt, Failure>, NotHandedOver> {
        let follows = (ticket, &self.events);
        let result = desk.hand_over(self.address(), request, follows).await;
        match (result, self.process) {
            (HandOverResult::Ended(end), _) => Ok(self.followed(command, end).await),
            (HandOverResult::TurnedAway(why), ProcessKind::Desk) => {
                Err(NotHandedOver::Declined(format!("does not send it ({why})")))
            }
            (HandOverResult::TurnedAway(why), ProcessKind::Verb) => {
                Ok(Err(Failure::held_back(&why)))
            }
            // Both may send it under different keys: it can only close what is still open.
            (HandOverResult::Lost, ProcessKind::Desk) if command.facts().only_ends => {
                Err(NotHandedOver::Silent("does not answer any more"))
            }
            (HandOverResult::NeverAsked, _) => {
                Err(NotHandedOver::Silent("does not answer any more"))
            }
            (HandOverResult::Lost, _) => Ok(Err(unknown_after_hand_over())),
        }
    }

    /// A desk compares and follows the response as its own; a verb waits for the end of a queued cancel.
    async fn followed(
        &self,
        command: &Command,
        end: Result<Receipt, Failure>,
    ) -> Result<Receipt, Failure> {
        match (self.process, &end) {
            (ProcessKind::Desk, Ok(receipt)) => {
                follow::check_echo(self, command, receipt).await;
                follow::receipt(self, command, receipt, None);
                end
            }
            (ProcessKind::Desk, Err(_)) => end,
            (ProcessKind::Verb, _) => {
                let queued = follow::queued_end(&self.client, command, &end).await;
                queued.unwrap_or(end)
            }
        }
    }

    /// A desk that wakes after the account was flattened here would trade on. A signal would not help: it concerns the
    /// account on that desk's screen.
    async fn leaves_flatten(&self, holder: &Holder) {
        let left = socket::leave_flatten(&holder.dir, self.address());
        let left = timeout(EXIT_JOURNAL_TIMEOUT, left);
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
}

/// No desk received the request.
fn unasked() -> Failure {
    let why = "the desk that has the journal does not answer any more; nothing was sent";
    Failure::new(FailureKind::Unavailable, why)
}

/// The outcome of [`HandOverResult::Lost`].
fn unknown_after_hand_over() -> Failure {
    let why = "the desk received the request and ended without an answer; its journal may hold it";
    Failure::new(FailureKind::Unknown, why)
}
