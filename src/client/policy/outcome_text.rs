//! The messages for a command that could not be settled: what is known, what is not, where to look.

use super::RetryState;
use crate::model::{Failure, FailureKind, MutationFacts, Proof, SlicedOperation};
use std::collections::BTreeSet;

impl RetryState {
    /// The outcome of a command that may have taken effect.
    pub(super) fn unknown(&self, why: Failure) -> Failure {
        let MutationFacts {
            effect, look_at, ..
        } = self.mutation.facts();
        let known = match (&self.rounds.operation, &self.unknown_outcome) {
            (Some(operation), _) => format!(
                "{operation} is not finished, {} of {} tried so far ({why})",
                operation.done_count(),
                operation.total_count()
            ),
            (None, Some(unknown_outcome))
                if *unknown_outcome != why && why.kind == FailureKind::Local =>
            {
                let why = &why.message;
                format!("{effect} ({unknown_outcome}), and it is not sent again: {why}")
            }
            (None, Some(unknown_outcome)) if *unknown_outcome != why => {
                format!(
                    "{effect} ({unknown_outcome}), and reading the service did not settle it ({why})"
                )
            }
            (None, _) => format!("{effect} ({why})"),
        };
        let message = format!("{known}. Look at {look_at} before you send it again");
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

    /// The outcome of a command that did not take effect.
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

/// The service refused it, or reads have shown so.
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
        "the service has more to do and asks to wait",
    )
}

/// Why `now` cannot be a later state of the operation `before`: one key means one operation, whose counts only grow.
pub(super) fn fault(before: Option<&SlicedOperation>, now: &SlicedOperation) -> Option<Failure> {
    let acted_on = now.acted_on();
    let distinct: BTreeSet<_> = acted_on.iter().collect();
    let broken = match before {
        Some(before) if before.id() != now.id() => "another operation answers to the same key",
        Some(before) if before.total_count() != now.total_count() => {
            "its number of targets changed"
        }
        Some(before) if before.done_count() > now.done_count() => "its counts went backwards",
        _ if now.done_count() > now.total_count() => "it tried more targets than it has",
        _ if distinct.len() < acted_on.len() => "it lists one target twice",
        _ => return None,
    };
    Some(Failure::new(
        FailureKind::Contradiction,
        format!("{now}: {broken}"),
    ))
}
