//! What came of a deed whose key is too old to be sent again: told from the journal, and from reads where they say more.
//! Nothing is sent.

use super::{Deed, Outcome};
use crate::{
    cli::service::{Service, patiently},
    client::{Clues, Sight},
    journal::{Entry, State},
    model::{CloseAll, Command, Failure, FailureKind, OrderId, Proof, Receipt},
};

/// As it was told the first time, so that a script that asks again gets the same exit code; what was in doubt then is
/// looked for. `linked` are the orders that other deeds are known to have made.
pub(super) async fn outcome(
    service: &Service,
    deed: &Deed,
    entry: &Entry,
    linked: Option<&[OrderId]>,
) -> Outcome {
    let told = entry.outcome.as_ref();
    let detail = told.map_or("", |told| told.detail.as_str());
    match entry.state {
        State::Done => Ok(done(service, deed, entry, detail).await),
        // Refused in the answer, or by an order row that was answered.
        State::Rejected if Failure::read(detail).is_none() => {
            let receipt = order(service, entry).await;
            receipt.ok_or_else(|| refused(entry, detail))
        }
        State::Rejected => Err(refused(entry, detail)),
        State::Unsent | State::Prepared => Err(unsent(entry, detail)),
        State::Inflight | State::Unknown | State::Parked | State::Queued | State::Abandoned => {
            let since = entry.created_at;
            let look = || service.client.look(&deed.command, Clues { since, linked });
            match patiently(look).await {
                Ok(Sight::Done(receipt)) => Ok(receipt),
                Ok(Sight::Over(why)) => Err(why),
                Ok(Sight::Undone | Sight::Nothing) | Err(_) => Err(unknown(detail)),
            }
        }
    }
}

async fn done(service: &Service, deed: &Deed, entry: &Entry, detail: &str) -> Receipt {
    if let Command::CloseAll(account) = &deed.command
        && let Some(operation) = CloseAll::read(detail, account, entry.created_at)
    {
        return Receipt::CloseAll(operation);
    }
    let order = order(service, entry).await;
    order.unwrap_or_else(|| Receipt::AlreadySo(detail.into()))
}

/// As it is now, if it can still be found.
async fn order(service: &Service, entry: &Entry) -> Option<Receipt> {
    let id = entry.outcome.as_ref()?.order_id.as_ref()?;
    let order = patiently(|| service.client.order(id)).await.ok()??;
    Some(Receipt::Order {
        order: Box::new(order),
        queued: false,
    })
}

fn refused(entry: &Entry, detail: &str) -> Failure {
    failure(entry, (FailureKind::Invalid, Proof::Refused), detail)
}

fn unsent(entry: &Entry, detail: &str) -> Failure {
    failure(entry, (FailureKind::Unreachable, Proof::Unsent), detail)
}

/// As it was written down; `kind` where an older version wrote it otherwise.
fn failure(entry: &Entry, (kind, proves): (FailureKind, Proof), detail: &str) -> Failure {
    let told = entry.outcome.as_ref();
    Failure {
        proves,
        order_id: told.and_then(|told| told.order_id.clone()),
        request_id: told.and_then(|told| told.request_id.clone()),
        ..Failure::read(detail).unwrap_or_else(|| Failure::new(kind, detail))
    }
}

fn unknown(detail: &str) -> Failure {
    let words = if detail.is_empty() {
        "no answer to it was ever seen"
    } else {
        detail
    };
    let message = format!("{words}; reads do not tell either, and nothing was sent now");
    Failure::new(FailureKind::Unknown, message)
}
