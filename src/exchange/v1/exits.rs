//! The exits of a position as one batch, guarded by what the client has seen.

use super::super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    engine::{AccountIx, EngineCommand, OrderRecord, PositionId, PositionRecord, Reason},
    message::ApiResponse,
    state::{CommandCall, ExchangeState},
    wire,
};

use crate::{
    api::ExitBatchBody,
    model::{self, ExecutionType, ExpectedExit},
};

/// 409 if the position or its exits are not what the client expects: nothing is applied then.
pub(super) fn change(call: CommandCall<'_>, id: &model::PositionId) -> ApiResult<ApiResponse> {
    let (state, caller, request) = (call.state, call.caller, call.request);
    let (account, position): (_, PositionId) = state.owned(caller, id.raw())?;
    let body: ExitBatchBody = request.json()?;
    let row = state.engine.position(account, position);
    let row = row.ok_or_else(|| ApiError::not_found("position"))?;
    let command = wire::exit_batch(&state.engine, &row, &body)?;
    check_expected(state, account, &row, &body)?;
    state.apply(account, EngineCommand::ChangeExits(command))?;
    ApiResponse::data(state.read(account, position)?)
}

fn check_expected(
    state: &ExchangeState,
    account: AccountIx,
    row: &PositionRecord,
    body: &ExitBatchBody,
) -> ApiResult<()> {
    if row.closed_at.is_some() {
        let message = format!("position {} is closed", row.id);
        return Err(ApiError::conflict(Reason::PositionClosed, message));
    }
    let shown = state.rows().position(row);
    if shown.size != body.expected_position_size.abs() {
        let message = format!("the size of the position is {}", shown.size);
        return Err(moved(message));
    }
    let exits = state.engine.position_exits(account, row.id);
    let expected = &body.expected_orders;
    let seen = |exit: &&OrderRecord| expected.iter().any(|seen| is_as_seen(state, exit, seen));
    match exits.iter().find(|exit| !seen(exit)) {
        Some(exit) => Err(moved(format!("exit order {} is not as expected", exit.id))),
        None if exits.len() != expected.len() => {
            Err(moved("an expected exit order is not there".to_owned()))
        }
        None => Ok(()),
    }
}

fn is_as_seen(state: &ExchangeState, exit: &OrderRecord, seen: &ExpectedExit) -> bool {
    let shown = ExpectedExit::of(&state.rows().order(exit));
    let execution = if exit.is_limit() {
        ExecutionType::Limit
    } else {
        ExecutionType::Market
    };
    shown.is_some_and(|shown| {
        shown.order_id == seen.order_id
            && shown.price == seen.price
            && shown.size == seen.size.abs()
            && seen.execution_type.is_none_or(|seen| seen == execution)
    })
}

fn moved(message: String) -> ApiError {
    ApiError::service(ServiceCode::ExpectedStateMoved, message)
}
