//! Closing a position and changing its isolated margin.

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{AccountIx, EngineCommand, PositionId},
    idempotency::IdempotentRequest,
    message::{ApiRequest, ApiResponse},
    state::{ExchangeState, data},
    wire,
};
use crate::{
    api::{CloseBody, DataQueued, MarginBody},
    model::{self, Order, OrderStatus},
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
    let (account, position) = owned(state, caller, id)?;
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
    let order = state.apply_keyed((caller.user, key, keyed_request), account, command)?;
    ApiResponse::new(StatusCode::CREATED, &queued(order))
}

/// A close that waits for its trigger is queued; any other has been sent to the book.
fn queued(order: Order) -> DataQueued<Order> {
    DataQueued {
        queued: order.status.is(&OrderStatus::Pending),
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

fn owned(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
) -> Result<(AccountIx, PositionId), ApiError> {
    let id = PositionId::parse(id.raw());
    state.owned(caller, "position", id, |engine, account, id| {
        engine.position(account, id).is_some()
    })
}
