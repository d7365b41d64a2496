//! Whether the far end answers: a fact of the newest calls and answers. How old the numbers are is another
//! one, kept by each source.

use super::poll::Source;
use crate::model::{Call, Failure, FailureKind, Timestamp};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// What was wrong with the last answer of a source, until it or another one with the same trouble
    /// answers again: a slow source must not keep up an alarm that is over.
    ailing: BTreeMap<Source, FailureKind>,
    /// Nothing is read with the key until then: the service has said that it takes no more.
    limited_until: Option<Timestamp>,
    /// What the key's requests have been learned to be limited to, a minute.
    budget: Option<u32>,
    /// When the far end is tried again, while it does not answer.
    next_try: Option<Timestamp>,
    /// When the last call ended, answered or not; or when a pause after a no of the service is over.
    heard_at: Option<Timestamp>,
    /// Calls without an answer since the last one that had one, by what was asked for.
    unanswered: BTreeMap<String, u32>,
}

impl Health {
    pub(super) fn answered(&mut self, source: Source, trouble: Option<&Failure>) {
        match trouble {
            Some(why) => {
                self.ailing.insert(source, why.kind);
            }
            None => {
                if let Some(over) = self.ailing.remove(&source) {
                    self.ailing.retain(|_, kind| *kind != over);
                }
            }
        }
    }

    pub(super) fn called(&mut self, call: &Call) {
        if is_silent(call) {
            let path = call.target.raw().split('?').next().unwrap_or_default();
            *self.unanswered.entry(path.to_owned()).or_default() += 1;
        } else {
            self.unanswered.clear();
            self.next_try = None;
        }
        self.budget = call.budget;
        self.heard_at = self.heard_at.max(Some(call.at.plus(call.elapsed)));
        if let Some(pause) = call.pause {
            let until = call.at.plus(call.elapsed).plus(pause);
            self.limited_until = self.limited_until.max(Some(until));
            self.heard_at = self.heard_at.max(Some(until));
        }
    }

    /// A source that found nobody asks again at `at`. Several do; the first counts.
    pub(super) fn tries_again(&mut self, at: Timestamp, now: Timestamp) {
        let first = self.next_try(now).map_or(at, |known| known.min(at));
        self.next_try = Some(first);
    }

    /// When the far end is tried again, if it does not answer and that is still to come.
    pub fn next_try(&self, now: Timestamp) -> Option<Timestamp> {
        self.next_try.filter(|at| *at > now)
    }

    /// Since when nothing has come although something could have; `None` before the first call.
    pub fn heard_at(&self) -> Option<Timestamp> {
        self.heard_at
    }

    /// Requests a minute, where the service has taught it.
    pub fn budget(&self) -> Option<u32> {
        self.budget
    }

    /// Until when nothing is read, if the service has said no to the key and that is not over.
    pub fn limited_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.limited_until.filter(|until| *until > now)
    }

    pub fn has(&self, kind: FailureKind) -> bool {
        self.ailing.values().any(|ailing| *ailing == kind)
    }

    /// How often the far end has been tried in vain since it last answered: several sources asking at once
    /// are one try.
    pub fn tries(&self) -> u32 {
        self.unanswered.values().copied().max().unwrap_or(0)
    }
}

/// Whether the far end gave no answer at all.
fn is_silent(call: &Call) -> bool {
    matches!(
        call.outcome,
        Err(FailureKind::Unreachable | FailureKind::TimedOut)
    )
}
