//! The creation of a TWAP or VWAP order, from its body.

use super::CreationBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{Engine, EngineCommand, Reason, TwapParams},
        idempotency::IdempotentRequest,
        wire::{self, MarketUnits, leverage, observed, optional_price, whole},
    },
    model::{AccountId, PlaceTwap},
};

impl CreationBody for PlaceTwap {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceTwap(Box::new(self))
    }

    fn account_id(&self) -> &AccountId {
        &self.account_id
    }

    fn command(&self, engine: &Engine) -> Result<EngineCommand, ApiError> {
        let (market, spec) = wire::market(engine, "market_id", &self.market_id)?;
        let units = MarketUnits::from(spec);
        let whole = |field, given| whole(field, given, Reason::InvalidTwap);
        observed("expected_price", self.expected_price)?;
        Ok(TwapParams {
            kind: self.curve,
            market,
            side: self.side,
            size: units.size("size", self.size)?,
            leverage: leverage(self.leverage)?,
            margin_mode: self.margin_mode,
            reduction: self.reduce_only.into(),
            duration_minutes: whole("duration_minutes", self.duration_minutes)?,
            slice_interval_seconds: self
                .slice_interval_seconds
                .map(|given| whole("slice_interval_seconds", given))
                .transpose()?,
            pacing: self.randomize.into(),
            trigger_price: optional_price(units, "trigger_price", self.trigger_price)?,
            max_price: optional_price(units, "max_price", self.max_price)?,
            min_price: optional_price(units, "min_price", self.min_price)?,
        }
        .into())
    }
}
