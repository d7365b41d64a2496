//! Placing, cancelling and protecting orders.

use super::super::{
    answer::{ApiRequest, ApiResponse, Execution},
    engine::{AccountIx, Cancellation, CommandOutcome, EngineCommand, OrderId},
    fault::ApiError,
    floor::ExchangeState,
    gate::AuthenticatedUser,
    idempotency::IdempotentRequest,
    wire,
};
use crate::{
    api::{Data, DataQueued, ExitsBody, PlaceBody},
    model::{self, CancelResult},
};
use hyper::StatusCode;

/// 201 with the new order; 200 with the order as it is now when the key is known.
pub(super) fn place(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = call.key()?;
    let body: PlaceBody = call.json()?;
    let deed = IdempotentRequest::Place(Box::new(body.clone()));
    if let Some(data) = floor.replay(caller.user, key, &deed)? {
        return ApiResponse::ok(&Data { data });
    }
    let account = floor.account(caller, body.account_id.raw())?;
    let command = EngineCommand::Place(wire::place(&floor.engine, &body)?);
    let data = floor.apply_keyed((caller.user, key, deed), account, command)?;
    ApiResponse::new(StatusCode::CREATED, &Data { data })
}

/// A resting order is gone at once; an armed one is queued and gone with the next step.
pub(super) fn cancel(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    call.no_body()?;
    let (account, order) = owned(floor, caller, id)?;
    let command = match call.haste {
        Execution::AtOnce => EngineCommand::Cancel(order),
        Execution::NotYet => EngineCommand::QueueCancel(order),
    };
    let outcome = floor.apply(account, command)?;
    let queued = matches!(outcome, CommandOutcome::Cancel(Cancellation::Queued(_)));
    ApiResponse::ok(&Data {
        data: CancelResult {
            id: id.clone(),
            canceled: !queued,
            queued,
        },
    })
}

/// `queued` is always false: the lock lets no fill happen in the middle of the change.
pub(super) fn attached_exits(
    floor: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
    call: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let (account, order) = owned(floor, caller, id)?;
    let body: ExitsBody = call.json()?;
    let market = floor.engine.order(account, order).map(|row| row.market);
    let spec = market.and_then(|market| floor.engine.market_spec(market));
    let spec = spec.ok_or_else(|| ApiError::broken("an order in no market"))?;
    let command = wire::exits(spec.into(), order, &body)?;
    floor.apply(account, EngineCommand::SetExits(command))?;
    ApiResponse::ok(&DataQueued {
        data: floor.order(account, order)?,
        queued: false,
    })
}

fn owned(
    floor: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &model::OrderId,
) -> Result<(AccountIx, OrderId), ApiError> {
    let id = OrderId::parse(id.raw());
    floor.owned(caller, "order", id, |engine, account, id| {
        engine.order(account, id).is_some()
    })
}
