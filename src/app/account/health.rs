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
    /// When a source that was not answered, or with trouble, is asked again.
    retries: BTreeMap<Source, Timestamp>,
    /// When the last call ended, answered or not; or when a pause after a no of the service is over.
    heard_at: Option<Timestamp>,
    /// Calls without an answer since the last one that had one, by what was asked for.
    unanswered: BTreeMap<String, u32>,
}

impl Health {
    pub(crate) fn answered(&mut self, source: Source, trouble: Option<&Failure>) {
        if let Some(why) = trouble {
            self.ailing.insert(source, why.kind);
            return;
        }
        self.retries.remove(&source);
        if let Some(over) = self.ailing.remove(&source) {
            self.ailing.retain(|_, kind| *kind != over);
        }
    }

    pub(crate) fn called(&mut self, call: &Call) {
        if is_silent(call) {
            let path = call.target.raw().split('?').next().unwrap_or_default();
            *self.unanswered.entry(path.to_owned()).or_default() += 1;
        } else {
            self.unanswered.clear();
        }
        self.budget = call.budget;
        self.heard_at = self.heard_at.max(Some(call.at.plus(call.elapsed)));
        if let Some(pause) = call.pause {
            let until = call.at.plus(call.elapsed).plus(pause);
            self.limited_until = self.limited_until.max(Some(until));
            self.heard_at = self.heard_at.max(Some(until));
        }
    }

    /// A source that was not answered, or with trouble, asks again at `at`.
    pub(crate) fn tries_again(&mut self, source: Source, at: Timestamp) {
        self.retries.insert(source, at);
    }

    /// When the first of the sources in trouble asks again, if that is still to come.
    pub fn next_try(&self, now: Timestamp) -> Option<Timestamp> {
        self.retries.values().copied().filter(|at| *at > now).min()
    }

    /// The same of the sources with this trouble.
    pub fn asks_again(&self, kind: FailureKind, now: Timestamp) -> Option<Timestamp> {
        let ailing = self.ailing.iter().filter(|(_, ailing)| **ailing == kind);
        let retries = ailing.filter_map(|(source, _)| self.retries.get(source).copied());
        retries.filter(|at| *at > now).min()
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
