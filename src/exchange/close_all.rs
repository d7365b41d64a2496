//! The slices of `POST /v1/accounts/{account_id}/close-all-positions`: one close per request (docs/engine.md 8.1).

use super::{
    api_error::ApiError,
    engine::{AccountIx, CommandOutcome, EngineCommand, Millis, PositionId, Reason, RefusalKind},
    operations::{CloseFailure, ClosedTarget, Progress, Targets},
    sliced::{Slice, operation},
    state::ExchangeState,
};
use crate::model::{CloseResult, CloseResultStatus};

/// `docs/service-api.md 2.4`.
const MAX_TARGETS: usize = 100;

/// The open positions, oldest first; the error says what to do about too many.
pub(super) fn snapshot(state: &ExchangeState, account: AccountIx) -> Result<Progress, String> {
    let positions = state.engine.open_positions(account);
    if positions.len() > MAX_TARGETS {
        return Err(format!(
            "{} positions are open, and one close-all takes at most {MAX_TARGETS}: close some of them one by one \
             (POST /v1/positions/{{position_id}}/close), then send this again",
            positions.len()
        ));
    }
    let targets = positions.iter().map(|row| row.id).collect();
    Ok(Progress::CloseAll(Targets::new(targets)))
}

pub(super) fn slice(state: &mut ExchangeState, index: usize) -> Result<Slice, ApiError> {
    let operation = operation(state, index)?;
    let account = operation.account;
    let Some(target) = next(&operation.progress) else {
        return Ok(Slice::Last);
    };
    let closed = match close(state, account, target) {
        Ok(closed) => closed,
        Err(retry_in) => return Ok(Slice::TooSoon(retry_in)),
    };
    let pause = cooldown(state, account)?;
    let progress = &mut self::operation(state, index)?.progress;
    if let Progress::CloseAll(closes) = progress {
        closes.results.push(closed);
    }
    Ok(match next(progress) {
        Some(_) => Slice::More(pause),
        None => Slice::Last,
    })
}

fn next(progress: &Progress) -> Option<PositionId> {
    match progress {
        Progress::CloseAll(closes) => closes.next(),
        Progress::CancelAll(_) => None,
    }
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
) -> Result<ClosedTarget, Millis> {
    let failed = |order, code: Reason, rule| ClosedTarget {
        position,
        order,
        failure: Some(CloseFailure { code, rule }),
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
                ClosedTarget {
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

pub(super) fn result(
    state: &ExchangeState,
    account: AccountIx,
    closed: &ClosedTarget,
) -> CloseResult {
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
