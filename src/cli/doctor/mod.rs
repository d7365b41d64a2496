//! `perpdeck doctor`: whether the service is there and well, and how each thing its documents leave open was settled.
//!
//! Contract: reads only, and few of them. What a read cannot settle is said to be assumed, with the setting that
//! changes it; nothing is guessed here that is not told. What can be learned is learned first, by the same reads and
//! with the same memory as the desk's, and what is reported is how the service is spoken to from then on. That a
//! service had no time for a read says nothing of how it speaks: it is waited for once, and then said to be not settled.
//! Known limit: the names of body fields cannot be tried without placing an order.

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

/// How much is known of an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum AssumptionStatus {
    /// The service was asked, and it holds.
    Asked,
    /// What the service answered shows it.
    Seen,
    /// Nothing told so far.
    Assumed,
    /// The service had no answer to it this time: limited, away or too slow.
    #[serde(rename = "not_settled")]
    #[strum(to_string = "not settled")]
    Open,
    /// The service speaks otherwise: the setting must change.
    Wrong,
}

/// One thing that is not documented (`docs/service-api.md 7`).
#[derive(Debug, Serialize)]
struct Assumption {
    what: &'static str,
    /// As it is set now.
    value: String,
    settled: AssumptionStatus,
    how: String,
    /// What changes it; none where it is not for choosing.
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum HealthVerdict {
    Ok,
    /// It works, and there is something to know.
    Note,
    Bad,
}

/// One thing about the service, or about this machine, that must be well.
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
    let service = Service::open(sources)?;
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
