//! Whether the service responds, from the newest calls and answers. The age of the data is separate, per source.

use super::poll::Source;
use crate::model::{Call, Failure, FailureKind, Timestamp};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// The failure of each source's last answer, until it or another source with the same failure works again: a slow
    /// source must not prolong an alarm.
    ailing: BTreeMap<Source, FailureKind>,
    /// No reads with the key until then: the service rate limits it.
    limited_until: Option<Timestamp>,
    /// The learned limit of the key's requests, per minute.
    budget: Option<u32>,
    /// When a failed source is retried.
    retries: BTreeMap<Source, Timestamp>,
    /// When the last call ended, with or without a response; or when a rate-limit pause is over.
    last_answer_at: Option<Timestamp>,
    /// Calls without a response since the last one with a response, by target.
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
        self.last_answer_at = self.last_answer_at.max(Some(call.at.plus(call.elapsed)));
        if let Some(pause) = call.pause {
            let until = call.at.plus(call.elapsed).plus(pause);
            self.limited_until = self.limited_until.max(Some(until));
            self.last_answer_at = self.last_answer_at.max(Some(until));
        }
    }

    /// A failed source is retried at `at`.
    pub(crate) fn tries_again(&mut self, source: Source, at: Timestamp) {
        self.retries.insert(source, at);
    }

    /// When the first of the failed sources is retried, if that is ahead.
    pub fn next_try(&self, now: Timestamp) -> Option<Timestamp> {
        self.retries.values().copied().filter(|at| *at > now).min()
    }

    /// The same for sources with this failure.
    pub fn retries_at(&self, kind: FailureKind, now: Timestamp) -> Option<Timestamp> {
        let ailing = self.ailing.iter().filter(|(_, ailing)| **ailing == kind);
        let retries = ailing.filter_map(|(source, _)| self.retries.get(source).copied());
        retries.filter(|at| *at > now).min()
    }

    /// Since when nothing has arrived although something could have; `None` before the first call.
    pub fn last_answer_at(&self) -> Option<Timestamp> {
        self.last_answer_at
    }

    /// Requests a minute, if the service has shown its limit.
    pub fn budget(&self) -> Option<u32> {
        self.budget
    }

    /// Until when reads pause, if the service rate limits the key.
    pub fn limited_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.limited_until.filter(|until| *until > now)
    }

    pub fn has(&self, kind: FailureKind) -> bool {
        self.ailing.values().any(|ailing| *ailing == kind)
    }

    /// Failed attempts since the last response; several sources at once count as one.
    pub fn tries(&self) -> u32 {
        self.unanswered.values().copied().max().unwrap_or(0)
    }
}

/// Whether there was no response at all.
fn is_silent(call: &Call) -> bool {
    matches!(
        call.outcome,
        Err(FailureKind::Unreachable | FailureKind::TimedOut)
    )
}
