//! How a close-all or cancel-all has ended, and what it has left, as it is printed.

use super::{flatten::still_open, receipt::order_sentence};
use crate::{
    cli::{Exit, voice::Output},
    model::{
        CancelAll, CloseAll, CloseCheck, Fallible, IdempotencyKey, Operation, OperationEnd, Order,
        Page, Position,
    },
    view::tables::activity::cancel_all_words,
};
use serde::Serialize;

pub(super) const INCOMPLETE: &str = "the list of working orders is incomplete: some may remain";

/// The operation, and what a read found afterwards; absent if that failed.
#[derive(Serialize)]
struct OperationReport<'a, R> {
    data: &'a Operation<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_open: Option<&'a [Position]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    still_working: Option<&'a [Order]>,
    idempotency_key: Option<&'a str>,
}

/// Prints how an operation has ended; `key` repeats its answer.
pub(super) fn report(voice: Output, key: Option<&IdempotencyKey>, end: &OperationEnd) -> Exit {
    match end {
        OperationEnd::CloseAll(operation, read) => closed(voice, key, operation, read),
        OperationEnd::CancelAll(operation, read) => canceled(voice, key, operation, read),
    }
}

fn closed(
    voice: Output,
    key: Option<&IdempotencyKey>,
    operation: &CloseAll,
    read: &Fallible<CloseCheck>,
) -> Exit {
    let open = read.as_ref().map(|check| match check {
        CloseCheck::Closed(_) | CloseCheck::MayOpen(_) => &[],
        CloseCheck::Open(open) => open.as_slice(),
    });
    let report = OperationReport {
        data: operation,
        still_open: open.ok(),
        still_working: None,
        idempotency_key: key.map(IdempotencyKey::raw),
    };
    voice.answer(&report, &closed_text(operation, open.ok()), key);
    let next = match (open, operation.failed_count) {
        (Ok([]), 0) => return Exit::Ok,
        (Ok([]), _) => {
            "the positions whose close failed are closed by now; nothing is left to close"
        }
        (Ok(_), _) => {
            "run the command again under a new key to close the rest; under this key it only repeats this answer"
        }
        (Err(why), _) => {
            voice.note("the positions could not be read, so something may still be open");
            voice.failed_with(Exit::Partial, why, None);
            "\"perpdeck positions\" lists what is left"
        }
    };
    voice.note(next);
    Exit::Partial
}

fn closed_text(operation: &CloseAll, open: Option<&[Position]>) -> String {
    let mut lines = vec![format!("close-all {operation}")];
    lines.extend(operation.failures().map(|failed| {
        let (id, why) = (&failed.position_id, failed.reason());
        format!("position {id} failed: {why}")
    }));
    lines.extend(open.unwrap_or_default().iter().map(still_open));
    if open.is_some_and(<[Position]>::is_empty) {
        lines.push("no position is open".to_owned());
    }
    lines.join("\n")
}

fn canceled(
    voice: Output,
    key: Option<&IdempotencyKey>,
    operation: &CancelAll,
    read: &Fallible<Page<Order>>,
) -> Exit {
    let working = read.as_ref().ok().map(|page| page.rows.as_slice());
    let report = OperationReport {
        data: operation,
        still_open: None,
        still_working: working,
        idempotency_key: key.map(IdempotencyKey::raw),
    };
    voice.answer(&report, &canceled_text(operation, working), key);
    let is_queued = |order: &Order| operation.queued().any(|id| *id == order.id);
    let next = match read {
        Ok(page) if page.rows.is_empty() && page.is_whole() => return Exit::Ok,
        Ok(page) if page.rows.is_empty() => INCOMPLETE,
        Ok(page) if page.rows.iter().all(is_queued) => {
            "cancels are still queued: these orders may execute first; \"perpdeck orders\" shows them"
        }
        Ok(_) => "run the command again to cancel what still works",
        Err(why) => {
            voice.failed_with(Exit::Partial, why, None);
            "the working orders could not be read, so some may remain"
        }
    };
    voice.note(next);
    Exit::Partial
}

fn canceled_text(operation: &CancelAll, working: Option<&[Order]>) -> String {
    let mut lines = vec![format!("cancel-all: {}", cancel_all_words(operation))];
    let working = working.unwrap_or_default().iter();
    lines.extend(working.map(|order| format!("still working: {}", order_sentence(order))));
    lines.join("\n")
}
