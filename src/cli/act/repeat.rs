//! A key that was used before: the same wish is repeated, another one is refused.
//!
//! The service compares bodies, and a price observed anew would make another body: so the journal's bytes are sent
//! again, and what is compared here is the wish.

use super::Deed;
use crate::{
    cli::{exit::Misuse, service::Service},
    journal::Entry,
    runtime::Clock,
};
use color_eyre::Result;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Whether `deed` may be sent although its key `known` was sent before. What its body has under the names `reckoned`
/// follows from prices, positions or the clock, and those have moved since.
pub(super) fn check(
    known: Option<&Entry>,
    deed: &Deed,
    service: &Service,
    reckoned: &[&str],
) -> Result<()> {
    let Some(entry) = known else { return Ok(()) };
    let (before, connection) = (&entry.intent, service.client.connection());
    let same_place =
        before.base_url == connection.base_url && before.account_id == connection.account_id;
    let request = &deed.request;
    let same_target =
        before.method == request.method.to_string() && before.target == request.target;
    if !same_place || !same_target || wish(&before.body, reckoned) != wish(&request.body, reckoned)
    {
        let what = format!(
            "the key {} was used for: {} (on {} at {}); another deed needs another key",
            deed.key, before.command, before.account_id, before.base_url
        );
        return Err(Misuse(what).into());
    }
    let now = Clock::Wall.now();
    if now > before.replay_until {
        let outcome = entry.outcome.as_ref();
        let came = outcome.map_or("its outcome is not known", |outcome| &outcome.detail);
        let what = format!(
            "the key {} was first sent {} min ago ({came}): the service may have forgotten it, and the same request \
             could be done twice. Nothing was sent",
            deed.key,
            now.since(entry.created_at).as_secs() / 60
        );
        return Err(Misuse(what).into());
    }
    Ok(())
}

/// The body without what was observed and not asked for.
fn wish(body: &[u8], reckoned: &[&str]) -> Option<BTreeMap<String, String>> {
    if body.is_empty() {
        return Some(BTreeMap::new());
    }
    let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(body).ok()?;
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
