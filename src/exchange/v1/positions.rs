//! Closing a position and changing its isolated margin.

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{AccountIx, EngineCommand, PositionId},
    idempotency::IdempotentRequest,
    message::{ApiRequest, ApiResponse},
    state::{ExchangeState, data, existing},
    wire,
};
use crate::{
    api::{CloseBody, DataQueued, MarginBody},
    model::{self, Order, Position},
};
use hyper::StatusCode;

/// 201 with the closing order; 200 with its current state if the key is known.
pub(super) fn close(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = request.key()?;
    let (account, position) = match owned(state, caller, id) {
        Ok(owned) => owned,
        Err(missing) => return close_again(state, caller, id, request)?.ok_or(missing),
    };
    let body: CloseBody = request.json()?;
    let keyed_request = IdempotentRequest::Close(position, Box::new(body.clone()));
    if let Some(order) = state.replay(caller.user, key, &keyed_request)? {
        return ApiResponse::ok(&queued(order));
    }
    let market = state
        .engine
        .position(account, position)
        .map(|row| row.market)
        .ok_or_else(|| ApiError::not_found("position"))?;
    let command = EngineCommand::Close(wire::close(&state.engine, position, market, &body)?);
    state.check_client_order_id(caller, body.client_order_id.as_ref())?;
    let order = state.apply_keyed((caller.user, key, keyed_request), account, command)?;
    ApiResponse::new(StatusCode::CREATED, &queued(order))
}

/// What a close under a known key gets whose position was dropped (`serve --keep`); `None` for a new key.
fn close_again(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
    request: &ApiRequest,
) -> Result<Option<ApiResponse>, ApiError> {
    let (Some(position), Ok(body)) = (PositionId::parse(id.raw()), request.json()) else {
        return Ok(None);
    };
    let (key, keyed_request) = (
        request.key()?,
        IdempotentRequest::Close(position, Box::new(body)),
    );
    let recalled = state.keys.recall(caller.user, key, &keyed_request);
    if !matches!(recalled, Ok(Some(_))) {
        return Ok(None);
    }
    let order = state.replay(caller.user, key, &keyed_request)?;
    order
        .map(|order| ApiResponse::ok(&queued(order)))
        .transpose()
}

/// A close that waits for its trigger is queued; any other has been sent to the book.
fn queued(order: Order) -> DataQueued<Order> {
    DataQueued {
        queued: order.is_armed(),
        data: order,
    }
}

/// The body holds the desired total, so repeating the request changes nothing.
pub(super) fn isolated_margin(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let (account, position) = owned(state, caller, id)?;
    let body: MarginBody = request.json()?;
    let command = wire::isolated_margin(position, &body)?;
    state.apply(account, EngineCommand::SetIsolatedMargin(command))?;
    let row = state.engine.position(account, position);
    data(row.and_then(|row| state.rows().position(&row)))
}

/// Open or closed.
pub(super) fn position(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
) -> Result<Position, ApiError> {
    let (account, position) = owned(state, caller, id)?;
    let row = state.engine.position(account, position);
    existing(row.and_then(|row| state.rows().position(&row)))
}

pub(super) fn owned(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
) -> Result<(AccountIx, PositionId), ApiError> {
    let id = PositionId::parse(id.raw());
    state.owned(caller, "position", id, |engine, account, id| {
        engine.position(account, id).is_some()
    })
}
