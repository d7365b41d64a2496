//! The next step after a read.

use super::{
    Failure, FailureKind, Fallible, FollowUp, NextStep, Receipt, RetryState, is_conflict,
    outcome_text,
};
use crate::client::ReconcileOutcome;
use std::time::Duration;

impl RetryState {
    /// The next step after the read of [`NextStep::Reconcile`]; `elapsed` counts from the start of the first attempt.
    pub fn after_read(
        &mut self,
        seen: Fallible<ReconcileOutcome>,
        elapsed: Duration,
        draw: u32,
    ) -> NextStep {
        let unexplained = self
            .unexplained
            .take()
            .unwrap_or_else(outcome_text::not_canceled);
        match seen {
            Ok(ReconcileOutcome::Done(receipt)) => {
                NextStep::Settle(self.seen_done(receipt, unexplained))
            }
            Ok(ReconcileOutcome::Ended(why)) => NextStep::Settle(Err(Failure {
                message: format!("{}: {}", why.message, unexplained.message).into(),
                kind: why.kind,
                proves: why.proves,
                ..unexplained
            })),
            Ok(ReconcileOutcome::NotDone) if self.may_send_again(&unexplained) => {
                self.repeat(unexplained, elapsed)
            }
            Ok(ReconcileOutcome::NotDone) => NextStep::Settle(Err(self.undone(unexplained))),
            Ok(ReconcileOutcome::Inconclusive) if self.is_reachable_again(&unexplained) => {
                self.retry_after_outage(unexplained)
            }
            Ok(ReconcileOutcome::Inconclusive) => self.settle(unexplained),
            Err(why) => self.look_again(&why, unexplained, elapsed, draw),
        }
    }

    /// The wanted state may be somebody else's doing, unless our request may have caused it.
    fn seen_done(&self, receipt: Receipt, unexplained: Failure) -> Fallible<Receipt> {
        match (&receipt, unexplained.status) {
            (Receipt::AlreadySo(_), Some(404 | 409)) if self.unknown_outcome.is_none() => {
                Err(outcome_text::refused(unexplained))
            }
            _ => Ok(receipt),
        }
    }

    /// Whether the service, which has just answered a read, was only unreachable when the attempts ended: failed
    /// connections proved nothing and cost nothing. Not for a PUT: it has no key and would undo what was set elsewhere
    /// meanwhile, so it is resent only after a read has shown no effect.
    fn is_reachable_again(&self, unexplained: &Failure) -> bool {
        unexplained.kind == FailureKind::Unreachable
            && !self.mutation.is_put()
            && self.unknown_outcome.is_some()
            && self.sent < self.budget().tries
            && !self.returned
    }

    fn retry_after_outage(&mut self, unexplained: Failure) -> NextStep {
        self.returned = true;
        let meanwhile = self.pause(unexplained, FollowUp::Again);
        NextStep::Retry {
            after: Duration::ZERO,
            meanwhile,
        }
    }

    /// A PUT or an order without effect that the service did not refuse. The 409 to an order whose first request was
    /// lost may be about that one, which is still in progress.
    fn may_send_again(&self, unexplained: &Failure) -> bool {
        let is_passing = |status| matches!(status, 408 | 425 | 429..);
        let is_of_first = || {
            let was_lost = self.mutation.is_named() && self.unknown_outcome.is_some();
            was_lost && is_conflict(unexplained)
        };
        self.reads_first() && (unexplained.status.is_none_or(is_passing) || is_of_first())
    }

    fn repeat(&mut self, unexplained: Failure, elapsed: Duration) -> NextStep {
        let budget = self.budget();
        let is_back = unexplained.kind == FailureKind::Unreachable && !self.returned;
        let is_over = self.is_over && !is_back;
        if self.sent >= budget.tries || elapsed > budget.window || is_over {
            return NextStep::Settle(Err(self.undone(unexplained)));
        }
        self.returned |= self.is_over;
        let meanwhile = self.pause(unexplained, FollowUp::Again);
        NextStep::Retry {
            after: Duration::ZERO,
            meanwhile,
        }
    }

    /// The object is unchanged; for a request that could still arrive late, that proves nothing.
    fn undone(&self, unexplained: Failure) -> Failure {
        if self.unknown_outcome.is_some() {
            return self.unknown(unexplained);
        }
        outcome_text::refused(unexplained)
    }

    fn look_again(
        &mut self,
        why: &Failure,
        unexplained: Failure,
        elapsed: Duration,
        draw: u32,
    ) -> NextStep {
        self.failed_reads += 1;
        let after = match why.retry_after {
            Some(stated) => stated,
            None => self.timeouts.scaled(self.backoff(draw)),
        };
        let spent = elapsed.saturating_sub(self.since).saturating_add(after);
        let refused = matches!(why.kind, FailureKind::Auth | FailureKind::Local);
        if refused || self.failed_reads >= MOST_FAILED_READS || spent > self.budget().window * 2 {
            // Nothing was learned: the meaning of the DELETE's 404 stays unknown.
            return NextStep::Settle(Err(self.unknown(unexplained)));
        }
        self.reconcile(unexplained, after)
    }
}

/// Failed reads before a person is asked.
const MOST_FAILED_READS: u32 = 8;
