//! `perpdeck man`: the manual, in roff.

use super::{examples, help::explain};
use crate::cli::{Exit, exit::UsageError, out};
use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};
use color_eyre::Result;
use std::io;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ManArgs {
    /// A command, as in `perpdeck man serve`; a subcommand follows it: `perpdeck man alert add`
    #[arg(num_args = 0..)]
    command: Vec<String>,
}

pub(in crate::cli) fn run(args: &ManArgs, whole: Command) -> Result<Exit> {
    let mut whole = explain(whole);
    whole.build();
    let names = args.command.iter();
    let found = names
        .clone()
        .try_fold(&whole, |command, name| command.find_subcommand(name));
    let Some(page) = found else {
        let name = args.command.join(" ");
        let words = format!("there is no command {name:?}; \"perpdeck --help\" lists them");
        return Err(UsageError(words).into());
    };
    let mut roff = vec![];
    write(page.clone(), &args.command.join(" "), &mut roff)?;
    out::say_bytes(&roff)?;
    Ok(Exit::Ok)
}

fn write(command: Command, path: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let has_subcommands = command.has_subcommands();
    let has_version = command.get_version().is_some();
    let man = Man::new(command);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_subcommands {
        man.render_subcommands_section(out)?;
    }
    section("EXAMPLES", &examples_of(path)).to_writer(out)?;
    section("EXIT STATUS", EXIT_STATUS).to_writer(out)?;
    section("ENVIRONMENT", ENVIRONMENT).to_writer(out)?;
    section("FILES", FILES).to_writer(out)?;
    if has_version {
        man.render_version_section(out)?;
    }
    Ok(())
}

fn examples_of(path: &str) -> Vec<ManualEntry> {
    let examples = examples::of(path).into_iter();
    examples
        .map(|example| (example.line, example.does))
        .collect()
}

/// Terms in bold, each with its meaning below.
fn section(title: &str, facts: &[ManualEntry]) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (term, meaning) in facts {
        roff.control("TP", []);
        roff.text([bold(*term)]);
        roff.text([roman(*meaning)]);
    }
    roff
}

/// A term and its meaning.
pub(super) type ManualEntry = (&'static str, &'static str);

pub(super) const EXIT_STATUS: &[ManualEntry] = &[
    ("0", "Done."),
    ("1", "Something local failed: a file, a port."),
    (
        "2",
        "Wrong arguments or settings, --yes missing, or no terminal for the desk.",
    ),
    (
        "10",
        "The service rejects the key (401), or the key may only read (403).",
    ),
    ("11", "A rate limit is exhausted."),
    (
        "12",
        "The service cannot be reached, or its answer does not match the API.",
    ),
    ("13", "Rejected by the service or by your own limits."),
    (
        "14",
        "Unknown: the command may or may not have been executed. The error names the key that repeats it safely.",
    ),
    (
        "15",
        "Partly done: some cancels failed, something is still open, the result differs from the request, or a row could not be read.",
    ),
    (
        "16",
        "wait: an order has ended otherwise and can no longer be in the state.",
    ),
    ("17", "wait: the time allowed is over."),
];

pub(super) const ENVIRONMENT: &[ManualEntry] = &[
    (
        "PERPDECK_BASE_URL",
        "The service: scheme, host and port. Without it the desk starts its own paper exchange.",
    ),
    ("PERPDECK_ACCOUNT_ID", "The account to show and trade."),
    (
        "PERPDECK_API_KEY",
        "The key of the service. perpdeck removes it from its environment at the start.",
    ),
    ("PERPDECK_PROFILE", "The profile to use."),
    ("PERPDECK_CONFIG", "A settings file, over the user's own."),
    (
        "PERPDECK_...",
        "Every other setting: poll.orders is PERPDECK_POLL__ORDERS.",
    ),
    ("NO_COLOR", "No colors, unless color says otherwise."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME",
        "Where the settings file and the state directory are, instead of ~/.config and ~/.local/state.",
    ),
];

pub(super) const FILES: &[ManualEntry] = &[
    (
        "~/.config/perpdeck/config.toml",
        "The settings. \"perpdeck config init\" writes it with every setting explained.",
    ),
    (
        "~/.config/perpdeck/keys.toml",
        "Your own keys, if keys_file names it.",
    ),
    (
        "~/.local/state/perpdeck/",
        "The state directory: readable by its owner only.",
    ),
    (
        "journal.jsonl",
        "In the state directory: every command with its key, its bytes and its outcome.",
    ),
    (
        "events.jsonl",
        "In the state directory: each line of the activity pane of a desk.",
    ),
    (
        "alerts-*.json, trades-*.json",
        "In the state directory: your alerts, and your notes on trades.",
    ),
    (
        "perpdeck.log",
        "In the state directory: the log of a desk or of \"perpdeck serve\".",
    ),
];
