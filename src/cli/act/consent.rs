//! The confirmation of a command; in a dry run its request as it would be sent, without the API key.

use super::prepared::{ActFlags, PreparedCommand, writable};
use crate::{
    api::{IDEMPOTENCY_KEY, Request},
    cli::{
        Exit,
        exit::UsageError,
        out,
        service::{DryRunSource, Service},
        voice::json,
    },
    config::Sources,
    model::Text,
};
use color_eyre::{Result, eyre::Context as _};
use derive_more::Deref;
use serde::Serialize;
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    io::{self, IsTerminal, Write as _},
};

const NEEDS_YES: &str =
    "nothing was sent: without a terminal, confirm with --yes (--dry-run shows the request)";

/// The service of a verb that sends commands.
#[derive(Debug, Deref)]
pub(super) struct ActingService {
    #[deref]
    service: Service,
    /// Whether `--yes` answers every question.
    is_agreed: bool,
}

impl ActingService {
    /// Fails early if nobody can be asked and `--yes` is missing.
    pub(super) async fn open(sources: &Sources, how: ActFlags) -> Result<Self> {
        let service = Self {
            service: Service::open(sources, how.output.voice()).await?,
            is_agreed: how.yes,
        };
        let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
        if service.is_asking() && !asks {
            return Err(UsageError(NEEDS_YES.to_owned()).into());
        }
        Ok(service)
    }

    /// Whether a person is asked before anything is sent.
    pub(super) fn is_asking(&self) -> bool {
        !self.is_agreed && !self.is_dry_run()
    }

    /// Shows the requests in a dry run; otherwise asks whether to do `what`. The exit code if nothing is to be sent.
    pub(super) async fn withheld(&self, requests: &[&Request], what: &str) -> Result<Option<Exit>> {
        if self.is_dry_run() {
            return show(self, requests).map(Some);
        }
        writable(self)?;
        let is_given = self.given(format!("{what} on {}", self.place())).await?;
        Ok((!is_given).then_some(Exit::Usage))
    }

    /// The same for one command, as it is sent.
    pub(super) async fn withheld_one(&self, prepared: &PreparedCommand) -> Result<Option<Exit>> {
        self.withheld(&[&prepared.request], &spelled(prepared))
            .await
    }

    /// Asks on the terminal, unless `--yes` is given. Anything but `y` or `yes` means no.
    async fn given(&self, what: String) -> Result<bool> {
        if self.is_agreed {
            return Ok(true);
        }
        let answer = tokio::task::spawn_blocking(move || ask(&what)).await;
        let is_confirmed = answer.wrap_err("the terminal could not be read")??;
        if !is_confirmed {
            out::complain("nothing was sent");
        }
        Ok(is_confirmed)
    }

    /// The same command for each of several objects, each with its own question, key and outcome. Goes on after a failure,
    /// which is printed; alone, a failure is the verb's own.
    pub(super) async fn each<Id: Clone>(
        &self,
        ids: &[Id],
        one: impl AsyncFn(Id, usize) -> Result<Exit>,
    ) -> Result<Exit> {
        if let [id] = ids {
            return one(id.clone(), 0).await;
        }
        let mut exits = vec![];
        for (at, id) in ids.iter().enumerate() {
            let done = one(id.clone(), at).await;
            exits.push(done.unwrap_or_else(|why| self.voice.explain(&why)));
        }
        Ok(Exit::of_all(&exits))
    }
}

fn ask(what: &str) -> io::Result<bool> {
    let mut err = io::stderr().lock();
    write!(err, "{what}? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

/// The command in words, with its body: what is shown is what is sent.
pub(super) fn spelled(prepared: &PreparedCommand) -> String {
    if prepared.request.body.is_empty() {
        return prepared.command.to_string();
    }
    let body = Text::from(String::from_utf8_lossy(&prepared.request.body).into_owned());
    format!("{body}\n{}", prepared.command)
}

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
