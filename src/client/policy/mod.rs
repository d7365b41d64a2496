//! When a mutation is asked again, and when it is over: the table of `docs/delivery.md 5.1`, as a pure
//! function of what came back.
//!
//! Contract: the same key and the same bytes go out on every attempt, so asking again can never place a
//! second order. **Doubt is sticky**: once an attempt may have taken effect, no refusal of a later one
//! proves that the first did not (a 401, 404, 409, 429 or 503 can come from in front of the service's
//! memory of keys), so the end is [`FailureKind::Unknown`], never "rejected". So it is when a 503 said come back (but
//! for close-all, where the service documents that it has not begun), or a 409 that the key is at work: whatever
//! answers the next attempt did not answer that one, and a 409 to the last one is no answer at all.
//!
//! `Retry-After` is never undercut; one beyond what the command may take ends the trying, with the wait in the failure.
//! A DELETE in doubt is sent again, for nothing can be canceled twice; a PUT in doubt is sent again only after a read has
//! shown that it did not take effect. What a DELETE's 404 or 409 means, and what became of a keyed request whose answers
//! never told, a read decides. An order in doubt whose last tries found nobody has tries left when a read is answered again
//! and finds nothing of it: one more goes out, under the same key.
//!
//! A close's first 409 is followed by a read: where the position is gone, the second one is the end.
//!
//! Known limit: a 409 to an order or a close that names neither a rule nor an order row cannot be told from a key at work;
//! where it stays, no order is found and what was to be closed is still open, the end is unknown although it may have
//! been a plain conflict.

mod after_read;
mod outcome_text;

use super::{Attempt, Mutation, Timeouts};
use crate::model::{
    CloseAll, Command, Failure, FailureKind, FollowUp, Progress, Receipt, Risk, Timestamp,
};
use std::time::Duration;

const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);
/// Spread over asking times, so that many desks do not come back in the same instant.
const SPREAD: Duration = Duration::from_millis(250);
/// A close-all's 202 without a usable `Retry-After`.
const ROUND: Duration = Duration::from_secs(2);
const STALLED_ROUND: Duration = Duration::from_secs(30);
/// 202s in a row without one more target tried, or as long without one. It is told, and asked more seldom, and goes on:
/// there is nothing better to do about a position that does not close.
const STALLED_AFTER: u32 = 20;
const STALLED_FOR: Duration = Duration::from_mins(10);

/// How often and how long one command may be tried. For close-all both start anew with every 202.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AttemptLimit {
    tries: u32,
    window: Duration,
}

/// What to do next about a command.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    Settle(Result<Receipt, Failure>),
    /// The same request again, no earlier than `after` from now.
    Retry {
        after: Duration,
        meanwhile: Interim,
    },
    /// A read of what is so, no earlier than `after` from now; see [`RetryState::after_read`].
    Reconcile {
        after: Duration,
        meanwhile: Interim,
    },
}

/// What is known of a command between two attempts.
#[derive(Debug, Clone, PartialEq)]
pub enum Interim {
    /// It may have taken effect.
    Unknown(Failure, FollowUp),
    /// It has surely not taken effect.
    Waiting(Failure, FollowUp),
    /// A close-all in the middle of its targets.
    Running(CloseAll),
    /// A close-all without progress for long.
    Stalled(CloseAll),
}

impl Interim {
    pub fn progress(self, retry_at: Timestamp) -> Progress {
        match self {
            Self::Unknown(why, then) => Progress::Unknown {
                why,
                retry_at,
                then,
            },
            Self::Waiting(why, then) => Progress::Waiting {
                why,
                retry_at,
                then,
            },
            Self::Running(operation) | Self::Stalled(operation) => Progress::Running {
                operation,
                retry_at,
            },
        }
    }
}

/// What a refusal proves about its attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefusalMeaning {
    /// Not done, and asking again would answer the same.
    Final,
    /// A DELETE's 404 or 409: over already, but how?
    Gone,
    /// 409: perhaps the same key is being worked on right now.
    Busy,
    /// Not done yet: no budget for it, or no snapshot to close all from. The service asks to wait.
    Wait,
    /// The service broke in the middle.
    Doubt,
    /// 3xx: another server. It may have forwarded the request.
    Astray,
}

fn meaning(mutation: Mutation, why: &Failure) -> RefusalMeaning {
    match why.status {
        Some(300..400) => RefusalMeaning::Astray,
        Some(404 | 409) if mutation.is_delete() => RefusalMeaning::Gone,
        // A trading rule, or an order row, is an answer: the request was looked at.
        Some(409) if why.rule_id.is_some() || why.order_id.is_some() => RefusalMeaning::Final,
        Some(409) if mutation.may_be_at_work() => RefusalMeaning::Busy,
        Some(429) => RefusalMeaning::Wait,
        Some(503) if mutation == Mutation::CloseAll && why.retry_after.is_some() => {
            RefusalMeaning::Wait
        }
        Some(408 | 425 | 500..) | None => RefusalMeaning::Doubt,
        Some(_) => RefusalMeaning::Final,
    }
}

/// The attempts of one command so far, and what they leave unknown.
#[derive(Debug, Clone)]
pub struct RetryState {
    mutation: Mutation,
    risk: Risk,
    timeouts: Timeouts,
    /// Attempts, and those of them that may have reached the service, since the last 202.
    attempts: u32,
    sent: u32,
    since: Duration,
    /// The first attempt whose effect is unknown.
    unknown_outcome: Option<Failure>,
    /// The last response said that a request with the key is in progress.
    busy: Option<Failure>,
    /// The response that the next read has to explain.
    unexplained: Option<Failure>,
    failed_reads: u32,
    /// The read after a close's first 409.
    early_read: EarlyRead,
    /// The extra attempt after an outage has been made.
    returned: bool,
    rounds: CloseAllRounds,
}

/// A position that is gone stays gone, whoever closed it. Where the list that is read after a close's first 409 has it no
/// more, that may be the doing of what is at work under the key: it is asked about once more, and a second 409 is a
/// refusal. A list that has it, or cannot be read, proves nothing so early, and the key is asked about as ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EarlyRead {
    Due,
    Asked,
    /// The position was gone.
    Gone,
    /// It proved nothing.
    Had,
}

/// A close-all's 202s.
#[derive(Debug, Clone, Default)]
struct CloseAllRounds {
    seen: u32,
    idle: u32,
    operation: Option<CloseAll>,
    progressed: Duration,
}

impl RetryState {
    pub fn new(command: &Command, timeouts: Timeouts) -> Self {
        let facts = command.facts();
        Self::start(facts.mutation, facts.risk, timeouts)
    }

    /// Of a command that may have taken effect already, before the first attempt that is judged here:
    /// after a restart, or when a person asks again.
    pub fn with_unknown_outcome(
        command: &Command,
        timeouts: Timeouts,
        unknown_outcome: Failure,
    ) -> Self {
        Self {
            unknown_outcome: Some(unknown_outcome),
            ..Self::new(command, timeouts)
        }
    }

    fn start(mutation: Mutation, risk: Risk, timeouts: Timeouts) -> Self {
        Self {
            mutation,
            risk,
            timeouts,
            attempts: 0,
            sent: 0,
            since: Duration::ZERO,
            unknown_outcome: None,
            busy: None,
            unexplained: None,
            failed_reads: 0,
            early_read: EarlyRead::Due,
            returned: false,
            rounds: CloseAllRounds::default(),
        }
    }

    /// What follows from the attempt that just ended, `elapsed` after the first began.
    ///
    /// `draw` spreads the waits: 0 to 1000, evenly drawn by the caller.
    pub fn after_attempt(&mut self, attempt: Attempt, elapsed: Duration, draw: u32) -> NextStep {
        let draw = draw.min(1000);
        self.attempts += 1;
        self.sent += u32::from(!matches!(attempt, Attempt::NotSent(_)));
        // What was at work has not been heard of since, unless this says so once more.
        let before = self.busy.take();
        if !matches!(&attempt, Attempt::Refused(why) if meaning(self.mutation, why) == RefusalMeaning::Busy)
        {
            self.unknown_outcome = self.unknown_outcome.take().or(before);
        }
        match attempt {
            Attempt::Done(Receipt::Cancel(result)) if !(result.canceled || result.queued) => {
                self.reconcile(outcome_text::not_canceled(), Duration::ZERO)
            }
            Attempt::Done(receipt) => NextStep::Settle(self.done(receipt)),
            Attempt::Running {
                operation,
                retry_after,
            } => self.round(operation, retry_after, elapsed, draw),
            Attempt::NotSent(why)
                if matches!(
                    why.kind,
                    FailureKind::Local | FailureKind::Auth | FailureKind::DryRun
                ) =>
            {
                self.settle(why)
            }
            Attempt::NotSent(why) => self.again(why, self.budget(), elapsed, draw),
            Attempt::Doubtful(why) => {
                self.unknown_outcome.get_or_insert_with(|| why.clone());
                self.again(why, self.budget(), elapsed, draw)
            }
            Attempt::Refused(why) => self.refused(why, elapsed, draw),
        }
    }

    fn refused(&mut self, why: Failure, elapsed: Duration, draw: u32) -> NextStep {
        let meaning = meaning(self.mutation, &why);
        match meaning {
            RefusalMeaning::Doubt | RefusalMeaning::Astray => {
                self.unknown_outcome.get_or_insert_with(|| why.clone());
            }
            RefusalMeaning::Busy => self.busy = Some(why.clone()),
            RefusalMeaning::Final | RefusalMeaning::Gone | RefusalMeaning::Wait => {}
        }
        match meaning {
            RefusalMeaning::Gone => self.reconcile(why, Duration::ZERO),
            RefusalMeaning::Final if self.unknown_outcome.is_some() => self.end(why),
            RefusalMeaning::Final | RefusalMeaning::Astray => self.settle(why),
            RefusalMeaning::Busy
                if self.mutation == Mutation::Close && self.early_read == EarlyRead::Due =>
            {
                self.early_read = EarlyRead::Asked;
                self.reconcile(why, Duration::ZERO)
            }
            RefusalMeaning::Busy if self.early_read == EarlyRead::Gone => self.end(why),
            RefusalMeaning::Busy => self.again(why, self.patience_with_busy(), elapsed, draw),
            RefusalMeaning::Wait | RefusalMeaning::Doubt => {
                self.again(why, self.budget(), elapsed, draw)
            }
        }
    }

    fn again(
        &mut self,
        why: Failure,
        budget: AttemptLimit,
        elapsed: Duration,
        draw: u32,
    ) -> NextStep {
        let after = match why.retry_after {
            Some(asked) => asked + self.spread(draw),
            None => self.timeouts.scaled(self.backoff(draw)),
        };
        // An entry that cannot connect gives up early: the price it was made for is going away.
        // An exit keeps knocking, so attempts that never left do not count against it.
        let tried = match self.risk {
            Risk::Increasing => self.attempts,
            Risk::Neutral | Risk::Reducing => self.sent,
        };
        let spent = elapsed.saturating_sub(self.since).saturating_add(after);
        if tried >= budget.tries || spent > budget.window {
            return self.end(why);
        }
        // A newer state must not be overwritten by an older request: read first.
        if self.unknown_outcome.is_some() && self.mutation.is_put() {
            return self.reconcile(why, after);
        }
        let meanwhile = self.pause(why, FollowUp::Again);
        NextStep::Retry { after, meanwhile }
    }

    /// No more attempts: if a read can tell the outcome, it decides.
    fn end(&mut self, why: Failure) -> NextStep {
        // What is at work under the key may take effect when nobody asks any more.
        let tells = self.unknown_outcome.is_some() || self.busy.is_some();
        if tells && self.mutation != Mutation::CloseAll {
            return self.reconcile(why, Duration::ZERO);
        }
        self.settle(why)
    }

    fn reconcile(&mut self, why: Failure, after: Duration) -> NextStep {
        self.unexplained = Some(why.clone());
        let meanwhile = self.pause(why, FollowUp::Look);
        NextStep::Reconcile { after, meanwhile }
    }

    fn pause(&self, why: Failure, then: FollowUp) -> Interim {
        if self.unknown_outcome.is_some() {
            Interim::Unknown(why, then)
        } else {
            Interim::Waiting(why, then)
        }
    }

    /// When a pause ends, exits are first: what raises exposure comes after the last of them.
    fn spread(&self, draw: u32) -> Duration {
        let exits = SPREAD / 4;
        match self.risk {
            Risk::Increasing => exits + share(SPREAD.saturating_sub(exits), draw),
            Risk::Neutral | Risk::Reducing => share(exits, draw),
        }
    }

    /// 0.5 s doubled per attempt up to 5 s, of which half to all is waited.
    fn backoff(&self, draw: u32) -> Duration {
        let doubled = FIRST_BACKOFF * 2_u32.saturating_pow(self.attempts.saturating_sub(1).min(8));
        let full = doubled.min(LONGEST_BACKOFF);
        full / 2 + share(full / 2, draw)
    }

    fn budget(&self) -> AttemptLimit {
        let (tries, seconds) = match self.risk {
            Risk::Increasing => (4, 30),
            Risk::Neutral => (5, 60),
            Risk::Reducing => (10, 300),
        };
        AttemptLimit {
            tries,
            window: self.timeouts.scaled(Duration::from_secs(seconds)),
        }
    }

    /// The request may be at work this moment, ours or one that a middlebox delivered twice.
    fn patience_with_busy(&self) -> AttemptLimit {
        AttemptLimit {
            tries: 5,
            window: self.timeouts.scaled(Duration::from_secs(30)),
        }
    }

    fn round(
        &mut self,
        operation: Option<CloseAll>,
        retry_after: Option<Duration>,
        elapsed: Duration,
        draw: u32,
    ) -> NextStep {
        let before = self.rounds.operation.as_ref();
        if let Some(fault) = operation
            .as_ref()
            .and_then(|now| outcome_text::fault(before, now))
        {
            return NextStep::Settle(Err(self.unknown(fault)));
        }
        let progress = self.rounds.seen == 0 || is_further(before, operation.as_ref());
        if progress {
            self.rounds.progressed = elapsed;
        }
        self.rounds.idle = if progress { 0 } else { self.rounds.idle + 1 };
        self.rounds.seen += 1;
        self.rounds.operation = operation.or(self.rounds.operation.take());
        (self.attempts, self.sent, self.since, self.unknown_outcome) = (0, 0, elapsed, None);

        let asked = retry_after.unwrap_or(self.timeouts.scaled(ROUND));
        if asked > self.budget().window {
            return self.settle(outcome_text::long_wait(asked));
        }
        let idle_for = elapsed.saturating_sub(self.rounds.progressed);
        let stalled =
            self.rounds.idle >= STALLED_AFTER || idle_for > self.timeouts.scaled(STALLED_FOR);
        let slowest = if stalled {
            self.timeouts.scaled(STALLED_ROUND)
        } else {
            Duration::ZERO
        };
        let meanwhile = match &self.rounds.operation {
            Some(operation) if stalled => Interim::Stalled(operation.clone()),
            Some(operation) => Interim::Running(operation.clone()),
            None => Interim::Waiting(outcome_text::closing(), FollowUp::Again),
        };
        NextStep::Retry {
            after: asked.max(slowest) + self.spread(draw),
            meanwhile,
        }
    }

    fn done(&self, receipt: Receipt) -> Result<Receipt, Failure> {
        let Receipt::CloseAll(operation) = &receipt else {
            return Ok(receipt);
        };
        match outcome_text::fault(self.rounds.operation.as_ref(), operation) {
            Some(fault) => Err(self.unknown(fault)),
            None => Ok(receipt),
        }
    }

    fn settle(&self, why: Failure) -> NextStep {
        let in_doubt =
            self.unknown_outcome.is_some() || self.busy.is_some() || self.rounds.seen > 0;
        NextStep::Settle(Err(if in_doubt {
            self.unknown(why)
        } else {
            self.not_done(why)
        }))
    }
}

fn is_further(before: Option<&CloseAll>, now: Option<&CloseAll>) -> bool {
    now.is_some_and(|now| before.is_none_or(|before| before.done_count() < now.done_count()))
}

fn share(whole: Duration, draw: u32) -> Duration {
    whole * draw / 1000
}

#[cfg(test)]
mod tests;
