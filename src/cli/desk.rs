//! `perpdeck`, `perpdeck desk` and `perpdeck demo`: the living desk.

use super::{Exit, columns, far, log, out, paper::Paper, renewal, state_dir, world::World};
use crate::{
    app::tour::Tour,
    config::{Sources, load, memory},
    runtime::{self, Clock, End},
};
use clap::ValueHint;
use color_eyre::{Result, eyre::Context as _};
use std::{
    future::ready,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};
use tokio_util::sync::CancellationToken;

#[derive(Debug, Default, clap::Args)]
pub(super) struct Keep {
    /// Keeps the desk's own paper exchange in this directory, and goes on with what it holds
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) data_dir: Option<PathBuf>,
}

/// What to trade with.
#[derive(Debug)]
pub(super) enum Choice {
    /// The configured service, or the paper exchange when none is.
    Configured(Keep),
    /// The paper exchange, whatever is configured.
    Paper(World),
}

const ELSEWHERE: &str = "--data-dir keeps the desk's own paper exchange, and the settings name a service to trade \
     with: \"perpdeck demo --data-dir\" opens the paper desk";

impl From<Keep> for World {
    fn from(keep: Keep) -> Self {
        Self {
            data_dir: keep.data_dir,
            ..Self::default()
        }
    }
}

pub(super) async fn run(choice: Choice, sources: &Sources) -> Result<Exit> {
    let loaded = load(sources)?;
    let settings = &loaded.settings;
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        out::complain(
            "the desk needs a terminal; \"perpdeck snapshot\" writes one frame of it anywhere",
        );
        return Ok(Exit::Usage);
    }
    let dir = state_dir(settings);
    let mut start = far::start(settings)?;
    let (renewals, watching) = renewal::watch(sources, loaded.clone(), &start)?;
    start.renewals = renewals;
    let recalled = columns::recall(&dir);
    start.columns = recalled.columns;
    start.warnings.extend(recalled.warnings);
    // A full or read-only disk is no reason to be left without a desk: exits work without log and journal.
    if let Err(why) = log::start(&dir, settings.log_level) {
        let warning = format!("the log in {} cannot be written: {why}", dir.display());
        start.warnings.push(warning);
    }
    let shows_around = settings.tour.then(|| dir.clone());
    let stop = CancellationToken::new();
    let ended = match choice {
        Choice::Configured(keep) => match far::configured(&loaded, &dir)? {
            Some(_) if keep.data_dir.is_some() => {
                out::complain(ELSEWHERE);
                return Ok(Exit::Usage);
            }
            Some(opened) => Box::pin(runtime::desk(start, ready(Ok(opened)))).await,
            None => {
                start.tour = shows_around.as_deref().and_then(first_tour);
                Box::pin(paper(start, keep.into(), stop.clone())).await
            }
        },
        Choice::Paper(world) => {
            start.tour = shows_around.as_deref().and_then(first_tour);
            Box::pin(paper(start, world, stop.clone())).await
        }
    };
    stop.cancel();
    watching.ends();
    Ok(match ended.wrap_err("the terminal cannot be used")? {
        End::Quit => Exit::Ok,
        End::Signal(code) => Exit::Signal(code),
    })
}

/// The tour, where it has not been shown before. It counts as shown from now on: nobody is told twice.
fn first_tour(state_dir: &Path) -> Option<Tour> {
    memory::is_first_tour(state_dir).then(Tour::default)
}

async fn paper(start: runtime::Start, world: World, stop: CancellationToken) -> io::Result<End> {
    let pace = world.pace();
    let paper = Paper::new(world);
    let options = start.options.clone();
    let opening = paper.open(Clock::start().now(), pace, options, stop.clone());
    // On the heap: it holds everything that a desk is.
    let ended = Box::pin(runtime::desk(start, opening)).await;
    stop.cancel();
    paper.ended().await;
    ended
}
