//! `perpdeck flatten --running`: makes the only paper desk of this machine's temporary directory flatten the account that
//! it shows, by SIGUSR1, and does not wait for it. The outcome is on that desk's screen and in its journal. Without one
//! the exit code is 12.

use crate::{
    cli::{Exit, paper, voice::Output},
    journal::{WriterProcess, writer_processes},
    model::{Failure, FailureKind},
};
use color_eyre::{Result, eyre::ensure};
use rustix::process::{Pid, Signal, kill_process};
use std::{env, fs};

pub(in crate::cli) fn flatten(voice: Output) -> Result<Exit> {
    let process = on_paper()?;
    voice.result(&format!("desk {process} is flattening\n"), None);
    Ok(Exit::Ok)
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
