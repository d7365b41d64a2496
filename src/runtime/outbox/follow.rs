//! What goes on after a command has been answered: what was placed is held against what was asked, a queued cancel is
//! looked at until it ends, a close-all until reads have proved what is left.

use super::{Desk, Errand, Stay, Teller};
use crate::{
    app::{Msg, activity::notice::Tone},
    client::{Client, CloseCheck, Evidence, ReconcileOutcome},
    journal::StateUpdate,
    model::{
        CancelResult, CloseAll, Command, Failure, FlatProof, Position, Receipt, Timestamp,
        echo::{self, Sizes},
    },
};
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// A queued cancel is looked at this often for a minute, then seldom.
const OFTEN: Duration = Duration::from_secs(2);
const SELDOM: Duration = Duration::from_secs(15);
const AT_FIRST: u32 = 30;
/// A verb waits so long for the end of a queued cancel, and looks this often.
const AWAITED: u32 = 30;
const OFTENER: Duration = Duration::from_millis(500);
/// After this many reads (about an hour) it is the working orders' pane that tells.
const READS: u32 = 250;

/// Starts what has to follow; a part of a flatten is followed by the flatten, and a verb's deed by the verb.
pub(super) fn after(errand: &Arc<Errand>, result: &Result<Receipt, Failure>) {
    let (Teller::Ticket(_), Stay::Session) = (&errand.teller, errand.desk.stay) else {
        return;
    };
    if let Ok(answer) = result {
        receipt(
            &errand.desk,
            &errand.command,
            answer,
            Some(Arc::clone(errand)),
        );
    }
}

/// Starts what has to follow this answer, whichever desk has sent `command`; `errand` where it was this one.
pub(super) fn receipt(
    desk: &Desk,
    command: &Command,
    receipt: &Receipt,
    errand: Option<Arc<Errand>>,
) {
    if let Receipt::CloseAll(operation) = receipt {
        tokio::spawn(prove(desk.clone(), operation.clone()));
    }
    if let Receipt::Cancel(CancelResult {
        canceled: false,
        queued: true,
        ..
    }) = receipt
    {
        tokio::spawn(queued_cancel(desk.clone(), command.clone(), errand));
    }
}

/// What the service says it placed, against what was asked: what differs is said, with a way to undo it, and handed
/// back.
pub(super) async fn check_echo(
    desk: &Desk,
    command: &Command,
    receipt: &Receipt,
) -> Option<String> {
    let sizes = if desk.client.dialect().signed_sizes {
        Sizes::Signed
    } else {
        Sizes::Unsigned
    };
    let differences = echo::differences(command, receipt, sizes);
    if differences.is_empty() {
        return None;
    }
    let what = differences.join(", ");
    let text = format!("{} is not as asked: {what}", echo::name(receipt));
    match echo::undo(receipt) {
        Some(undo) => desk.say(Msg::Offered(text, undo)).await,
        None => desk.note(Tone::Alert, text).await,
    }
    Some(what)
}

/// How a queued cancel has ended, if it has.
async fn ended(
    client: &Client,
    command: &Command,
    now: Timestamp,
) -> Option<Result<Receipt, Failure>> {
    let evidence = Evidence {
        since: now,
        linked: None,
    };
    match client.reconcile(command, evidence).await {
        Ok(ReconcileOutcome::Done(receipt)) => Some(Ok(receipt)),
        Ok(ReconcileOutcome::Ended(why)) => Some(Err(Failure {
            message: format!("{}, before the queued cancel", why.message).into(),
            ..why
        })),
        Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => None,
    }
}

/// How a queued cancel ends, looked at for about fifteen seconds; `None` where it is queued still, or was not queued.
pub async fn queued_end(
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
    for _ in 0..AWAITED {
        sleep(client.timeouts().scaled(OFTENER).max(client.pause_left())).await;
        // Only an order that somebody may have made is looked for by its date.
        if let Some(end) = ended(client, command, Timestamp(0)).await {
            return Some(end);
        }
    }
    None
}

/// Until the order has ended, one way or the other.
pub(super) async fn queued_cancel(desk: Desk, command: Command, errand: Option<Arc<Errand>>) {
    let (Command::Cancel(id) | Command::Unprotect(id)) = &command else {
        return;
    };
    let timeouts = desk.client.timeouts();
    for read in 0..READS {
        let wait = if read < AT_FIRST { OFTEN } else { SELDOM };
        sleep(timeouts.scaled(wait)).await;
        let Some(result) = ended(&desk.client, &command, desk.clock.now()).await else {
            continue;
        };
        if let Some(errand) = &errand {
            errand.settle(StateUpdate::of(&result)).await;
        }
        return desk.say(Msg::Ended(id.clone(), result)).await;
    }
}

/// `completed` means submitted: whether the positions are gone, reads say, and what is only on its way is waited for.
async fn prove(desk: Desk, operation: CloseAll) {
    let (tone, text) = match desk.client.check_closed().await {
        Ok(CloseCheck::Closed(proof)) if desk.entries_answered() => (Tone::Good, proved(proof)),
        Ok(CloseCheck::Closed(proof)) => {
            let text = format!(
                "{}; an order sent before is still unanswered, and may open one",
                proved(proof)
            );
            (Tone::Alert, text)
        }
        Ok(CloseCheck::Open(open)) => (Tone::Alert, left_over(&open, &operation)),
        Err(why) => {
            let text = format!(
                "close all is complete, but whether the positions are gone is not known: {why}"
            );
            (Tone::Alert, text)
        }
    };
    desk.note(tone, text).await;
}

fn proved(proof: FlatProof) -> String {
    let apart = proof.second.since(proof.first).as_secs_f32();
    format!("no position is open, on two reads {apart:.1} s apart")
}

/// What is still open, and what the service said of each.
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
