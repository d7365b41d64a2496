//! Trades of others (docs/engine.md 9.3): each order walks the book as far as it moves the price.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use super::{
    market_size::{base, orders_per_second},
    numbers::{real, whole},
    price_process::Sweep,
    rng::RngStream,
    synthetic_book::SyntheticBook,
};
use crate::exchange::engine::state::{Lots, MarketSpec, MarketTrade, Px};

/// Trades of a usual order: one for each level that it reaches.
const TRADES_PER_ORDER: f64 = 3.0;
/// A typical trade, as a share of a level.
const TYPICAL_TRADE_SHARE: f64 = 0.02;
/// Deviation of the log size of a trade.
const LOG_SIZE_DEVIATION: f64 = 1.2;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TradeTape {
    rng: RngStream,
}

impl TradeTape {
    pub(super) fn new(seed: u64, spec: &MarketSpec) -> Self {
        Self {
            rng: RngStream::new(seed, &format!("{}|tape", spec.market_id())),
        }
    }

    /// Trades in a usual second.
    pub(super) fn per_second(spec: &MarketSpec) -> f64 {
        orders_per_second(spec) * TRADES_PER_ORDER
    }

    /// Micro-USD traded in a usual second.
    pub(super) fn volume_per_second(spec: &MarketSpec) -> f64 {
        let log_variance = LOG_SIZE_DEVIATION * LOG_SIZE_DEVIATION;
        let mean = base(spec) * TYPICAL_TRADE_SHARE * libm::exp(0.5 * log_variance);
        Self::per_second(spec) * mean
    }

    /// The trades of an order: one at the best price, and one at each level that the price passes.
    pub(super) fn sweep<'a>(
        &'a mut self,
        sweep: Sweep,
        book: &'a mut SyntheticBook,
    ) -> impl Iterator<Item = MarketTrade> + 'a {
        book.between(sweep).into_iter().map(move |px| {
            let size = self.size(px, book);
            book.deplete(sweep.side.opposite(), px, size);
            MarketTrade {
                aggressor: sweep.side,
                px,
                size,
            }
        })
    }

    fn size(&mut self, px: Px, book: &SyntheticBook) -> Lots {
        let mut money =
            book.base() * TYPICAL_TRADE_SHARE * libm::exp(LOG_SIZE_DEVIATION * self.rng.normal());
        if self.rng.uniform() < 0.05 {
            money *= self.rng.pareto(2.2);
        }
        let lots = whole(money.min(book.base()) / real(px.0.unsigned_abs()));
        Lots(lots.max(1))
    }
}
