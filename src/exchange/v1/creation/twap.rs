//! The creation of a TWAP or VWAP order, from its body.

use super::StrategyBody;
use crate::{
    exchange::{
        api_error::ApiError,
        engine::{EngineCommand, MarketIx, Px, Reason, TwapParams},
        idempotency::IdempotentRequest,
        wire::{MarketUnits, leverage, observed, whole},
    },
    model::{AccountId, MarketId, Num, PlaceTwap},
};

impl StrategyBody for PlaceTwap {
    fn keyed_request(self) -> IdempotentRequest {
        IdempotentRequest::PlaceTwap(Box::new(self))
    }

    fn names(&self) -> (&AccountId, &MarketId) {
        (&self.account_id, &self.market_id)
    }

    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError> {
        let price = |field, given: Option<Num>| -> Result<Option<Px>, ApiError> {
            given.map(|price| units.price(field, price)).transpose()
        };
        observed("expected_price", self.expected_price)?;
        Ok(TwapParams {
            kind: self.curve,
            market,
            side: self.side,
            size: units.size("size", self.size)?,
            leverage: leverage(self.leverage)?,
            margin_mode: self.margin_mode,
            reduction: self.reduce_only.into(),
            duration_minutes: whole(
                "duration_minutes",
                self.duration_minutes,
                Reason::InvalidTwap,
            )?,
            slice_interval_seconds: self
                .slice_interval_seconds
                .map(|given| whole("slice_interval_seconds", given, Reason::InvalidTwap))
                .transpose()?,
            pacing: self.randomize.into(),
            trigger_price: price("trigger_price", self.trigger_price)?,
            max_price: price("max_price", self.max_price)?,
            min_price: price("min_price", self.min_price)?,
        }
        .into())
    }
}
