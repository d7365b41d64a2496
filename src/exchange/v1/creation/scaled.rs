//! The creation of a scaled order, from its body.

use super::CreationBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{Engine, EngineCommand, Reason, ScaledParams},
        idempotency::IdempotentRequest,
        wire::{self, MarketUnits, leverage, whole},
    },
    model::{AccountId, PlaceScaled},
};

impl CreationBody for PlaceScaled {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceScaled(Box::new(self))
    }

    fn account_id(&self) -> &AccountId {
        &self.account_id
    }

    fn command(&self, engine: &Engine) -> Result<EngineCommand, ApiError> {
        let (market, spec) = wire::market(engine, "market_id", &self.market_id)?;
        let units = MarketUnits::from(spec);
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
