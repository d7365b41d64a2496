//! `perpdeck man`: the manual, in roff.

use super::{Exit, exit::Misuse, out};
use clap_mangen::Man;
use color_eyre::Result;

#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// A command, as in `perpdeck man serve`
    command: Option<String>,
}

pub(super) fn run(args: &ManArgs, mut whole: clap::Command) -> Result<Exit> {
    whole.build();
    let named = args.command.as_deref();
    let found = named.map_or(Some(&whole), |name| whole.find_subcommand(name));
    let Some(page) = found.cloned() else {
        let name = named.unwrap_or_default();
        let words = format!("there is no command {name:?}; \"perpdeck --help\" lists them");
        return Err(Misuse(words).into());
    };
    let mut roff = vec![];
    Man::new(page).render(&mut roff)?;
    out::say_bytes(&roff)?;
    Ok(Exit::Ok)
}
