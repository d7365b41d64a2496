//! `perpdeck place`: a new order of any type, or many from a file.

mod lines;

use super::{
    bracket::BracketRule,
    consent,
    entry::{self, EntryArgs, WrittenEntry},
    field_flags::PlaceFlags,
};
use crate::{cli::Exit, config::Sources};
use clap::{Arg, ArgAction, ArgMatches, Command};
use color_eyre::Result;

/// The name of the flag.
const BRACKET: &str = "bracket";

/// One order, or a file of them.
#[derive(Debug)]
pub(in crate::cli) enum PlaceArgs {
    One(WrittenEntry),
    Lines(lines::OrderFile),
}

impl clap::Args for PlaceArgs {
    /// What one order needs is not needed beside a file.
    fn augment_args(command: Command) -> Command {
        let command = EntryArgs::<PlaceFlags>::augment_args(command).mut_args(|arg| {
            if arg.is_required_set() {
                arg.required(false).required_unless_present(lines::FILE)
            } else {
                arg
            }
        });
        let bracket = Arg::new(BRACKET).long(BRACKET).action(ArgAction::SetTrue);
        let bracket = bracket.conflicts_with(lines::FILE).help(
            "Adds the stop and targets of the `bracket` setting, which a verb adds to no order by itself; waits for the \
             fill where targets follow it",
        );
        lines::OrderFile::augment(command).arg(bracket)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for PlaceArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some(file) = lines::OrderFile::from(matches)? {
            return Ok(Self::Lines(file));
        }
        let order = EntryArgs::<PlaceFlags>::from_arg_matches(matches)?;
        let mut order = WrittenEntry::from(order);
        if matches.get_flag(BRACKET) {
            order.bracket = BracketRule::OfSettings;
        }
        Ok(Self::One(order))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

pub(in crate::cli) async fn run(args: PlaceArgs, sources: &Sources) -> Result<Exit> {
    match args {
        PlaceArgs::One(order) => entry::run(order, sources).await,
        PlaceArgs::Lines(file) => {
            let service = consent::service(sources, file.how).await?;
            lines::place(file, &service).await
        }
    }
}
