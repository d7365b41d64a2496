//! Follow-up after a response: compares the placed order with the request, follows a queued cancel to its end, and
//! reads what a close-all or cancel-all has left.

use super::{Delivery, OutboxContext, ProgressSink};
use crate::{
    app::Msg,
    client::{Client, ReconcileOutcome},
    journal::StateUpdate,
    model::{
        CloseCheck, Command, Failure, OperationEnd, Receipt, SlicedOperation, Ticket, Timestamp,
        echo,
    },
    runtime::base::process::ProcessKind,
};
use std::{iter::repeat_n, sync::Arc, time::Duration};
use tokio::time::sleep;

/// Poll interval of a queued cancel: for the first minute, then later.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
const LATE_POLL_INTERVAL: Duration = Duration::from_secs(15);
const EARLY_POLLS: usize = 30;
/// How often, and at which interval, a verb polls its queued cancel.
const VERB_POLLS: usize = 30;
const VERB_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// After these (about an hour) only the pane of working orders shows it.
const LATE_POLLS: usize = 220;

/// Follows the queued cancel of a desk's own command; a flatten and a verb follow theirs themselves.
pub(super) fn after(delivery: &Arc<Delivery>, result: &Result<Receipt, Failure>) {
    if let (ProgressSink::Ticket(_), ProcessKind::Desk) = (&delivery.sink, delivery.context.process)
        && is_queued(result)
    {
        delivery.follow();
    }
}

fn is_queued(result: &Result<Receipt, Failure>) -> bool {
    let Ok(Receipt::Cancel(cancel)) = result else {
        return false;
    };
    cancel.queued && !cancel.canceled
}

impl OutboxContext {
    /// Reads what an operation has left. Ends with one [`Msg::OperationEnded`].
    pub(crate) async fn read_remains(self, ticket: Ticket, operation: SlicedOperation) {
        let mut end = self.client.read_remains(operation).await;
        if let OperationEnd::CloseAll(_, Ok(check)) = &mut end
            && let CloseCheck::Closed(proof) = *check
            && self.has_entries_inflight().await
        {
            *check = CloseCheck::MayOpen(proof);
        }
        self.say(Msg::OperationEnded(ticket, Box::new(end))).await;
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

/// How a queued cancel ended, if it did by the last of `polls`, each of which follows a pause.
async fn ended(
    client: &Client,
    command: &Command,
    polls: impl IntoIterator<Item = Duration>,
) -> Option<Result<Receipt, Failure>> {
    for wait in polls {
        let wait = client.timeouts().scaled(wait);
        sleep(wait.max(client.pause_left())).await;
        match client.reconcile(command, None, Timestamp::default()).await {
            Ok(ReconcileOutcome::Done(receipt)) => return Some(Ok(receipt)),
            Ok(ReconcileOutcome::Ended(why)) => {
                let message = format!("{}, before the queued cancel", why.message).into();
                return Some(Err(Failure { message, ..why }));
            }
            Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => {}
        }
    }
    None
}

/// Polls a queued cancel for about fifteen seconds; `None` if it is still queued or never was.
pub(super) async fn queued_end(
    client: &Client,
    command: &Command,
    result: &Result<Receipt, Failure>,
) -> Option<Result<Receipt, Failure>> {
    if !is_queued(result) {
        return None;
    }
    let polls = repeat_n(VERB_POLL_INTERVAL, VERB_POLLS);
    ended(client, command, polls).await
}

/// Polls until the order has ended.
pub(super) async fn queued_cancel(delivery: Arc<Delivery>) {
    let (context, command) = (delivery.context(), delivery.command());
    let (Command::Cancel(id) | Command::Unprotect(id)) = command else {
        return;
    };
    let early = repeat_n(POLL_INTERVAL, EARLY_POLLS);
    let polls = early.chain(repeat_n(LATE_POLL_INTERVAL, LATE_POLLS));
    if let Some(result) = ended(&context.client, command, polls).await {
        delivery.settle(StateUpdate::of(&result)).await;
        context.say(Msg::Ended(id.clone(), result)).await;
    }
}
