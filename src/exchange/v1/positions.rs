//! Closing a position and moving its isolated margin.

use super::super::{
    answer::{ApiRequest, ApiResponse},
    engine::{AccountIx, EngineCommand, PositionId},
    fault::ApiError,
    floor::{ExchangeState, data},
    gate::AuthenticatedUser,
    idempotency::IdempotentRequest,
    wire,
};
use crate::{
    api::{CloseBody, DataQueued, MarginBody},
    model::{self, Order, OrderStatus},
};
use hyper::StatusCode;

/// 201 with the closing order; 200 with that order as it is now when the key is known.
pub(super) fn close(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = call.key()?;
    let (account, position) = owned(floor, caller, id)?;
    let body: CloseBody = call.json()?;
    let deed = IdempotentRequest::Close(position, Box::new(body.clone()));
    if let Some(order) = floor.replay(caller.user, key, &deed)? {
        return ApiResponse::ok(&queued(order));
    }
    let market = floor
        .engine
        .position(account, position)
        .map(|row| row.market)
        .ok_or_else(|| ApiError::not_found("position"))?;
    let command = EngineCommand::Close(wire::close(&floor.engine, position, market, &body)?);
    let order = floor.apply_keyed((caller.user, key, deed), account, command)?;
    ApiResponse::new(StatusCode::CREATED, &queued(order))
}

/// A close that waits for its trigger is queued; every other one has been sent to the book.
fn queued(order: Order) -> DataQueued<Order> {
    DataQueued {
        queued: order.status.is(&OrderStatus::Pending),
        data: order,
    }
}

/// The desired total, so the same request twice is the same state.
pub(super) fn isolated_margin(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let (account, position) = owned(floor, caller, id)?;
    let body: MarginBody = call.json()?;
    let command = wire::isolated_margin(position, &body)?;
    floor.apply(account, EngineCommand::SetIsolatedMargin(command))?;
    let row = floor.engine.position(account, position);
    data(row.and_then(|row| floor.rows().position(&row)))
}

fn owned(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::PositionId,
) -> Result<(AccountIx, PositionId), ApiError> {
    let id = PositionId::parse(id.raw());
    floor.owned(caller, "position", id, |engine, account, id| {
        engine.position(account, id).is_some()
    })
}
