//! `perpdeck man`: the manual, in roff.

use super::{
    examples,
    facts::{ENVIRONMENT, EXIT_STATUS, FILES, ManualEntry},
    help::explain,
};
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
