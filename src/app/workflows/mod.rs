//! Commands that follow one another: flips, replacements, moves, brackets, trailing stops, close-alls and cancel-alls as
//! state machines, for the desk and the verbs.
//!
//! Contract: a workflow sends, reads and waits for nothing itself. `Workflow::tell` gives it an event with what is
//! known at that moment, and returns what it wants done. A command that it wants sent is checked like any other.

mod bracket;
mod bulk;
mod flatten;
mod flip;
pub mod goals;
mod operation;
mod order_move;
pub mod plan;
mod replacement;
mod running;
mod trail;

pub(crate) use bracket::BracketRun;
pub use bulk::{BulkRun, Item, State};
pub(crate) use flatten::{AfterRead, FlattenRun, ReadValue, key_refused};
pub use flip::FlipRun;
pub(crate) use operation::{
    CancelAllPlan, OperationKind, OperationRun, OperationStart, remains_words,
};
pub use order_move::{OrderMove, is_without_effect};
pub use replacement::Replacement;
pub(crate) use replacement::limit_beside;
pub(crate) use running::Running;
pub use running::Workflows;
pub use trail::Trail;
pub(crate) use trail::{TrailBy, TrailRequest, TrailSeen};

use crate::{
    app::{account::store::Store, activity::notice::Tone},
    model::{
        Command, Failure, Num, OperationEnd, Order, OrderId, Progress, Receipt, SlicedOperation,
        Timestamp, echo,
    },
};
use std::time::Duration;
use strum::EnumTryAs;

/// The pause between two reads that only a workflow waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, PartialEq, EnumTryAs)]
pub enum Workflow {
    Flip(FlipRun),
    /// Cancel/replace.
    Replace(Replacement),
    /// In place.
    Move(OrderMove),
    /// Close-all and cancel-all.
    Operation(OperationRun),
    /// An entry whose targets follow its fill.
    Bracket(BracketRun),
}

/// What is known when a workflow is notified.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) store: &'a Store,
    pub(crate) now: Timestamp,
    /// When an order that may open something was last given.
    pub(crate) opened_at: Option<Timestamp>,
}

/// What has happened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WorkflowEvent<'a> {
    /// Its command has an outcome.
    Settled(&'a Result<Receipt, Failure>),
    /// Its command has an outcome, which was unknown for a while.
    SettledLate(&'a Result<Receipt, Failure>),
    /// What its command was answered differs from what it requested.
    Mismatched(&'a Receipt),
    /// Its command goes on with an unfinished one of before.
    Continues,
    /// Reads show what its operation has left.
    OperationEnded(&'a OperationEnd),
    /// Its command has progressed.
    Progressed(&'a Progress),
    /// Its command was not sent, for this reason.
    Refused(&'a str),
    /// The queued cancel of an order has ended.
    CancelEnded(&'a OrderId, &'a Result<Receipt, Failure>),
    /// The orders that were searched for, and the rows that were found.
    Found(&'a [OrderId], &'a [Order]),
    /// Another command is sent.
    Sent(&'a Command),
    Stopped(StopReason<'a>),
    /// Time has passed, or newer rows are known.
    Passed,
}

impl<'a> WorkflowEvent<'a> {
    /// The outcome of `command`.
    pub(crate) fn settled(command: &Command, result: &'a Result<Receipt, Failure>) -> Self {
        let differs = |receipt: &&Receipt| !echo::differences(command, receipt).is_empty();
        let answer = result.as_ref().ok().filter(|_| refusal(result).is_none());
        let mismatch = answer.filter(differs).map(Self::Mismatched);
        mismatch.unwrap_or(Self::Settled(result))
    }
}

/// Why nothing more is to follow.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StopReason<'a> {
    /// A person requests this close-all or flatten, which is not sent yet.
    Requested(&'a Command),
    CancelAllRequested,
    Halted(&'a str),
}

/// What a workflow wants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WorkflowRequest {
    Send(Command),
    /// Positions and working orders.
    ReadLists,
    /// The row of this order, working or ended.
    Find(OrderId),
    Say(Tone, String),
    /// What this operation has left.
    ReadRemains(Box<SlicedOperation>),
    /// Says how an operation has ended.
    Report(Box<OperationEnd>),
    /// Says these words, and that the key of `command` does the rest.
    Offer {
        words: String,
        command: Command,
        does: &'static str,
    },
    /// The canceled order is gone, and this much is left to place.
    Remains(Num),
    /// Nothing more is sent: says why, and keeps what was typed for a correction.
    Fail(Failure),
    /// This one takes its place.
    Follow(Box<Workflow>),
    End(WorkflowEnd),
}

/// How a workflow ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkflowEnd {
    /// As its last command was answered.
    Answered,
    /// What it was to do was so already.
    Reached,
    /// The first command is done, or may be; what was to follow it is not.
    Half,
}

impl Workflow {
    /// The command that begins it.
    ///
    /// # Errors
    /// Why it cannot begin.
    pub(crate) fn first(&mut self, known: Known) -> Result<Command, String> {
        match self {
            Self::Flip(flip) => Ok(flip.first(known)),
            Self::Replace(replacement) => Ok(replacement.first(known)),
            Self::Move(one) => one.first(known),
            Self::Operation(one) => Ok(one.command()),
            Self::Bracket(one) => one.first(),
        }
    }

    pub(crate) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        if let WorkflowEvent::Mismatched(receipt) = event {
            return self.mismatched(known, receipt);
        }
        match self {
            Self::Flip(flip) => flip.tell(known, event),
            Self::Replace(replacement) => replacement.tell(known, event),
            Self::Move(one) => one.tell(known, event),
            Self::Operation(one) => one.tell(known, event),
            Self::Bracket(one) => one.tell(known, event),
        }
    }

    /// What the service did is not what the rest was decided on.
    fn mismatched(&mut self, known: Known, receipt: &Receipt) -> Vec<WorkflowRequest> {
        if let Self::Bracket(one) = self {
            return one.mismatched(known, receipt);
        }
        match self.half_done() {
            Some(_) => vec![WorkflowRequest::End(WorkflowEnd::Answered)],
            None => stop(
                "the answer differs from the request: nothing more is sent",
                WorkflowEnd::Answered,
            ),
        }
    }

    /// When it is to be notified that time has passed.
    pub(crate) fn look_at(&self) -> Option<Timestamp> {
        match self {
            Self::Flip(flip) => flip.look_at(),
            Self::Replace(replacement) => replacement.look_at(),
            Self::Move(one) => one.look_at(),
            Self::Operation(_) => None,
            Self::Bracket(one) => one.look_at(),
        }
    }

    /// Its next command is not sent after this.
    pub(crate) fn deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Flip(flip) => Some(flip.flip().deadline()),
            Self::Replace(replacement) => Some(replacement.deadline()),
            Self::Move(_) | Self::Operation(_) | Self::Bracket(_) => None,
        }
    }

    /// What is so if its second command, which is due or sent, is not done.
    pub(crate) fn half_done(&self) -> Option<String> {
        match self {
            Self::Flip(flip) => flip.half_done(),
            Self::Replace(replacement) => replacement.half_done(),
            Self::Move(_) | Self::Operation(_) | Self::Bracket(_) => None,
        }
    }

    /// Whether another command may follow its last one.
    fn may_send(&self) -> bool {
        match self {
            Self::Flip(_) | Self::Replace(_) | Self::Move(_) | Self::Bracket(_) => true,
            Self::Operation(one) => one.may_send(),
        }
    }
}

impl Known<'_> {
    /// Whether positions and working orders were requested after this. A request of the same instant may have been sent
    /// before.
    fn has_lists_since(&self, since: Timestamp) -> bool {
        self.store.orders.at() > Some(since) && self.store.positions.at() > Some(since)
    }

    /// Wants this once `look_at` has come, and again after a pause.
    fn ask(
        &self,
        look_at: &mut Timestamp,
        pause: Duration,
        request: WorkflowRequest,
    ) -> Vec<WorkflowRequest> {
        if *look_at > self.now {
            return vec![];
        }
        *look_at = self.now.plus(pause);
        vec![request]
    }
}

/// The row of this order, if it was among those requested and was found.
fn traced<'a>(id: &OrderId, requested: &[OrderId], found: &'a [Order]) -> Option<&'a Order> {
    let row = found.iter().find(|order| order.id == *id);
    row.filter(|_| requested.contains(id))
}

/// Says why, and ends.
fn stop(words: impl Into<String>, end: WorkflowEnd) -> Vec<WorkflowRequest> {
    vec![
        WorkflowRequest::Say(Tone::Alert, words.into()),
        WorkflowRequest::End(end),
    ]
}

/// Why a command was not done, if that is certain.
pub(crate) fn refusal(result: &Result<Receipt, Failure>) -> Option<Failure> {
    match result {
        Err(why) => (!why.is_doubtful()).then(|| why.clone()),
        Ok(receipt) => receipt.refusal(),
    }
}
