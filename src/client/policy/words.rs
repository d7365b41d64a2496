//! How a command that could not be settled is told: what is known, what is not, where to look.

use super::Tries;
use crate::{
    client::Mutation,
    model::{CloseAll, Failure, FailureKind, Proof},
};
use std::{collections::BTreeSet, time::Duration};

impl Mutation {
    /// Whether a 409 may mean that its key is at work this moment: where `api.md` names "an idempotency record" as a
    /// cause. TWAPs and ladders are begun on the paper exchange alone, which does one thing after the other: its 409
    /// is a conflict, and asking again would answer the same.
    pub(super) fn may_be_at_work(self) -> bool {
        matches!(self, Self::Place | Self::Close | Self::CloseAll)
    }

    /// Sets an absolute state: sent late, it undoes what came after it.
    pub(super) fn is_put(self) -> bool {
        matches!(self, Self::Exits | Self::Margin)
    }

    /// Ends something: sent twice, it ends nothing more.
    pub(super) fn is_delete(self) -> bool {
        matches!(self, Self::Cancel | Self::StopTwap | Self::CancelScaled)
    }

    /// What may have happened, and where it would show.
    fn suspicion(self) -> (&'static str, &'static str) {
        match self {
            Self::Place => (
                "the order may have been placed",
                "working orders, positions and history",
            ),
            Self::PlaceTwap => ("the TWAP may have started", "the TWAP list"),
            Self::PlaceScaled => (
                "the ladder may have been placed",
                "ladders and working orders",
            ),
            Self::Close => ("the close may have been placed", "positions and history"),
            Self::Cancel => (
                "the order may be canceled, filled or still working",
                "working orders and history",
            ),
            Self::Exits => ("the exits may have changed", "the order"),
            Self::Margin => ("the margin may have changed", "the position"),
            Self::StopTwap => ("the TWAP may have stopped", "the TWAP list"),
            Self::CancelScaled => ("the ladder may be canceled", "its rungs and working orders"),
            Self::CloseAll => ("positions may have been closed", "open positions"),
        }
    }
}

impl Tries {
    /// The end of a command that may have taken effect.
    pub(super) fn unknown(&self, why: Failure) -> Failure {
        let (effect, look) = self.mutation.suspicion();
        let known = match (&self.rounds.operation, &self.doubt) {
            (Some(operation), _) => format!(
                "closing all positions is not finished, {} of {} tried so far ({why})",
                operation.done_count(),
                operation.total_count
            ),
            (None, Some(doubt)) if *doubt != why && why.kind == FailureKind::Local => {
                let why = &why.message;
                format!("{effect} ({doubt}), and it is not sent again: {why}")
            }
            (None, Some(doubt)) if *doubt != why => {
                format!("{effect} ({doubt}), and asking again proved nothing ({why})")
            }
            (None, _) => format!("{effect} ({why})"),
        };
        let message = format!("{known}. Look at {look} before you send it again");
        let kind = if why.kind == FailureKind::Contradiction {
            why.kind
        } else {
            FailureKind::Unknown
        };
        Failure {
            kind,
            proves: Proof::Nothing,
            message: message.into(),
            ..why
        }
    }

    /// The end of a command that surely did not take effect.
    pub(super) fn not_done(&self, why: Failure) -> Failure {
        if self.sent > 0 {
            return refused(why);
        }
        if why.kind == FailureKind::Local || self.attempts < 2 {
            return unsent(why);
        }
        let message = format!(
            "{}; nothing was sent in {} tries",
            why.message, self.attempts
        );
        unsent(Failure {
            message: message.into(),
            ..why
        })
    }
}

fn unsent(why: Failure) -> Failure {
    Failure {
        proves: Proof::Unsent,
        ..why
    }
}

/// It had its answer, or reads have given one.
pub(super) fn refused(why: Failure) -> Failure {
    Failure {
        proves: Proof::Refused,
        ..why
    }
}

/// A cancel that was neither carried out nor queued.
pub(super) fn not_canceled() -> Failure {
    Failure::new(
        FailureKind::Conflict,
        "the service answered that it neither canceled the order nor will",
    )
}

/// A 202 without the operation in its body.
pub(super) fn closing() -> Failure {
    Failure::new(
        FailureKind::Unavailable,
        "the service is closing positions and asks to wait",
    )
}

pub(super) fn long_wait(asked: Duration) -> Failure {
    Failure {
        retry_after: Some(asked),
        ..Failure::new(
            FailureKind::Limited,
            format!("the service asks to wait {} s", asked.as_secs()),
        )
    }
}

/// Why `now` cannot be the state of the operation that was `before`: the same key must lead to one
/// operation, whose counts only grow.
pub(super) fn fault(before: Option<&CloseAll>, now: &CloseAll) -> Option<Failure> {
    let positions: BTreeSet<_> = now
        .results
        .iter()
        .map(|result| &result.position_id)
        .collect();
    let broken = match before {
        Some(before) if before.id != now.id => "another operation answers to the same key",
        Some(before) if before.total_count != now.total_count => "its number of targets changed",
        Some(before) if before.done_count() > now.done_count() => "its counts went backwards",
        _ if now.done_count() > now.total_count => "it tried more targets than it has",
        _ if positions.len() < now.results.len() => "it lists one position twice",
        _ => return None,
    };
    Some(Failure::new(
        FailureKind::Contradiction,
        format!("close-all {}: {broken}", now.id),
    ))
}
