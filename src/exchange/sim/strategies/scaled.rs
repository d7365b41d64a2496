//! The creation of a scaled order, from its body.

use super::StrategyBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{EngineCommand, MarketIx, Reason, ScaledParams},
        idempotency::IdempotentRequest,
        wire::{MarketUnits, leverage, whole},
    },
    model::{AccountId, MarketId, Num, PlaceScaled},
};

impl StrategyBody for PlaceScaled {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceScaled(Box::new(self))
    }

    fn names(&self) -> (&AccountId, &MarketId) {
        (&self.account_id, &self.market_id)
    }

    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError> {
        let skew = self.skew.unwrap_or(Num::ONE);
        let skew_milli = skew
            .to_scaled(3)
            .and_then(|milli| u32::try_from(milli).ok())
            .filter(|milli| *milli > 0)
            .ok_or_else(|| {
                let message = format!("skew {skew} must be above 0 with at most 3 decimals");
                ApiError::field("skew", Reason::InvalidScaled, message)
            })?;
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
