//! Errors in the command line: as text for a person, as JSON for a program.

use super::{Exit, voice::Output};
use clap::{Error, error::ErrorKind};

pub(super) fn report(why: &Error, voice: Output) -> Exit {
    let is_help = !why.use_stderr();
    if is_help || voice.speaks_words() {
        // The stream may be closed.
        let _gone = why.print();
        return if is_help { Exit::Ok } else { Exit::Usage };
    }
    voice.misused(message(why))
}

/// The error, without the usage text.
pub(super) fn message(why: &Error) -> String {
    let text = why.to_string();
    if why.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return format!(
            "write one of the subcommands {}",
            subcommands(&text).join(", ")
        );
    }
    let mut parts = text.split("\n\nUsage:");
    let text = parts.next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next();
    let text = text.unwrap_or_default();
    text.trim_start_matches("error: ").trim_end().to_owned()
}

/// Their names in a help text.
fn subcommands(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = listed.take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !["", "help"].contains(name)).collect()
}
