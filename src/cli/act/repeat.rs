//! A key that was used before: the same command is repeated, another one is refused.
//!
//! The service compares bodies, and a newly observed price would make another body. So the journal's bytes are resent,
//! and this module compares only what was requested. Nothing is checked against the market again: the position it
//! closed is gone, and the order it placed may be the reason. A command without effect counts as new and obeys the
//! current limits.

use crate::{
    cli::{
        act::prepared::{KeyFlag, PreparedCommand, SendOutcome},
        disk_wait::looked,
        exit::UsageError,
        service::{Service, patiently},
    },
    client::ReconcileOutcome,
    journal::{IntentRow, IntentState},
    model::{Failure, FailureKind, Receipt},
    runtime::read_back,
};
use color_eyre::Result;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The earlier request under the chosen key, as far as the journal has it.
pub(super) fn before(service: &Service, key: &KeyFlag) -> Option<IntentRow> {
    let key = key.chosen.clone()?;
    // Without a journal nothing is known; the outbox reports that.
    looked(&service.journal_dir, move |journal| journal.by_key(&key)).flatten()
}

/// A number of the earlier body, as written there.
pub(super) fn sent(entry: &IntentRow, name: &str) -> Option<String> {
    Some(fields(&entry.intent.body)?.remove(name)?.get().to_owned())
}

/// Whether the earlier request may have executed: it was checked then, and is only repeated.
pub(super) fn may_have_acted(known: Option<&IntentRow>) -> bool {
    known.is_some_and(|entry| entry.maybe_executed)
}

/// The command to send for `prepared`. If its key `known` was used for the same command, the earlier bytes are sent. What
/// depends on the time may differ.
pub(super) fn settled(
    known: Option<&IntentRow>,
    prepared: PreparedCommand,
    service: &Service,
) -> Result<PreparedCommand> {
    let (Some(entry), Some(key)) = (known, prepared.kept_key()) else {
        return Ok(prepared);
    };
    let (before, connection) = (&entry.intent, service.client.connection());
    let same_place =
        before.base_url == connection.base_url && before.account_id == connection.account_id;
    let (request, time_dependent) = (&prepared.request, &*prepared.time_dependent);
    let same_target =
        before.method == request.method.to_string() && before.target == request.target;
    if !same_place
        || !same_target
        || requested_fields(&before.body, time_dependent)
            != requested_fields(&request.body, time_dependent)
    {
        let what = format!(
            "the key {key} was used for: {} (on {} at {}); a different command needs a different key",
            before.command, before.account_id, before.base_url
        );
        return Err(UsageError(what).into());
    }
    Ok(as_sent(entry, prepared))
}

fn as_sent(entry: &IntentRow, prepared: PreparedCommand) -> PreparedCommand {
    match read_back(&entry.intent) {
        Some((request, command)) => PreparedCommand {
            command,
            request,
            ..prepared
        },
        // Written by another version; the outbox has the bytes.
        None => prepared,
    }
}

/// The body without the fields that were only observed.
fn requested_fields(body: &[u8], time_dependent: &[&str]) -> Option<BTreeMap<String, String>> {
    if body.is_empty() {
        return Some(BTreeMap::new());
    }
    let mut fields = fields(body)?;
    for name in time_dependent.iter().chain(&["expected_price"]) {
        fields.remove(*name);
    }
    let texts = fields.into_iter();
    Some(
        texts
            .map(|(name, value)| (name, value.get().to_owned()))
            .collect(),
    )
}

fn fields(body: &[u8]) -> Option<BTreeMap<String, Box<RawValue>>> {
    serde_json::from_slice(body).ok()
}

/// The outcome of a command whose key is too old to be resent: from the journal, and from reads if they show more.
/// Nothing is sent.
pub(super) async fn recorded(
    service: &Service,
    prepared: &PreparedCommand,
    entry: &IntentRow,
) -> SendOutcome {
    let ago = service.clock.now().since(entry.created_at).as_secs() / 60;
    if let Some(key) = prepared.kept_key() {
        service.voice.note(&format!(
            "the key {key} was first sent {ago} min ago, and the service may have forgotten it; nothing is sent; the \
             outcome recorded then:"
        ));
    }
    recorded_outcome(service, prepared, entry).await
}

/// As first reported, so that a repeated script gets the same exit code; an unknown outcome is read again.
async fn recorded_outcome(
    service: &Service,
    prepared: &PreparedCommand,
    entry: &IntentRow,
) -> SendOutcome {
    let Some(failure) = entry.failure() else {
        let order = recorded_order(service, entry).await;
        return Ok(order.unwrap_or_else(|| entry.receipt(Some(&prepared.command))));
    };
    match entry.state {
        // Rejected by an order row, not by an error response.
        IntentState::Rejected if Failure::read(entry.detail()).is_none() => {
            recorded_order(service, entry).await.ok_or(failure)
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
            let reconcile = || {
                service
                    .client
                    .reconcile(&prepared.command, key, entry.created_at)
            };
            match patiently(reconcile).await {
                Ok(ReconcileOutcome::Done(receipt)) => Ok(receipt),
                Ok(ReconcileOutcome::Ended(why)) => Err(why),
                Ok(ReconcileOutcome::NotDone | ReconcileOutcome::Inconclusive) | Err(_) => {
                    Err(undecided(entry.detail()))
                }
            }
        }
    }
}

/// Its current state, if it can be found.
async fn recorded_order(service: &Service, entry: &IntentRow) -> Option<Receipt> {
    let id = entry.outcome.as_ref()?.order_id.as_ref()?;
    let order = patiently(|| service.client.order(id)).await.ok()??;
    Some(Receipt::Order {
        order: Box::new(order),
        queued: false,
    })
}

fn undecided(detail: &str) -> Failure {
    let words = if detail.is_empty() {
        "no answer was received"
    } else {
        detail
    };
    let message =
        format!("{words}; reading the service does not decide it either; nothing was sent now");
    Failure::new(FailureKind::Unknown, message)
}
