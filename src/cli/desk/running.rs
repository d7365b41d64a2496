//! `perpdeck flatten --running`: makes the running desk flatten the account on its screen at once.
//!
//! Contract: finds the desk by the lock of its journal (in `state_dir`; if nobody holds that, every paper desk in this
//! machine's temporary directory), and sends it SIGUSR1. Exits 12 if there is none. The outcome is on that desk's
//! screen and in its journal.

use crate::{
    cli::{Exit, out, paper, paths::state_dir},
    config::{Sources, keyless, load},
    journal::{LockHolder, lock_holder},
    model::{Failure, FailureKind},
};
use color_eyre::{
    Result,
    eyre::{Context as _, ensure},
};
use std::{env, fs, process::Command};

pub(in crate::cli) fn flatten(sources: &Sources) -> Result<Exit> {
    let dir = state_dir(&load(sources)?.settings);
    let desks = match lock_holder(&dir) {
        Some(holder) => vec![holder],
        None => paper_desks(),
    };
    let listening: Vec<_> = desks.iter().filter(|desk| desk.listens).collect();
    if listening.is_empty() {
        let words = format!(
            "no running desk was found by its journal in {} or as a paper desk (one in a dry run has none, and sends \
             nothing)",
            dir.display()
        );
        return Err(Failure::new(FailureKind::Unavailable, words).into());
    }
    for desk in listening {
        signal(*desk)?;
        out::say(&format!("desk {} is flattening\n", desk.process))?;
    }
    Ok(Exit::Ok)
}

fn paper_desks() -> Vec<LockHolder> {
    let Ok(entries) = fs::read_dir(env::temp_dir()) else {
        return vec![];
    };
    entries
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(paper::PAPER_JOURNAL)
        })
        .filter_map(|entry| lock_holder(&entry.path()))
        .collect()
}

fn signal(desk: LockHolder) -> Result<()> {
    let mut kill = Command::new("kill");
    let status = keyless(&mut kill, env::vars_os().map(|(name, _)| name))
        .args(["-USR1", &desk.process.to_string()])
        .status()
        .wrap_err("the program kill could not be started")?;
    ensure!(
        status.success(),
        "desk {} cannot be signalled",
        desk.process
    );
    Ok(())
}
