//! Close-all and cancel-all: operations that the service carries out part by part (`docs/delivery.md 6`).
//!
//! Contract: an operation acts on what there was when it began. After one that went on with an earlier one, a new one
//! follows for what came since, unless an order was given after it was requested: then a person decides. Reads show what
//! is left at the end.

use super::{Known, WorkflowEnd, WorkflowEvent, WorkflowRequest, stop};
use crate::{
    app::activity::notice::Tone,
    model::{
        AccountId, CancelAll, CloseAll, CloseCheck, Command, Failure, Fallible, FlatProof,
        OperationEnd, Order, Page, Receipt, SlicedOperation, Timestamp,
    },
};

/// The most orders that one cancel-all cancels (`docs/service-api.md 2.4`).
const MOST_TARGETS: usize = 200;

/// How many rows that are left are named.
const NAMED: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRun {
    kind: OperationKind,
    account: AccountId,
    requested_at: Timestamp,
    start: OperationStart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationKind {
    CloseAll,
    CancelAll,
}

/// Where an operation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationStart {
    New,
    /// It goes on with an earlier one, which did not know what came since.
    Continued,
}

impl OperationRun {
    pub(crate) fn new(
        kind: OperationKind,
        account: AccountId,
        start: OperationStart,
        now: Timestamp,
    ) -> Self {
        Self {
            kind,
            account,
            requested_at: now,
            start,
        }
    }

    /// The operation that `command` begins, if it does.
    pub(crate) fn of(command: &Command, now: Timestamp) -> Option<Self> {
        let (kind, account) = if let Command::CloseAll(account) = command {
            (OperationKind::CloseAll, account)
        } else if let Command::CancelAll(account) = command {
            (OperationKind::CancelAll, account)
        } else {
            return None;
        };
        Some(Self::new(kind, account.clone(), OperationStart::New, now))
    }

    pub(crate) fn command(&self) -> Command {
        let account = self.account.clone();
        match self.kind {
            OperationKind::CloseAll => Command::CloseAll(account),
            OperationKind::CancelAll => Command::CancelAll(account),
        }
    }

    /// Whether another one may follow it.
    pub(crate) fn may_send(&self) -> bool {
        self.start == OperationStart::Continued
    }

    pub(super) fn tell(&mut self, known: Known, event: WorkflowEvent) -> Vec<WorkflowRequest> {
        match event {
            WorkflowEvent::Continues => {
                self.start = OperationStart::Continued;
                vec![]
            }
            WorkflowEvent::Settled(result) | WorkflowEvent::SettledLate(result) => settled(result),
            WorkflowEvent::OperationEnded(end) => {
                if self.may_send() && end.is_outrun() {
                    return self.follow(known);
                }
                vec![
                    WorkflowRequest::Report(Box::new(end.clone())),
                    WorkflowRequest::End(WorkflowEnd::Answered),
                ]
            }
            WorkflowEvent::Refused(why) => {
                stop(format!("{}: {why}", self.outrun()), WorkflowEnd::Answered)
            }
            WorkflowEvent::Mismatched(_)
            | WorkflowEvent::Progressed(_)
            | WorkflowEvent::CancelEnded(..)
            | WorkflowEvent::Found(..)
            | WorkflowEvent::Sent(_)
            | WorkflowEvent::Stopped(_)
            | WorkflowEvent::Passed => vec![],
        }
    }

    /// The request meant all there was; what was opened on purpose after it was not meant.
    fn follow(&mut self, known: Known) -> Vec<WorkflowRequest> {
        let (command, words) = (self.command(), self.outrun());
        let [name, _, does] = self.kind.words();
        if known.opened_at >= Some(self.requested_at) {
            let offer = WorkflowRequest::Offer {
                words,
                command,
                does,
            };
            return vec![offer, WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        if known.store.is_carrying_out(&command) {
            return vec![WorkflowRequest::End(WorkflowEnd::Answered)];
        }
        self.start = OperationStart::New;
        let words = format!("{words}: a new {name} follows");
        vec![
            WorkflowRequest::Say(Tone::Warn, words),
            WorkflowRequest::Send(command),
        ]
    }

    fn outrun(&self) -> String {
        let [name, since, _] = self.kind.words();
        format!(
            "the {name} on {} continued an earlier one; {since}",
            self.account
        )
    }
}

impl OperationKind {
    /// Its name, what came after it began, and what a new one does with that.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::CloseAll => [
                "close-all",
                "positions opened since then are still open",
                "closes them",
            ],
            Self::CancelAll => [
                "cancel-all",
                "orders placed since then still work",
                "cancels them",
            ],
        }
    }
}

/// How every working order is canceled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CancelAllPlan {
    /// With one operation of the service.
    AtOnce,
    /// Each with a request of its own.
    Each(Vec<Command>),
}

impl CancelAllPlan {
    /// `commands` are the cancels of the working orders. One operation cancels the stops of open positions too, and
    /// takes only so many orders: where `stays` says that a stop stays, and beyond that many, each is canceled by itself.
    pub(crate) fn of(commands: Vec<Command>, stays: impl Fn(&Command) -> bool) -> Self {
        let mut stops = commands
            .iter()
            .filter(|command| matches!(command, Command::Unprotect(_)));
        if commands.len() > MOST_TARGETS || stops.any(stays) {
            return Self::Each(commands);
        }
        Self::AtOnce
    }
}

fn settled(result: &Result<Receipt, Failure>) -> Vec<WorkflowRequest> {
    match result.as_ref().ok().and_then(SlicedOperation::of) {
        Some(operation) => vec![WorkflowRequest::ReadRemains(Box::new(operation))],
        None => vec![WorkflowRequest::End(WorkflowEnd::Answered)],
    }
}

/// What an operation has left, in words.
pub(crate) fn remains_words(end: &OperationEnd) -> (Tone, String) {
    match end {
        OperationEnd::CloseAll(operation, read) => closed_words(operation, read),
        OperationEnd::CancelAll(operation, read) => canceled_words(operation, read),
    }
}

fn closed_words(operation: &CloseAll, read: &Fallible<CloseCheck>) -> (Tone, String) {
    let proved = |proof: &FlatProof| {
        let apart = proof.second.since(proof.first).as_secs_f32();
        format!("no position is open, on two reads {apart:.1} s apart")
    };
    match read {
        Ok(CloseCheck::Closed(proof)) => (Tone::Good, proved(proof)),
        Ok(CloseCheck::MayOpen(proof)) => {
            let proved = proved(proof);
            let words = "an order sent before is still unanswered, and may open one";
            (Tone::Alert, format!("{proved}; {words}"))
        }
        Ok(CloseCheck::Open(open)) => {
            let rows = first(open, "; ", |position| position.left_by(Some(operation)));
            let words = format!("close all is complete but not flat, still open: {rows}");
            (Tone::Alert, words)
        }
        Err(why) => {
            let words = "close all is complete, but whether the positions are gone is not known";
            (Tone::Alert, format!("{words}: {why}"))
        }
    }
}

fn canceled_words(operation: &CancelAll, read: &Fallible<Page<Order>>) -> (Tone, String) {
    let unknown = "cancel all is complete, but whether orders still work is not known";
    match read {
        Ok(page) if !page.rows.is_empty() => {
            let is_queued = |order: &Order| operation.queued().any(|id| *id == order.id);
            let rows = first(&page.rows, ", ", |order| {
                let queued = if is_queued(order) { " (queued)" } else { "" };
                format!("{}{queued}", order.id)
            });
            let words = format!("cancel all is complete, still working: {rows}");
            (Tone::Alert, words)
        }
        Ok(page) if page.is_whole() => (Tone::Good, "no order works any more".to_owned()),
        Ok(_) => (Tone::Alert, format!("{unknown}: the list is incomplete")),
        Err(why) => (Tone::Alert, format!("{unknown}: {why}")),
    }
}

/// The first rows in words, and how many more there are.
fn first<R>(rows: &[R], between: &str, words: impl Fn(&R) -> String) -> String {
    let mut named: Vec<_> = rows.iter().take(NAMED).map(words).collect();
    if let more @ 1.. = rows.len().saturating_sub(NAMED) {
        named.push(format!("{more} more"));
    }
    named.join(between)
}
