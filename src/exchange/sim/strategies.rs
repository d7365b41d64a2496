//! Creating TWAP/VWAP orders and ladders: how a service does it is not documented (`docs/service-api.md 7`).
//! Under an `Idempotency-Key` a creation happens once, and its repeat answers with what it made as it is now.

use super::super::{
    answer::{ApiRequest, ApiResponse},
    engine::{EngineCommand, MarketIx, Px, Reason, ScaledParams, TwapParams, TwapStatus},
    fault::ApiError,
    floor::ExchangeState,
    gate::AuthenticatedUser,
    idempotency::{IdempotentRequest, IdempotentResult},
    wire::{self, MarketUnits, leverage, whole},
};
use crate::{
    api::{Data, List, ScaledBody, TwapBody},
    model::{AccountId, MarketId, Num, Scaled, Twap},
};
use hyper::StatusCode;
use serde::de::DeserializeOwned;

/// A body that asks for a strategy.
pub(super) trait StrategyBody: DeserializeOwned + Clone {
    /// What its key stands for.
    fn deed(self) -> IdempotentRequest;
    fn names(&self) -> (&AccountId, &MarketId);
    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError>;
}

pub(super) fn place<Body: StrategyBody>(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = call.key_if_given()?;
    let body: Body = call.json()?;
    let deed = body.clone().deed();
    if let Some(made) = floor.made(caller.user, key, &deed)? {
        return answer(floor, StatusCode::OK, &made);
    }
    let (account, market) = body.names();
    let account = floor.account(caller, account.raw())?;
    let (market, spec) = wire::market(&floor.engine, "market_id", market)?;
    let command = body.command(market, spec.into())?;
    let made = floor.make((caller.user, key, deed), account, command)?;
    answer(floor, StatusCode::CREATED, &made)
}

/// What a creation made, as it is now.
fn answer(
    floor: &ExchangeState,
    status: StatusCode,
    made: &IdempotentResult,
) -> Result<ApiResponse, ApiError> {
    match made {
        IdempotentResult::Twap(account, id) => {
            let row = floor.engine.twap(*account, *id);
            let data = row.and_then(|row| floor.rows().twap(row));
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Scaled(account, id) => {
            let row = floor.engine.scaled(*account, *id);
            let data = row.and_then(|row| floor.rows().scaled(row));
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Order(..)
        | IdempotentResult::Refused(_)
        | IdempotentResult::CloseAll(_) => {
            Err(ApiError::broken("a creation that made something else"))
        }
    }
}

impl StrategyBody for TwapBody {
    fn deed(self) -> IdempotentRequest {
        IdempotentRequest::PlaceTwap(Box::new(self))
    }

    fn names(&self) -> (&AccountId, &MarketId) {
        (&self.account_id, &self.market_id)
    }

    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError> {
        let price = |field, given: Option<Num>| -> Result<Option<Px>, ApiError> {
            given.map(|price| units.price(field, price)).transpose()
        };
        Ok(EngineCommand::PlaceTwap(TwapParams {
            kind: self.kind,
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
            pacing: self.randomize.into(),
            trigger_price: price("trigger_price", self.trigger_price)?,
            max_price: price("max_price", self.max_price)?,
            min_price: price("min_price", self.min_price)?,
        }))
    }
}

impl StrategyBody for ScaledBody {
    fn deed(self) -> IdempotentRequest {
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
        Ok(EngineCommand::PlaceScaled(ScaledParams {
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
        }))
    }
}

/// Every TWAP of the account, or those of a status, newest first: `/v1` lists those that are pending or active only.
pub(super) fn all_twaps(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    (id, status): (&AccountId, Option<TwapStatus>),
) -> Result<ApiResponse, ApiError> {
    let account = floor.account(caller, id.raw())?;
    let data: Vec<Twap> = floor
        .engine
        .twap_orders(account)
        .filter(|row| status.is_none_or(|status| row.status == status))
        .filter_map(|row| floor.rows().twap(row))
        .collect();
    ApiResponse::ok(&Data { data })
}

/// Every ladder of the account, newest first.
pub(super) fn scaled_orders(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
) -> Result<ApiResponse, ApiError> {
    let account = floor.account(caller, id.raw())?;
    let data: Vec<Scaled> = floor
        .engine
        .scaled_orders(account)
        .filter_map(|row| floor.rows().scaled(row))
        .collect();
    ApiResponse::ok(&List {
        data,
        has_more: Some(false),
        next_cursor: None,
    })
}
