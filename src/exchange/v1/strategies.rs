//! TWAP, VWAP and scaled orders: read, stop.

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{AccountIx, EngineCommand, ScaledId, TwapId},
    message::ApiResponse,
    state::{ExchangeState, data, existing},
};
use crate::{
    api::Data,
    model::{self, Scaled, Twap},
};

pub(super) fn twap(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::TwapId,
) -> Result<Twap, ApiError> {
    let id = TwapId::parse(id.raw());
    let (account, twap) = state.owned(caller, "TWAP order", id, |engine, account, id| {
        engine.twap(account, id).is_some()
    })?;
    let row = state.engine.twap(account, twap);
    existing(row.and_then(|row| state.rows().twap(row)))
}

/// Stops future slices; an ended TWAP is returned unchanged.
pub(super) fn stop_twap(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::TwapId,
) -> Result<ApiResponse, ApiError> {
    let id = TwapId::parse(id.raw());
    let (account, twap) = state.owned(caller, "TWAP order", id, |engine, account, id| {
        engine.twap(account, id).is_some()
    })?;
    state.apply(account, EngineCommand::StopTwap(twap))?;
    let row = state.engine.twap(account, twap);
    data(row.and_then(|row| state.rows().twap(row)))
}

pub(super) fn scaled(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<Scaled, ApiError> {
    let (account, scaled) = owned(state, caller, id)?;
    ladder(state, account, scaled)
}

/// Cancels the working rungs; an ended scaled order is returned unchanged.
pub(super) fn cancel_scaled(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<ApiResponse, ApiError> {
    let (account, scaled) = owned(state, caller, id)?;
    state.apply(account, EngineCommand::CancelScaled(scaled))?;
    let data = ladder(state, account, scaled)?;
    ApiResponse::ok(&Data { data })
}

fn ladder(state: &ExchangeState, account: AccountIx, scaled: ScaledId) -> Result<Scaled, ApiError> {
    let row = state.engine.scaled(account, scaled);
    existing(row.and_then(|row| state.rows().scaled(row)))
}

fn owned(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<(AccountIx, ScaledId), ApiError> {
    let id = ScaledId::parse(id.raw());
    state.owned(caller, "scaled order", id, |engine, account, id| {
        engine.scaled(account, id).is_some()
    })
}
