//! When a mutation is retried and when it is over: the table of `docs/delivery.md 5.1` as a pure function of the
//! responses.
//!
//! Contract: every attempt sends the same key and bytes, so a retry can never place a second order. **Unknown stays
//! unknown**: once an attempt may have taken effect, no refusal of a later one proves that it did not (a 401, 404, 409,
//! 429 or 503 can come from in front of the service's key store). The outcome is then [`FailureKind::Unknown`], never
//! "rejected". The same holds after a 503 with `Retry-After`, except for close-all and cancel-all, where the service
//! documents that it has not begun. A 409 to the first attempt is final, except for these two: a slice of theirs may be
//! in progress under the key. The 409 to a batch of exits is read.
//!
//! `Retry-After` comes bounded by the class of the request and is never cut short; one that exceeds the command's time
//! limit ends the attempts, and the failure states the wait. An exit that is told to wait has five minutes. A DELETE of
//! unknown outcome is resent, since nothing can be canceled twice. A new order or a close of unknown outcome is read by
//! its name, and a PUT by its object; it is resent only after the read has shown no effect. A read decides what a
//! DELETE's 404 or 409 means. If the last attempts for a TWAP or a scaled order could not connect, and a later read is
//! answered, one more attempt goes out with the same key.

mod after_read;
mod outcome_text;

use super::{Attempt, Mutation, Timeouts};
use crate::model::{
    Command, Failure, FailureKind, Fallible, FollowUp, Progress, Receipt, Risk, SlicedOperation,
    Timestamp,
};
use std::time::Duration;

const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);
/// Added to requested waits, so that many desks do not return in the same instant.
const SPREAD: Duration = Duration::from_millis(250);
/// The wait after a close-all's 202 without a usable `Retry-After`.
const ROUND: Duration = Duration::from_secs(2);
const STALLED_ROUND: Duration = Duration::from_secs(30);
/// How long a reducing command may be tried.
const EXIT_WINDOW: Duration = Duration::from_mins(5);
/// 202s in a row, or time, without one more target tried. Then the stall is reported and polls become rarer, but go on:
/// a position that does not close needs them.
const STALLED_AFTER: u32 = 20;
const STALLED_FOR: Duration = Duration::from_mins(10);

/// How often and how long one command may be tried. For close-all both restart with every 202.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AttemptLimit {
    tries: u32,
    window: Duration,
}

/// What to do next about a command.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    Settle(Fallible<Receipt>),
    /// Resends the request, no earlier than `after` from now.
    Retry {
        after: Duration,
        meanwhile: Interim,
    },
    /// Reads the state, no earlier than `after` from now; see [`RetryState::after_read`].
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
    /// It has not taken effect.
    Waiting(Failure, FollowUp),
    /// A close-all in the middle of its targets.
    Running(SlicedOperation),
    /// A close-all without progress for long.
    Stalled(SlicedOperation),
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
    /// Refused; a retry would get the same response.
    Final,
    /// A DELETE's 404 or 409: it has ended, but how is unknown. A batch of exits' 409: they have moved, perhaps by a copy
    /// of the request that a proxy delivered.
    Gone,
    /// 409: a slice of the operation may be in progress.
    Busy,
    /// Not done yet: no request budget, or no snapshot for a close-all. The service asks to wait.
    Wait,
    /// The service failed midway.
    Doubt,
    /// 3xx: another server, which may have forwarded the request.
    Astray,
}

fn meaning(mutation: Mutation, why: &Failure) -> RefusalMeaning {
    match why.status {
        Some(300..400) => RefusalMeaning::Astray,
        Some(404 | 409) if mutation.is_delete() => RefusalMeaning::Gone,
        Some(409) if mutation == Mutation::ExitBatch => RefusalMeaning::Gone,
        Some(409) if mutation.is_sliced() && why.rule_id.is_none() => RefusalMeaning::Busy,
        Some(429) => RefusalMeaning::Wait,
        Some(503) if mutation.is_sliced() && why.retry_after.is_some() => RefusalMeaning::Wait,
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
    /// The attempts have come to an end, and a read explains the last one.
    is_over: bool,
    /// The extra attempt after an outage has been made.
    returned: bool,
    rounds: CloseAllRounds,
}

/// A close-all's 202s.
#[derive(Debug, Clone, Default)]
struct CloseAllRounds {
    seen: u32,
    idle: u32,
    operation: Option<SlicedOperation>,
    progressed: Duration,
}

impl RetryState {
    pub fn new(command: &Command, timeouts: Timeouts) -> Self {
        let facts = command.facts();
        Self::start(facts.mutation, facts.risk, timeouts)
    }

    /// For a command that may have taken effect before the first attempt judged here: after a restart, or when a person
    /// retries.
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
            is_over: false,
            returned: false,
            rounds: CloseAllRounds::default(),
        }
    }

    /// The next step after the attempt that just ended; `elapsed` counts from the start of the first.
    ///
    /// `draw` spreads the waits: 0 to 1000, drawn evenly by the caller.
    pub fn after_attempt(&mut self, attempt: Attempt, elapsed: Duration, draw: u32) -> NextStep {
        let draw = draw.min(1000);
        self.attempts += 1;
        self.is_over = false;
        self.sent += u32::from(!matches!(attempt, Attempt::NotSent(_)));
        // The request in progress counts as gone unless this response mentions it again.
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
            // It may be about an earlier request with this key, which a read will find.
            RefusalMeaning::Final
                if self.unknown_outcome.is_some()
                    && self.mutation.is_named()
                    && is_conflict(&why) =>
            {
                self.again(why, self.budget(), elapsed, draw)
            }
            RefusalMeaning::Final if self.unknown_outcome.is_some() => self.end(why),
            RefusalMeaning::Final | RefusalMeaning::Astray => self.settle(why),
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
            Some(stated) => stated + self.spread(draw),
            None => self.timeouts.scaled(self.backoff(draw)),
        };
        // An entry that cannot connect gives up early: its price goes stale. A close keeps trying, so attempts that
        // were never sent do not count for it.
        let tried = match self.risk {
            Risk::Increasing => self.attempts,
            Risk::Neutral | Risk::Reducing => self.sent,
        };
        let spent = elapsed.saturating_sub(self.since).saturating_add(after);
        let window = match why.retry_after {
            Some(_) => budget.window.max(self.longest_obedience()),
            None => budget.window,
        };
        if tried >= budget.tries || spent > window {
            return self.end(why);
        }
        // An older PUT must not overwrite a newer state, and an order may be found by its name: read first.
        if self.unknown_outcome.is_some() && self.reads_first() {
            return self.reconcile(why, after);
        }
        let meanwhile = self.pause(why, FollowUp::Again);
        NextStep::Retry { after, meanwhile }
    }

    /// No more attempts: if a read can show the outcome, it decides.
    fn end(&mut self, why: Failure) -> NextStep {
        // A request in progress under the key may still take effect.
        self.is_over = true;
        let is_certain = self.unknown_outcome.is_some() || self.busy.is_some();
        if is_certain && !self.mutation.is_sliced() {
            return self.reconcile(why, Duration::ZERO);
        }
        self.settle(why)
    }

    /// Whether a read shows if the request took effect.
    fn reads_first(&self) -> bool {
        self.mutation.is_put() || self.mutation.is_named()
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

    /// When a pause ends, closes and cancels go first; entries follow after the last of them.
    fn spread(&self, draw: u32) -> Duration {
        let exits = SPREAD / 4;
        match self.risk {
            Risk::Increasing => exits + share(SPREAD.saturating_sub(exits), draw),
            Risk::Neutral | Risk::Reducing => share(exits, draw),
        }
    }

    /// 0.5 s, doubled per attempt up to 5 s; the wait is half to all of it.
    fn backoff(&self, draw: u32) -> Duration {
        let doubled = FIRST_BACKOFF * 2_u32.saturating_pow(self.attempts.saturating_sub(1).min(8));
        let full = doubled.min(LONGEST_BACKOFF);
        full / 2 + share(full / 2, draw)
    }

    fn budget(&self) -> AttemptLimit {
        let (tries, window) = match self.risk {
            Risk::Increasing => (4, Duration::from_secs(30)),
            Risk::Neutral => (5, Duration::from_mins(1)),
            Risk::Reducing => (10, EXIT_WINDOW),
        };
        AttemptLimit {
            tries,
            window: self.timeouts.scaled(window),
        }
    }

    /// How long the service may put a command off. An exit that is told to wait is tried for as long as any exit is.
    fn longest_obedience(&self) -> Duration {
        match self.risk {
            Risk::Increasing => Duration::ZERO,
            Risk::Neutral | Risk::Reducing => self.timeouts.scaled(EXIT_WINDOW),
        }
    }

    /// The slice may be in progress: ours, or that of a copy that a proxy delivered.
    fn patience_with_busy(&self) -> AttemptLimit {
        AttemptLimit {
            tries: 5,
            window: self.timeouts.scaled(Duration::from_secs(30)),
        }
    }

    fn round(
        &mut self,
        operation: Option<SlicedOperation>,
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

        let stated = retry_after.unwrap_or(self.timeouts.scaled(ROUND));
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
            after: stated.max(slowest) + self.spread(draw),
            meanwhile,
        }
    }

    fn done(&self, receipt: Receipt) -> Fallible<Receipt> {
        let Some(operation) = SlicedOperation::of(&receipt) else {
            return Ok(receipt);
        };
        match outcome_text::fault(self.rounds.operation.as_ref(), &operation) {
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

/// A 409 that names neither a rule nor an order row: these show that the service processed the request.
fn is_conflict(why: &Failure) -> bool {
    why.status == Some(409) && why.rule_id.is_none() && why.order_id.is_none()
}

fn is_further(before: Option<&SlicedOperation>, now: Option<&SlicedOperation>) -> bool {
    now.is_some_and(|now| before.is_none_or(|before| before.done_count() < now.done_count()))
}

fn share(whole: Duration, draw: u32) -> Duration {
    whole * draw / 1000
}

#[cfg(test)]
mod tests;
