//! What a market order would get from the book as it is, without placing one.

use super::enter::MARKET_SLIPPAGE;
use crate::exchange::engine::{
    core::Engine,
    market::book::{cap, lots, notional},
    state::{LiquidityRole, Lots, MarketIx, NanoPx, Side, Usd},
};

/// The fill within the slippage that a market order has without a tolerance of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillEstimate {
    pub filled: Lots,
    pub notional: Usd,
    /// `notional` per coin; `None` without a fill.
    pub average: Option<NanoPx>,
    pub fee: Usd,
    /// Price levels that it takes from.
    pub levels: u32,
}

impl Engine {
    /// `None` for an unknown market.
    pub fn fill_estimate(
        &self,
        market: MarketIx,
        side: Side,
        wanted: Lots,
    ) -> Option<FillEstimate> {
        let state = self.markets.get(market)?;
        let decimals = state.spec.size_decimals;
        let limit = cap(state.twice_mid(), side, MARKET_SLIPPAGE, decimals);
        let slices = self.public_book(market).preview(side, limit, wanted);
        let (filled, notional) = (lots(&slices), notional(&slices));
        Some(FillEstimate {
            filled,
            notional,
            average: notional.per(filled, decimals),
            fee: self.fee(notional, LiquidityRole::Taker),
            levels: u32::try_from(slices.len()).unwrap_or(u32::MAX),
        })
    }
}
