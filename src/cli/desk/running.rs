//! `perpdeck flatten --running`: makes a running desk flatten an account at once, and does not wait for it.
//!
//! Contract: with a service configured, that is the configured account, whatever its desk shows: the desk that holds the
//! journal in `state_dir` is told through its socket. With none configured, it is the account on the screen of the only
//! paper desk in this machine's temporary directory, which receives SIGUSR1. No other desk is told; without one the exit
//! code is 12. The outcome is on that desk's screen and in its journal.

use crate::{
    cli::{Exit, paper, paths::state_dir, service::configured_account, voice::Output},
    config::{Sources, keyless, load},
    journal::{LockHolder, lock_holder},
    model::{Failure, FailureKind, ProcessKind},
    runtime::{AccountAddress, FoundDesk, find_desk},
};
use color_eyre::{
    Result,
    eyre::{Context as _, ensure},
};
use std::{env, fs, path::Path, process::Command};

pub(in crate::cli) async fn flatten(sources: &Sources, voice: Output) -> Result<Exit> {
    let settings = load(sources)?.settings;
    let process = match configured_account(&settings).await? {
        Some(account) => on_service(&state_dir(&settings), account).await?,
        None => on_paper()?,
    };
    voice.result(&format!("desk {process} is flattening\n"), None);
    Ok(Exit::Ok)
}

/// The process of the desk that flattens the account.
async fn on_service(dir: &Path, account: AccountAddress) -> Result<u32, Failure> {
    match find_desk(ProcessKind::Verb, dir, &account).await {
        FoundDesk::Trading(desk) => {
            let process = desk.greeting.process;
            desk.begin_flatten(account).await?;
            Ok(process)
        }
        FoundDesk::Elsewhere(greeting) => Err(none(&format!(
            "desk {} trades other accounts than {} at {}",
            greeting.process, account.account_id, account.base_url
        ))),
        FoundDesk::Silent => Err(none(&match lock_holder(dir) {
            Some(holder) => format!(
                "process {} holds the journal in {} and does not answer",
                holder.process,
                dir.display()
            ),
            None => format!(
                "no running desk holds the journal in {} (one in a dry run has none, and sends nothing)",
                dir.display()
            ),
        })),
    }
}

/// The process of the only paper desk.
fn on_paper() -> Result<u32> {
    let desks = paper_desks();
    let [desk] = desks.as_slice() else {
        let processes = desks.iter().map(|desk| desk.process.to_string());
        let processes = processes.collect::<Vec<_>>().join(", ");
        let why = if processes.is_empty() {
            "no service is configured, and no paper desk runs".to_owned()
        } else {
            format!(
                "several paper desks run, as processes {processes}; \"kill -USR1\" flattens one"
            )
        };
        return Err(none(&why).into());
    };
    signal(*desk)?;
    Ok(desk.process)
}

fn none(why: &str) -> Failure {
    let words = format!("{why}; nothing was sent");
    Failure::new(FailureKind::Unavailable, words)
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
        .filter(|desk| desk.listens)
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
