//! Closing a position and changing its isolated margin.

use super::super::{
    api_error::{ApiError, ApiResult},
    engine::{EngineCommand, PositionId},
    idempotency::{IdempotentRequest, IdempotentResult, KeyedRequest},
    message::ApiResponse,
    state::{CommandCall, ExchangeState},
    wire,
};
use crate::{
    api::{DataQueued, MarginBody},
    model::{self, ClosePosition},
};
use hyper::StatusCode;

/// 201 with the closing order; 200 with its current state if the key is known, also after the position was dropped
/// (`serve --keep`).
pub(super) fn close(call: CommandCall<'_>, id: &model::PositionId) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let key = request.key()?;
    let owned = state.owned(caller, id.raw());
    let keyed = |position, body| KeyedRequest {
        user: caller.user,
        key: Some(key),
        request: IdempotentRequest::Close(position, Box::new(body)),
    };
    let (account, position) = match owned {
        Ok(owned) => owned,
        Err(missing) => {
            let (Some(position), Ok(body)) = (PositionId::parse(id.raw()), request.json()) else {
                return Err(missing);
            };
            let keyed = keyed(position, body);
            let recalled = state.keys.recall(&keyed);
            let is_known = matches!(recalled, Ok(Some(_)));
            let closed = state
                .recalled(&keyed)
                .map_err(|gone| if is_known { gone } else { missing.clone() });
            return closed?.map_or(Err(missing), |closed| {
                answer(state, StatusCode::OK, &closed)
            });
        }
    };
    let body: ClosePosition = request.json()?;
    let keyed = keyed(position, body.clone());
    if let Some(closed) = state.recalled(&keyed)? {
        return answer(state, StatusCode::OK, &closed);
    }
    let row = state.engine.position(account, position);
    let row = row.ok_or_else(|| ApiError::not_found("position"))?;
    let command = wire::close(&state.engine, position, row.market, &body)?;
    state.check_client_order_id(caller, body.client_order_id.as_ref())?;
    let closed = state.apply_once(keyed, account, EngineCommand::Close(command))?;
    answer(state, StatusCode::CREATED, &closed)
}

/// A close that waits for its trigger is queued; any other has been sent to the book.
fn answer(
    state: &ExchangeState,
    status: StatusCode,
    closed: &IdempotentResult,
) -> ApiResult<ApiResponse> {
    let IdempotentResult::Order(account, id) = closed else {
        return Err(ApiError::broken("a close that made no order"));
    };
    let data = state.read(*account, *id)?;
    let queued = data.is_armed();
    ApiResponse::new(status, &DataQueued { data, queued })
}

/// The body holds the desired total, so repeating the request changes nothing.
pub(super) fn isolated_margin(
    call: CommandCall<'_>,
    id: &model::PositionId,
) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let (account, position): (_, PositionId) = state.owned(caller, id.raw())?;
    let body: MarginBody = request.json()?;
    let command = wire::isolated_margin(position, &body)?;
    state.apply(account, EngineCommand::SetIsolatedMargin(command))?;
    ApiResponse::data(state.read(account, position)?)
}
