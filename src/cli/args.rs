//! The arguments of the command line.

use super::{
    act::{
        self,
        entry::EntryArgs,
        field_flags::{ScaledFlags, TwapFlags},
    },
    alert,
    desk::{self, DataDirFlag},
    doctor,
    exchange_args::World,
    flags::SettingsFlags,
    journal, read, record, schema, serve, settings,
    shell::{completions, man},
    snapshot,
};
use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// A terminal desk for paper-trading perpetual futures.
///
/// With nothing set, it starts its own paper exchange on this machine and trades there (PAPER). With `base_url`, a
/// key and `account_id` set, it trades with that service (LIVE-API).
#[derive(Debug, Parser)]
#[command(name = "perpdeck", version, long_version = long_version(), about, long_about, after_help = AFTER)]
pub struct Args {
    #[command(flatten)]
    pub(super) settings: SettingsFlags,
    #[command(flatten)]
    pub(super) desk: desk::DataDirFlag,
    #[command(subcommand)]
    pub(super) verb: Option<CliVerb>,
}

/// The part of the command line that opens a desk: the commands of all verbs take a third of the time until the first
/// frame to build.
#[derive(Debug, Parser)]
#[command(name = "perpdeck", disable_help_subcommand = true)]
struct DeskArgs {
    #[command(flatten)]
    settings: SettingsFlags,
    #[command(flatten)]
    desk: DataDirFlag,
    #[command(subcommand)]
    verb: Option<DeskVerb>,
}

#[derive(Debug, Subcommand)]
enum DeskVerb {
    Desk(DataDirFlag),
    Demo(World),
}

impl Args {
    /// The arguments of a desk; `None` for any other line, and for what only the whole command line can answer.
    pub(super) fn of_desk(words: impl Iterator<Item = OsString>) -> Option<Self> {
        let args = DeskArgs::try_parse_from(words).ok()?;
        let verb = args.verb.map(|verb| match verb {
            DeskVerb::Desk(keep) => CliVerb::Desk(keep),
            DeskVerb::Demo(world) => CliVerb::Demo(world),
        });
        Some(Self {
            settings: args.settings,
            desk: args.desk,
            verb,
        })
    }
}

/// With the commit and its date, as far as the build knows them.
fn long_version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let commit = option_env!("PERPDECK_COMMIT");
    match (commit, option_env!("PERPDECK_COMMIT_DATE")) {
        (Some(commit), Some(date)) => format!("{version} ({commit} {date})"),
        (Some(commit), None) => format!("{version} ({commit})"),
        (None, _) if cfg!(debug_assertions) => format!("{version} (debug build)"),
        (None, _) => version.to_owned(),
    }
}

const AFTER: &str = "\
There is no flag for the key of a service: set PERPDECK_API_KEY, api_key_file, api_key_command or
api_key_keyring.
Exit codes: 0 done, 1 local failure, 2 usage or settings, 10 key rejected, 11 rate limit,
12 unavailable, 13 rejected, 14 unknown, 15 partly done,
16 ended otherwise, 17 timeout. \"perpdeck man\" explains them.";

#[derive(Debug, Subcommand)]
pub(super) enum CliVerb {
    /// Opens the desk (the default command)
    Desk(desk::DataDirFlag),
    /// Opens the desk on its own paper exchange, whatever is configured
    Demo(World),
    /// Runs the paper exchange alone, for bots, tests and other desks
    Serve(serve::ServeArgs),
    /// Records the market data of a venue or a service, to be traded against later
    Record(record::RecordArgs),
    /// Prints one frame of the desk
    Snapshot(snapshot::SnapshotArgs),
    #[command(flatten)]
    Read(ReadVerb),
    #[command(flatten)]
    Act(ActVerb),
    /// Starts, lists, shows and stops TWAP and VWAP orders
    #[command(subcommand)]
    Twap(TwapVerb),
    /// Places, lists, shows and cancels scaled orders: limit orders over a range of prices
    #[command(subcommand)]
    Scaled(ScaledVerb),
    /// Checks the service, the key, the clock and every assumption about the API
    Doctor(doctor::DoctorArgs),
    /// Lists the commands in the journal with their outcomes, and settles unknown ones
    Journal(journal::JournalArgs),
    /// Shows, checks or creates a settings file
    Config(settings::ConfigArgs),
    /// Prints the JSON Schema of a row as the verbs write it, or lists the rows
    Schema(schema::SchemaArgs),
    /// Prints a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Prints the manual page of perpdeck or of a command
    Man(man::ManArgs),
}

/// The verbs that send no command.
#[derive(Debug, Subcommand)]
pub(super) enum ReadVerb {
    /// Lists working orders, or all of them
    Orders(read::lists::OrdersArgs),
    /// Shows orders, working or ended
    Order(read::shows::OrderArgs),
    /// Lists what the orders of the account have filled
    Fills(read::lists::FillsArgs),
    /// Lists what positions have paid and received for funding
    Funding(read::listed::ListFlags),
    /// Lists open positions, or closed ones
    Positions(read::lists::PositionsArgs),
    /// Shows positions, open or closed
    Position(read::shows::PositionArgs),
    /// Shows the equity, the margin and the limits of the account
    Account(read::accounts::AccountArgs),
    /// Lists every configured account with its equity, positions and orders
    Accounts(read::accounts::AccountArgs),
    /// Lists the markets with their prices, spread, tick and funding
    Markets(read::market::MarketsArgs),
    /// Shows the order book of a market
    Book(read::market::BookArgs),
    /// Lists the candles of a market
    Candles(read::market::CandlesArgs),
    /// Lists the recent public trades of a market
    Trades(read::market::TradesArgs),
    /// Waits until orders are in a state, and says by its exit code how it ended
    Wait(read::wait::WaitArgs),
    /// Prints what changes, one line each: orders, positions, or the events of a desk
    Watch(read::watch::WatchArgs),
    /// Writes a whole list as CSV or JSON, as the desk's export does
    Export(read::export::ExportArgs),
    /// Lists, adds and removes the alerts that a desk watches for
    Alert(alert::AlertArgs),
}

/// The verbs that send commands.
#[derive(Debug, Subcommand)]
pub(super) enum ActVerb {
    /// Places an order
    Place(Box<act::place::PlaceArgs>),
    /// Closes part or all of positions
    Close(act::close::CloseArgs),
    /// Closes positions, then opens the same size the other way
    Flip(act::flip::FlipArgs),
    /// Moves a working order to another price or size
    Move(Box<act::amend::MoveArgs>),
    /// Cancels orders: by id, by market or side, or every working one
    Cancel(act::cancel::CancelArgs),
    /// Sets or removes the stop loss of positions
    Stop(act::exits::LegArgs),
    /// Sets or removes the take profit of positions
    Target(act::exits::LegArgs),
    /// Sets the take profit and stop loss of a position or a resting order
    Exits(act::exits::ExitsArgs),
    /// Sets the extra margin of an isolated position
    Margin(act::margin::MarginArgs),
    /// Closes every position and lists what is still open
    CloseAll(act::operation::CloseAllArgs),
    /// Stops TWAPs, cancels scaled orders and orders, and closes positions, until two reads find nothing
    Flatten(act::flatten::FlattenArgs),
}

/// The verbs of TWAP and VWAP orders.
#[derive(Debug, Subcommand)]
pub(super) enum TwapVerb {
    /// Starts a TWAP or VWAP order, if the service can create one
    Start(Box<EntryArgs<TwapFlags>>),
    /// Lists active ones, or ended ones
    List(read::lists::TwapsArgs),
    /// Shows some of them, active or ended
    Show(read::shows::TwapArgs),
    /// Stops some of them; their open slices stay
    Stop(act::cancel::StopTwapArgs),
}

/// The verbs of scaled orders.
#[derive(Debug, Subcommand)]
pub(super) enum ScaledVerb {
    /// Places a scaled order, if the service can create one
    Place(Box<EntryArgs<ScaledFlags>>),
    /// Lists them, working and ended, the newest first
    List(read::lists::ScaledArgs),
    /// Shows some of them with their rungs
    Show(read::shows::ScaledArgs),
    /// Cancels some of them with their working rungs
    Cancel(act::cancel::CancelScaledArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::update::command::VERBS;
    use clap::CommandFactory;

    #[test]
    fn the_line_of_a_desk_means_the_same_as_in_the_whole_command_line() {
        for line in [
            "perpdeck",
            "perpdeck desk --data-dir here",
            "perpdeck --profile main --no-mouse",
            "perpdeck demo --seed=7 --speed 2 --no-tour",
            "perpdeck --base-url http://127.0.0.1:9 desk --account-id chal-1",
        ] {
            let words = || line.split(' ').map(OsString::from);
            let desk = Args::of_desk(words()).expect(line);
            let whole = Args::try_parse_from(words()).expect(line);
            assert_eq!(format!("{desk:?}"), format!("{whole:?}"));
        }
    }

    #[test]
    fn help_mistakes_and_other_verbs_are_left_to_the_whole_command_line() {
        for line in [
            "perpdeck --help",
            "perpdeck --version",
            "perpdeck help",
            "perpdeck orders",
            "perpdeck demo --speeed 2",
            "perpdeck demo --manual-clock --speed 2",
        ] {
            let desk = Args::of_desk(line.split(' ').map(OsString::from));
            assert!(desk.is_none(), "{line}");
        }
    }

    #[test]
    fn the_command_line_of_the_desk_speaks_the_words_of_the_shell() {
        let shell = Args::command();
        let mut shared = vec![];
        for verb in VERBS {
            let Some(command) = shell.find_subcommand(verb.name) else {
                continue;
            };
            // The flags of the desk's line make a new one.
            let new = ["add", "start", "place"];
            let mut new = new.iter().filter_map(|name| command.find_subcommand(name));
            let command = new.next().unwrap_or(command);
            shared.push(verb.name);
            for flag in verb.flags() {
                let name = flag.name.trim_start_matches("--");
                let mut known = command.get_arguments();
                let arg = known.find(|arg| arg.get_long() == Some(name));
                let takes_value = arg.map(|arg| arg.get_action().takes_values());
                assert_eq!(
                    (takes_value, arg.and_then(clap::Arg::get_short)),
                    (
                        Some(flag.takes_value),
                        flag.short().and_then(|short| short.chars().last())
                    ),
                    "{} {}",
                    verb.name,
                    flag.name
                );
            }
        }
        assert_eq!(
            shared,
            [
                "place",
                "twap",
                "scaled",
                "close",
                "flip",
                "cancel",
                "stop",
                "target",
                "exits",
                "move",
                "margin",
                "close-all",
                "flatten",
                "account",
                "accounts",
                "markets",
                "alert",
                "positions",
                "orders",
                "export",
                "config"
            ]
        );
    }
}
