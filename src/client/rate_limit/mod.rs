//! When a request with this API key may be sent: after the pause that a 429 asked for, and within the budget learned
//! from 429s.
//!
//! Contract: one limiter for everything that uses the key in this process. A pause covers every request, whichever
//! caused it. A 429 that names a trading rule causes no pause: only its own command waits. The learned budget holds
//! back reads first and entries next; closes and cancels never wait for it, and a part of it is kept for them. Nothing
//! here waits: during a pause a request fails unsent, and the sender checks the budget first.

mod budget;
mod class;
mod quota;

pub use class::RequestClass;

use super::{lock::locked, response::ServiceResponse};
use crate::model::{Failure, FailureKind};
use budget::RequestBudget;
use quota::RetryQuota;
use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

#[derive(Debug)]
pub(super) struct RateLimiter {
    pause: watch::Sender<Option<Instant>>,
    budget: Mutex<RequestBudget>,
    quota: RetryQuota,
}

impl Default for RateLimiter {
    fn default() -> Self {
        Self {
            pause: watch::Sender::new(None),
            budget: Mutex::default(),
            quota: RetryQuota::default(),
        }
    }
}

impl RateLimiter {
    /// Counts a request that is about to be sent.
    pub(super) fn sent(&self) -> Instant {
        let now = Instant::now();
        self.budget().sent(now);
        now
    }

    /// Learns from the response to a request sent at `sent`.
    pub(super) fn answered(&self, sent: Instant, answer: &ServiceResponse) {
        if !answer.pauses_the_key() {
            return;
        }
        let wait = answer.retry_after.unwrap_or_default();
        self.pause(wait);
        self.budget().refused(sent, Instant::now(), wait);
    }

    /// Holds everything back for `span` from now; a longer pause stays.
    fn pause(&self, span: Duration) {
        let Some(until) = Instant::now().checked_add(span) else {
            return;
        };
        self.pause.send_if_modified(|current| {
            let longer = current.is_none_or(|current| current < until);
            if longer {
                *current = Some(until);
            }
            longer
        });
    }

    /// The rest of the pause; zero if there is none.
    fn left(&self) -> Duration {
        let until = *self.pause.borrow();
        until.map_or(Duration::ZERO, |until| until.duration_since(Instant::now()))
    }

    fn wait(&self, class: RequestClass) -> Duration {
        self.left().max(self.budget().wait(class, Instant::now()))
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
    /// Why no request of this key may be sent now, if a 429 asked for a pause.
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

    /// How long the service has asked every request of this key to wait. A request before then fails unsent.
    pub fn pause_left(&self) -> Duration {
        self.0.rate_limiter.left()
    }

    /// How long a request of this class must wait; zero if it may be sent now.
    pub fn wait(&self, class: RequestClass) -> Duration {
        self.0.rate_limiter.wait(class)
    }

    /// How many polls a minute the learned budget allows each client of the key; `None` if nothing has been learned.
    pub fn polls_per_minute(&self) -> Option<u32> {
        let room = self.0.rate_limiter.budget().polls_per_minute()?;
        let clients = u32::try_from(Arc::strong_count(&self.0.rate_limiter)).unwrap_or(u32::MAX);
        Some(room / clients.max(1))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_shorter_pause_never_cuts_a_longer_one() {
        let rate_limit = RateLimiter::default();
        assert_eq!(rate_limit.left(), Duration::ZERO);
        rate_limit.pause(Duration::from_secs(10));
        rate_limit.pause(Duration::from_secs(2));
        assert_eq!(rate_limit.left(), Duration::from_secs(10));
        tokio::time::advance(Duration::from_secs(11)).await;
        assert_eq!(rate_limit.left(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_back_everything_and_a_short_budget_everything_but_exits() {
        let rate_limit = RateLimiter::default();
        for _ in 0..40 {
            rate_limit.sent();
        }
        let sent = rate_limit.sent();
        let limited = ServiceResponse {
            status: 429,
            retry_after: Some(Duration::from_secs(5)),
            date: None,
            budgets: vec![],
            body: vec![],
        };
        rate_limit.answered(sent, &limited);
        for class in [RequestClass::Exit, RequestClass::Entry, RequestClass::Poll] {
            assert!(
                rate_limit.wait(class) >= Duration::from_secs(5),
                "{class:?}"
            );
        }
        tokio::time::advance(Duration::from_secs(5)).await;
        for _ in 0..600 {
            rate_limit.sent();
        }
        assert_eq!(rate_limit.wait(RequestClass::Exit), Duration::ZERO);
        assert!(rate_limit.wait(RequestClass::Entry) > Duration::ZERO);
        assert!(rate_limit.wait(RequestClass::Poll) >= rate_limit.wait(RequestClass::Entry));
    }
}
