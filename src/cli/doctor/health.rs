//! Whether the service works, and whether this machine is ready to trade with it.

use super::{
    HealthCheck,
    HealthVerdict::{self, Bad, Note, Ok as Good},
    answers::DoctorAnswers,
};
use crate::{
    cli::disk_wait::{Work, no_answer},
    config::is_secret_variable,
    journal::Journal,
    model::{Account, FailureKind, Page},
};
use std::{collections::BTreeSet, env, path::Path, time::Duration};

/// A larger difference of the clocks, in seconds, may misread `Retry-After` dates and expiries.
const SKEW: u64 = 5;
/// With a larger median, polls overtake each other.
const SLOW: Duration = Duration::from_secs(1);

/// How long a disk may take to open the journal.
const DISK: Duration = Duration::from_secs(3);

pub(super) fn checks(answers: &DoctorAnswers, journal_dir: &Path) -> Vec<HealthCheck> {
    let mut checks = vec![reach(answers), transport(answers), proxy(answers)];
    checks.extend(authorization(answers));
    checks.extend(account(answers));
    checks.extend(environment_of(answers));
    checks.extend(markets(answers));
    checks.extend(clock(answers));
    checks.extend(latency(answers));
    checks.push(budget(answers));
    checks.push(journal(journal_dir));
    checks.push(environment());
    checks
}

impl HealthVerdict {
    fn of(self, what: &'static str, how: impl Into<String>) -> HealthCheck {
        HealthCheck {
            what,
            verdict: self,
            how: how.into(),
        }
    }
}

fn reach(answers: &DoctorAnswers) -> HealthCheck {
    let place = &answers.connection.base_url;
    match answers.trouble() {
        // Any response means that the service is there.
        Some(why) if why.status.is_none() => Bad.of("service", format!("{place}: {why}")),
        Some(_) | None => Good.of("service", format!("{place} answers")),
    }
}

fn transport(answers: &DoctorAnswers) -> HealthCheck {
    if answers.connection.base_url.starts_with("https:") {
        let how = match answers.trouble() {
            Some(why) if why.status.is_none() => {
                return Bad.of("tls", why.to_string());
            }
            Some(_) | None => "https, with a certificate that this machine trusts",
        };
        return Good.of("tls", how);
    }
    Note.of("tls", "none: plain http, to this machine only")
}

/// The proxy in use, and the proxy variable that is not used.
fn proxy(answers: &DoctorAnswers) -> HealthCheck {
    let set = answers.connection.proxy.as_ref();
    let how = set.map_or_else(
        || "none: requests go directly to the service".to_owned(),
        |proxy| format!("requests to other machines go through {proxy}"),
    );
    let Some(name) = answers.idle_proxy else {
        return Good.of("proxy", how);
    };
    Note.of(
        "proxy",
        format!("{how}; the environment variable {name} is ignored (set proxy instead)"),
    )
}

fn authorization(answers: &DoctorAnswers) -> Option<HealthCheck> {
    match answers.trouble() {
        None => Some(Good.of("key", "the service accepts it")),
        Some(why) if why.kind == FailureKind::Auth => Some(Bad.of("key", why.to_string())),
        Some(_) => None,
    }
}

fn account(answers: &DoctorAnswers) -> Option<HealthCheck> {
    let id = &answers.connection.account_id;
    if let Some(why) = answers.trouble() {
        let is_missing = why.kind == FailureKind::NotFound;
        return is_missing.then(|| Bad.of("account", format!("{id}: {why}")));
    }
    let accounts = answers.rest.as_ref()?.accounts.as_ref();
    let is_own = |page: &Page<Account>| page.rows.iter().any(|account| account.id == *id);
    Some(match accounts {
        Ok(page) if !is_own(page) => {
            let own: Vec<_> = page.rows.iter().map(ToString::to_string).collect();
            let own = own.join(", ");
            Bad.of(
                "account",
                format!("{id} is not an account of this key, which has: {own}"),
            )
        }
        Ok(_) | Err(_) => Good.of("account", format!("the key can read {id}")),
    })
}

/// Whether orders of this service are real or a test, as it says of itself.
fn environment_of(answers: &DoctorAnswers) -> Option<HealthCheck> {
    let about = &answers.rest.as_ref()?.about;
    Some(match about {
        Ok(about) => {
            let word = about.environment.as_ref();
            let word = word.map_or_else(|| "does not say".to_owned(), ToString::to_string);
            Good.of("live or test", word)
        }
        Err(why) => Note.of("live or test", why.to_string()),
    })
}

fn markets(answers: &DoctorAnswers) -> Option<HealthCheck> {
    Some(match &answers.rest.as_ref()?.listings {
        Ok(page) => {
            let how = format!("{} markets are listed", page.rows.len());
            Good.of("markets", how)
        }
        Err(why) => Bad.of("markets", why.to_string()),
    })
}

fn clock(answers: &DoctorAnswers) -> Option<HealthCheck> {
    answers.rest.as_ref()?;
    let Some(ahead) = answers.first()?.ahead else {
        let how = "unknown: the answers have no Date header";
        return Some(Note.of("clock", how));
    };
    let verdict = if ahead.unsigned_abs() > SKEW {
        Note
    } else {
        Good
    };
    let how = match ahead {
        0 => "the same second as the service's".to_owned(),
        1.. => format!("the service's clock is {ahead} s ahead of this machine's"),
        _ => format!(
            "the service's clock is {} s behind this machine's",
            ahead.unsigned_abs()
        ),
    };
    Some(verdict.of("clock", how))
}

fn latency(answers: &DoctorAnswers) -> Option<HealthCheck> {
    answers.rest.as_ref()?;
    let times = answers.latencies();
    let (least, median, most) = (times.first()?, times.get(times.len() / 2)?, times.last()?);
    let verdict = if *median > SLOW { Note } else { Good };
    let how = format!(
        "{} ms minimum, {} ms median, {} ms maximum of {} reads",
        millis(*least),
        millis(*median),
        millis(*most),
        times.len()
    );
    Some(verdict.of("latency", how))
}

/// With one decimal.
fn millis(span: Duration) -> String {
    let tenths = span.as_micros() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn budget(answers: &DoctorAnswers) -> HealthCheck {
    let named: BTreeSet<_> = answers
        .open
        .iter()
        .flat_map(|probe| &probe.budgets)
        .collect();
    let named: Vec<_> = named.iter().map(ToString::to_string).collect();
    let headers = if named.is_empty() {
        "the service states no rate limit".to_owned()
    } else {
        named.join(", ")
    };
    let (calls, limited) = (answers.calls, answers.limited);
    let verdict = if limited > 0 { Note } else { Good };
    verdict.of(
        "budgets",
        format!("{limited} of {calls} requests were limited; {headers}"),
    )
}

/// Whether a key is readable in the process's initial environment.
fn environment() -> HealthCheck {
    let secret =
        env::vars_os().filter(|(name, value)| is_secret_variable(name) && !value.is_empty());
    let names: Vec<_> = secret
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    if names.is_empty() {
        return Good.of("environment", "the environment of this process has no key");
    }
    let how = format!(
        "{} is in it, where root and programs of yours can read it; api_key_file, api_key_command and api_key_keyring avoid that",
        names.join(", ")
    );
    Note.of("environment", how)
}

/// Opened briefly, as an order would.
fn journal(dir: &Path) -> HealthCheck {
    let place = dir.to_owned();
    let opened = Work::begin(move || {
        let works = |journal: Journal| {
            let damage = journal.damage().map(str::to_owned);
            journal.failure().cloned().map_or(Ok(damage), Err)
        };
        Journal::open(&place).and_then(works)
    });
    match opened.within(DISK) {
        Some(Ok(Some(damage))) => Bad.of("journal", damage),
        Some(Ok(None)) => Good.of("journal", format!("{} is ready", dir.display())),
        Some(Err(why)) => Bad.of("journal", why.to_string()),
        None => Bad.of("journal", no_answer(dir)),
    }
}
