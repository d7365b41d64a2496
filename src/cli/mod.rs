//! The command line: arguments, and one file per verb. May name every module.
//!
//! Contract: settings are loaded once, here, and every verb starts from them. Errors are one line each on standard
//! error and an exit code of [`Exit`]. A reader that closed its pipe is no error.

mod act;
mod alert;
mod args;
mod ascii;
mod call_log;
mod columns;
mod core_dumps;
mod desk;
mod disk_wait;
mod doctor;
mod exchange_args;
mod exit;
mod failure_line;
mod flags;
mod journal;
mod jq;
mod local_zone;
mod log;
mod market_feed;
mod named;
mod options;
mod out;
mod paper;
mod paths;
mod read;
mod record;
mod schema;
mod serve;
mod service;
mod settings;
mod shell;
mod snapshot;
mod usage_error;
mod voice;

pub use args::Args;
pub use exit::Exit;

use crate::{config, disk, model::draft::Field};
use args::{ActVerb, CliVerb, ReadVerb, ScaledVerb, TwapVerb};
use clap::{CommandFactory as _, FromArgMatches as _, Parser as _, error::ErrorKind};
use color_eyre::{Result, config::HookBuilder, eyre::Context as _};
use desk::DeskMode;
use exit::UsageError;
use rustix::process::Signal;
use std::{panic, pin::Pin};
use tokio::signal::unix::{SignalKind, signal};
use voice::Output;

/// Whether a shell asked for a completion. It is printed then, and nothing else is done.
pub fn complete() -> bool {
    shell::completer::answer(std::env::vars_os(), Args::command)
}

/// Parses the arguments; reports mistakes like any other error, and prints help on request.
pub fn read() -> std::result::Result<Args, Exit> {
    let is_help = |why: &clap::Error| {
        matches!(
            why.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        )
    };
    if let Some(args) = Args::of_desk(std::env::args_os()) {
        return Ok(args);
    }
    let read = match Args::try_parse() {
        Err(why) if is_help(&why) => explained(),
        read => read,
    };
    read.map_err(|why| usage_error::report(&why, Output::from_command_line()))
}

/// The same with the examples, which only somebody who asks for help waits for.
fn explained() -> std::result::Result<Args, clap::Error> {
    let matches = shell::help::explain(Args::command()).try_get_matches()?;
    Args::from_arg_matches(&matches)
}

/// Runs the verb, and returns the exit code.
pub fn run(args: Args) -> Exit {
    core_dumps::keep_memory_private();
    let done = explain_panics().and_then(|()| choose(args));
    done.unwrap_or_else(|report| Output::from_command_line().explain(&report))
}

/// Like `color_eyre::install`, whose panic report itself panics if standard error is a closed terminal.
fn explain_panics() -> Result<()> {
    let (panics, errors) = HookBuilder::default().into_hooks();
    errors.install()?;
    panic::set_hook(Box::new(move |info| {
        out::stderr_line(&panics.panic_report(info).to_string());
    }));
    Ok(())
}

fn choose(args: Args) -> Result<Exit> {
    let sources = args
        .settings
        .sources(std::env::vars_os(), config::user_file());
    if args.verb.is_some() && args.desk.data_dir.is_some() {
        let words = "--data-dir must follow desk, demo or serve";
        return Err(UsageError(words.to_owned()).into());
    }
    match args.verb {
        None => desk(DeskMode::Configured(args.desk), &sources),
        Some(CliVerb::Desk(keep)) => desk(DeskMode::Configured(keep), &sources),
        Some(CliVerb::Demo(world)) => desk(DeskMode::Paper(world), &sources),
        Some(CliVerb::Serve(args)) => live(serve::run(args, &sources)),
        Some(CliVerb::Record(args)) => live(record::run(args, &sources)),
        Some(CliVerb::Snapshot(args)) => live(snapshot::run(args, &sources)),
        Some(CliVerb::Read(verb)) => live(read_verb(verb, sources)),
        Some(CliVerb::Act(verb)) => live(act_verb(verb, sources)),
        Some(CliVerb::Twap(verb)) => live(twap_verb(verb, sources)),
        Some(CliVerb::Scaled(verb)) => live(scaled_verb(verb, sources)),
        Some(CliVerb::Doctor(args)) => live(doctor::run(args, &sources)),
        Some(CliVerb::Journal(args)) => journal::run(&args, &sources),
        Some(CliVerb::Config(args)) => settings::run(&args, &sources),
        Some(CliVerb::Schema(args)) => schema::run(&args),
        Some(CliVerb::Completions(args)) => shell::completions::run(&args, Args::command()),
        Some(CliVerb::Man(args)) => shell::man::run(&args, Args::command()),
    }
}

async fn read_verb(verb: ReadVerb, sources: config::Sources) -> Result<Exit> {
    let sources = &sources;
    match verb {
        ReadVerb::Orders(args) => read::lists::orders(args, sources).await,
        ReadVerb::Order(args) => read::shows::order(args, sources).await,
        ReadVerb::Fills(args) => Box::pin(read::lists::fills(args, sources)).await,
        ReadVerb::Funding(args) => Box::pin(read::lists::funding(args, sources)).await,
        // On the heap, because it is large.
        ReadVerb::Positions(args) => Box::pin(read::lists::positions(args, sources)).await,
        ReadVerb::Position(args) => read::shows::position(args, sources).await,
        ReadVerb::Account(args) => read::accounts::account(args, sources).await,
        ReadVerb::Accounts(args) => read::accounts::accounts(args, sources).await,
        ReadVerb::Markets(args) => read::market::markets(args, sources).await,
        ReadVerb::Book(args) => read::market::book(args, sources).await,
        ReadVerb::Candles(args) => read::market::candles(args, sources).await,
        ReadVerb::Trades(args) => Box::pin(read::market::trades(args, sources)).await,
        ReadVerb::Wait(args) => read::wait::run(args, sources).await,
        ReadVerb::Watch(args) => read::watch::run(args, sources).await,
        ReadVerb::Export(args) => read::export::run(args, sources).await,
        ReadVerb::Alert(args) => alert::run(args, sources).await,
    }
}

async fn act_verb(verb: ActVerb, sources: config::Sources) -> Result<Exit> {
    let sources = &sources;
    match verb {
        ActVerb::Place(args) => act::place::run(*args, sources).await,
        ActVerb::Close(args) => act::close::run(args, sources).await,
        ActVerb::Flip(args) => act::flip::run(args, sources).await,
        ActVerb::Move(args) => act::amend::run(*args, sources).await,
        ActVerb::Cancel(args) => act::cancel::run(args, sources).await,
        ActVerb::Stop(args) => act::exits::leg_of(Field::StopLoss, args, sources).await,
        ActVerb::Target(args) => act::exits::leg_of(Field::TakeProfit, args, sources).await,
        ActVerb::Exits(args) => act::exits::run(args, sources).await,
        ActVerb::Margin(args) => act::margin::run(args, sources).await,
        ActVerb::CloseAll(args) => act::operation::close_all(args, sources).await,
        ActVerb::Flatten(args) => act::flatten::run(args, sources).await,
    }
}

async fn twap_verb(verb: TwapVerb, sources: config::Sources) -> Result<Exit> {
    let sources = &sources;
    match verb {
        TwapVerb::Start(args) => act::entry::run(*args, sources).await,
        TwapVerb::List(args) => read::lists::twaps(args, sources).await,
        TwapVerb::Show(args) => read::shows::twap(args, sources).await,
        TwapVerb::Stop(args) => act::cancel::twaps(args, sources).await,
    }
}

async fn scaled_verb(verb: ScaledVerb, sources: config::Sources) -> Result<Exit> {
    let sources = &sources;
    match verb {
        ScaledVerb::Place(args) => act::entry::run(*args, sources).await,
        ScaledVerb::List(args) => read::lists::scaled(args, sources).await,
        ScaledVerb::Show(args) => read::shows::scaled(args, sources).await,
        ScaledVerb::Cancel(args) => act::cancel::scaled(args, sources).await,
    }
}

fn desk(choice: DeskMode, sources: &config::Sources) -> Result<Exit> {
    let loaded = config::load(sources)?;
    disk::room_for(DESK_FILES).wrap_err("the desk does not start")?;
    // One thread: the desk waits nearly always, and an answer need not wake a second one.
    run_on(
        tokio::runtime::Builder::new_current_thread(),
        Box::pin(desk::run(choice, sources, loaded)),
    )
}

/// Runs a verb that waits for sockets, timers or keys.
fn live(verb: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    run_on(tokio::runtime::Builder::new_multi_thread(), Box::pin(verb))
}

/// What the runtime opens, and one connection.
const RUNTIME_FILES: usize = 7;
/// What a desk without a journal opens, and a few connections.
const DESK_FILES: usize = 13;

type BoxedVerb<'a> = Pin<Box<dyn Future<Output = Result<Exit>> + 'a>>;

/// A boxed verb is compiled once. The runtime would compile the code of a generic one for each of its ways to block.
fn run_on(mut threads: tokio::runtime::Builder, verb: BoxedVerb<'_>) -> Result<Exit> {
    // Without them the runtime panics.
    disk::room_for(RUNTIME_FILES).wrap_err("nothing was done")?;
    let runtime = threads.enable_all().build();
    let runtime = runtime.wrap_err("no threads could be started")?;
    let exit = runtime.block_on(async {
        // From here on a write beyond a limit on file sizes fails, as on a full disk, and does not end the program.
        let _caught = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
        verb.await
    });
    // A hanging request must not delay the exit.
    runtime.shutdown_background();
    exit
}
