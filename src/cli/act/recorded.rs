//! The outcome of a command whose key is too old to be resent: from the journal, and from reads if they show more.
//! Nothing is sent.

use crate::{
    cli::{
        act::prepared::{PreparedCommand, SendOutcome},
        service::{Service, patiently},
    },
    client::ReconcileOutcome,
    journal::{IntentRow, IntentState},
    model::{Failure, FailureKind, Receipt},
};

/// The outcome of a command that is too old to be resent.
pub(super) async fn report(
    service: &Service,
    prepared: &PreparedCommand,
    known: Option<&IntentRow>,
) -> SendOutcome {
    let (Some(entry), Some(key)) = (known, prepared.kept_key()) else {
        return Err(Failure::local("the journal has no record of it"));
    };
    let ago = service.clock.now().since(entry.created_at).as_secs() / 60;
    service.voice.note(&format!(
        "the key {key} was first sent {ago} min ago, and the service may have forgotten it; nothing is sent; the \
         outcome recorded then:"
    ));
    outcome(service, prepared, entry).await
}

/// As first reported, so that a repeated script gets the same exit code; an unknown outcome is read again.
async fn outcome(service: &Service, prepared: &PreparedCommand, entry: &IntentRow) -> SendOutcome {
    let Some(failure) = entry.failure() else {
        let order = order(service, entry).await;
        return Ok(order.unwrap_or_else(|| entry.receipt(Some(&prepared.command))));
    };
    match entry.state {
        // Rejected by an order row, not by an error response.
        IntentState::Rejected if Failure::read(entry.detail()).is_none() => {
            order(service, entry).await.ok_or(failure)
        }
        IntentState::Done | IntentState::Rejected | IntentState::Unsent | IntentState::Prepared => {
            Err(failure)
        }
        IntentState::Inflight
        | IntentState::Unknown
        | IntentState::Parked
        | IntentState::Queued
        | IntentState::Abandoned => {
            let key = prepared.kept_key();
            let reconcile = || service.client.reconcile(&prepared.command, key);
            match patiently(reconcile).await {
                Ok(ReconcileOutcome::Done(receipt)) => Ok(receipt),
                Ok(ReconcileOutcome::Ended(why)) => Err(why),
                Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => {
                    Err(unknown(entry.detail()))
                }
            }
        }
    }
}

/// Its current state, if it can be found.
async fn order(service: &Service, entry: &IntentRow) -> Option<Receipt> {
    let id = entry.outcome.as_ref()?.order_id.as_ref()?;
    let order = patiently(|| service.client.order(id)).await.ok()??;
    Some(Receipt::Order {
        order: Box::new(order),
        queued: false,
    })
}

fn unknown(detail: &str) -> Failure {
    let words = if detail.is_empty() {
        "no answer was received"
    } else {
        detail
    };
    let message =
        format!("{words}; reading the service does not decide it either; nothing was sent now");
    Failure::new(FailureKind::Unknown, message)
}
