//! The creation of a scaled order, from its body.

use super::StrategyBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{EngineCommand, MarketIx, Reason, ScaledParams},
        idempotency::IdempotentRequest,
        wire::{MarketUnits, leverage, whole},
    },
    model::{AccountId, MarketId, PlaceScaled},
};

impl StrategyBody for PlaceScaled {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceScaled(Box::new(self))
    }

    fn names(&self) -> (&AccountId, &MarketId) {
        (&self.account_id, &self.market_id)
    }

    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError> {
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
            distribution: self.distribution,
        }
        .into())
    }
}
