//! The creation of a scaled order, from its body.

use super::StrategyBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{EngineCommand, MarketIx, Reason, ScaledParams},
        idempotency::IdempotentRequest,
        wire::{MarketUnits, leverage, whole},
    },
    model::{AccountId, Distribution, MarketId, PlaceScaled},
};

impl StrategyBody for PlaceScaled {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceScaled(Box::new(self))
    }

    fn names(&self) -> (&AccountId, &MarketId) {
        (&self.account_id, &self.market_id)
    }

    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError> {
        // The size of the last rung over that of the first, in thousandths.
        let skew_milli = match self.distribution {
            Distribution::Flat => 1_000,
            Distribution::Ascending => 3_000,
            Distribution::Descending => 333,
        };
        Ok(ScaledParams {
            market,
            side: self.side,
            size: units.size("size", self.size)?,
            leverage: leverage(self.leverage)?,
            margin_mode: self.margin_mode,
            reduction: self.reduce_only.into(),
            start_price: units.price("start_price", self.start_price)?,
            end_price: units.price("end_price", self.end_price)?,
            rung_count: whole("rung_count", self.rung_count, Reason::InvalidScaled)?,
            skew_milli,
        }
        .into())
    }
}
