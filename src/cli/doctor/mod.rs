//! `perpdeck doctor`: whether the service works, and whether this machine is ready to trade with it.
//!
//! Contract: only reads, and few. If the service had no time for a read, doctor waits once and then reports what it has.

mod answers;
mod health;

use super::{
    Exit, out,
    service::Service,
    voice::{FormOutput, Output, json},
};
use crate::config::Sources;
use answers::DoctorAnswers;
use color_eyre::Result;
use serde::Serialize;
use strum::Display;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    output: FormOutput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum HealthVerdict {
    Ok,
    /// It works, with a remark.
    Note,
    Bad,
}

/// One thing about the service or this machine that must work.
#[derive(Debug, Serialize)]
struct HealthCheck {
    what: &'static str,
    verdict: HealthVerdict,
    how: String,
}

#[derive(Debug, Serialize)]
struct DoctorReport {
    checks: Vec<HealthCheck>,
}

pub(super) async fn run(args: DoctorArgs, sources: &Sources) -> Result<Exit> {
    let voice = args.output.voice();
    examine(voice, sources).await
}

async fn examine(voice: Output, sources: &Sources) -> Result<Exit> {
    let service = Service::open(sources, voice).await?;
    let answers = DoctorAnswers::of(&service).await;
    let report = DoctorReport {
        checks: health::checks(&answers, &service.journal_dir),
    };
    out::say(&if voice.is_json() {
        format!("{}\n", json(&report))
    } else {
        report.words()
    })?;
    let exit = answers.trouble().map_or(Exit::Ok, |why| voice.failure(why));
    Ok(exit.or(report.exit()))
}

impl DoctorReport {
    fn exit(&self) -> Exit {
        let bad = self
            .checks
            .iter()
            .any(|check| check.verdict == HealthVerdict::Bad);
        if bad { Exit::Partial } else { Exit::Ok }
    }

    fn words(&self) -> String {
        let checks = self.checks.iter().map(|check| {
            let (what, verdict, how) = (check.what, check.verdict.to_string(), &check.how);
            format!("{what:<16} {verdict:<12} {how}\n")
        });
        checks.collect()
    }
}
