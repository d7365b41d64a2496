//! The synthetic market (docs/engine.md 9): price process, book and tape, one seed.
//!
//! The only place with floating point. Each purpose draws from a stream of its own, so that adding a market or an order
//! never shifts another stream; transcendental functions come from `libm`, so that one seed gives one market on every
//! platform; values are whole ticks and lots before the engine sees them.

mod dice;
mod numbers;
mod shape;
mod tape;
mod walk;

pub(crate) use dice::RngStream;
pub use walk::PriceBounds;

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{
    ids::MarketIx,
    spec::{MarketSpec, MarketTick},
    units::{Bps, Lots, Px, Usd},
    words::Side,
};
use numbers::real;
use shape::SyntheticBook;
use tape::TradeTape;
use walk::{CommonProcess, PriceProcess};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FeedGenerator {
    climate: CommonProcess,
    coins: Vec<MarketFeed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct MarketFeed {
    walk: PriceProcess,
    tape: TradeTape,
    shape: SyntheticBook,
}

impl FeedGenerator {
    pub(crate) fn new(seed: u64, markets: &[MarketSpec]) -> Self {
        let coin = |spec: &MarketSpec| MarketFeed {
            walk: PriceProcess::new(seed, spec),
            tape: TradeTape::new(seed, spec),
            shape: SyntheticBook::new(seed, spec),
        };
        Self {
            climate: CommonProcess::new(seed),
            coins: markets.iter().map(coin).collect(),
        }
    }

    /// The next quarter second of every market, in the order they were given.
    pub(crate) fn step(&mut self) -> Vec<MarketTick> {
        let weather = self.climate.step();
        let tick = |coin: &mut MarketFeed| {
            let fair = coin.walk.step(weather);
            let trades = coin.tape.step(weather.activity, &mut coin.shape);
            let (bids, asks) = coin.shape.step(fair.center, weather.activity);
            MarketTick {
                trades,
                bids,
                asks,
                oracle: fair.oracle,
            }
        };
        self.coins.iter_mut().map(tick).collect()
    }

    /// A user ate so much of a level: it grows back with a half-life of 2 s.
    pub(crate) fn deplete(&mut self, market: MarketIx, side: Side, px: Px, lots: Lots) {
        if let Some(coin) = self.coins.get_mut(usize::from(market)) {
            coin.shape.deplete(side, px, lots);
        }
    }

    /// A user of `side` took so much money's worth.
    #[expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]
    pub(crate) fn press(&mut self, market: MarketIx, side: Side, taken: Usd) {
        if let Some(coin) = self.coins.get_mut(usize::from(market)) {
            let taken = real(u64::try_from(taken.0).unwrap_or(0));
            coin.walk
                .press(side, taken / TradeTape::daily(coin.shape.base()));
        }
    }

    pub(crate) fn nudge(&mut self, market: MarketIx, by: Bps) {
        if let Some(coin) = self.coins.get_mut(usize::from(market)) {
            coin.walk.nudge(by);
        }
    }

    pub(crate) fn has_room(&self, market: MarketIx, by: Bps) -> bool {
        let coin = self.coins.get(usize::from(market));
        coin.is_some_and(|coin| coin.walk.has_room(by))
    }

    pub(crate) fn bound_prices(&mut self, bounds: PriceBounds) {
        for coin in &mut self.coins {
            coin.walk.bounds = bounds;
        }
    }
}
