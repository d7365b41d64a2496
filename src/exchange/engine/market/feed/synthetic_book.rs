//! The book around a fair price (docs/engine.md 9.2).
//!
//! Whether a price has a level is a fixed property of that price, and each price's size varies on its own. So the queue
//! of a resting order survives while the midpoint moves.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use super::{
    market_size::base,
    numbers::{halving, real, whole},
    per_price::{PerPrice, PriceWalk},
    price_process::{Quote, Sweep},
    rng::RngStream,
};
use crate::exchange::engine::state::{BookLevel, Lots, MAX_COUNT, MarketSpec, Px, Side, Usd};

/// Visible levels per side.
const LEVELS_PER_SIDE: usize = 20;
/// How much of its deviation a level's size keeps per step.
const SIZE_PERSISTENCE: f64 = 0.9;
/// How far the base depth, taken by users, moves the price: less than half of what it walks in the book, so that no
/// round trip earns by it (docs/engine.md 9.4).
const IMPACT_TICKS: f64 = 0.25;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SyntheticBook {
    rng: RngStream,
    salt: u64,
    decimals: u32,
    /// Micro-USD.
    base: f64,
    shown: Option<Quote>,
    /// Deviation of the log size, per price with a level.
    size_deviations: PerPrice,
    /// Size that takers consumed and that refills.
    depleted: PerPrice,
    #[serde(skip, default = "usual_level_sizes")]
    humps: [f64; LEVELS_PER_SIDE],
}

/// The usual size of each level as a multiple of the base: small at the best price, largest behind it. Computed once:
/// every step uses forty of them.
fn usual_level_sizes() -> [f64; LEVELS_PER_SIDE] {
    std::array::from_fn(|rank| {
        let hump = 1.0 + 1.5 * (1.0 - libm::exp(-real(rank as u64) / 3.0));
        let first = if rank == 0 { 0.6 } else { 1.0 };
        hump * first
    })
}

/// One side of a step's book, best first.
struct BookSide {
    levels: Vec<BookLevel>,
    /// Also of prices whose size is used up.
    size_deviations: Vec<(Px, f64)>,
}

impl SyntheticBook {
    pub(super) fn new(seed: u64, spec: &MarketSpec) -> Self {
        let mut rng = RngStream::new(seed, &format!("{}|book", spec.market_id()));
        Self {
            salt: rng.between(0, i64::MAX).unsigned_abs(),
            rng,
            decimals: spec.size_decimals,
            base: base(spec),
            shown: None,
            size_deviations: PerPrice::default(),
            depleted: PerPrice::default(),
            humps: usual_level_sizes(),
        }
    }

    pub(super) fn base(&self) -> f64 {
        self.base
    }

    /// The best price of a book at `quote`, on the bid (`Buy`) or ask (`Sell`) side.
    fn best(&self, side: Side, quote: Quote) -> Px {
        let tick = Px(whole(quote.center)).tick(self.decimals);
        let width = real(tick.0.unsigned_abs());
        let nearest = |price: f64| whole(price / width + 0.5);
        let bid = nearest(quote.center - quote.half_spread);
        let ticks = match side {
            Side::Buy => bid,
            Side::Sell => nearest(quote.center + quote.half_spread).max(bid.saturating_add(1)),
        };
        Px(ticks.saturating_mul(tick.0))
    }

    /// The order that would trade with the book shown, if the next one were at `quote`.
    pub(super) fn passed_by(&self, quote: Quote) -> Option<Sweep> {
        let shown = self.shown?;
        let side = if self.best(Side::Buy, quote) >= self.best(Side::Sell, shown) {
            Side::Buy
        } else if self.best(Side::Sell, quote) <= self.best(Side::Buy, shown) {
            Side::Sell
        } else {
            return None;
        };
        Some(Sweep {
            side,
            from: shown.center,
            to: quote.center,
        })
    }

    /// The price that an order meets first, and the levels between it and the best price after the order.
    pub(super) fn between(&self, sweep: Sweep) -> Vec<Px> {
        let side = sweep.side.opposite();
        let half_spread = self.shown.map_or(0.0, |shown| shown.half_spread);
        let [first, last] = [sweep.from, sweep.to].map(|center| {
            let around = Quote {
                center,
                half_spread,
            };
            self.best(side, around)
        });
        let is_passed = |px: &Px| match side {
            Side::Buy => *px > last,
            Side::Sell => *px < last,
        };
        let mut px = first;
        let deeper = (0..LEVELS_PER_SIDE - 1).map(|rank| {
            px = self.next_price(side, px, rank);
            px
        });
        let prices = std::iter::once(first).chain(deeper.take_while(is_passed));
        prices.filter(|px| *px > Px::ZERO).collect()
    }

    /// Log distance of the price impact of users who took so much.
    pub(super) fn impact(&self, taken: Usd) -> f64 {
        let taken = real(u64::try_from(taken.0).unwrap_or(0));
        self.shown.map_or(0.0, |shown| {
            let tick = Px(whole(shown.center)).tick(self.decimals);
            IMPACT_TICKS * real(tick.0.unsigned_abs()) / shown.center * taken / self.base
        })
    }

    pub(super) fn deplete(&mut self, side: Side, px: Px, lots: Lots) {
        self.depleted.add(side, px, real(lots.0.unsigned_abs()));
    }

    /// The next snapshot around `quote`.
    pub(super) fn step(&mut self, quote: Quote) -> (Vec<BookLevel>, Vec<BookLevel>) {
        self.grow_back();
        self.shown = Some(quote);
        let before = std::mem::take(&mut self.size_deviations);
        let [bid, ask] = [Side::Buy, Side::Sell].map(|side| self.best(side, quote));
        let below = self.side(Side::Buy, bid, before.walk(Side::Buy));
        let above = self.side(Side::Sell, ask, before.walk(Side::Sell));
        self.size_deviations = PerPrice::from_sides(&below.size_deviations, &above.size_deviations);
        (below.levels, above.levels)
    }

    fn grow_back(&mut self) {
        let keep = halving(2.0);
        self.depleted.retain(|lots| {
            *lots *= keep;
            *lots >= 1.0
        });
    }

    fn side(&mut self, side: Side, best: Px, mut before: PriceWalk<'_>) -> BookSide {
        let mut levels = Vec::with_capacity(LEVELS_PER_SIDE);
        let mut size_deviations = Vec::with_capacity(LEVELS_PER_SIDE);
        let mut depleted = self.depleted.walk(side);
        let mut px = best;
        for (rank, hump) in self.humps.iter().enumerate() {
            if px <= Px::ZERO {
                break;
            }
            let size_deviation = deviated(before.at(px), self.rng.normal());
            size_deviations.push((px, size_deviation));
            let money = self.base * hump * libm::exp(0.7 * size_deviation);
            let lots = (money / real(px.0.unsigned_abs())).max(1.0);
            let left = Lots(whole(lots - depleted.at(px).unwrap_or(0.0)).min(MAX_COUNT));
            if left > Lots::ZERO {
                levels.push(BookLevel { px, size: left });
            }
            px = self.next_price(side, px, rank);
        }
        BookSide {
            levels,
            size_deviations,
        }
    }

    /// The next price after `px` that has a level: nearly every tick near the best price, a third of them far away.
    fn next_price(&self, side: Side, px: Px, rank: usize) -> Px {
        let chance = 0.9 - 0.03 * real(rank as u64);
        let mut next = px;
        for _ in 0..LEVELS_PER_SIDE {
            // The tick depends on the price's figures, so it is taken on the far side.
            next = Px(next.0 - side.sign()).round_passive(side, self.decimals);
            if self.level_draw(side, next) < chance {
                break;
            }
        }
        next
    }

    /// A fixed number in [0, 1) for each price.
    fn level_draw(&self, side: Side, px: Px) -> f64 {
        let side = u64::from(side == Side::Sell);
        let mut mixed = self.salt ^ px.0.unsigned_abs().wrapping_mul(2) ^ side;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        real((mixed ^ (mixed >> 31)) >> 11) / real(1 << 53)
    }
}

/// A level's deviation after a step: it forgets a tenth of the one before.
fn deviated(before: Option<f64>, fresh: f64) -> f64 {
    before.map_or(fresh, |before| {
        SIZE_PERSISTENCE * before + (1.0 - SIZE_PERSISTENCE * SIZE_PERSISTENCE).sqrt() * fresh
    })
}
