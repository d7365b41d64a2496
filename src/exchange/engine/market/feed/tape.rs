//! Trades of others (docs/engine.md 9.3): in bursts, with autocorrelated sides and heavy-tailed sizes.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use super::{
    numbers::{DAY, DT, real, whole},
    rng::RngStream,
    synthetic_book::SyntheticBook,
};
use crate::exchange::engine::state::{BookLevel, Lots, MarketSpec, MarketTrade, Side};

/// Trades per second of a market with the largest depth.
const TRADES_PER_SECOND: f64 = 2.0;
/// Base depth of that market, micro-USD.
const LARGEST_DEPTH: f64 = 120_000e6;
/// Seconds over which a trade triggers others, and how many it triggers.
const EXCITATION_SECONDS: f64 = 3.0;
const BRANCHING: f64 = 0.5;
/// A typical trade, as a share of a level.
const TYPICAL_TRADE_SHARE: f64 = 0.02;
/// Deviation of the log size of a trade.
const LOG_SIZE_DEVIATION: f64 = 1.2;

/// A large order executed in pieces; it makes the sides autocorrelated.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Metaorder {
    side: Side,
    left: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TradeTape {
    rng: RngStream,
    excitement: f64,
    pool: [Metaorder; 3],
}

impl TradeTape {
    pub(super) fn new(seed: u64, spec: &MarketSpec) -> Self {
        let mut rng = RngStream::new(seed, &format!("{}|tape", spec.market_id()));
        let pool = [(); 3].map(|()| metaorder(&mut rng));
        Self {
            rng,
            excitement: 0.0,
            pool,
        }
    }

    /// The usual daily volume of a market of that base depth, in micro-USD.
    pub(super) fn daily(base: f64) -> f64 {
        let mean =
            base * TYPICAL_TRADE_SHARE * libm::exp(0.5 * LOG_SIZE_DEVIATION * LOG_SIZE_DEVIATION);
        Self::per_second(base) * mean * DAY
    }

    /// Trades in a usual second of a market of that base depth.
    pub(super) fn per_second(base: f64) -> f64 {
        rate(base) / (1.0 - BRANCHING)
    }

    /// The trades of one step, against the book shown before it.
    pub(super) fn step(
        &mut self,
        activity: f64,
        synthetic_book: &mut SyntheticBook,
    ) -> Vec<MarketTrade> {
        let usual = rate(synthetic_book.base()) * activity;
        let count = self.rng.poisson((usual + self.excitement) * DT);
        self.excitement *= libm::exp(-DT / EXCITATION_SECONDS);
        self.excitement += real(count as u64) * BRANCHING / EXCITATION_SECONDS;
        (0..count)
            .filter_map(|_| self.trade(synthetic_book))
            .collect()
    }

    fn trade(&mut self, synthetic_book: &mut SyntheticBook) -> Option<MarketTrade> {
        let aggressor = self.sign();
        let touch = synthetic_book.touch(aggressor.opposite())?;
        let size = self.size(synthetic_book.base(), touch);
        synthetic_book.deplete(aggressor.opposite(), touch.px, size);
        Some(MarketTrade {
            aggressor,
            px: touch.px,
            size,
        })
    }

    fn sign(&mut self) -> Side {
        let picked = usize::try_from(self.rng.between(0, 2)).unwrap_or(0);
        let rng = &mut self.rng;
        match self.pool.get_mut(picked) {
            Some(order) => {
                order.left -= 1;
                let side = order.side;
                if order.left <= 0 {
                    *order = metaorder(rng);
                }
                side
            }
            None => Side::Buy,
        }
    }

    fn size(&mut self, base: f64, touch: BookLevel) -> Lots {
        let mut money =
            base * TYPICAL_TRADE_SHARE * libm::exp(LOG_SIZE_DEVIATION * self.rng.normal());
        if self.rng.uniform() < 0.05 {
            money *= self.rng.pareto(2.2);
        }
        let lots = whole(money / real(touch.px.0.unsigned_abs()));
        Lots(lots.clamp(1, touch.size.0.max(1)))
    }
}

/// Trades per second of a market of that base depth, without triggered ones.
fn rate(base: f64) -> f64 {
    TRADES_PER_SECOND * (base / LARGEST_DEPTH).min(1.0).sqrt()
}

fn metaorder(rng: &mut RngStream) -> Metaorder {
    Metaorder {
        side: if rng.sign() > 0.0 {
            Side::Buy
        } else {
            Side::Sell
        },
        left: whole(rng.pareto(1.5).min(10_000.0)),
    }
}
