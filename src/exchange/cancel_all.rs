//! The slices of `POST /v1/accounts/{account_id}/cancel-all-orders` (docs/engine.md 8.2).

use super::{
    api_error::ApiError,
    engine::{AccountIx, Cancellation, CommandOutcome, EngineCommand, Millis, OrderId, Reason},
    operations::{CancelOutcome, CanceledTarget, Progress, Targets},
    sliced::{Slice, operation},
    state::ExchangeState,
};
use crate::model::{CancelAllResult, CancelStatus};

/// `docs/service-api.md 2.4`.
const MAX_TARGETS: usize = 200;
/// Cancels of one request.
const SLICE_SIZE: usize = 50;

impl CanceledTarget {
    pub(super) fn is_failed(&self) -> bool {
        matches!(self.outcome, CancelOutcome::Failed(_))
    }
}

/// The working orders, oldest first, the rungs of scaled orders among them; the error says what to do about too many.
pub(super) fn snapshot(state: &ExchangeState, account: AccountIx) -> Result<Progress, String> {
    let rows = state.engine.working_orders(account);
    let mut orders: Vec<OrderId> = rows.map(|row| row.id).collect();
    if orders.len() > MAX_TARGETS {
        return Err(format!(
            "{} orders work, and one cancel-all takes at most {MAX_TARGETS}: cancel some of them one by one \
             (DELETE /v1/orders/{{order_id}}), then send this again",
            orders.len()
        ));
    }
    orders.reverse();
    Ok(Progress::CancelAll(Targets::new(orders)))
}

pub(super) fn slice(state: &mut ExchangeState, index: usize) -> Result<Slice, ApiError> {
    let account = operation(state, index)?.account;
    for _ in 0..SLICE_SIZE {
        let Some(order) = next(&operation(state, index)?.progress) else {
            return Ok(Slice::Last);
        };
        let outcome = cancel(state, account, order);
        if let Progress::CancelAll(cancels) = &mut operation(state, index)?.progress {
            cancels.results.push(CanceledTarget { order, outcome });
        }
    }
    Ok(match next(&operation(state, index)?.progress) {
        Some(_) => Slice::More(Millis::ZERO),
        None => Slice::Last,
    })
}

fn next(progress: &Progress) -> Option<OrderId> {
    match progress {
        Progress::CancelAll(cancels) => cancels.next(),
        Progress::CloseAll(_) => None,
    }
}

fn cancel(state: &mut ExchangeState, account: AccountIx, order: OrderId) -> CancelOutcome {
    match state.engine.apply(account, EngineCommand::Cancel(order)) {
        Ok(CommandOutcome::Cancel(Cancellation::Queued(_))) => CancelOutcome::Queued,
        Ok(_) => CancelOutcome::Canceled,
        // An order of the snapshot can only be missing because it ended and was dropped.
        Err(refusal) if refusal.code == Reason::NotFound => {
            CancelOutcome::Failed(Reason::OrderNotWorking)
        }
        Err(refusal) => CancelOutcome::Failed(refusal.code),
    }
}

pub(super) fn result(canceled: &CanceledTarget) -> CancelAllResult {
    let (status, failure) = match canceled.outcome {
        CancelOutcome::Canceled => (CancelStatus::Canceled, None),
        CancelOutcome::Queued => (CancelStatus::Queued, None),
        CancelOutcome::Failed(code) => (CancelStatus::Failed, Some(code)),
    };
    CancelAllResult {
        order_id: canceled.order.to_string().into(),
        status: status.into(),
        failure_code: failure.map(|code| code.into_str().into()),
    }
}
