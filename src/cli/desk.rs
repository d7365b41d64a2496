//! `perpdeck`, or `perpdeck desk`: the living desk.

use super::{Exit, log, out, state_dir};
use crate::config::{Sources, load};
use color_eyre::{
    Result,
    eyre::{Context as _, bail},
};
use std::io::{self, IsTerminal};

pub(super) fn run(sources: &Sources) -> Result<Exit> {
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
    let _far_end = settings.far_end()?;
    bail!("this build has no desk in it yet")
}
