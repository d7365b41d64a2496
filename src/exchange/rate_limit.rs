//! Rate limits: token buckets per key, per address and for the whole exchange.

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    lock::locked,
    wire::integral,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, net::IpAddr, sync::Mutex, time::Duration};
use tokio::time::Instant;

/// The burst size, and the requests per second after it.
#[serde_with::apply(u32 => #[serde(deserialize_with = "integral")])]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    pub burst: u32,
    pub per_second: u32,
}

/// The three budgets of `docs/service-api.md 6`. The defaults are ten times what a desk with everything open uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimits {
    pub per_key: RateLimit,
    pub per_address: RateLimit,
    pub whole: RateLimit,
}

impl Default for RateLimits {
    fn default() -> Self {
        let rate = |burst, per_second| RateLimit { burst, per_second };
        Self {
            per_key: rate(500, 250),
            per_address: rate(1000, 500),
            whole: rate(4000, 2000),
        }
    }
}

/// The budget that a request counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LimitScope {
    Whole,
    Address(IpAddr),
    /// By index of the user.
    Key(usize),
}

#[derive(Debug)]
pub(super) struct RequestLimiter(Mutex<BucketTable>);

#[derive(Debug)]
struct BucketTable {
    rates: RateLimits,
    buckets: BTreeMap<LimitScope, TokenBucket>,
}

/// Above this many buckets, full ones are dropped; a full bucket equals none.
const MAX_BUCKETS: usize = 4096;

impl RequestLimiter {
    pub(super) fn new(rates: RateLimits) -> Self {
        Self(Mutex::new(BucketTable {
            rates,
            buckets: BTreeMap::new(),
        }))
    }

    /// Starts over with full buckets.
    pub(super) fn set(&self, rates: RateLimits) {
        let mut ledger = locked(&self.0);
        ledger.rates = rates;
        ledger.buckets.clear();
    }

    /// Takes one request from `payer`'s budget, or returns 429.
    pub(super) fn take(&self, payer: LimitScope, now: Instant) -> ApiResult<()> {
        let mut ledger = locked(&self.0);
        let (rate, name) = match payer {
            LimitScope::Whole => (ledger.rates.whole, "deployment"),
            LimitScope::Address(_) => (ledger.rates.per_address, "per-IP"),
            LimitScope::Key(_) => (ledger.rates.per_key, "per-key"),
        };
        if ledger.buckets.len() >= MAX_BUCKETS {
            ledger
                .buckets
                .retain(|_, bucket| bucket.tokens < bucket.capacity);
        }
        let bucket = ledger
            .buckets
            .entry(payer)
            .or_insert_with(|| TokenBucket::full(rate, now));
        bucket.take(rate, now).map_err(|seconds| {
            let message = format!("the {name} request budget is spent; try again in {seconds} s");
            ApiError::service(ServiceCode::RateLimited, message).retry_after(seconds)
        })
    }
}

/// Counts thousandths of a request, so that any rate refills exactly.
#[derive(Debug)]
struct TokenBucket {
    tokens: u64,
    capacity: u64,
    filled_at: Instant,
}

impl TokenBucket {
    fn full(rate: RateLimit, now: Instant) -> Self {
        let capacity = u64::from(rate.burst) * 1000;
        Self {
            tokens: capacity,
            capacity,
            filled_at: now,
        }
    }

    /// The error is the number of whole seconds until the next token.
    fn take(&mut self, rate: RateLimit, now: Instant) -> Result<(), u64> {
        let elapsed = now.duration_since(self.filled_at).as_millis();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        let gained = elapsed.saturating_mul(u64::from(rate.per_second));
        self.tokens = self.tokens.saturating_add(gained).min(self.capacity);
        // Not `now`: the part of a millisecond that has added nothing yet counts the next time.
        let filled_at = self.filled_at.checked_add(Duration::from_millis(elapsed));
        self.filled_at = filled_at.unwrap_or(now);
        if self.tokens >= 1000 {
            self.tokens -= 1000;
            return Ok(());
        }
        // A rate of at least one per second has a token within a second.
        Err(if rate.per_second == 0 { 3600 } else { 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::api_error::ErrorHeader;

    #[test]
    fn requests_less_than_a_millisecond_apart_fill_the_bucket_too() {
        let rate = RateLimit {
            burst: 10,
            per_second: 2000,
        };
        let start = Instant::now();
        let mut bucket = TokenBucket::full(rate, start);
        for request in 1..=1000 {
            let now = start + Duration::from_micros(600) * request;
            assert_eq!(bucket.take(rate, now), Ok(()), "request {request}");
        }
    }

    #[test]
    fn a_spent_budget_says_when_to_come_back_and_then_lets_in() {
        let small = RateLimit {
            burst: 2,
            per_second: 1,
        };
        let budgets = RequestLimiter::new(RateLimits {
            per_key: small,
            ..RateLimits::default()
        });
        let now = Instant::now();
        let (mine, other) = (LimitScope::Key(0), LimitScope::Key(1));
        assert_eq!(budgets.take(mine, now), Ok(()));
        assert_eq!(budgets.take(mine, now), Ok(()));
        let fault = budgets.take(mine, now).unwrap_err();
        assert_eq!(fault.header, Some(ErrorHeader::RetryAfter(1)));
        assert_eq!(budgets.take(other, now), Ok(()));
        assert_eq!(budgets.take(mine, now + Duration::from_secs(1)), Ok(()));
    }
}
