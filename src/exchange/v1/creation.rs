//! Creates TWAP, VWAP and scaled orders (docs/service-api.md 4.2 and 4.3).
//! With an `Idempotency-Key` a creation happens once; a repetition returns the current state of what it made.

mod scaled;
mod twap;

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{EngineCommand, MarketIx},
    idempotency::{IdempotentRequest, IdempotentResult},
    message::{ApiRequest, ApiResponse},
    state::ExchangeState,
    wire::{self, MarketUnits},
};
use crate::{
    api::Data,
    model::{AccountId, MarketId},
};
use hyper::StatusCode;
use serde::de::DeserializeOwned;

/// A body that creates a strategy.
pub(super) trait StrategyBody: DeserializeOwned + Clone {
    /// What its key identifies.
    fn keyed_request(self) -> IdempotentRequest;
    fn names(&self) -> (&AccountId, &MarketId);
    fn command(&self, market: MarketIx, units: MarketUnits) -> Result<EngineCommand, ApiError>;
}

pub(super) fn place<Body: StrategyBody>(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = request.key_if_given()?;
    let body: Body = request.json()?;
    let keyed_request = body.clone().keyed_request();
    if let Some(created) = state.created(caller.user, key, &keyed_request)? {
        return answer(state, StatusCode::OK, &created);
    }
    let (account, market) = body.names();
    let account = state.account(caller, account.raw())?;
    let (market, spec) = wire::market(&state.engine, "market_id", market)?;
    let command = body.command(market, spec.into())?;
    let created = state.create_strategy((caller.user, key, keyed_request), account, command)?;
    answer(state, StatusCode::CREATED, &created)
}

/// The current state of what a creation made.
fn answer(
    state: &ExchangeState,
    status: StatusCode,
    created: &IdempotentResult,
) -> Result<ApiResponse, ApiError> {
    match created {
        IdempotentResult::Twap(account, id) => {
            let row = state.engine.twap(*account, *id);
            let data = row.and_then(|row| state.rows().twap(row));
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Scaled(account, id) => {
            let row = state.engine.scaled(*account, *id);
            let data = row.and_then(|row| state.rows().scaled(row));
            ApiResponse::new(status, &Data { data })
        }
        IdempotentResult::Order(..)
        | IdempotentResult::Refused(_)
        | IdempotentResult::Operation(_) => {
            Err(ApiError::broken("a creation that made something else"))
        }
    }
}
