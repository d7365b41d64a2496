//! What follows from a read.

use super::{Failure, FailureKind, FollowUp, Glance, Receipt, Tries, Verdict, words};
use crate::client::Sight;
use std::time::Duration;

impl Tries {
    /// What follows from the read that [`Verdict::Look`] asked for, `elapsed` after the first attempt
    /// began.
    pub fn looked(
        &mut self,
        seen: Result<Sight, Failure>,
        elapsed: Duration,
        draw: u32,
    ) -> Verdict {
        let puzzle = self.puzzle.take().unwrap_or_else(words::not_canceled);
        if self.glance == Glance::Asked && self.is_no_end(&seen) {
            return self.again(puzzle, self.patience_with_busy(), elapsed, draw);
        }
        match seen {
            Ok(Sight::Done(receipt)) => Verdict::Settle(self.seen_done(receipt, puzzle)),
            Ok(Sight::Over(why)) => Verdict::Settle(Err(Failure {
                message: format!("{}: {}", why.message, puzzle.message).into(),
                kind: why.kind,
                proves: why.proves,
                ..puzzle
            })),
            Ok(Sight::Undone) if self.may_send_again(&puzzle) => self.repeat(puzzle, elapsed),
            Ok(Sight::Undone) => Verdict::Settle(Err(self.undone(puzzle))),
            Ok(Sight::Nothing) if self.is_back(&puzzle) => self.return_to_it(puzzle),
            Ok(Sight::Nothing) => self.settle(puzzle),
            Err(why) => self.look_again(&why, puzzle, elapsed, draw),
        }
    }

    /// Whether what was read so early leaves the key to be asked about.
    fn is_no_end(&mut self, seen: &Result<Sight, Failure>) -> bool {
        let (glance, is_no_end) = match seen {
            Ok(Sight::Done(Receipt::AlreadySo(_))) => (Glance::Gone, true),
            Ok(Sight::Nothing | Sight::Undone) | Err(_) => (Glance::Had, true),
            Ok(Sight::Done(_) | Sight::Over(_)) => (Glance::Had, false),
        };
        self.glance = glance;
        is_no_end
    }

    /// That it is so now does not make it our doing, unless our request may have done it.
    fn seen_done(&self, receipt: Receipt, puzzle: Failure) -> Result<Receipt, Failure> {
        match (&receipt, puzzle.status) {
            (Receipt::AlreadySo(_), Some(404 | 409)) if self.doubt.is_none() => {
                Err(words::refused(puzzle))
            }
            _ => Ok(receipt),
        }
    }

    /// Whether the service that has just answered a read was only out of reach when the trying ended: what could not
    /// connect proved nothing and spent nothing. Not of a PUT, which has no key and would undo what was set elsewhere
    /// meanwhile: that goes again only where a read has shown that it did nothing.
    fn is_back(&self, puzzle: &Failure) -> bool {
        puzzle.kind == FailureKind::Unreachable
            && !self.mutation.is_put()
            && self.doubt.is_some()
            && self.sent < self.budget().tries
            && !self.returned
    }

    fn return_to_it(&mut self, puzzle: Failure) -> Verdict {
        self.returned = true;
        let meanwhile = self.pause(puzzle, FollowUp::Again);
        Verdict::Again {
            after: Duration::ZERO,
            meanwhile,
        }
    }

    /// A PUT whose effect is not there, and that the service did not refuse.
    fn may_send_again(&self, puzzle: &Failure) -> bool {
        self.mutation.is_put()
            && puzzle
                .status
                .is_none_or(|status| status >= 429 || status == 408)
    }

    fn repeat(&mut self, puzzle: Failure, elapsed: Duration) -> Verdict {
        let budget = self.budget();
        if self.sent >= budget.tries || elapsed > budget.window {
            return Verdict::Settle(Err(self.undone(puzzle)));
        }
        let meanwhile = self.pause(puzzle, FollowUp::Again);
        Verdict::Again {
            after: Duration::ZERO,
            meanwhile,
        }
    }

    /// The thing is there, untouched: for a request that could still arrive late that proves nothing.
    fn undone(&self, puzzle: Failure) -> Failure {
        if self.doubt.is_some() {
            return self.unknown(puzzle);
        }
        words::refused(puzzle)
    }

    fn look_again(
        &mut self,
        why: &Failure,
        puzzle: Failure,
        elapsed: Duration,
        draw: u32,
    ) -> Verdict {
        self.looks += 1;
        let after = match why.retry_after {
            Some(asked) => asked,
            None => self.tempo.of(self.backoff(draw)),
        };
        let spent = elapsed.saturating_sub(self.since).saturating_add(after);
        let refused = matches!(why.kind, FailureKind::Auth | FailureKind::Local);
        if refused || self.looks >= LOOKS || spent > self.budget().window * 2 {
            // Nothing was learned: what a DELETE's 404 meant stays open.
            return Verdict::Settle(Err(self.unknown(puzzle)));
        }
        self.look(puzzle, after)
    }
}

/// Reads that may fail before it is left to a person.
const LOOKS: u32 = 8;
