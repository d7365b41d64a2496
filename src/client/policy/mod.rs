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

mod looked;
mod words;

use super::{Attempt, Mutation, Tempo};
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
struct Budget {
    tries: u32,
    window: Duration,
}

/// What to do next with a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Settle(Result<Receipt, Failure>),
    /// The same request again, no earlier than `after` from now.
    Again {
        after: Duration,
        meanwhile: Pause,
    },
    /// A read of what is so, no earlier than `after` from now; see [`Tries::looked`].
    Look {
        after: Duration,
        meanwhile: Pause,
    },
}

/// What is known while the next attempt is awaited.
#[derive(Debug, Clone, PartialEq)]
pub enum Pause {
    /// It may have taken effect.
    Unknown(Failure, FollowUp),
    /// It has surely not taken effect.
    Waiting(Failure, FollowUp),
    /// A close-all in the middle of its targets.
    Running(CloseAll),
    /// A close-all that has not come further for long.
    Stalled(CloseAll),
}

impl Pause {
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

/// What a refusal proves about the attempt it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
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
    /// 3xx: not the service we know. Whatever stands there may have passed the request on.
    Astray,
}

fn meaning(mutation: Mutation, why: &Failure) -> Meaning {
    match why.status {
        Some(300..400) => Meaning::Astray,
        Some(404 | 409) if mutation.is_delete() => Meaning::Gone,
        // A trading rule, or an order row, is an answer: the request was looked at.
        Some(409) if why.rule_id.is_some() || why.order_id.is_some() => Meaning::Final,
        Some(409) if mutation.may_be_at_work() => Meaning::Busy,
        Some(429) => Meaning::Wait,
        Some(503) if mutation == Mutation::CloseAll && why.retry_after.is_some() => Meaning::Wait,
        Some(408 | 425 | 500..) | None => Meaning::Doubt,
        Some(_) => Meaning::Final,
    }
}

/// One command's attempts so far.
#[derive(Debug, Clone)]
pub struct Tries {
    mutation: Mutation,
    risk: Risk,
    tempo: Tempo,
    /// Attempts, and those of them that may have reached the service, since the last 202.
    attempts: u32,
    sent: u32,
    since: Duration,
    /// The first attempt whose effect is unknown.
    doubt: Option<Failure>,
    /// The key is at work somewhere, the last answer said.
    busy: Option<Failure>,
    /// What the read that is asked for is to explain.
    puzzle: Option<Failure>,
    looks: u32,
    /// The read after a close's first 409.
    glance: Glance,
    /// The one more try after a read that was answered has been had.
    returned: bool,
    rounds: Rounds,
}

/// A position that is gone stays gone, whoever closed it. Where the list that is read after a close's first 409 has it no
/// more, that may be the doing of what is at work under the key: it is asked about once more, and a second 409 is a
/// refusal. A list that has it, or cannot be read, proves nothing so early, and the key is asked about as ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glance {
    Due,
    Asked,
    /// The position was gone.
    Gone,
    /// It proved nothing.
    Had,
}

/// A close-all's 202s.
#[derive(Debug, Clone, Default)]
struct Rounds {
    seen: u32,
    idle: u32,
    operation: Option<CloseAll>,
    progressed: Duration,
}

impl Tries {
    pub fn of(command: &Command, tempo: Tempo) -> Self {
        let facts = command.facts();
        Self::new(facts.mutation, facts.risk, tempo)
    }

    /// Of a command that may have taken effect already, before the first attempt that is judged here:
    /// after a restart, or when a person asks again.
    pub fn in_doubt(command: &Command, tempo: Tempo, doubt: Failure) -> Self {
        Self {
            doubt: Some(doubt),
            ..Self::of(command, tempo)
        }
    }

    fn new(mutation: Mutation, risk: Risk, tempo: Tempo) -> Self {
        Self {
            mutation,
            risk,
            tempo,
            attempts: 0,
            sent: 0,
            since: Duration::ZERO,
            doubt: None,
            busy: None,
            puzzle: None,
            looks: 0,
            glance: Glance::Due,
            returned: false,
            rounds: Rounds::default(),
        }
    }

    /// What follows from the attempt that just ended, `elapsed` after the first began.
    ///
    /// `draw` spreads the waits: 0 to 1000, evenly drawn by the caller.
    pub fn judge(&mut self, attempt: Attempt, elapsed: Duration, draw: u32) -> Verdict {
        let draw = draw.min(1000);
        self.attempts += 1;
        self.sent += u32::from(!matches!(attempt, Attempt::NotSent(_)));
        // What was at work has not been heard of since, unless this says so once more.
        let before = self.busy.take();
        if !matches!(&attempt, Attempt::Refused(why) if meaning(self.mutation, why) == Meaning::Busy)
        {
            self.doubt = self.doubt.take().or(before);
        }
        match attempt {
            Attempt::Done(Receipt::Cancel(result)) if !(result.canceled || result.queued) => {
                self.look(words::not_canceled(), Duration::ZERO)
            }
            Attempt::Done(receipt) => Verdict::Settle(self.done(receipt)),
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
                self.doubt.get_or_insert_with(|| why.clone());
                self.again(why, self.budget(), elapsed, draw)
            }
            Attempt::Refused(why) => self.refused(why, elapsed, draw),
        }
    }

    fn refused(&mut self, why: Failure, elapsed: Duration, draw: u32) -> Verdict {
        let meaning = meaning(self.mutation, &why);
        match meaning {
            Meaning::Doubt | Meaning::Astray => {
                self.doubt.get_or_insert_with(|| why.clone());
            }
            Meaning::Busy => self.busy = Some(why.clone()),
            Meaning::Final | Meaning::Gone | Meaning::Wait => {}
        }
        match meaning {
            Meaning::Gone => self.look(why, Duration::ZERO),
            Meaning::Final if self.doubt.is_some() => self.end(why),
            Meaning::Final | Meaning::Astray => self.settle(why),
            Meaning::Busy if self.mutation == Mutation::Close && self.glance == Glance::Due => {
                self.glance = Glance::Asked;
                self.look(why, Duration::ZERO)
            }
            Meaning::Busy if self.glance == Glance::Gone => self.end(why),
            Meaning::Busy => self.again(why, self.patience_with_busy(), elapsed, draw),
            Meaning::Wait | Meaning::Doubt => self.again(why, self.budget(), elapsed, draw),
        }
    }

    fn again(&mut self, why: Failure, budget: Budget, elapsed: Duration, draw: u32) -> Verdict {
        let after = match why.retry_after {
            Some(asked) => asked + self.spread(draw),
            None => self.tempo.of(self.backoff(draw)),
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
        if self.doubt.is_some() && self.mutation.is_put() {
            return self.look(why, after);
        }
        let meanwhile = self.pause(why, FollowUp::Again);
        Verdict::Again { after, meanwhile }
    }

    /// No more asking: where a read can tell what became of it, it decides.
    fn end(&mut self, why: Failure) -> Verdict {
        // What is at work under the key may take effect when nobody asks any more.
        let tells = self.doubt.is_some() || self.busy.is_some();
        if tells && self.mutation != Mutation::CloseAll {
            return self.look(why, Duration::ZERO);
        }
        self.settle(why)
    }

    fn look(&mut self, why: Failure, after: Duration) -> Verdict {
        self.puzzle = Some(why.clone());
        let meanwhile = self.pause(why, FollowUp::Look);
        Verdict::Look { after, meanwhile }
    }

    fn pause(&self, why: Failure, then: FollowUp) -> Pause {
        if self.doubt.is_some() {
            Pause::Unknown(why, then)
        } else {
            Pause::Waiting(why, then)
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

    fn budget(&self) -> Budget {
        let (tries, seconds) = match self.risk {
            Risk::Increasing => (4, 30),
            Risk::Neutral => (5, 60),
            Risk::Reducing => (10, 300),
        };
        Budget {
            tries,
            window: self.tempo.of(Duration::from_secs(seconds)),
        }
    }

    /// The request may be at work this moment, ours or one that a middlebox delivered twice.
    fn patience_with_busy(&self) -> Budget {
        Budget {
            tries: 5,
            window: self.tempo.of(Duration::from_secs(30)),
        }
    }

    fn round(
        &mut self,
        operation: Option<CloseAll>,
        retry_after: Option<Duration>,
        elapsed: Duration,
        draw: u32,
    ) -> Verdict {
        let before = self.rounds.operation.as_ref();
        if let Some(fault) = operation.as_ref().and_then(|now| words::fault(before, now)) {
            return Verdict::Settle(Err(self.unknown(fault)));
        }
        let progress = self.rounds.seen == 0 || is_further(before, operation.as_ref());
        if progress {
            self.rounds.progressed = elapsed;
        }
        self.rounds.idle = if progress { 0 } else { self.rounds.idle + 1 };
        self.rounds.seen += 1;
        self.rounds.operation = operation.or(self.rounds.operation.take());
        (self.attempts, self.sent, self.since, self.doubt) = (0, 0, elapsed, None);

        let asked = retry_after.unwrap_or(self.tempo.of(ROUND));
        if asked > self.budget().window {
            return self.settle(words::long_wait(asked));
        }
        let idle_for = elapsed.saturating_sub(self.rounds.progressed);
        let stalled = self.rounds.idle >= STALLED_AFTER || idle_for > self.tempo.of(STALLED_FOR);
        let slowest = if stalled {
            self.tempo.of(STALLED_ROUND)
        } else {
            Duration::ZERO
        };
        let meanwhile = match &self.rounds.operation {
            Some(operation) if stalled => Pause::Stalled(operation.clone()),
            Some(operation) => Pause::Running(operation.clone()),
            None => Pause::Waiting(words::closing(), FollowUp::Again),
        };
        Verdict::Again {
            after: asked.max(slowest) + self.spread(draw),
            meanwhile,
        }
    }

    fn done(&self, receipt: Receipt) -> Result<Receipt, Failure> {
        let Receipt::CloseAll(operation) = &receipt else {
            return Ok(receipt);
        };
        match words::fault(self.rounds.operation.as_ref(), operation) {
            Some(fault) => Err(self.unknown(fault)),
            None => Ok(receipt),
        }
    }

    fn settle(&self, why: Failure) -> Verdict {
        let in_doubt = self.doubt.is_some() || self.busy.is_some() || self.rounds.seen > 0;
        Verdict::Settle(Err(if in_doubt {
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
