//! What to do about a command that was open when the last session ended, as one table (docs/delivery.md 7.2).

use crate::{
    client::ReconcileOutcome,
    journal::{IntentRow, IntentState},
    model::{Command, Failure, Order, Receipt, Risk, Timestamp},
    runtime::outbox::{OutboxUse, Ownership},
};

/// What recovery does about an open row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecoveryDecision {
    /// It surely never left, and is not sent any more.
    LetGo,
    /// It surely never left, and may still be wanted: a person decides.
    Offer,
    /// It surely never left, and only a desk of its own service, account and key may send it.
    Foreign,
    /// The flatten it is a part of goes on with it.
    Join,
    /// It goes out again, the same bytes under the same key.
    Resend,
    /// The service has it waiting: it is looked at until it ends.
    Follow,
    /// Reads may tell its outcome.
    Reconcile,
    /// Reads told its outcome.
    Told(Result<Receipt, Failure>),
    /// A newer change has taken its place.
    Superseded,
    /// It may have had its effect, and nothing tells: a person decides.
    Ask,
    /// It is left to a desk as it is.
    Leave,
}

/// Everything the decision depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecoveryCase<'a> {
    pub(super) entry: &'a IntentRow,
    pub(super) command: &'a Command,
    pub(super) ownership: Ownership,
    pub(super) outbox_use: OutboxUse,
    pub(super) now: Timestamp,
    /// A later PUT for the same thing is in the journal too.
    pub(super) is_overtaken: bool,
    /// Of the flatten that goes on.
    pub(super) is_part: bool,
    /// As they were read; none where they could not be.
    pub(super) working: &'a [Order],
}

impl RecoveryCase<'_> {
    /// The decision before any read.
    pub(super) fn decision(&self) -> RecoveryDecision {
        match (self.outbox_use, self.first()) {
            (OutboxUse::Session, decision) => decision,
            (OutboxUse::Verb, RecoveryDecision::Resend | RecoveryDecision::Follow) => {
                RecoveryDecision::Reconcile
            }
            (OutboxUse::Verb, decision) => decision.in_passing(),
        }
    }

    /// The decision after the reads.
    pub(super) fn after(&self, outcome: Result<ReconcileOutcome, Failure>) -> RecoveryDecision {
        let decision = match outcome {
            Ok(ReconcileOutcome::Done(receipt)) => RecoveryDecision::Told(Ok(receipt)),
            Ok(ReconcileOutcome::Ended(why)) => RecoveryDecision::Told(Err(why)),
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
        match self.outbox_use {
            OutboxUse::Session => decision,
            OutboxUse::Verb => decision.in_passing(),
        }
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

    /// What closes or cancels may still be wanted; what raises exposure was for a price that is gone, and a flatten that
    /// goes on finds for itself what there still is to end.
    fn never_left(&self) -> RecoveryDecision {
        if self.entry.intent.risk == Risk::Increasing || self.is_part || self.is_overtaken {
            return RecoveryDecision::LetGo;
        }
        match self.ownership {
            Ownership::Own => RecoveryDecision::Offer,
            Ownership::Foreign => RecoveryDecision::Foreign,
        }
    }

    /// However late it arrives: under its key it is done once, and all it can do is close.
    fn opens_nothing(&self) -> bool {
        let facts = self.command.facts();
        facts.is_keyed && facts.only_ends
    }

    /// A cancel of something that still works opens nothing, unless it protects a position that no other stop protects as
    /// well.
    fn may_cancel_again(&self) -> bool {
        if let Command::Cancel(id) = self.command {
            let mut working = self.working.iter();
            let old = working.find(|order| order.id == *id);
            let is_doubled = |old: &Order| self.working.iter().any(|new| old.is_doubled_by(new));
            return old.is_some_and(|old| !old.reduce_only || is_doubled(old));
        }
        matches!(
            self.command,
            Command::StopTwap(_) | Command::CancelScaled(_)
        )
    }
}

impl RecoveryDecision {
    /// For a verb, which ends with its own deed: what it would begin would die with it.
    fn in_passing(self) -> Self {
        match self {
            Self::Offer
            | Self::Foreign
            | Self::Join
            | Self::Resend
            | Self::Follow
            | Self::Ask
            | Self::Leave => Self::Leave,
            Self::LetGo | Self::Reconcile | Self::Told(_) | Self::Superseded => self,
        }
    }
}

#[cfg(test)]
mod tests;
