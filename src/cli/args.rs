//! The arguments of the command line.

use super::{
    act, completions, desk, doctor, exchange_args::World, flags::SettingsFlags, journal, man, read,
    schema, serve, settings, snapshot,
};
use clap::{Parser, Subcommand};

/// A terminal desk for paper-trading perpetual futures.
///
/// With nothing set, it starts its own paper exchange on this machine and trades there (PAPER). With `base_url`, a
/// key and `account_id` set, it trades with that service (LIVE-API).
#[derive(Debug, Parser)]
#[command(name = "perpdeck", version, about, long_about, after_help = AFTER)]
pub struct Args {
    #[command(flatten)]
    pub(super) settings: SettingsFlags,
    #[command(flatten)]
    pub(super) desk: desk::DataDirFlag,
    #[command(subcommand)]
    pub(super) verb: Option<CliVerb>,
}

const AFTER: &str = "\
The key of a service is never a flag: PERPDECK_API_KEY, api_key_file, api_key_command or
api_key_keyring hold it.
Exit codes: 0 ok, 1 failed, 2 usage or settings, 10 key refused, 11 limited, 12 unavailable, 13 rejected,
14 outcome unknown, 15 done or known in part.";

#[derive(Debug, Subcommand)]
pub(super) enum CliVerb {
    /// Opens the desk (this when no command is named)
    Desk(desk::DataDirFlag),
    /// Opens the desk on its own paper exchange, whatever is configured
    Demo(World),
    /// Runs the paper exchange alone, for bots, tests and other desks
    Serve(serve::ServeArgs),
    /// Writes one frame of the living desk to standard output
    Snapshot(snapshot::SnapshotArgs),
    /// Lists working orders, or all of them
    Orders(read::orders::OrdersArgs),
    /// Lists open positions, or closed ones
    Positions(read::positions::PositionsArgs),
    /// Lists active TWAP and VWAP orders
    Twaps(read::twaps::TwapsArgs),
    /// Shows a ladder and its rungs
    Scaled(read::scaled::ScaledArgs),
    /// Places an order
    Place(Box<act::place::PlaceArgs>),
    /// Starts a TWAP or VWAP order, where the service offers to make one
    Twap(Box<act::strategy::TwapArgs>),
    /// Starts a ladder of limit orders, where the service offers to make one
    Ladder(Box<act::strategy::LadderArgs>),
    /// Closes part or all of a position
    Close(act::close::CloseArgs),
    /// Closes a position, then opens the same size the other way
    Flip(act::flip::FlipArgs),
    /// Moves a working order to another price or size
    Move(Box<act::amend::MoveArgs>),
    /// Cancels an order, a TWAP, a ladder or every working order
    Cancel(act::cancel::CancelArgs),
    /// Sets the take profit and stop loss attached to an order
    Exits(act::exits::ExitsArgs),
    /// Sets the extra margin of an isolated position
    Margin(act::margin::MarginArgs),
    /// Closes every position and says what is still open
    CloseAll(act::close_all::CloseAllArgs),
    /// Examines the service, the key, the clock and every assumption about the API
    Doctor(doctor::DoctorArgs),
    /// Gets out of everything: TWAPs, ladders, orders, positions, proved by reads
    Flatten(act::flatten::FlattenArgs),
    /// What was asked, what came of it, and what is still open
    Journal(journal::JournalArgs),
    /// Shows, checks or starts a settings file
    Config(settings::ConfigArgs),
    /// Prints the JSON Schema of a row as the verbs write it, or lists the rows
    Schema(schema::SchemaArgs),
    /// Prints a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Prints the manual page, of a command if one is named
    Man(man::ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::update::command::VERBS;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_of_the_desk_speaks_the_words_of_the_shell() {
        let shell = Args::command();
        let mut shared = vec![];
        for verb in VERBS {
            let Some(command) = shell.find_subcommand(verb.name) else {
                continue;
            };
            shared.push(verb.name);
            for flag in verb.flags {
                let name = flag.trim_start_matches("--").trim_end_matches('=');
                let mut known = command.get_arguments();
                let arg = known.find(|arg| arg.get_long() == Some(name));
                let takes_value = arg.map(|arg| arg.get_action().takes_values());
                assert_eq!(
                    takes_value,
                    Some(flag.ends_with('=')),
                    "{} {flag}",
                    verb.name
                );
            }
        }
        assert_eq!(
            shared,
            [
                "place",
                "twap",
                "ladder",
                "close",
                "flip",
                "cancel",
                "exits",
                "move",
                "margin",
                "close-all",
                "flatten",
                "positions",
                "orders",
                "twaps",
                "scaled",
                "config"
            ]
        );
    }
}
