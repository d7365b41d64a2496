//! `perpdeck completions`: a script for the shell.

use super::{completer::VARIABLE, help::explain};
use crate::cli::{Exit, out};
use clap::Command;
use clap_complete::{Shell, env::Shells, generate};
use color_eyre::{Result, eyre::eyre};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompletionsArgs {
    shell: Shell,
    /// Also completes ids, markets and profiles, by asking perpdeck at each Tab
    #[arg(long)]
    dynamic: bool,
}

pub(in crate::cli) fn run(args: &CompletionsArgs, whole: Command) -> Result<Exit> {
    let mut whole = explain(whole);
    let mut script = vec![];
    if args.dynamic {
        register(args.shell, &mut script)?;
    } else {
        generate(args.shell, &mut whole, NAME, &mut script);
    }
    out::say_bytes(&script)?;
    Ok(Exit::Ok)
}

const NAME: &str = "perpdeck";

/// A script that finds the program on the path.
fn register(shell: Shell, script: &mut Vec<u8>) -> Result<()> {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let shell = shells
        .completer(&name)
        .ok_or_else(|| eyre!("{name} has no dynamic completion"))?;
    shell.write_registration(VARIABLE, NAME, NAME, NAME, script)?;
    Ok(())
}
