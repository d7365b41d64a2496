//! TWAP, VWAP and scaled orders: read, stop.

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{EngineCommand, ScaledId, TwapId},
    message::{ApiRequest, ApiResponse},
    state::ExchangeState,
};
use crate::model::{self, Scaled, Twap};

pub(super) fn twap(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::TwapId,
) -> Result<Twap, ApiError> {
    let (account, twap): (_, TwapId) = state.owned(caller, id.raw())?;
    state.twap(account, twap)
}

/// Stops future slices; an ended TWAP is returned unchanged.
pub(super) fn stop_twap(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::TwapId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    request.no_body()?;
    let (account, twap): (_, TwapId) = state.owned(caller, id.raw())?;
    state.apply(account, EngineCommand::StopTwap(twap))?;
    ApiResponse::data(state.twap(account, twap)?)
}

pub(super) fn scaled(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
) -> Result<Scaled, ApiError> {
    let (account, scaled): (_, ScaledId) = state.owned(caller, id.raw())?;
    state.scaled(account, scaled)
}

/// Cancels the working rungs; an ended scaled order is returned unchanged.
pub(super) fn cancel_scaled(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::ScaledId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    request.no_body()?;
    let (account, scaled): (_, ScaledId) = state.owned(caller, id.raw())?;
    state.apply(account, EngineCommand::CancelScaled(scaled))?;
    ApiResponse::data(state.scaled(account, scaled)?)
}
