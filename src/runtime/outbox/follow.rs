//! Follow-up after a response: compares the placed order with the request, follows a queued cancel to its end, and
//! reads the positions after a close-all.

use super::{Delivery, OutboxContext, ProgressSink};
use crate::{
    app::{Msg, activity::notice::Tone},
    client::{Client, CloseCheck, ReconcileOutcome},
    journal::StateUpdate,
    model::{CancelResult, CloseAll, Command, Failure, FlatProof, Position, Receipt, echo},
    runtime::base::process::ProcessKind,
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// Poll interval of a queued cancel: for the first minute, then later.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
const LATE_POLL_INTERVAL: Duration = Duration::from_secs(15);
const EARLY_POLLS: u32 = 30;
/// How often, and at which interval, a verb polls its queued cancel.
const VERB_POLLS: u32 = 30;
const VERB_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Polls (about an hour) after which only the pane of working orders shows it.
const MOST_POLLS: u32 = 250;

/// Starts the follow-up of a desk's own command; a flatten and a verb follow theirs themselves.
pub(super) fn after(delivery: &Arc<Delivery>, result: &Result<Receipt, Failure>) {
    let (ProgressSink::Ticket(_), ProcessKind::Desk) = (&delivery.sink, delivery.context.process)
    else {
        return;
    };
    if let Ok(answer) = result {
        receipt(
            &delivery.context,
            &delivery.command,
            answer,
            Some(Arc::clone(delivery)),
        );
    }
}

/// Starts the follow-up of a response, whichever desk sent `command`; `delivery` is `None` if another one did.
pub(super) fn receipt(
    context: &OutboxContext,
    command: &Command,
    receipt: &Receipt,
    delivery: Option<Arc<Delivery>>,
) {
    if let Receipt::CloseAll(operation) = receipt {
        let continues = delivery.as_ref().is_some_and(|own| own.continues());
        let reach = if continues {
            CloseReach::KnownAtItsBeginning
        } else {
            CloseReach::All
        };
        tokio::spawn(prove(context.clone(), operation.clone(), reach));
    }
    if let Receipt::Cancel(CancelResult {
        canceled: false,
        queued: true,
        ..
    }) = receipt
    {
        tokio::spawn(queued_cancel(context.clone(), command.clone(), delivery));
    }
}

/// Compares the answer with the request, and returns what differs. A desk offers to cancel what should not be. The line of
/// the settled command says what differs.
pub(super) async fn check_echo(
    context: &OutboxContext,
    command: &Command,
    receipt: &Receipt,
) -> Option<String> {
    let differences = echo::differences(command, receipt);
    if differences.is_empty() {
        return None;
    }
    let what = differences.join(", ");
    if let (Some(undo), ProcessKind::Desk) = (echo::undo(receipt), context.process) {
        let text = format!("{} differs from the request: {what}", echo::name(receipt));
        context.say(Msg::Offered(text, undo)).await;
    }
    Some(what)
}

/// How a queued cancel ended, if it did.
async fn ended(client: &Client, command: &Command) -> Option<Result<Receipt, Failure>> {
    match client.reconcile(command, None).await {
        Ok(ReconcileOutcome::Done(receipt)) => Some(Ok(receipt)),
        Ok(ReconcileOutcome::Ended(why)) => Some(Err(Failure {
            message: format!("{}, before the queued cancel", why.message).into(),
            ..why
        })),
        Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => None,
    }
}

/// Polls a queued cancel for about fifteen seconds; `None` if it is still queued or never was.
pub(super) async fn queued_end(
    client: &Client,
    command: &Command,
    result: &Result<Receipt, Failure>,
) -> Option<Result<Receipt, Failure>> {
    let Ok(Receipt::Cancel(CancelResult {
        canceled: false,
        queued: true,
        ..
    })) = result
    else {
        return None;
    };
    for _ in 0..VERB_POLLS {
        sleep(
            client
                .timeouts()
                .scaled(VERB_POLL_INTERVAL)
                .max(client.pause_left()),
        )
        .await;
        if let Some(end) = ended(client, command).await {
            return Some(end);
        }
    }
    None
}

/// Polls until the order has ended.
pub(super) async fn queued_cancel(
    context: OutboxContext,
    command: Command,
    delivery: Option<Arc<Delivery>>,
) {
    let (Command::Cancel(id) | Command::Unprotect(id)) = &command else {
        return;
    };
    let timeouts = context.client.timeouts();
    for read in 0..MOST_POLLS {
        let wait = if read < EARLY_POLLS {
            POLL_INTERVAL
        } else {
            LATE_POLL_INTERVAL
        };
        sleep(timeouts.scaled(wait)).await;
        let Some(result) = ended(&context.client, &command).await else {
            continue;
        };
        if let Some(delivery) = &delivery {
            delivery.settle(StateUpdate::of(&result)).await;
        }
        return context.say(Msg::Ended(id.clone(), result)).await;
    }
}

/// Which positions a close-all was for when it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CloseReach {
    All,
    /// It went on with what an earlier one had begun: what was opened since is not among its own.
    KnownAtItsBeginning,
}

/// `completed` only means submitted: reads show whether the positions are gone, and wait for closes that still fill. A
/// repeated close-all means everything open: positions that it did not know are closed by another one.
async fn prove(context: OutboxContext, operation: CloseAll, reach: CloseReach) {
    let read = context.client.check_closed().await;
    if let Ok(CloseCheck::Open(open)) = &read
        && reach == CloseReach::KnownAtItsBeginning
        && !open.iter().all(|position| operation.knew(&position.id))
    {
        return context.say(Msg::OpenedSince).await;
    }
    let (tone, text) = match read {
        Ok(CloseCheck::Closed(proof)) if context.has_entries_inflight().await => {
            let text = format!(
                "{}; an order sent before is still unanswered, and may open one",
                proved(proof)
            );
            (Tone::Alert, text)
        }
        Ok(CloseCheck::Closed(proof)) => (Tone::Good, proved(proof)),
        Ok(CloseCheck::Open(open)) => (Tone::Alert, left_over(&open, &operation)),
        Err(why) => {
            let text = format!(
                "close all is complete, but whether the positions are gone is not known: {why}"
            );
            (Tone::Alert, text)
        }
    };
    context.note(tone, text).await;
}

fn proved(proof: FlatProof) -> String {
    let apart = proof.second.since(proof.first).as_secs_f32();
    format!("no position is open, on two reads {apart:.1} s apart")
}

/// What is still open, and what the service reported for each position.
fn left_over(open: &[Position], operation: &CloseAll) -> String {
    let rows = open
        .iter()
        .map(|position| position.left_by(Some(operation)));
    let rows: Vec<_> = rows.collect();
    format!(
        "close all is complete but not flat, still open: {}",
        rows.join("; ")
    )
}
