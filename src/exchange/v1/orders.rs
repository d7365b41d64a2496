//! Canceling, changing and protecting orders.

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{Cancellation, CommandOutcome, EngineCommand, OrderId},
    message::{ApiResponse, Execution},
    state::CommandCall,
    wire,
};
use crate::{
    api::DataQueued,
    model::{self, Exits, ModifyOrder},
};

use serde::Serialize;

/// The answer to a cancel: it is accepted, and has happened unless it is queued.
#[derive(Serialize)]
struct CanceledOrder {
    id: model::OrderId,
    canceled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    queued: Option<bool>,
}

/// A resting order is canceled at once; an armed one is queued and canceled with the next step.
pub(super) fn cancel(call: CommandCall<'_>, id: &model::OrderId) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    request.no_body()?;
    let (account, order): (_, OrderId) = state.owned(caller, id.raw())?;
    let command = match request.execution {
        Execution::Immediate => EngineCommand::Cancel(order),
        Execution::Deferred => EngineCommand::QueueCancel(order),
    };
    let outcome = state.apply(account, command)?;
    let queued = matches!(outcome, CommandOutcome::Cancel(Cancellation::Queued(_)));
    ApiResponse::data(CanceledOrder {
        id: id.clone(),
        canceled: true,
        queued: queued.then_some(true),
    })
}

/// `queued` is always false: the lock prevents a fill during the change.
pub(super) fn attached_exits(call: CommandCall<'_>, id: &model::OrderId) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let (account, order): (_, OrderId) = state.owned(caller, id.raw())?;
    let body: Exits = request.json()?;
    let row = state.engine.order(account, order);
    let row = row.ok_or_else(|| ApiError::not_found("order"))?;
    let command = wire::exits(&state.engine, row, &body)?;
    state.apply(account, EngineCommand::SetExits(command))?;
    ApiResponse::ok(&DataQueued {
        data: state.read(account, order)?,
        queued: false,
    })
}

/// `queued` while the order waits for its trigger, as for a close.
pub(super) fn modify(call: CommandCall<'_>, id: &model::OrderId) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let (account, order): (_, OrderId) = state.owned(caller, id.raw())?;
    let body: ModifyOrder = request.json()?;
    let row = state.engine.order(account, order);
    let row = row.ok_or_else(|| ApiError::not_found("order"))?;
    let command = wire::modify(&state.engine, row, body.price, body.size)?;
    state.apply(account, EngineCommand::Modify(command))?;
    let data = state.read(account, order)?;
    ApiResponse::ok(&DataQueued {
        queued: data.is_armed(),
        data,
    })
}
