//! A key that was used before: the same wish is repeated, another one is refused.
//!
//! The service compares bodies, and a price observed anew would make another body: so the journal's bytes are sent
//! again, and what is compared here is the wish. Nothing of it is checked against the world anew: the position it
//! closed is gone by now, and the order it placed may be why. What surely had no effect is no reason for anything: it is
//! held to the limits of now, like new.

use crate::{
    api::{Method, Request},
    cli::{
        act::prepared::{KeyFlag, PreparedCommand},
        disk_wait::looked,
        exit::Misuse,
        service::Service,
    },
    journal::IntentRow,
    runtime::Clock,
};
use color_eyre::Result;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What the chosen key was used for before, as far as the journal knows.
pub(super) fn before(service: &Service, key: &KeyFlag) -> Option<IntentRow> {
    let key = key.chosen.clone()?;
    // Without a journal nothing is known; what that means is said when it is to be written.
    looked(&service.journal_dir, move |journal| journal.by_key(&key)).flatten()
}

/// A number of the body that was sent, as it was written there.
pub(super) fn sent(entry: &IntentRow, name: &str) -> Option<String> {
    Some(fields(&entry.intent.body)?.remove(name)?.get().to_owned())
}

/// Whether what was sent before may have taken effect: it was checked before it did, and is only repeated.
pub(super) fn may_have_acted(known: Option<&IntentRow>) -> bool {
    known.is_some_and(|entry| entry.maybe_executed)
}

/// What a deed comes to, given what was sent before under its key.
pub(super) enum RepeatDecision {
    /// To be sent.
    Due(PreparedCommand),
    /// The service may have forgotten its key: what came of it is told, and nothing is sent.
    Past(PreparedCommand),
}

impl RepeatDecision {
    /// As it was sent, if it was.
    pub(super) fn deed(self) -> PreparedCommand {
        match self {
            Self::Due(deed) | Self::Past(deed) => deed,
        }
    }
}

/// What is to be sent for `deed`: where its key `known` was sent before, what was sent then, if that was the same
/// wish. What its body has under the names `reckoned` follows from prices, positions or the clock, and those have
/// moved since.
pub(super) fn settled(
    known: Option<&IntentRow>,
    deed: PreparedCommand,
    service: &Service,
    reckoned: &[&str],
) -> Result<RepeatDecision> {
    let (Some(entry), Some(key)) = (known, deed.kept_key()) else {
        return Ok(RepeatDecision::Due(deed));
    };
    let (before, connection) = (&entry.intent, service.client.connection());
    let same_place =
        before.base_url == connection.base_url && before.account_id == connection.account_id;
    let request = &deed.request;
    let same_target =
        before.method == request.method.to_string() && before.target == request.target;
    if !same_place || !same_target || wish(&before.body, reckoned) != wish(&request.body, reckoned)
    {
        let what = format!(
            "the key {key} was used for: {} (on {} at {}); a different command needs a different key",
            before.command, before.account_id, before.base_url
        );
        return Err(Misuse(what).into());
    }
    let deed = as_sent(entry, deed, service);
    Ok(if entry.is_replayable(Clock::start().now()) {
        RepeatDecision::Due(deed)
    } else {
        RepeatDecision::Past(deed)
    })
}

fn as_sent(entry: &IntentRow, deed: PreparedCommand, service: &Service) -> PreparedCommand {
    let intent = &entry.intent;
    let request = Request {
        method: intent
            .method
            .parse::<Method>()
            .unwrap_or(deed.request.method),
        target: intent.target.clone(),
        key: intent.key.clone(),
        body: intent.body.clone(),
    };
    match request.command(&service.client.dialect()) {
        Some(command) => PreparedCommand {
            command,
            request,
            key: deed.key,
        },
        // Written in another dialect; the outbox has the bytes.
        None => deed,
    }
}

/// The body without what was observed and not asked for.
fn wish(body: &[u8], reckoned: &[&str]) -> Option<BTreeMap<String, String>> {
    if body.is_empty() {
        return Some(BTreeMap::new());
    }
    let mut fields = fields(body)?;
    for name in reckoned.iter().chain(&["expected_price"]) {
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
