//! The command line: arguments, and one file per verb. May name every module.
//!
//! Contract: settings are loaded once, here, and every verb starts from them. Errors are one line each on standard
//! error and an exit code of [`Exit`]. A reader that closed its pipe is no error.

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
use args::CliVerb;
use clap::{CommandFactory as _, Parser as _};
use color_eyre::{Result, config::HookBuilder, eyre::Context as _};
use desk::DeskMode;
use exit::Misuse;
use std::panic;
use voice::Output;

/// Parses the arguments; reports mistakes like any other error, and prints help on request.
pub fn read() -> std::result::Result<Args, Exit> {
    Args::try_parse().map_err(|why| usage_error::tell(&why, Output::from_command_line()))
}

/// Runs the verb with this environment, and returns the exit code.
pub fn run(args: Args, environment: Environment) -> Exit {
    core_dumps::keep_memory_private();
    let done = explain_panics().and_then(|()| choose(args, environment));
    done.unwrap_or_else(|report| Output::from_command_line().explain(&report))
}

/// Like `color_eyre::install`, whose panic report itself panics if standard error is a closed terminal.
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
        let words = "--data-dir must follow desk, demo or serve";
        return Err(Misuse(words.to_owned()).into());
    }
    match args.verb {
        None => desk(DeskMode::Configured(args.desk), &sources),
        Some(CliVerb::Desk(keep)) => desk(DeskMode::Configured(keep), &sources),
        Some(CliVerb::Demo(world)) => desk(DeskMode::Paper(world), &sources),
        Some(CliVerb::Serve(args)) => live(serve::run(args, &sources)),
        Some(CliVerb::Snapshot(args)) => live(snapshot::run(args, &sources)),
        Some(CliVerb::Orders(args)) => live(read::orders::run(args, &sources)),
        Some(CliVerb::Positions(args)) => live(read::positions::run(args, &sources)),
        Some(CliVerb::Twaps(args)) => live(read::twaps::run(args, &sources)),
        Some(CliVerb::Scaled(args)) => live(read::scaled::run(args, &sources)),
        Some(CliVerb::Place(args)) => live(act::place::run(*args, &sources)),
        Some(CliVerb::Twap(args)) => live(act::strategy::twap(*args, &sources)),
        Some(CliVerb::Ladder(args)) => live(act::strategy::ladder(*args, &sources)),
        Some(CliVerb::Close(args)) => live(act::close::run(args, &sources)),
        Some(CliVerb::Flip(args)) => live(act::flip::run(args, &sources)),
        Some(CliVerb::Move(args)) => live(act::amend::run(*args, &sources)),
        Some(CliVerb::Cancel(args)) => live(act::cancel::run(args, &sources)),
        Some(CliVerb::Exits(args)) => live(act::exits::run(args, &sources)),
        Some(CliVerb::Margin(args)) => live(act::margin::run(args, &sources)),
        Some(CliVerb::CloseAll(args)) => live(act::close_all::run(args, &sources)),
        Some(CliVerb::Doctor(args)) => {
            // In the sandbox of a desk, so that the result holds for a desk.
            let sandbox = sandbox::enter(&sources, None);
            live(doctor::run(args, &sources, &sandbox))
        }
        Some(CliVerb::Flatten(args)) => live(act::flatten::run(args, &sources)),
        Some(CliVerb::Journal(args)) => journal::run(&args, &sources),
        Some(CliVerb::Config(args)) => settings::run(&args, &sources),
        Some(CliVerb::Schema(args)) => schema::run(&args),
        Some(CliVerb::Completions(args)) => completions::run(&args, Args::command()),
        Some(CliVerb::Man(args)) => man::run(&args, Args::command()),
    }
}

/// The sandbox covers threads started after it: it comes before the runtime.
fn desk(choice: DeskMode, sources: &config::Sources) -> Result<Exit> {
    let sandbox = sandbox::enter(sources, choice.data_dir());
    // One thread: the desk waits nearly always, and an answer need not wake a second one.
    run_on(
        tokio::runtime::Builder::new_current_thread(),
        desk::run(choice, sources, &sandbox),
    )
}

/// Runs a verb that waits for sockets, timers or keys.
fn live(verb: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    run_on(tokio::runtime::Builder::new_multi_thread(), verb)
}

fn run_on(
    mut threads: tokio::runtime::Builder,
    verb: impl Future<Output = Result<Exit>>,
) -> Result<Exit> {
    let runtime = threads.enable_all().build();
    let runtime = runtime.wrap_err("no threads could be started")?;
    let exit = runtime.block_on(verb);
    // A hanging request must not delay the exit.
    runtime.shutdown_background();
    exit
}
