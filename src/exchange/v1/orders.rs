//! Placing, canceling and protecting orders.

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{AccountIx, Cancellation, CommandOutcome, EngineCommand, OrderId},
    idempotency::IdempotentRequest,
    message::{ApiRequest, ApiResponse, Execution},
    state::ExchangeState,
    wire,
};
use crate::{
    api::{Data, DataQueued, ExitsBody, ModifyBody, PlaceBody},
    model::{self, Order},
};
use hyper::StatusCode;
use serde::Serialize;

/// The answer to a cancel: it is accepted, and has happened unless it is queued.
#[derive(Serialize)]
struct CanceledOrder {
    id: model::OrderId,
    canceled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<bool>,
}

/// 201 with the new order; 200 with its current state if the key is known.
pub(super) fn place(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = request.key()?;
    let body: PlaceBody = request.json()?;
    let keyed_request = IdempotentRequest::Place(Box::new(body.clone()));
    if let Some(data) = state.replay(caller.user, key, &keyed_request)? {
        return ApiResponse::ok(&Data { data });
    }
    let account = state.account(caller, body.account_id.raw())?;
    let command = EngineCommand::Place(wire::place(&state.engine, &body)?);
    state.check_client_order_id(caller, body.client_order_id.as_ref())?;
    let data = state.apply_keyed((caller.user, key, keyed_request), account, command)?;
    ApiResponse::new(StatusCode::CREATED, &Data { data })
}

pub(super) fn order(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
) -> Result<Order, ApiError> {
    let (account, order) = owned(state, caller, id)?;
    state.order(account, order)
}

/// A resting order is canceled at once; an armed one is queued and canceled with the next step.
pub(super) fn cancel(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    request.no_body()?;
    let (account, order) = owned(state, caller, id)?;
    let command = match request.execution {
        Execution::Immediate => EngineCommand::Cancel(order),
        Execution::Deferred => EngineCommand::QueueCancel(order),
    };
    let outcome = state.apply(account, command)?;
    let queued = matches!(outcome, CommandOutcome::Cancel(Cancellation::Queued(_)));
    ApiResponse::ok(&Data {
        data: CanceledOrder {
            id: id.clone(),
            canceled: true,
            queued: queued.then_some(true),
        },
    })
}

/// `queued` is always false: the lock prevents a fill during the change.
pub(super) fn attached_exits(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let (account, order) = owned(state, caller, id)?;
    let body: ExitsBody = request.json()?;
    let market = state.engine.order(account, order).map(|row| row.market);
    let spec = market.and_then(|market| state.engine.market_spec(market));
    let spec = spec.ok_or_else(|| ApiError::broken("an order in no market"))?;
    let command = wire::exits(spec.into(), order, &body)?;
    state.apply(account, EngineCommand::SetExits(command))?;
    ApiResponse::ok(&DataQueued {
        data: state.order(account, order)?,
        queued: false,
    })
}

/// `queued` while the order waits for its trigger, as for a close.
pub(super) fn modify(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let (account, order) = owned(state, caller, id)?;
    let body: ModifyBody = request.json()?;
    let row = state.engine.order(account, order);
    let row = row.ok_or_else(|| ApiError::not_found("order"))?;
    let command = wire::modify(&state.engine, row, body.price, body.size)?;
    state.apply(account, EngineCommand::Modify(command))?;
    let data = state.order(account, order)?;
    ApiResponse::ok(&DataQueued {
        queued: data.is_armed(),
        data,
    })
}

fn owned(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
) -> Result<(AccountIx, OrderId), ApiError> {
    let id = OrderId::parse(id.raw());
    state.owned(caller, "order", id, |engine, account, id| {
        engine.order(account, id).is_some()
    })
}
