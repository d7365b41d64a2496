//! Facts of the markets: marks, funding, volume, and the steps of prices and sizes.

use super::super::{
    engine::{MarketIx, PRICE_FIGURES},
    state::ExchangeState,
    wire::{self, MarketUnits, nano, rate, usd},
};
use crate::model::{MarketId, Num, Timestamp};
use serde::Serialize;

/// Prices in USD; `funding_rate` is a fraction per hour (0.0000125 is 0.00125 %), positive when longs pay.
#[derive(Debug, Serialize)]
pub(super) struct MarketResource {
    market_id: MarketId,
    provider: String,
    symbol: String,
    coin: String,
    mark_price: Num,
    oracle_price: Num,
    mid_price: Option<Num>,
    bid_price: Option<Num>,
    ask_price: Option<Num>,
    last_price: Option<Num>,
    prev_day_price: Num,
    day_volume: Num,
    funding_rate: Num,
    next_funding_at: Timestamp,
    size_decimals: u32,
    max_leverage: u32,
    /// The price step at the current mark: five significant figures.
    tick_size: Num,
    /// Significant figures that the price of an order may have.
    price_figures: u32,
    lot_size: Num,
    updated_at: Timestamp,
    /// Since when frames of a received market have been missing: nothing fills meanwhile.
    gap_since: Option<Timestamp>,
    /// Lines of a received market that could not be read or did not fit, and were left out.
    unreadable_lines: u64,
}

pub(super) fn markets(state: &ExchangeState) -> Vec<MarketResource> {
    let markets = state.engine.market_ixs();
    markets.map(|ix| market(state, ix)).collect()
}

fn market(state: &ExchangeState, ix: MarketIx) -> MarketResource {
    let engine = &state.engine;
    let (facts, spec) = (engine.market_facts(ix), engine.market_spec(ix));
    let units = MarketUnits::from(spec);
    let px = |px| units.px(px);
    MarketResource {
        market_id: spec.market_id().into(),
        provider: spec.provider.clone(),
        symbol: spec.symbol.clone(),
        coin: spec.coin.clone(),
        mark_price: px(facts.mark),
        oracle_price: px(facts.oracle),
        mid_price: facts.mid.map(nano),
        bid_price: facts.bid.map(px),
        ask_price: facts.ask.map(px),
        last_price: facts.last.map(px),
        prev_day_price: px(facts.prev_day),
        day_volume: usd(facts.day_volume),
        funding_rate: rate(facts.funding_rate),
        next_funding_at: wire::at(facts.next_funding_at),
        size_decimals: spec.size_decimals,
        max_leverage: spec.max_leverage,
        tick_size: px(facts.mark.tick(spec.size_decimals)),
        price_figures: PRICE_FIGURES,
        lot_size: Num::new(1, spec.size_decimals),
        updated_at: wire::at(facts.updated_at),
        gap_since: engine.gap_since(ix).map(wire::at),
        unreadable_lines: state
            .markets
            .as_ref()
            .map_or(0, |markets| markets.unreadable(ix)),
    }
}
