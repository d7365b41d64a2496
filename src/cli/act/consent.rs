//! The confirmation of a command.

use crate::cli::act::prepared::ActFlags;
use crate::cli::act::prepared::PreparedCommand;
use crate::{
    cli::{exit::UsageError, service::Service},
    model::Text,
};
use color_eyre::{Result, eyre::Context as _};
use std::io::{self, IsTerminal, Write as _};

const UNASKED: &str =
    "nothing was sent: without a terminal, confirm with --yes (--dry-run shows the request)";

/// Fails early if nobody can be asked and `--yes` is missing.
pub(super) fn possible(service: &Service, how: ActFlags) -> Result<()> {
    if service.is_dry_run() {
        return Ok(());
    }
    answerable(how)
}

fn answerable(how: ActFlags) -> Result<()> {
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    if how.yes || asks {
        return Ok(());
    }
    Err(UsageError(UNASKED.to_owned()).into())
}

/// Asks on the terminal, unless `--yes` is given. Anything but `y` or `yes` means no.
pub(super) async fn given(how: ActFlags, what: String) -> Result<bool> {
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
