//! The command line: what may be typed, and one file per verb.
//!
//! Contract: settings are loaded once, here, and everything a verb does starts from them. What is wrong is one line
//! (or one per problem) on standard error and an exit code of [`Exit`]; a reader who went away is no error.

mod act;
mod args;
mod columns;
mod completions;
mod core_dumps;
mod desk;
mod disk_wait;
mod doctor;
mod environment;
mod exchange_args;
mod exit;
mod flags;
mod journal;
mod log;
mod man;
mod out;
mod paper;
mod paths;
mod read;
mod sandbox;
mod schema;
mod serve;
mod service;
mod settings;
mod snapshot;
mod usage_error;
mod voice;

pub use args::Args;
pub use environment::Environment;
pub use exit::Exit;

use crate::config;
use args::Verb;
use clap::{CommandFactory as _, Parser as _};
use color_eyre::{Result, config::HookBuilder, eyre::Context as _};
use desk::Choice;
use exit::Misuse;
use std::panic;
use voice::Voice;

/// What was typed; what cannot be read is told as every other mistake is, and the help where it was asked for.
pub fn read() -> std::result::Result<Args, Exit> {
    Args::try_parse().map_err(|why| usage_error::tell(&why, Voice::from_command_line()))
}

/// Does what was asked with what the environment sets, and says how it went.
pub fn run(args: Args, environment: Environment) -> Exit {
    core_dumps::keep_memory_private();
    let done = explain_panics().and_then(|()| choose(args, environment));
    done.unwrap_or_else(|report| Voice::from_command_line().explain(&report))
}

/// As `color_eyre::install`, whose report of a panic panics itself where standard error is a terminal that is gone.
fn explain_panics() -> Result<()> {
    let (panics, errors) = HookBuilder::default().into_hooks();
    errors.install()?;
    panic::set_hook(Box::new(move |info| {
        out::aside(&panics.panic_report(info).to_string());
    }));
    Ok(())
}

fn choose(args: Args, environment: Environment) -> Result<Exit> {
    let variables = environment.variables();
    let sources = args.settings.sources(variables, config::user_file());
    if args.verb.is_some() && args.desk.data_dir.is_some() {
        let words = "--data-dir belongs behind desk, demo or serve";
        return Err(Misuse(words.to_owned()).into());
    }
    match args.verb {
        None => desk(Choice::Configured(args.desk), &sources),
        Some(Verb::Desk(keep)) => desk(Choice::Configured(keep), &sources),
        Some(Verb::Demo(world)) => desk(Choice::Paper(world), &sources),
        Some(Verb::Serve(args)) => live(serve::run(args, &sources)),
        Some(Verb::Snapshot(args)) => live(snapshot::run(args, &sources)),
        Some(Verb::Orders(args)) => live(read::orders::run(args, &sources)),
        Some(Verb::Positions(args)) => live(read::positions::run(args, &sources)),
        Some(Verb::Twaps(args)) => live(read::twaps::run(args, &sources)),
        Some(Verb::Scaled(args)) => live(read::scaled::run(args, &sources)),
        Some(Verb::Place(args)) => live(act::place::run(*args, &sources)),
        Some(Verb::Twap(args)) => live(act::strategy::twap(*args, &sources)),
        Some(Verb::Ladder(args)) => live(act::strategy::ladder(*args, &sources)),
        Some(Verb::Close(args)) => live(act::close::run(args, &sources)),
        Some(Verb::Cancel(args)) => live(act::cancel::run(args, &sources)),
        Some(Verb::Exits(args)) => live(act::exits::run(args, &sources)),
        Some(Verb::Margin(args)) => live(act::margin::run(args, &sources)),
        Some(Verb::CloseAll(args)) => live(act::close_all::run(args, &sources)),
        Some(Verb::Doctor(args)) => {
            // In the sandbox of a desk: what it finds well is well there.
            let sandbox = sandbox::enter(&sources, None);
            live(doctor::run(args, &sources, &sandbox))
        }
        Some(Verb::Flatten(args)) => live(act::flatten::run(args, &sources)),
        Some(Verb::Journal(args)) => journal::run(&args, &sources),
        Some(Verb::Config(args)) => settings::run(&args, &sources),
        Some(Verb::Schema(args)) => schema::run(&args),
        Some(Verb::Completions(args)) => completions::run(&args, Args::command()),
        Some(Verb::Man(args)) => man::run(&args, Args::command()),
    }
}

/// The sandbox holds the threads that are started in it: it comes before the runtime.
fn desk(choice: Choice, sources: &config::Sources) -> Result<Exit> {
    let sandbox = sandbox::enter(sources, choice.data_dir());
    live(desk::run(choice, sources, &sandbox))
}

/// Runs a verb that waits for sockets, timers or keys.
fn live(verb: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().wrap_err("no threads to run on")?;
    let exit = runtime.block_on(verb);
    // A request that hangs must not hold the shell back.
    runtime.shutdown_background();
    exit
}
