//! When a request with this API key may be sent: after the pause that a 429 requested, and within the budget learned
//! from 429s.
//!
//! Contract: one limiter for everything that uses the key in this process. A pause covers the class of request that was
//! told to wait, up to the limit of the class (`docs/delivery.md 3.4`). A 429 that names a trading rule causes no pause:
//! only its own command waits. The learned budget holds back reads first and entries next; closes and cancels never wait
//! for it, and a part of it is kept for them. Nothing here waits: during a pause a request fails unsent, and the sender
//! checks the budget first.

mod budget;
mod class;

pub use class::RequestClass;

use super::{lock::locked, response::ServiceResponse};
use crate::model::{Failure, FailureKind};
use budget::RequestBudget;
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// With so many requests in the last minute reads wait, so that commands stay within 200 a minute.
const MOST_POLLED: usize = 180;

#[derive(Debug, Default)]
pub(super) struct KeyRateLimiter {
    pauses: Mutex<Pauses>,
    budget: Mutex<RequestBudget>,
    quota: RetryQuota,
}

impl KeyRateLimiter {
    /// Counts a request that is about to be sent.
    pub(super) fn sent(&self) -> Instant {
        let now = Instant::now();
        self.budget().sent(now);
        now
    }

    /// Learns from the response to a request of `class` sent at `sent`.
    pub(super) fn answered(&self, class: RequestClass, sent: Instant, answer: &ServiceResponse) {
        if !answer.pauses_the_key() {
            return;
        }
        let wait = answer.retry_after.unwrap_or_default();
        locked(&self.pauses).pause(class, wait);
        self.budget().refused(sent, Instant::now(), wait);
    }

    /// The rest of the pause; zero if there is none.
    fn left(&self, class: RequestClass) -> Duration {
        locked(&self.pauses).left(class)
    }

    fn wait(&self, class: RequestClass) -> Duration {
        self.left(class)
            .max(self.budget().wait(class, Instant::now()))
    }

    /// Requests a minute, if a 429 has shown it.
    pub(super) fn per_minute(&self) -> Option<u32> {
        self.budget().per_minute()
    }

    fn budget(&self) -> MutexGuard<'_, RequestBudget> {
        locked(&self.budget)
    }
}

impl super::Client {
    /// The same client, whose requests count as `class`. A new client is for polls.
    #[must_use]
    pub fn for_class(&self, class: RequestClass) -> Self {
        self.clone().with_class(class)
    }

    /// This client, whose requests count as `class` from now on.
    #[must_use]
    pub fn with_class(self, class: RequestClass) -> Self {
        Self(self.0, class)
    }

    /// Why no request of this class may be sent now, if a 429 requested a pause.
    pub(crate) fn silence(&self) -> Option<Failure> {
        let pause = self.pause_left();
        (!pause.is_zero()).then(|| Failure {
            retry_after: Some(pause),
            ..Failure::new(
                FailureKind::Limited,
                format!("the service asks for a pause of {} s", pause.as_secs() + 1),
            )
        })
    }

    /// How long the service has asked requests of this class to wait. A request before then fails unsent.
    pub fn pause_left(&self) -> Duration {
        self.0.rate_limiter.left(self.1)
    }

    /// How long a request of this class must wait; zero if it may be sent now.
    pub fn wait(&self) -> Duration {
        let (limiter, class) = (&self.0.rate_limiter, self.1);
        let wait = limiter.wait(class);
        if class != RequestClass::Poll || self.is_known_simulator() {
            return wait;
        }
        wait.max(limiter.budget().room_in(MOST_POLLED, Instant::now()))
    }

    /// How many polls a minute the learned budget allows each client of the key; `None` if nothing has been learned.
    pub fn polls_per_minute(&self) -> Option<u32> {
        let room = self.0.rate_limiter.budget().polls_per_minute()?;
        Some(self.share_of(room))
    }

    /// What this client may use of so many requests a minute for all clients of the key.
    pub fn share_of(&self, per_minute: u32) -> u32 {
        let clients = u32::try_from(Arc::strong_count(&self.0.rate_limiter)).unwrap_or(u32::MAX);
        per_minute / clients.max(1)
    }

    /// Pays for one retry of an entry; `false` if too many have failed.
    pub fn spend_retry(&self) -> bool {
        self.0.rate_limiter.quota.spend()
    }

    /// A command was accepted: refunds the cost of retries.
    pub(super) fn earn_retry(&self) {
        self.0.rate_limiter.quota.earn();
    }
}

/// The pauses that 429s requested, one for each class of request: a poll that must wait says nothing about a close.
#[derive(Debug, Default)]
pub(super) struct Pauses(BTreeMap<RequestClass, Instant>);

impl Pauses {
    /// Holds `class` back for `span` from now; a longer pause stays.
    pub(super) fn pause(&mut self, class: RequestClass, span: Duration) {
        let until = Instant::now() + span.min(class.longest_pause());
        let current = self.0.entry(class).or_insert(until);
        *current = until.max(*current);
    }

    /// The rest of the pause; zero if there is none.
    pub(super) fn left(&self, class: RequestClass) -> Duration {
        let until = self.0.get(&class);
        until.map_or(Duration::ZERO, |until| until.duration_since(Instant::now()))
    }
}

/// The quota at the start, and its maximum.
const WHOLE_QUOTA: u32 = 100;
/// Cost of a retry, and refund for each accepted command.
const RETRY_COST: u32 = 10;

/// The retry quota of `docs/delivery.md 5.3`, so that an outage causes no storm of retries: commands that raise exposure share it; closes and cancels are exempt.
#[derive(Debug)]
pub(super) struct RetryQuota(AtomicU32);

impl Default for RetryQuota {
    fn default() -> Self {
        Self(AtomicU32::new(WHOLE_QUOTA))
    }
}

impl RetryQuota {
    /// Pays for one retry; `false` if too little is left.
    pub(super) fn spend(&self) -> bool {
        self.change(|left| left.checked_sub(RETRY_COST))
    }

    pub(super) fn earn(&self) {
        self.change(|left| Some((left + RETRY_COST).min(WHOLE_QUOTA)));
    }

    fn change(&self, to: impl FnMut(u32) -> Option<u32>) -> bool {
        let changed = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, to);
        changed.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_back_its_class_and_a_short_budget_everything_but_exits() {
        let rate_limit = KeyRateLimiter::default();
        for _ in 0..40 {
            rate_limit.sent();
        }
        let sent = rate_limit.sent();
        let limited = ServiceResponse {
            status: 429,
            retry_after: Some(Duration::from_secs(5)),
            longer: None,
            date: None,
            request_id: None,
            budgets: vec![],
            body: vec![],
        };
        rate_limit.answered(RequestClass::Poll, sent, &limited);
        let five = Duration::from_secs(5);
        assert!(rate_limit.wait(RequestClass::Poll) >= five);
        assert_eq!(rate_limit.wait(RequestClass::Exit), Duration::ZERO);
        rate_limit.answered(RequestClass::Exit, sent, &limited);
        assert_eq!(rate_limit.wait(RequestClass::Exit), five);
        tokio::time::advance(five).await;
        for _ in 0..600 {
            rate_limit.sent();
        }
        assert_eq!(rate_limit.wait(RequestClass::Exit), Duration::ZERO);
        assert!(rate_limit.wait(RequestClass::Entry) > Duration::ZERO);
        assert!(rate_limit.wait(RequestClass::Poll) >= rate_limit.wait(RequestClass::Entry));
    }

    const YEAR: Duration = Duration::from_hours(366 * 24);

    #[tokio::test(start_paused = true)]
    async fn a_shorter_pause_never_cuts_a_longer_one() {
        let mut pauses = Pauses::default();
        let left = |pauses: &Pauses| pauses.left(RequestClass::Poll);
        assert_eq!(left(&pauses), Duration::ZERO);
        pauses.pause(RequestClass::Poll, Duration::from_secs(10));
        pauses.pause(RequestClass::Poll, Duration::from_secs(2));
        assert_eq!(left(&pauses), Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(11)).await;
        assert_eq!(left(&pauses), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_the_class_that_was_told_to_wait_and_no_longer_than_its_limit() {
        let classes = [
            (RequestClass::Exit, 60),
            (RequestClass::CommandRead, 60),
            (RequestClass::Entry, 300),
            (RequestClass::Poll, 300),
        ];
        for (told, limit) in classes {
            let mut pauses = Pauses::default();
            pauses.pause(told, YEAR);
            for (class, _) in classes {
                let expected = if class == told { limit } else { 0 };
                assert_eq!(
                    pauses.left(class),
                    Duration::from_secs(expected),
                    "{class:?}"
                );
            }
        }
    }

    #[test]
    fn ten_retries_in_vain_are_all_there_are_and_each_success_brings_one_back() {
        let quota = RetryQuota::default();
        let spent = (0..1_000).filter(|_| quota.spend()).count();
        assert_eq!(spent, 10);
        quota.earn();
        assert_eq!([quota.spend(), quota.spend()], [true, false]);
        for _ in 0..1_000 {
            quota.earn();
        }
        assert_eq!((0..1_000).filter(|_| quota.spend()).count(), 10);
    }
}
