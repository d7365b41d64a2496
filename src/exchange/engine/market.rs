//! The state of one market.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::book::Book;
use super::funding::Premiums;
use super::ids::OrderId;
use super::mark::{Day, Ema};
use super::resting::Resting;
use super::spec::{MarketSpec, MarketTick};
use super::triggers::Triggers;
use super::units::{Millis, Px, Usd};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Market {
    pub(super) spec: MarketSpec,
    /// By rising notional; the first starts at 0.
    pub(super) tiers: Vec<Tier>,
    pub(super) book: Book,
    pub(super) oracle: Px,
    pub(super) mark: Px,
    pub(super) last: Option<Px>,
    pub(super) ema: Ema,
    pub(super) day: Day,
    pub(super) premiums: Premiums,
    pub(super) resting: Resting,
    pub(super) triggers: Triggers,
    pub(super) chasing: BTreeSet<OrderId>,
    /// Snapshots that replace the feed's, oldest first.
    pub(super) injected: VecDeque<MarketTick>,
    pub(super) updated_at: Millis,
}

impl Market {
    pub(super) fn new(spec: MarketSpec, now: Millis) -> Self {
        Self {
            book: Book::default(),
            oracle: spec.start_price,
            mark: spec.start_price,
            last: None,
            ema: Ema::default(),
            day: Day::default(),
            premiums: Premiums::default(),
            resting: Resting::default(),
            triggers: Triggers::default(),
            chasing: BTreeSet::new(),
            injected: VecDeque::new(),
            updated_at: now,
            tiers: tiers(&spec),
            spec,
        }
    }

    /// Maintenance margin of a notional: half the initial margin at the tier's largest leverage (exchange.md 4.1).
    pub(super) fn maintenance(&self, notional: Usd) -> Usd {
        self.tiers
            .iter()
            .rev()
            .find(|tier| notional >= tier.lower)
            .map_or(Usd::ZERO, |tier| tier.maintenance(notional))
    }
}

/// One margin tier with what it deducts so that maintenance has no jump at its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tier {
    pub(super) lower: Usd,
    /// The tier ends here.
    pub(super) upper: Option<Usd>,
    pub(super) max_leverage: u32,
    pub(super) deduction: Usd,
}

impl Tier {
    fn maintenance(self, notional: Usd) -> Usd {
        notional.mul_ceil(1, 2 * i64::from(self.max_leverage)) - self.deduction
    }
}

fn tiers(spec: &MarketSpec) -> Vec<Tier> {
    let mut before = Tier {
        lower: Usd::ZERO,
        upper: None,
        max_leverage: spec.max_leverage,
        deduction: Usd::ZERO,
    };
    let mut tiers = Vec::new();
    for next in &spec.tiers {
        let rate = |leverage: u32| next.lower.mul_ceil(1, 2 * i64::from(leverage));
        let deduction = before.deduction + rate(next.max_leverage) - rate(before.max_leverage);
        before.upper = Some(next.lower);
        tiers.push(before);
        before = Tier {
            lower: next.lower,
            upper: None,
            max_leverage: next.max_leverage,
            deduction,
        };
    }
    tiers.push(before);
    tiers
}
