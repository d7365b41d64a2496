//! The requests that act on a whole account, one slice of it each: `close-all-positions` and `cancel-all-orders`.
//!
//! 201: done for the first time. 200: the same operation again. 202: a slice or one cooldown attempt done; repeat with the
//! same key after `Retry-After`. 503: no snapshot could be taken, and nothing is recorded. Every request with one key works
//! on the snapshot of the first; what came since is not touched. Another key starts another operation, so a lost key never
//! locks the account (docs/engine.md 8).
//!
//! Operations are deleted only by `serve --keep`.

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    engine::{
        AccountIx, Cancellation, CommandOutcome, EngineCommand, Millis, OrderId, PositionId,
        Reason, RefusalKind,
    },
    idempotency::{IdempotentRequest, IdempotentResult, KeyedRequest},
    message::{ApiResponse, Execution},
    operations::{CancelOutcome, CloseOutcome, KeptOperation, OperationProgress, Targets},
    recorder::RecordingEngine,
    state::{CommandCall, ExchangeState},
};
use crate::{
    api::Data,
    model::{
        AccountId, CancelAllResult, CancelStatus, CloseResult, CloseResultStatus, Operation,
        OperationStatus, Timestamp,
    },
};
use hyper::StatusCode;

/// `docs/service-api.md 2.4`.
const MAX_CLOSES: usize = 100;
const MAX_CANCELS: usize = 200;

/// Cancels of one request; a close is a request of its own.
const CANCELS_PER_SLICE: usize = 50;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlicedWork {
    CloseAll,
    CancelAll,
}

impl SlicedWork {
    fn keyed_request(self, account: AccountIx) -> IdempotentRequest {
        match self {
            Self::CloseAll => IdempotentRequest::CloseAll(account),
            Self::CancelAll => IdempotentRequest::CancelAll(account),
        }
    }

    /// The open positions, oldest first; or the working orders, oldest first, the rungs of scaled orders among them. 503 for
    /// too many, which says what to do about them.
    fn snapshot(self, state: &ExchangeState, account: AccountIx) -> ApiResult<OperationProgress> {
        let refused = match self {
            Self::CloseAll => {
                let positions = state.engine.open_positions(account);
                if positions.len() <= MAX_CLOSES {
                    let targets = positions.iter().map(|row| row.id).collect();
                    return Ok(OperationProgress::CloseAll(Targets::new(targets)));
                }
                format!(
                    "{} positions are open, and one close-all takes at most {MAX_CLOSES}: close some of them one by one \
                     (POST /v1/positions/{{position_id}}/close), then send this again",
                    positions.len()
                )
            }
            Self::CancelAll => {
                let rows = state.engine.working_orders(account);
                let mut targets: Vec<OrderId> = rows.map(|row| row.id).collect();
                if targets.len() <= MAX_CANCELS {
                    targets.reverse();
                    return Ok(OperationProgress::CancelAll(Targets::new(targets)));
                }
                format!(
                    "{} orders work, and one cancel-all takes at most {MAX_CANCELS}: cancel some of them one by one \
                     (DELETE /v1/orders/{{order_id}}), then send this again",
                    targets.len()
                )
            }
        };
        Err(ApiError::unavailable(
            ServiceCode::SnapshotUnavailable,
            refused,
        ))
    }

    pub(super) fn run(self, call: CommandCall<'_>, id: &AccountId) -> ApiResult<ApiResponse> {
        let (state, caller, request) = (call.state, call.caller, call.request);
        let key = request.key()?;
        request.no_body()?;
        let account = state.account(caller, id.raw())?;
        let keyed = KeyedRequest {
            user: caller.user,
            key: Some(key),
            request: self.keyed_request(account),
        };
        let index = match state.recalled(&keyed)? {
            Some(IdempotentResult::Operation(index)) => index,
            Some(_) => return Err(ApiError::broken("a key that names no operation")),
            None => {
                state.check_key_limit(caller.user)?;
                let now = state.engine.now();
                let index = state.operations.open(KeptOperation {
                    account,
                    progress: self.snapshot(state, account)?,
                    created_at: now,
                    completed_at: None,
                    cooldown_until: now,
                });
                state.record_key(keyed, IdempotentResult::Operation(index));
                index
            }
        };
        let step = step(state, index, request.execution)?;
        answer(state, index, step)
    }
}

/// The result of one request.
#[derive(Clone, Copy)]
enum OperationStep {
    Replayed,
    /// The next one may follow after this long.
    Waiting(Millis),
    Completed,
}

fn step(state: &mut ExchangeState, index: usize, execution: Execution) -> ApiResult<OperationStep> {
    let ExchangeState {
        engine, operations, ..
    } = state;
    let (now, operation) = (engine.now(), operations.change(index));
    let operation = operation.ok_or_else(no_operation)?;
    if operation.completed_at.is_some() {
        return Ok(OperationStep::Replayed);
    }
    let wait = operation.cooldown_until - now;
    if execution == Execution::Deferred || wait > Millis::ZERO {
        return Ok(OperationStep::Waiting(wait.max(Millis::ZERO)));
    }
    let account = operation.account;
    let (pause, is_last) = match &mut operation.progress {
        OperationProgress::CloseAll(closes) => {
            if let Some(position) = closes.next() {
                match close(engine, account, position) {
                    Ok(outcome) => closes.results.push(outcome),
                    Err(cooldown) => return Ok(OperationStep::Waiting(cooldown)),
                }
            }
            // As between any two market executions (docs/engine.md 8).
            let pause = engine.account_spec(account).rules.cooldown;
            (pause, closes.next().is_none())
        }
        OperationProgress::CancelAll(cancels) => {
            for _ in 0..CANCELS_PER_SLICE {
                if let Some(order) = cancels.next() {
                    cancels.results.push(cancel(engine, account, order));
                }
            }
            (Millis::ZERO, cancels.next().is_none())
        }
    };
    if is_last {
        operation.completed_at = Some(now);
        return Ok(OperationStep::Completed);
    }
    operation.cooldown_until = now + pause;
    Ok(OperationStep::Waiting(pause))
}

fn no_operation() -> ApiError {
    ApiError::broken("a key that names no operation")
}

/// Closes one target; the error is the rest of the account's order cooldown.
fn close(
    engine: &mut RecordingEngine,
    account: AccountIx,
    position: PositionId,
) -> Result<CloseOutcome, Millis> {
    let failed = |order, code| CloseOutcome {
        order,
        failure: Some(code),
    };
    match engine.apply(account, EngineCommand::ForceClose(position)) {
        Ok(CommandOutcome::Order(id)) => {
            let row = engine.order(account, id);
            let filled = row.is_some_and(|row| !row.filled_size.is_zero());
            let reason = row
                .and_then(|row| row.reason)
                .unwrap_or(Reason::NoLiquidity);
            Ok(CloseOutcome {
                order: Some(id),
                failure: (!filled).then_some(reason),
            })
        }
        Ok(_) => Ok(failed(None, Reason::PositionClosed)),
        Err(refusal) => match refusal.kind {
            RefusalKind::Cooldown { retry_in } => Err(retry_in),
            // A position of the snapshot can only be missing because it is closed.
            RefusalKind::NotFound => Ok(failed(None, Reason::PositionClosed)),
            RefusalKind::Payload
            | RefusalKind::Conflict
            | RefusalKind::Rule
            | RefusalKind::Unavailable => Ok(failed(refusal.order, refusal.code)),
        },
    }
}

fn cancel(engine: &mut RecordingEngine, account: AccountIx, order: OrderId) -> CancelOutcome {
    match engine.apply(account, EngineCommand::Cancel(order)) {
        Ok(CommandOutcome::Cancel(Cancellation::Queued(_))) => CancelOutcome::Queued,
        Ok(_) => CancelOutcome::Canceled,
        // An order of the snapshot can only be missing because it ended and was dropped.
        Err(refusal) if refusal.code == Reason::NotFound => {
            CancelOutcome::Failed(Reason::OrderNotWorking)
        }
        Err(refusal) => CancelOutcome::Failed(refusal.code),
    }
}

fn close_result(
    state: &ExchangeState,
    account: AccountIx,
    (position, outcome): (PositionId, &CloseOutcome),
) -> CloseResult {
    let status = match outcome.failure {
        Some(_) => CloseResultStatus::Failed,
        None => CloseResultStatus::Submitted,
    };
    let rule = outcome.failure.and_then(Reason::rule);
    CloseResult {
        position_id: position.to_string().into(),
        status: status.into(),
        order: outcome.order.and_then(|id| state.read(account, id).ok()),
        failure_code: outcome.failure.map(|code| code.into_str().into()),
        rule_id: rule.map(|rule| rule.into_str().into()),
    }
}

fn cancel_result((order, outcome): (OrderId, &CancelOutcome)) -> CancelAllResult {
    let (status, failure) = match *outcome {
        CancelOutcome::Canceled => (CancelStatus::Canceled, None),
        CancelOutcome::Queued => (CancelStatus::Queued, None),
        CancelOutcome::Failed(code) => (CancelStatus::Failed, Some(code)),
    };
    CancelAllResult {
        order_id: order.to_string().into(),
        status: status.into(),
        failure_code: failure.map(|code| code.into_str().into()),
    }
}

fn answer(state: &ExchangeState, index: usize, step: OperationStep) -> ApiResult<ApiResponse> {
    let operation = state.operations.get(index).ok_or_else(no_operation)?;
    let (status, retry_after) = match step {
        OperationStep::Replayed => (StatusCode::OK, None),
        OperationStep::Waiting(span) => (StatusCode::ACCEPTED, Some(state.clock.wait(span))),
        OperationStep::Completed => (StatusCode::CREATED, None),
    };
    let answer = match &operation.progress {
        OperationProgress::CloseAll(closes) => {
            let rows = closes.rows(|row| close_result(state, operation.account, row));
            let is_failed = |row: &&CloseResult| row.failure_code.is_some();
            let failed = rows.iter().filter(is_failed).count();
            let data = resource(state, index, rows, failed)?;
            ApiResponse::new(status, &Data { data })
        }
        OperationProgress::CancelAll(cancels) => {
            let rows = cancels.rows(cancel_result);
            let is_failed = |row: &&CancelAllResult| row.failure_code.is_some();
            let failed = rows.iter().filter(is_failed).count();
            let data = resource(state, index, rows, failed)?;
            ApiResponse::new(status, &Data { data })
        }
    };
    answer.map(|answer| ApiResponse {
        retry_after,
        ..answer
    })
}

fn resource<Row>(
    state: &ExchangeState,
    index: usize,
    results: Vec<Row>,
    failed: usize,
) -> ApiResult<Operation<Row>> {
    let operation = state.operations.get(index).ok_or_else(no_operation)?;
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let status = match operation.completed_at {
        Some(_) => OperationStatus::Completed,
        None => OperationStatus::Running,
    };
    let (name, total) = match &operation.progress {
        OperationProgress::CloseAll(closes) => ("close_all_positions", closes.targets.len()),
        OperationProgress::CancelAll(cancels) => ("cancel_all_orders", cancels.targets.len()),
    };
    let account = state.engine.account_spec(operation.account);
    Ok(Operation {
        id: format!("op_{:06}", index + 1).into(),
        operation: name.into(),
        account_id: account.id.as_str().into(),
        status: status.into(),
        total_count: count(total),
        succeeded_count: count(results.len() - failed),
        failed_count: count(failed),
        results,
        created_at: Timestamp(operation.created_at.0),
        completed_at: operation.completed_at.map(|at| Timestamp(at.0)),
    })
}
