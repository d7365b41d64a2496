//! `perpdeck flatten --running`: makes a running desk flatten an account at once, and does not wait for it.
//!
//! Contract: with a service configured, that is the configured account, whatever its desk shows: a desk that has the
//! journal in `state_dir` open is told through its socket. With none configured, it is the account on the screen of the only
//! paper desk in this machine's temporary directory, which receives SIGUSR1. No other desk is told; without one the exit
//! code is 12. The outcome is on that desk's screen and in its journal.

use crate::{
    app::CallerRequest,
    cli::{Exit, paper, paths::state_dir, service::configured_account, voice::Output},
    config::{Sources, load},
    journal::{WriterProcess, writer_processes},
    model::{Failure, FailureKind},
    runtime::{AccountAddress, FoundDesk, find_desk},
};
use color_eyre::{Result, eyre::ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::{env, fs, path::Path};

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
    match find_desk(dir, &account).await {
        FoundDesk::Trading(desk) => {
            let process = desk.greeting.process;
            let request = CallerRequest::Flatten(account.account_id.clone());
            match desk.ask(account, request).await {
                Some(Ok(())) => Ok(process),
                Some(Err(why)) => Err(Failure::new(FailureKind::Conflict, why)),
                None => Err(Failure::new(
                    FailureKind::Unknown,
                    format!("desk {process} did not confirm the flatten"),
                )),
            }
        }
        FoundDesk::Elsewhere(greeting) => Err(none(&format!(
            "desk {} does not trade {} at {}",
            greeting.process, account.account_id, account.base_url
        ))),
        FoundDesk::Silent(process) => Err(none(&format!("desk {process} does not answer"))),
        FoundDesk::None => Err(none(&format!(
            "no running desk has the journal in {} open (one in a dry run has not, and sends nothing)",
            dir.display()
        ))),
    }
}

/// The process of the only paper desk.
fn on_paper() -> Result<u32> {
    let desks = paper_desks();
    let [desk] = desks.as_slice() else {
        let processes = desks.iter().map(|desk| desk.number.to_string());
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
    signal(desk)?;
    Ok(desk.number)
}

fn none(why: &str) -> Failure {
    let words = format!("{why}; nothing was sent");
    Failure::new(FailureKind::Unavailable, words)
}

fn paper_desks() -> Vec<WriterProcess> {
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
        .flat_map(|entry| writer_processes(&entry.path()))
        .filter(|desk| desk.listens)
        .collect()
}

fn signal(desk: &WriterProcess) -> Result<()> {
    let process = i32::try_from(desk.number).ok().and_then(Pid::from_raw);
    let signalled = process.map(|process| kill_process(process, Signal::USR1));
    ensure!(
        matches!(signalled, Some(Ok(()))),
        "desk {} cannot be signalled",
        desk.number
    );
    Ok(())
}
