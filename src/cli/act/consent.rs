//! The confirmation of a command.

use super::{
    dry,
    prepared::{ActFlags, PreparedCommand, writable},
};
use crate::{
    api::Request,
    cli::{Exit, exit::UsageError, service::Service},
    config::Sources,
    model::Text,
};
use color_eyre::{Result, eyre::Context as _};
use std::io::{self, IsTerminal, Write as _};

const NEEDS_YES: &str =
    "nothing was sent: without a terminal, confirm with --yes (--dry-run shows the request)";

/// The service of a verb that acts. Fails early if nobody can be asked and `--yes` is missing.
pub(super) async fn service(sources: &Sources, how: ActFlags) -> Result<Service> {
    let service = Service::open(sources, how.output.voice()).await?;
    if !service.is_dry_run() {
        answerable(how)?;
    }
    Ok(service)
}

/// Shows the requests in a dry run; otherwise asks whether to do `what`. The exit code if nothing is to be sent.
pub(super) async fn withheld(
    service: &Service,
    how: ActFlags,
    requests: &[&Request],
    what: &str,
) -> Result<Option<Exit>> {
    if service.is_dry_run() {
        return dry::show(service, requests).map(Some);
    }
    writable(service)?;
    let is_given = given(how, format!("{what} on {}", service.place())).await?;
    Ok((!is_given).then_some(Exit::Usage))
}

fn answerable(how: ActFlags) -> Result<()> {
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    if how.yes || asks {
        return Ok(());
    }
    Err(UsageError(NEEDS_YES.to_owned()).into())
}

/// Asks on the terminal, unless `--yes` is given. Anything but `y` or `yes` means no.
async fn given(how: ActFlags, what: String) -> Result<bool> {
    answerable(how)?;
    if how.yes {
        return Ok(true);
    }
    let asked = tokio::task::spawn_blocking(move || ask(&what)).await;
    let meant = asked.wrap_err("the terminal could not be read")??;
    if !meant {
        crate::cli::out::complain("nothing was sent");
    }
    Ok(meant)
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
