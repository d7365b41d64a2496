//! `POST /v1/accounts/{account_id}/close-all-positions`: one bounded snapshot, one close per request.
//!
//! 201: done for the first time. 200: the same operation again. 202: one target or one cooldown attempt done; repeat
//! with the same key after `Retry-After`. 503: too many positions for a snapshot, and nothing is recorded. Every request with
//! one key works on the positions of the first; positions opened since are not touched. Another key starts another
//! operation, so a lost key never locks the account (docs/engine.md 8).
//!
//! Operations are deleted only by `serve --keep`.

use super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    engine::{AccountIx, CommandOutcome, EngineCommand, Millis, PositionId, Reason, RefusalKind},
    idempotency::{IdempotentRequest, IdempotentResult},
    message::{ApiRequest, ApiResponse, Execution},
    operations::{CloseAllOperation, TargetFailure, TargetResult},
    state::ExchangeState,
};
use crate::{
    api::Data,
    model::{AccountId, CloseAll, CloseResult, CloseResultStatus, OperationStatus, Timestamp},
};
use hyper::StatusCode;

/// `docs/service-api.md 6`.
const MAX_TARGETS: usize = 100;

/// The result of one request.
enum CloseAllStep {
    Replayed,
    Waiting(Millis),
    Completed,
}

pub(super) fn run(
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = request.key()?;
    request.no_body()?;
    let account = state.account(caller, id.raw())?;
    let keyed_request = IdempotentRequest::CloseAll(account);
    let index = match state.keys.recall(caller.user, key, &keyed_request)? {
        Some(IdempotentResult::CloseAll(index)) if state.close_alls.get(index).is_some() => index,
        Some(IdempotentResult::CloseAll(_)) => return Err(ApiError::no_longer_kept()),
        Some(
            IdempotentResult::Order(..)
            | IdempotentResult::Twap(..)
            | IdempotentResult::Scaled(..)
            | IdempotentResult::Refused(_),
        ) => {
            return Err(ApiError::broken(
                "a close-all key that names another operation",
            ));
        }
        None => {
            state.check_key_limit(caller.user)?;
            let index = open(state, account)?;
            let now = state.engine.now();
            state.keys.record(
                (caller.user, key),
                (keyed_request, IdempotentResult::CloseAll(index)),
                now,
            );
            index
        }
    };
    let step = step(state, index, request.execution)?;
    answer(state, index, &step)
}

/// Takes the snapshot; 503 if it is too large.
fn open(state: &mut ExchangeState, account: AccountIx) -> Result<usize, ApiError> {
    let positions = state.engine.open_positions(account);
    if positions.len() > MAX_TARGETS {
        let message = format!(
            "{} positions are open, and one close-all takes at most {MAX_TARGETS}: close some of them one by one \
             (POST /v1/positions/{{position_id}}/close), then send this again",
            positions.len()
        );
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            ServiceCode::SnapshotUnavailable,
            message,
        )
        .retry_after(1));
    }
    let now = state.engine.now();
    Ok(state.close_alls.open(CloseAllOperation {
        account,
        targets: positions.iter().map(|row| row.id).collect(),
        results: vec![],
        created_at: now,
        completed_at: None,
        cooldown_until: now,
    }))
}

fn step(
    state: &mut ExchangeState,
    index: usize,
    execution: Execution,
) -> Result<CloseAllStep, ApiError> {
    let now = state.engine.now();
    let operation = operation(state, index)?;
    if operation.completed_at.is_some() {
        return Ok(CloseAllStep::Replayed);
    }
    let (account, target) = (operation.account, operation.next());
    let wait = operation.cooldown_until - now;
    let cooldown = cooldown(state, account)?;
    if execution == Execution::Deferred {
        return Ok(CloseAllStep::Waiting(cooldown));
    }
    if wait > Millis::ZERO {
        return Ok(CloseAllStep::Waiting(wait));
    }
    if let Some(target) = target {
        let closed = match close(state, account, target) {
            Ok(closed) => closed,
            Err(retry_in) => return Ok(CloseAllStep::Waiting(retry_in)),
        };
        let operation = self::operation(state, index)?;
        operation.results.push(closed);
        operation.cooldown_until = now + cooldown;
    }
    let operation = self::operation(state, index)?;
    if operation.next().is_some() {
        return Ok(CloseAllStep::Waiting(cooldown));
    }
    operation.completed_at = Some(now);
    Ok(CloseAllStep::Completed)
}

/// The pause between two targets: the account's `cooldown_ms`, as between any two market executions (docs/engine.md 8).
fn cooldown(state: &ExchangeState, account: AccountIx) -> Result<Millis, ApiError> {
    let spec = state.engine.account_spec(account);
    spec.map(|spec| spec.rules.cooldown)
        .ok_or_else(|| ApiError::broken("an operation of no account"))
}

/// Closes one target; the error is the rest of the account's order cooldown.
fn close(
    state: &mut ExchangeState,
    account: AccountIx,
    position: PositionId,
) -> Result<TargetResult, Millis> {
    let failed = |order, code: Reason, rule| TargetResult {
        position,
        order,
        failure: Some(TargetFailure { code, rule }),
    };
    match state
        .engine
        .apply(account, EngineCommand::ForceClose(position))
    {
        Ok(CommandOutcome::Order(id)) => {
            let row = state.engine.order(account, id);
            let filled = row.is_some_and(|row| !row.filled_size.is_zero());
            let reason = row
                .and_then(|row| row.reason)
                .unwrap_or(Reason::NoLiquidity);
            Ok(if filled {
                TargetResult {
                    position,
                    order: Some(id),
                    failure: None,
                }
            } else {
                failed(Some(id), reason, reason.rule())
            })
        }
        Ok(_) => Ok(failed(None, Reason::PositionClosed, None)),
        Err(refusal) => match refusal.kind {
            RefusalKind::Cooldown { retry_in } => Err(retry_in),
            // A position of the snapshot can only be missing because it is closed.
            RefusalKind::NotFound => Ok(failed(None, Reason::PositionClosed, None)),
            RefusalKind::Payload
            | RefusalKind::Conflict
            | RefusalKind::Rule
            | RefusalKind::Unavailable => Ok(failed(refusal.order, refusal.code, refusal.rule)),
        },
    }
}

fn operation(state: &mut ExchangeState, index: usize) -> Result<&mut CloseAllOperation, ApiError> {
    state
        .close_alls
        .change(index)
        .ok_or_else(|| ApiError::broken("a close-all key that names no operation"))
}

fn answer(
    state: &ExchangeState,
    index: usize,
    step: &CloseAllStep,
) -> Result<ApiResponse, ApiError> {
    let status = match step {
        CloseAllStep::Replayed => StatusCode::OK,
        CloseAllStep::Waiting(_) => StatusCode::ACCEPTED,
        CloseAllStep::Completed => StatusCode::CREATED,
    };
    let retry_after = match step {
        CloseAllStep::Waiting(span) => Some(state.clock.wait(*span)),
        CloseAllStep::Replayed | CloseAllStep::Completed => None,
    };
    let data =
        resource(state, index).ok_or_else(|| ApiError::broken("an operation of no account"))?;
    let answer = ApiResponse::new(status, &Data { data })?;
    Ok(ApiResponse {
        retry_after,
        ..answer
    })
}

fn resource(state: &ExchangeState, index: usize) -> Option<CloseAll> {
    let operation = state.close_alls.get(index)?;
    let results = &operation.results;
    let failed = results.iter().filter(|closed| closed.failure.is_some());
    let failed_count = u32::try_from(failed.count()).ok()?;
    let status = match operation.completed_at {
        Some(_) => OperationStatus::Completed,
        None => OperationStatus::Running,
    };
    Some(CloseAll {
        id: format!("op_{:06}", index + 1).into(),
        operation: "close_all_positions".into(),
        account_id: state
            .engine
            .account_spec(operation.account)?
            .id
            .as_str()
            .into(),
        status: status.into(),
        total_count: u32::try_from(operation.targets.len()).ok()?,
        succeeded_count: u32::try_from(results.len()).ok()? - failed_count,
        failed_count,
        results: results
            .iter()
            .map(|closed| result(state, operation.account, closed))
            .collect(),
        created_at: Timestamp(operation.created_at.0),
        completed_at: operation.completed_at.map(|at| Timestamp(at.0)),
    })
}

fn result(state: &ExchangeState, account: AccountIx, closed: &TargetResult) -> CloseResult {
    let order = closed.order.and_then(|id| state.order(account, id).ok());
    let status = match closed.failure {
        Some(_) => CloseResultStatus::Failed,
        None => CloseResultStatus::Submitted,
    };
    let rule = closed.failure.and_then(|failed| failed.rule);
    CloseResult {
        position_id: closed.position.to_string().into(),
        status: status.into(),
        order,
        failure_code: closed.failure.map(|failed| failed.code.into_str().into()),
        rule_id: rule.map(|rule| rule.into_str().into()),
    }
}
