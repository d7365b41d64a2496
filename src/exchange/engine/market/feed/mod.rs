//! The synthetic market (docs/engine.md 9): price process, book and trades, from one seed.
//!
//! The only place with floating point. Each purpose draws from its own stream, so that a new market or order never
//! shifts another stream. Transcendental functions come from `libm`, so that one seed gives the same market on every
//! platform. Values become whole ticks and lots before the engine sees them.

mod market_size;
mod numbers;
mod per_price;
mod price_process;
mod rng;
mod synthetic_book;
mod synthetic_candles;
mod tape;

pub(crate) use rng::RngStream;
pub(crate) use synthetic_candles::{BackwardWalk, SyntheticCandles};

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{Bps, Lots, MarketIx, MarketSpec, MarketTick, Px, Side, Usd};
use price_process::{CommonProcess, PriceProcess};
use synthetic_book::SyntheticBook;
use tape::TradeTape;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FeedGenerator {
    common: CommonProcess,
    feeds: Vec<MarketFeed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct MarketFeed {
    price: PriceProcess,
    tape: TradeTape,
    book: SyntheticBook,
}

impl FeedGenerator {
    pub(crate) fn new(seed: u64, markets: &[MarketSpec]) -> Self {
        let feed = |spec: &MarketSpec| MarketFeed {
            price: PriceProcess::new(seed, spec),
            tape: TradeTape::new(seed, spec),
            book: SyntheticBook::new(seed, spec),
        };
        Self {
            common: CommonProcess::new(seed),
            feeds: markets.iter().map(feed).collect(),
        }
    }

    /// The next quarter second of every market, in the order they were given.
    pub(crate) fn step(&mut self) -> Vec<MarketTick> {
        let common_step = self.common.step();
        let tick = |feed: &mut MarketFeed| {
            let mut step = feed.price.step(&common_step);
            // Makers follow the other coins. Where they would come too late, an order takes what they had quoted.
            let passed = feed.book.passed_by(step.quote);
            let sweeps = &mut step.sweeps;
            sweeps.extend(passed.filter(|by| sweeps.iter().all(|sweep| sweep.side != by.side)));
            let mut trades = Vec::new();
            for sweep in step.sweeps {
                trades.extend(feed.tape.sweep(sweep, &mut feed.book));
            }
            let (bids, asks) = feed.book.step(step.quote);
            MarketTick {
                trades,
                bids,
                asks,
                oracle: step.oracle,
            }
        };
        self.feeds.iter_mut().map(tick).collect()
    }

    /// A user consumed this much of a level; it refills with a half-life of 2 s.
    pub(crate) fn deplete(&mut self, market: MarketIx, side: Side, px: Px, lots: Lots) {
        if let Some(feed) = self.feeds.get_mut(usize::from(market)) {
            feed.book.deplete(side, px, lots);
        }
    }

    /// A user of `side` took this much notional.
    #[expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]
    pub(crate) fn press(&mut self, market: MarketIx, side: Side, taken: Usd) {
        if let Some(feed) = self.feeds.get_mut(usize::from(market)) {
            let impact = feed.book.impact(taken);
            feed.price.press(match side {
                Side::Buy => impact,
                Side::Sell => -impact,
            });
        }
    }

    pub(crate) fn nudge(&mut self, market: MarketIx, by: Bps) {
        if let Some(feed) = self.feeds.get_mut(usize::from(market)) {
            feed.price.nudge(by);
        }
    }

    pub(crate) fn has_room(&self, market: MarketIx, by: Bps) -> bool {
        let feed = self.feeds.get(usize::from(market));
        feed.is_some_and(|feed| feed.price.has_room(by))
    }
}
