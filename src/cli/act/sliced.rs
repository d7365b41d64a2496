//! A command that the service carries out part by part, one part for each request with the same key.
//!
//! Contract: an interrupted one goes on under its own key when it is given again (docs/delivery.md 6). Another key would
//! begin a second operation.

use super::{
    perform,
    prepared::{PreparedCommand, SendOutcome},
};
use crate::{
    cli::{disk_wait::looked, service::Service, voice::Output},
    journal::{IntentRow, Journal, SenderIdentity},
    model::{Command, IdempotencyKey},
};
use color_eyre::Result;
use secrecy::ExposeSecret as _;

/// Where the command begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    New,
    /// An interrupted one goes on; what there is since it began is not among its own.
    Continued,
}

/// The command under the chosen key, under that of its unfinished run, or under a new one.
pub(super) fn prepare(
    service: &Service,
    voice: Output,
    command: Command,
    chosen: Option<IdempotencyKey>,
) -> Result<(PreparedCommand, Start)> {
    let is_chosen = chosen.is_some();
    let prepared = PreparedCommand::new(command.clone(), chosen)?;
    let unfinished = unfinished(service, &prepared.request.target).filter(|_| !is_chosen);
    let Some((entry, key)) =
        unfinished.and_then(|entry| Some((entry.created_at, entry.intent.key?)))
    else {
        return Ok((prepared, Start::New));
    };
    let ago = service.clock.now().since(entry).as_secs();
    voice.note(&format!(
        "{command}: what started {ago} s ago is unfinished; perpdeck continues it under its key"
    ));
    Ok((PreparedCommand::new(command, Some(key))?, Start::Continued))
}

/// Sends it. One that goes on does not know what came after it began: where `is_left` finds some of that in its outcome,
/// `note` is said and a new one follows. Gives the last one and its outcome.
pub(super) async fn send(
    service: &Service,
    voice: Output,
    (prepared, start): (PreparedCommand, Start),
    (note, is_left): (&str, impl AsyncFnOnce(&SendOutcome) -> bool),
) -> Result<(PreparedCommand, SendOutcome)> {
    let outcome = perform::send(service, voice, &prepared).await?;
    if start == Start::New || !is_left(&outcome).await {
        return Ok((prepared, outcome));
    }
    voice.note(note);
    let following = PreparedCommand::new(prepared.command, None)?;
    let outcome = perform::send(service, voice, &following).await?;
    Ok((following, outcome))
}

/// The unfinished request to this target in the journal.
fn unfinished(service: &Service, target: &str) -> Option<IntentRow> {
    let (dir, connection) = (&service.journal_dir, service.client.connection().clone());
    let now = service.clock.now();
    if !Journal::is_there(dir) {
        return None;
    }
    let target = target.to_owned();
    let read = move |journal: &Journal| {
        let secret = connection.api_key.expose_secret();
        let sender = SenderIdentity {
            base_url: &connection.base_url,
            account_id: &connection.account_id,
            credential: &journal.fingerprint(secret)?,
        };
        journal.unfinished(now, &target, sender)
    };
    looked(dir, read).flatten()
}
