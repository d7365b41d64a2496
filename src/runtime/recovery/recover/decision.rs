//! What to do about a command that was open when the last session ended, as one table (docs/delivery.md 7.2).

use crate::{
    client::ReconcileOutcome,
    journal::{IntentRow, IntentState},
    model::{Command, Failure, Order, Receipt, Risk, Timestamp},
    runtime::{base::process::ProcessKind, outbox::Ownership},
};

/// What recovery does about an open row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecoveryDecision {
    /// It never left, and is not sent any more.
    Drop,
    /// It never left and may still be wanted: a person decides.
    Offer,
    /// It never left, and only a desk with its service, account and key may send it.
    Foreign,
    /// The flatten it is part of resumes it.
    Join,
    /// It is resent: the same bytes under the same key.
    Resend,
    /// The service has it pending: reads follow it until it ends.
    Follow,
    /// Reads may decide its outcome.
    Reconcile,
    /// Reads decided its outcome.
    Decided(Result<Receipt, Failure>),
    /// A newer change replaced it.
    Superseded,
    /// It may have executed, and no read decides: a person does.
    Ask,
    /// It stays open for a desk.
    Leave,
}

/// Everything the decision depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecoveryCase<'a> {
    pub(super) entry: &'a IntentRow,
    pub(super) command: &'a Command,
    pub(super) ownership: Ownership,
    pub(super) process: ProcessKind,
    pub(super) now: Timestamp,
    /// The journal has a later change of the same object.
    pub(super) is_overtaken: bool,
    /// It is part of the flatten that is resumed.
    pub(super) is_part: bool,
    /// Working orders as read; empty if they could not be read.
    pub(super) working: &'a [Order],
}

impl RecoveryCase<'_> {
    /// The decision before any read.
    pub(super) fn decision(&self) -> RecoveryDecision {
        match (self.process, self.first()) {
            (ProcessKind::Desk, decision) => decision,
            (ProcessKind::Verb, RecoveryDecision::Resend | RecoveryDecision::Follow) => {
                RecoveryDecision::Reconcile
            }
            (ProcessKind::Verb, decision) => decision.for_verb(),
        }
    }

    /// The decision after the reads.
    pub(super) fn after(&self, outcome: Result<ReconcileOutcome, Failure>) -> RecoveryDecision {
        let decision = match outcome {
            Ok(ReconcileOutcome::Done(receipt)) => RecoveryDecision::Decided(Ok(receipt)),
            Ok(ReconcileOutcome::Ended(why)) => RecoveryDecision::Decided(Err(why)),
            Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_)
                if self.is_overtaken =>
            {
                RecoveryDecision::Superseded
            }
            Ok(ReconcileOutcome::NotDone) if self.may_cancel_again() => RecoveryDecision::Resend,
            Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => {
                RecoveryDecision::Ask
            }
        };
        match self.process {
            ProcessKind::Desk => decision,
            ProcessKind::Verb => decision.for_verb(),
        }
    }

    /// Whether a desk that places an exit of this position now may place it twice.
    pub(super) fn may_have_placed_exits(&self) -> bool {
        let Command::ExitBatch(batch) = self.command else {
            return false;
        };
        self.process == ProcessKind::Desk && batch.places() && !self.is_overtaken
    }

    fn first(&self) -> RecoveryDecision {
        let state = self.entry.state;
        if state == IntentState::Prepared {
            return self.never_left();
        }
        match (self.ownership, state) {
            (Ownership::Foreign, _) => RecoveryDecision::Ask,
            (Ownership::Own, IntentState::Queued) => RecoveryDecision::Follow,
            (Ownership::Own, _) if self.is_part && matches!(self.command, Command::CloseAll(_)) => {
                RecoveryDecision::Join
            }
            (Ownership::Own, _) if self.opens_nothing() && self.entry.is_replayable(self.now) => {
                RecoveryDecision::Resend
            }
            (Ownership::Own, _) => RecoveryDecision::Reconcile,
        }
    }

    /// A close or cancel may still be wanted. An order that increases exposure was for a price that is gone, and a
    /// resumed flatten finds what is left to close by itself.
    fn never_left(&self) -> RecoveryDecision {
        if self.entry.intent.risk == Risk::Increasing || self.is_part || self.is_overtaken {
            return RecoveryDecision::Drop;
        }
        match self.ownership {
            Ownership::Own => RecoveryDecision::Offer,
            Ownership::Foreign => RecoveryDecision::Foreign,
        }
    }

    /// However late it arrives: its key executes once, and it can only close.
    fn opens_nothing(&self) -> bool {
        let facts = self.command.facts();
        facts.is_keyed && facts.only_ends
    }

    /// A cancel of something that still works opens nothing, unless it may protect a position.
    fn may_cancel_again(&self) -> bool {
        if let Command::Cancel(id) = self.command {
            let is_plain = |order: &Order| order.id == *id && !order.reduce_only;
            return self.working.iter().any(is_plain);
        }
        matches!(
            self.command,
            Command::StopTwap(_) | Command::CancelScaled(_)
        )
    }
}

impl RecoveryDecision {
    /// For a verb: whatever it began would end with it.
    fn for_verb(self) -> Self {
        match self {
            Self::Offer
            | Self::Foreign
            | Self::Join
            | Self::Resend
            | Self::Follow
            | Self::Ask
            | Self::Leave => Self::Leave,
            Self::Drop | Self::Reconcile | Self::Decided(_) | Self::Superseded => self,
        }
    }
}

#[cfg(test)]
mod tests;
