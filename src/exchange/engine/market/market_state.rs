//! The state of one market.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::{
    book::OrderBook,
    mark::{DayStats, Ema},
    premium::PremiumSamples,
    resting::RestingOrders,
    triggers::Triggers,
};
use crate::exchange::engine::state::{
    MarginTier, MarketSpec, MarketTick, Millis, OrderId, Px, Usd,
};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MarketState {
    pub(crate) spec: MarketSpec,
    /// By rising notional; the first starts at 0.
    pub(crate) tiers: Vec<MaintenanceTier>,
    pub(crate) book: OrderBook,
    pub(crate) oracle: Px,
    pub(crate) mark: Px,
    pub(crate) last: Option<Px>,
    pub(crate) ema: Ema,
    pub(crate) day: DayStats,
    pub(crate) premiums: PremiumSamples,
    pub(crate) resting: RestingOrders,
    pub(crate) triggers: Triggers,
    pub(crate) chasing: BTreeSet<OrderId>,
    /// Snapshots that replace the feed's, oldest first.
    pub(crate) injected: VecDeque<MarketTick>,
    pub(crate) updated_at: Millis,
}

impl MarketState {
    pub(crate) fn new(spec: MarketSpec, now: Millis) -> Self {
        Self {
            book: OrderBook::default(),
            oracle: spec.start_price,
            mark: spec.start_price,
            last: None,
            ema: Ema::default(),
            day: DayStats::default(),
            premiums: PremiumSamples::default(),
            resting: RestingOrders::default(),
            triggers: Triggers::default(),
            chasing: BTreeSet::new(),
            injected: VecDeque::new(),
            updated_at: now,
            tiers: tiers(&spec),
            spec,
        }
    }

    /// Twice the middle of the book, or the mark without a book of both sides.
    pub(crate) fn twice_mid(&self) -> i64 {
        self.book.twice_mid().unwrap_or(2 * self.mark.0)
    }

    /// Maintenance margin of a notional: half the initial margin at the tier's largest leverage (docs/engine.md 6.2).
    pub(crate) fn maintenance(&self, notional: Usd) -> Usd {
        self.tier(notional)
            .map_or(Usd::ZERO, |tier| tier.maintenance(notional))
    }

    /// The largest leverage of a position of that notional.
    pub(crate) fn max_leverage(&self, notional: Usd) -> u32 {
        self.tier(notional)
            .map_or(self.spec.max_leverage, |tier| tier.max_leverage)
    }

    /// Initial margin of a notional. A position whose price has grown into a further tier needs what that tier requires.
    pub(crate) fn initial_margin(&self, notional: Usd, leverage: u32) -> Usd {
        let leverage = leverage.min(self.max_leverage(notional));
        notional.mul_ceil(1, i64::from(leverage))
    }

    fn tier(&self, notional: Usd) -> Option<&MaintenanceTier> {
        let mut tiers = self.tiers.iter().rev();
        tiers.find(|tier| notional >= tier.lower)
    }
}

/// One margin tier, with the deduction that makes maintenance continuous at its lower bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MaintenanceTier {
    pub(crate) lower: Usd,
    /// Where the tier ends.
    pub(crate) upper: Option<Usd>,
    pub(crate) max_leverage: u32,
    pub(crate) deduction: Usd,
}

impl MaintenanceTier {
    fn maintenance(self, notional: Usd) -> Usd {
        notional.mul_ceil(1, 2 * i64::from(self.max_leverage)) - self.deduction
    }
}

fn tiers(spec: &MarketSpec) -> Vec<MaintenanceTier> {
    let mut tiers: Vec<MaintenanceTier> = Vec::new();
    for MarginTier {
        lower,
        max_leverage,
    } in spec.margin_tiers()
    {
        let rate = |leverage: u32| lower.mul_ceil(1, 2 * i64::from(leverage));
        let deduction = tiers.last_mut().map_or(Usd::ZERO, |before| {
            before.upper = Some(lower);
            before.deduction + rate(max_leverage) - rate(before.max_leverage)
        });
        tiers.push(MaintenanceTier {
            lower,
            upper: None,
            max_leverage,
            deduction,
        });
    }
    tiers
}
