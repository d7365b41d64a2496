//! Request budgets: token buckets per key, per address and for the whole exchange.

use super::{
    fault::{Fault, ServiceCode},
    lock::locked,
    wire::integral,
};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, net::IpAddr, sync::Mutex};
use tokio::time::Instant;

/// How many requests at once, and how many per second after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    #[serde(deserialize_with = "integral")]
    pub burst: u32,
    #[serde(deserialize_with = "integral")]
    pub per_second: u32,
}

/// The three budgets of `docs/service-api.md 5`. The defaults are ten times what a desk with everything open uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rates {
    pub per_key: Rate,
    pub per_address: Rate,
    pub whole: Rate,
}

impl Default for Rates {
    fn default() -> Self {
        let rate = |burst, per_second| Rate { burst, per_second };
        Self {
            per_key: rate(500, 250),
            per_address: rate(1000, 500),
            whole: rate(4000, 2000),
        }
    }
}

/// Whose budget a request is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Payer {
    Whole,
    Address(IpAddr),
    /// By index of the user.
    Key(usize),
}

#[derive(Debug)]
pub(super) struct Budgets(Mutex<Ledger>);

#[derive(Debug)]
struct Ledger {
    rates: Rates,
    buckets: BTreeMap<Payer, Bucket>,
}

/// Buckets kept before those that are full again are dropped; a full bucket is the same as none.
const KEPT: usize = 4096;

impl Budgets {
    pub(super) fn new(rates: Rates) -> Self {
        Self(Mutex::new(Ledger {
            rates,
            buckets: BTreeMap::new(),
        }))
    }

    /// Starts over with full buckets.
    pub(super) fn set(&self, rates: Rates) {
        let mut ledger = locked(&self.0);
        ledger.rates = rates;
        ledger.buckets.clear();
    }

    /// Takes one request from `payer`'s budget, or answers 429.
    pub(super) fn take(&self, payer: Payer, now: Instant) -> Result<(), Fault> {
        let mut ledger = locked(&self.0);
        let (rate, name) = match payer {
            Payer::Whole => (ledger.rates.whole, "deployment"),
            Payer::Address(_) => (ledger.rates.per_address, "per-IP"),
            Payer::Key(_) => (ledger.rates.per_key, "per-key"),
        };
        if ledger.buckets.len() >= KEPT {
            ledger
                .buckets
                .retain(|_, bucket| bucket.tokens < bucket.capacity);
        }
        let bucket = ledger
            .buckets
            .entry(payer)
            .or_insert_with(|| Bucket::full(rate, now));
        bucket.take(rate, now).map_err(|seconds| {
            let message = format!("the {name} request budget is spent; try again in {seconds} s");
            Fault::new(
                StatusCode::TOO_MANY_REQUESTS,
                ServiceCode::RateLimited,
                message,
            )
            .retry_after(seconds)
        })
    }
}

/// Counts in thousandths of a request, so that any rate refills exactly.
#[derive(Debug)]
struct Bucket {
    tokens: u64,
    capacity: u64,
    filled_at: Instant,
}

impl Bucket {
    fn full(rate: Rate, now: Instant) -> Self {
        let capacity = u64::from(rate.burst) * 1000;
        Self {
            tokens: capacity,
            capacity,
            filled_at: now,
        }
    }

    /// The error is how many whole seconds until there is a token again.
    fn take(&mut self, rate: Rate, now: Instant) -> Result<(), u64> {
        let elapsed = now.duration_since(self.filled_at).as_millis();
        let gained = u64::try_from(elapsed)
            .unwrap_or(u64::MAX)
            .saturating_mul(u64::from(rate.per_second));
        self.tokens = self.tokens.saturating_add(gained).min(self.capacity);
        self.filled_at = now;
        if self.tokens >= 1000 {
            self.tokens -= 1000;
            return Ok(());
        }
        // A rate of at least one per second has a whole token again within one.
        Err(if rate.per_second == 0 { 3600 } else { 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::fault::FaultHeader;
    use std::time::Duration;

    #[test]
    fn a_spent_budget_says_when_to_come_back_and_then_lets_in() {
        let small = Rate {
            burst: 2,
            per_second: 1,
        };
        let budgets = Budgets::new(Rates {
            per_key: small,
            ..Rates::default()
        });
        let now = Instant::now();
        let (mine, other) = (Payer::Key(0), Payer::Key(1));
        assert_eq!(budgets.take(mine, now), Ok(()));
        assert_eq!(budgets.take(mine, now), Ok(()));
        let fault = budgets.take(mine, now).unwrap_err();
        assert_eq!(fault.header, Some(FaultHeader::RetryAfter(1)));
        assert_eq!(budgets.take(other, now), Ok(()));
        assert_eq!(budgets.take(mine, now + Duration::from_secs(1)), Ok(()));
    }
}
