//! `perpdeck doctor`: whether the service works, and how each undocumented point was settled.
//!
//! Contract: only reads, and few. A point that reads cannot settle is reported as assumed, with the setting that
//! changes it; nothing is guessed silently. Learning comes first, with the same reads and storage as the desk's, and
//! the report shows the dialect in use afterwards. If the service had no time for a read, doctor waits once and then
//! reports the point as not settled. Known limit: the names of body fields cannot be tested without placing an order.

mod asked;
mod dialect;
mod health;
mod markets;
mod rows;

use super::{
    Exit, out,
    sandbox::Sandbox,
    service::Service,
    voice::{FormOutput, Output, json},
};
use crate::config::Sources;
use asked::DoctorAnswers;
use color_eyre::Result;
use serde::Serialize;
use strum::Display;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    output: FormOutput,
}

/// How well an assumption is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum AssumptionStatus {
    /// Tested, and it holds.
    Asked,
    /// The service's responses show it.
    Seen,
    /// No evidence so far.
    Assumed,
    /// The service did not answer: rate limited, unreachable or too slow.
    #[serde(rename = "not_settled")]
    #[strum(to_string = "not settled")]
    Open,
    /// The service differs: the setting must change.
    Wrong,
}

/// One undocumented point (`docs/service-api.md 7`).
#[derive(Debug, Serialize)]
struct Assumption {
    what: &'static str,
    /// Its current value.
    value: String,
    settled: AssumptionStatus,
    how: String,
    /// The setting that changes it; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<&'static str>,
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
    assumptions: Vec<Assumption>,
}

pub(super) async fn run(args: DoctorArgs, sources: &Sources, sandbox: &Sandbox) -> Result<Exit> {
    let voice = args.output.voice();
    examine(voice, sources, sandbox).await
}

async fn examine(voice: Output, sources: &Sources, sandbox: &Sandbox) -> Result<Exit> {
    let service = Service::open(sources, voice)?;
    let asked = DoctorAnswers::of(&service).await?;
    let report = DoctorReport {
        checks: health::checks(&asked, &service.journal_dir, sandbox),
        assumptions: dialect::assumptions(&asked),
    };
    out::say(&if voice.is_json() {
        format!("{}\n", json(&report))
    } else {
        report.words()
    })?;
    let exit = asked.trouble().map_or(Exit::Ok, |why| voice.failure(why));
    Ok(exit.or(report.exit()))
}

impl DoctorReport {
    fn exit(&self) -> Exit {
        let bad = self
            .checks
            .iter()
            .any(|check| check.verdict == HealthVerdict::Bad);
        let is_open =
            |a: &Assumption| matches!(a.settled, AssumptionStatus::Wrong | AssumptionStatus::Open);
        let wrong = self.assumptions.iter().any(is_open);
        if bad || wrong {
            Exit::Partial
        } else {
            Exit::Ok
        }
    }

    fn words(&self) -> String {
        let checks = self.checks.iter().map(|check| {
            let (what, verdict, how) = (check.what, check.verdict.to_string(), &check.how);
            format!("{what:<16} {verdict:<12} {how}\n")
        });
        let assumptions = self.assumptions.iter().map(|assumption| {
            let (what, settled) = (assumption.what, assumption.settled.to_string());
            let setting = assumption.setting.unwrap_or("not a setting");
            format!(
                "{what:<16} {settled:<12} {}\n{:30}{}\n{:30}{setting}\n",
                assumption.value, "", assumption.how, ""
            )
        });
        let heading = "\nWhat the API documents leave open, what perpdeck assumes, and the setting that changes it\n";
        checks
            .chain([heading.to_owned()])
            .chain(assumptions)
            .collect()
    }
}
