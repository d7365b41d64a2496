//! What becomes of a command that was open when the last session stopped: the rules of a restart, as one table.

use crate::{
    client::ReconcileOutcome,
    journal::{IntentRow, IntentState},
    model::{Command, Failure, Order, Receipt, Risk, Timestamp},
    runtime::outbox::{Home, Stay},
};

/// What is done about it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fate {
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
    /// Reads may tell.
    Look,
    /// Reads have told.
    Told(Result<Receipt, Failure>),
    /// A newer change has taken its place.
    Overtaken,
    /// It may have had its effect, and nothing tells: a person decides.
    Ask,
    /// It is left to a desk as it is.
    Leave,
}

/// All that decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) entry: &'a IntentRow,
    pub(super) command: &'a Command,
    pub(super) home: Home,
    pub(super) stay: Stay,
    pub(super) now: Timestamp,
    /// A later PUT for the same thing is in the journal too.
    pub(super) is_overtaken: bool,
    /// Of the flatten that goes on.
    pub(super) is_part: bool,
    /// As they were read; none where they could not be.
    pub(super) working: &'a [Order],
}

impl Case<'_> {
    /// Before anything was read about it.
    pub(super) fn fate(&self) -> Fate {
        match (self.stay, self.first()) {
            (Stay::Session, fate) => fate,
            (Stay::Deeds, Fate::Resend | Fate::Follow) => Fate::Look,
            (Stay::Deeds, fate) => fate.in_passing(),
        }
    }

    /// After what the reads said about it.
    pub(super) fn after(&self, outcome: Result<ReconcileOutcome, Failure>) -> Fate {
        let fate = match outcome {
            Ok(ReconcileOutcome::Done(receipt)) => Fate::Told(Ok(receipt)),
            Ok(ReconcileOutcome::Ended(why)) => Fate::Told(Err(why)),
            Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_)
                if self.is_overtaken =>
            {
                Fate::Overtaken
            }
            Ok(ReconcileOutcome::NotDone) if self.may_cancel_again() => Fate::Resend,
            Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => Fate::Ask,
        };
        match self.stay {
            Stay::Session => fate,
            Stay::Deeds => fate.in_passing(),
        }
    }

    fn first(&self) -> Fate {
        let state = self.entry.state;
        if state == IntentState::Prepared {
            return self.never_left();
        }
        match (self.home, state) {
            (Home::Elsewhere, _) => Fate::Ask,
            (Home::Here, IntentState::Queued) => Fate::Follow,
            (Home::Here, _) if self.is_part && matches!(self.command, Command::CloseAll(_)) => {
                Fate::Join
            }
            (Home::Here, _) if self.opens_nothing() && self.entry.is_replayable(self.now) => {
                Fate::Resend
            }
            (Home::Here, _) => Fate::Look,
        }
    }

    /// What closes or cancels may still be wanted; what raises exposure was for a price that is gone, and a flatten that
    /// goes on finds for itself what there still is to end.
    fn never_left(&self) -> Fate {
        if self.entry.intent.risk == Risk::Increasing || self.is_part || self.is_overtaken {
            return Fate::LetGo;
        }
        match self.home {
            Home::Here => Fate::Offer,
            Home::Elsewhere => Fate::Foreign,
        }
    }

    /// However late it arrives: under its key it is done once, and all it can do is close.
    fn opens_nothing(&self) -> bool {
        let facts = self.command.facts();
        facts.is_keyed && facts.only_ends
    }

    /// A cancel of something that still works opens nothing, unless it protects a position.
    fn may_cancel_again(&self) -> bool {
        if let Command::Cancel(id) = self.command {
            let mut working = self.working.iter();
            return working.any(|order| order.id == *id && !order.reduce_only);
        }
        matches!(
            self.command,
            Command::StopTwap(_) | Command::CancelScaled(_)
        )
    }
}

impl Fate {
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
            Self::LetGo | Self::Look | Self::Told(_) | Self::Overtaken => self,
        }
    }
}

#[cfg(test)]
mod tests;
