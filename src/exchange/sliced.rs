//! The requests that act on a whole account, one slice of it each: `close-all-positions` and `cancel-all-orders`.
//!
//! 201: done for the first time. 200: the same operation again. 202: a slice or one cooldown attempt done; repeat with the
//! same key after `Retry-After`. 503: no snapshot could be taken, and nothing is recorded. Every request with one key works
//! on the snapshot of the first; what came since is not touched. Another key starts another operation, so a lost key never
//! locks the account (docs/engine.md 8).
//!
//! Operations are deleted only by `serve --keep`.

use super::{
    api_error::{ApiError, ServiceCode},
    auth::AuthenticatedUser,
    cancel_all, close_all,
    engine::{AccountIx, Millis},
    idempotency::{IdempotentRequest, IdempotentResult},
    message::{ApiRequest, ApiResponse, Execution},
    operations::{Progress, SlicedOperation, SlicedWork},
    state::ExchangeState,
};
use crate::{
    api::Data,
    model::{AccountId, Operation, OperationStatus, Timestamp},
};
use hyper::StatusCode;
use serde::Serialize;

/// The result of one request.
enum OperationStep {
    Replayed,
    Waiting(Millis),
    Completed,
}

/// What one slice left.
pub(super) enum Slice {
    /// The next one may follow after so long.
    More(Millis),
    /// Nothing was done: try again after so long.
    TooSoon(Millis),
    Last,
}

pub(super) fn run(
    work: SlicedWork,
    state: &mut ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let key = request.key()?;
    request.no_body()?;
    let account = state.account(caller, id.raw())?;
    let keyed_request = match work {
        SlicedWork::CloseAll => IdempotentRequest::CloseAll(account),
        SlicedWork::CancelAll => IdempotentRequest::CancelAll(account),
    };
    let index = match state.keys.recall(caller.user, key, &keyed_request)? {
        Some(IdempotentResult::Operation(index)) if state.operations.get(index).is_some() => index,
        Some(IdempotentResult::Operation(_)) => return Err(ApiError::no_longer_kept()),
        Some(
            IdempotentResult::Order(..)
            | IdempotentResult::Twap(..)
            | IdempotentResult::Scaled(..)
            | IdempotentResult::Refused(_),
        ) => {
            return Err(ApiError::broken(
                "the key of an operation that names something else",
            ));
        }
        None => {
            state.check_key_limit(caller.user)?;
            let index = open(work, state, account)?;
            let now = state.engine.now();
            let result = IdempotentResult::Operation(index);
            state
                .keys
                .record((caller.user, key), (keyed_request, result), now);
            index
        }
    };
    let step = step(state, index, request.execution)?;
    answer(state, index, &step)
}

/// Takes the snapshot; 503 if there is too much for one.
fn open(
    work: SlicedWork,
    state: &mut ExchangeState,
    account: AccountIx,
) -> Result<usize, ApiError> {
    let snapshot = match work {
        SlicedWork::CloseAll => close_all::snapshot(state, account),
        SlicedWork::CancelAll => cancel_all::snapshot(state, account),
    };
    let progress =
        snapshot.map_err(|why| ApiError::unavailable(ServiceCode::SnapshotUnavailable, why))?;
    let now = state.engine.now();
    Ok(state.operations.open(SlicedOperation {
        account,
        progress,
        created_at: now,
        completed_at: None,
        cooldown_until: now,
    }))
}

fn step(
    state: &mut ExchangeState,
    index: usize,
    execution: Execution,
) -> Result<OperationStep, ApiError> {
    let now = state.engine.now();
    let operation = operation(state, index)?;
    if operation.completed_at.is_some() {
        return Ok(OperationStep::Replayed);
    }
    let wait = operation.cooldown_until - now;
    if execution == Execution::Deferred || wait > Millis::ZERO {
        return Ok(OperationStep::Waiting(wait.max(Millis::ZERO)));
    }
    let slice = match operation.progress {
        Progress::CloseAll(_) => close_all::slice(state, index)?,
        Progress::CancelAll(_) => cancel_all::slice(state, index)?,
    };
    let operation = self::operation(state, index)?;
    Ok(match slice {
        Slice::More(pause) => {
            operation.cooldown_until = now + pause;
            OperationStep::Waiting(pause)
        }
        Slice::TooSoon(wait) => OperationStep::Waiting(wait),
        Slice::Last => {
            operation.completed_at = Some(now);
            OperationStep::Completed
        }
    })
}

pub(super) fn operation(
    state: &mut ExchangeState,
    index: usize,
) -> Result<&mut SlicedOperation, ApiError> {
    let operation = state.operations.change(index);
    operation.ok_or_else(|| ApiError::broken("a key that names no operation"))
}

fn answer(
    state: &ExchangeState,
    index: usize,
    step: &OperationStep,
) -> Result<ApiResponse, ApiError> {
    let operation = state.operations.get(index);
    let operation = operation.ok_or_else(|| ApiError::broken("a key that names no operation"))?;
    let status = match step {
        OperationStep::Replayed => StatusCode::OK,
        OperationStep::Waiting(_) => StatusCode::ACCEPTED,
        OperationStep::Completed => StatusCode::CREATED,
    };
    let retry_after = match step {
        OperationStep::Waiting(span) => Some(state.clock.wait(*span)),
        OperationStep::Replayed | OperationStep::Completed => None,
    };
    let resource = Resource {
        state,
        operation,
        index,
    };
    let answer = match &operation.progress {
        Progress::CloseAll(closes) => {
            let results = closes.results.iter();
            let failed = results.clone().filter(|closed| closed.failure.is_some());
            let failed = failed.count();
            let results = results.map(|closed| close_all::result(state, operation.account, closed));
            let counts = (closes.targets.len(), failed);
            resource.respond(status, "close_all_positions", counts, results.collect())
        }
        Progress::CancelAll(cancels) => {
            let results = cancels.results.iter();
            let failed = results.clone().filter(|canceled| canceled.is_failed());
            let counts = (cancels.targets.len(), failed.count());
            let results = results.map(cancel_all::result).collect();
            resource.respond(status, "cancel_all_orders", counts, results)
        }
    }?;
    Ok(ApiResponse {
        retry_after,
        ..answer
    })
}

struct Resource<'a> {
    state: &'a ExchangeState,
    operation: &'a SlicedOperation,
    index: usize,
}

impl Resource<'_> {
    fn respond<R: Serialize>(
        &self,
        status: StatusCode,
        word: &str,
        (targets, failed): (usize, usize),
        results: Vec<R>,
    ) -> Result<ApiResponse, ApiError> {
        let operation = self.operation;
        let account = self.state.engine.account_spec(operation.account);
        let account = account.ok_or_else(|| ApiError::broken("an operation of no account"))?;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let done = match operation.completed_at {
            Some(_) => OperationStatus::Completed,
            None => OperationStatus::Running,
        };
        let data = Operation {
            id: format!("op_{:06}", self.index + 1).into(),
            operation: word.into(),
            account_id: account.id.as_str().into(),
            status: done.into(),
            total_count: count(targets),
            succeeded_count: count(results.len() - failed),
            failed_count: count(failed),
            results,
            created_at: Timestamp(operation.created_at.0),
            completed_at: operation.completed_at.map(|at| Timestamp(at.0)),
        };
        ApiResponse::new(status, &Data { data })
    }
}
