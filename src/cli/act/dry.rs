//! Requests as they would be sent, without the API key.

use crate::{
    api::{IDEMPOTENCY_KEY, Request},
    cli::{
        Exit, out,
        service::{DryRunSource, Service},
        voice::json,
    },
    model::Text,
};
use color_eyre::Result;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct DryRunReport<'a> {
    method: String,
    target: &'a str,
    headers: BTreeMap<&'static str, &'a str>,
    /// The exact bytes; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
}

/// One request per line in JSON, one per paragraph in text. If a setting caused the dry run, a message names it and
/// says that nothing was done.
pub(super) fn show(service: &Service, requests: &[&Request]) -> Result<Exit> {
    let (voice, mut text) = (service.voice, vec![]);
    for request in requests {
        let shown = shown(request)?;
        text.push(if voice.is_json() {
            format!("{}\n", json(&shown))
        } else {
            shown.paragraph()
        });
    }
    out::say(&text.join(if voice.is_json() { "" } else { "\n" }))?;
    let DryRunSource::Set(by) = &service.dry_run else {
        voice.note("dry run: nothing was sent");
        return Ok(Exit::Ok);
    };
    voice.note(&format!(
        "dry run: nothing was sent, because {by} sets dry_run; --dry-run=false sends"
    ));
    Ok(Exit::Rejected)
}

fn shown(request: &Request) -> Result<DryRunReport<'_>> {
    // The headers that `client::send` writes.
    let mut headers = BTreeMap::from([
        ("accept", "application/json"),
        ("authorization", "Bearer (not shown)"),
    ]);
    if let Some(key) = &request.key {
        headers.insert(IDEMPOTENCY_KEY, key.raw());
    }
    let body = if request.body.is_empty() {
        None
    } else {
        headers.insert("content-type", "application/json");
        Some(serde_json::from_slice(&request.body)?)
    };
    Ok(DryRunReport {
        method: request.method.to_string(),
        target: &request.target,
        headers,
        body,
    })
}

impl DryRunReport<'_> {
    fn paragraph(&self) -> String {
        let mut lines = vec![format!("{} {}", self.method, self.target)];
        let headers = self.headers.iter();
        lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
        if let Some(body) = self.body {
            lines.push(format!("\n{}", Text::from(body.get())));
        }
        lines.join("\n") + "\n"
    }
}
