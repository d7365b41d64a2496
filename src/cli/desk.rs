//! `perpdeck`, `perpdeck desk` and `perpdeck demo`: the living desk.

use super::{Exit, far, log, out, state_dir, world::World};
use crate::{
    config::{FarEnd, Sources, load},
    runtime::{self, Clock, End},
};
use color_eyre::{Result, eyre::Context as _};
use std::io::{self, IsTerminal};
use tokio_util::sync::CancellationToken;

/// What to trade with.
#[derive(Debug)]
pub(super) enum Choice {
    /// The configured service, or the paper exchange when none is.
    Configured,
    /// The paper exchange, whatever is configured.
    Paper(World),
}

pub(super) async fn run(choice: Choice, sources: &Sources) -> Result<Exit> {
    let settings = load(sources)?.settings;
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        out::complain(
            "the desk needs a terminal; \"perpdeck snapshot\" writes one frame of it anywhere",
        );
        return Ok(Exit::Usage);
    }
    let dir = state_dir(&settings);
    log::start(&dir, settings.log_level)
        .wrap_err_with(|| format!("the log in {} cannot be written", dir.display()))?;
    let start = far::start(&settings)?;
    let stop = CancellationToken::new();
    let ended = match choice {
        Choice::Configured => match settings.far_end()? {
            FarEnd::LiveApi(connection) => {
                runtime::desk(start, far::service(*connection, dir)).await
            }
            FarEnd::Paper => paper(start, World::default(), stop.clone()).await,
        },
        Choice::Paper(world) => paper(start, world, stop.clone()).await,
    };
    stop.cancel();
    Ok(match ended.wrap_err("the terminal cannot be used")? {
        End::Quit => Exit::Ok,
        End::Signal(code) => Exit::Signal(code),
    })
}

async fn paper(start: runtime::Start, world: World, stop: CancellationToken) -> io::Result<End> {
    let journal = far::PaperJournal::new();
    let (now, pace) = (Clock::Wall.now(), world.pace());
    let opening = far::paper(world, now, pace, journal.path(), stop);
    runtime::desk(start, opening).await
}
