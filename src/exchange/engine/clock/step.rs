//! One step of virtual time, always in the same order (docs/engine.md 4).

use super::prune::PRUNE_INTERVAL;
use crate::exchange::engine::{
    core::Engine,
    market::{mark::mark, triggers::TriggerTarget},
    state::{
        EQUITY_INTERVAL_MS, EngineEvent, MarketIx, MarketTick, Millis, OrderStatus, Reason, Side,
        TwapStatus, Usd,
    },
};

/// Rounds of consequences within one step.
const MAX_SETTLE_ROUNDS: usize = 64;

impl Engine {
    /// Runs every whole 250 ms step that ends at or before `to`; an earlier `to` does nothing.
    pub fn advance_to(&mut self, to: Millis) {
        while self.now + Millis::STEP <= to {
            self.step();
        }
    }

    /// Time passed until `to` while nothing ran the engine, in whole steps without a price move. Everything due
    /// meanwhile is due at the next step, except that a TWAP keeps only its last missed slice. Funding of the hours
    /// between is not paid. An earlier `to` does nothing.
    pub fn skip_until(&mut self, to: Millis) {
        let steps = (to - self.now).0.div_euclid(Millis::STEP.0);
        self.now += Millis(Millis::STEP.0 * steps.max(0));
        self.skip_missed_slices();
        self.prune_histories();
    }

    fn step(&mut self) {
        self.now += Millis::STEP;
        self.roll_days();
        self.expire();
        self.cancel_queued();
        for (market, tick) in self.next_ticks() {
            self.apply_tick(market, &tick);
        }
        self.watch_feeds();
        self.mark_all();
        self.sample_funding();
        self.pay_funding();
        self.settle_step();
        if self.now.reached_multiple_of(EQUITY_INTERVAL_MS) {
            self.sample_equity();
        }
        if self.now.reached_multiple_of(PRUNE_INTERVAL.0) {
            self.prune();
        }
    }

    /// Opens the markets at their first state; no time passes.
    pub(crate) fn open_markets(&mut self) {
        for (market, tick) in self.next_ticks() {
            self.apply_tick(market, &tick);
        }
        self.mark_all();
    }

    fn expire(&mut self) {
        while let Some((at, id)) = self.expiring.first().copied() {
            if at > self.now {
                break;
            }
            self.expiring.pop_first();
            self.finish(id, OrderStatus::Expired, None);
        }
    }

    fn cancel_queued(&mut self) {
        for id in std::mem::take(&mut self.cancel_queue) {
            self.finish(id, OrderStatus::Canceled, Some(Reason::User));
        }
    }

    /// The next tick of each market: an injected one, else the generator's, else none.
    fn next_ticks(&mut self) -> Vec<(MarketIx, MarketTick)> {
        let mut made = self.generated();
        for market in self.markets.ids() {
            if let Some(tick) = self.markets.at_mut(market).injected.pop_front() {
                made.retain(|(other, _)| *other != market);
                made.push((market, tick));
            }
        }
        made.sort_by_key(|(market, _)| *market);
        made
    }

    fn generated(&mut self) -> Vec<(MarketIx, MarketTick)> {
        let Some(generator) = &mut self.generator else {
            return Vec::new();
        };
        for market in self.markets.ids() {
            for side in [Side::Buy, Side::Sell] {
                for (px, lots) in self.markets.at(market).book.consumed(side) {
                    generator.deplete(market, side, px, lots);
                }
            }
        }
        self.markets.ids().zip(generator.step()).collect()
    }

    fn apply_tick(&mut self, market: MarketIx, tick: &MarketTick) {
        self.markets.at_mut(market).oracle = tick.oracle;
        self.match_trades(market, &tick.trades);
        let volume: Usd = tick.trades.iter().map(|trade| trade.px * trade.size).sum();
        let state = self.markets.at_mut(market);
        state.day.step(self.now, state.mark, volume);
        self.match_book(market, &tick.bids, &tick.asks);
    }

    fn mark_all(&mut self) {
        for market in self.markets.ids() {
            let is_received = self.received.get(market).is_some();
            let state = self.markets.at_mut(market);
            if !is_received {
                state.mark = mark(&mut state.ema, state.oracle, &state.book, state.last);
            }
            let (mark, oracle) = (state.mark, state.oracle);
            self.record(EngineEvent::Price {
                market,
                mark,
                oracle,
            });
        }
    }

    /// Triggers come before liquidation, so that a stop above the liquidation price works within one gap. Repeats until
    /// nothing changes.
    pub(super) fn settle_step(&mut self) {
        for _ in 0..MAX_SETTLE_ROUNDS {
            let before = self.log.len();
            self.fire_triggers();
            self.run_due_slices();
            self.reprice_chases();
            self.liquidate_all();
            self.evaluate_challenges();
            if self.log.len() == before {
                break;
            }
        }
    }

    fn fire_triggers(&mut self) {
        let mut fired: Vec<TriggerTarget> = Vec::new();
        for market in self.markets.ids() {
            if self.is_frozen(market) {
                continue;
            }
            let state = self.markets.at_mut(market);
            fired.extend(state.triggers.fired(state.mark));
        }
        fired.sort_unstable();
        for target in fired {
            match target {
                TriggerTarget::Order(id) => self.activate(id),
                TriggerTarget::TwapStart(id) => self.start_twap(id),
                TriggerTarget::TwapBound(id, bound) => {
                    self.end_twap(id, TwapStatus::Completed, bound.reason());
                }
            }
        }
    }
}
