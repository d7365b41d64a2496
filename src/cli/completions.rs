//! `perpdeck completions`: a script for the shell.

use super::{Exit, out};
use clap_complete::{Shell, generate};
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs, mut whole: clap::Command) -> Result<Exit> {
    let mut script = vec![];
    generate(args.shell, &mut whole, "perpdeck", &mut script);
    out::say_bytes(&script)?;
    Ok(Exit::Ok)
}
