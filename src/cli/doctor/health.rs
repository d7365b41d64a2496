//! Whether the service works, and whether this machine is ready to trade with it.

use super::{HealthCheck, HealthVerdict, asked::DoctorAnswers};
use crate::{
    cli::disk_wait::{Work, no_answer},
    config::is_secret_variable,
    journal::Journal,
    model::FailureKind,
};
use std::{collections::BTreeSet, env, path::Path, time::Duration};

/// A larger difference of the clocks, in seconds, may misread `Retry-After` dates and expiries.
const SKEW: u64 = 5;
/// With a larger median, polls overtake each other.
const SLOW: Duration = Duration::from_secs(1);

/// How long a disk may take to open the journal.
const DISK: Duration = Duration::from_secs(3);

pub(super) fn checks(asked: &DoctorAnswers, journal_dir: &Path) -> Vec<HealthCheck> {
    let mut checks = vec![reach(asked), transport(asked), proxy(asked)];
    checks.extend(authorization(asked));
    checks.extend(account(asked));
    checks.extend(environment_of(asked));
    checks.extend(markets(asked));
    checks.extend(clock(asked));
    checks.extend(latency(asked));
    checks.push(budget(asked));
    checks.push(journal(journal_dir));
    checks.push(environment());
    checks
}

fn check(what: &'static str, verdict: HealthVerdict, how: impl Into<String>) -> HealthCheck {
    HealthCheck {
        what,
        verdict,
        how: how.into(),
    }
}

fn reach(asked: &DoctorAnswers) -> HealthCheck {
    let place = &asked.connection.base_url;
    match asked.trouble() {
        // Any response means that the service is there.
        Some(why) if why.status.is_none() => {
            check("service", HealthVerdict::Bad, format!("{place}: {why}"))
        }
        Some(_) | None => check("service", HealthVerdict::Ok, format!("{place} answers")),
    }
}

fn transport(asked: &DoctorAnswers) -> HealthCheck {
    if asked.connection.base_url.starts_with("https:") {
        let how = match asked.trouble() {
            Some(why) if why.status.is_none() => {
                return check("tls", HealthVerdict::Bad, why.to_string());
            }
            Some(_) | None => "https, with a certificate that this machine trusts",
        };
        return check("tls", HealthVerdict::Ok, how);
    }
    check(
        "tls",
        HealthVerdict::Note,
        "none: plain http, to this machine only",
    )
}

/// The proxy in use, and the proxy variable that is not used.
fn proxy(asked: &DoctorAnswers) -> HealthCheck {
    let set = asked.connection.proxy.as_ref();
    let how = set.map_or_else(
        || "none: requests go directly to the service".to_owned(),
        |proxy| format!("requests to other machines go through {proxy}"),
    );
    let Some(name) = asked.idle_proxy else {
        return check("proxy", HealthVerdict::Ok, how);
    };
    check(
        "proxy",
        HealthVerdict::Note,
        format!("{how}; the environment variable {name} is ignored (set proxy instead)"),
    )
}

fn authorization(asked: &DoctorAnswers) -> Option<HealthCheck> {
    match asked.trouble() {
        None => Some(check("key", HealthVerdict::Ok, "the service accepts it")),
        Some(why) if why.kind == FailureKind::Auth => {
            Some(check("key", HealthVerdict::Bad, why.to_string()))
        }
        Some(_) => None,
    }
}

fn account(asked: &DoctorAnswers) -> Option<HealthCheck> {
    let id = &asked.connection.account_id;
    let said = |verdict, how: String| Some(check("account", verdict, how));
    if let Some(why) = asked.trouble() {
        let is_missing = why.kind == FailureKind::NotFound;
        return said(HealthVerdict::Bad, format!("{id}: {why}")).filter(|_| is_missing);
    }
    let Ok(accounts) = &asked.rest.as_ref()?.accounts else {
        return said(HealthVerdict::Ok, format!("the key can read {id}"));
    };
    if accounts.rows.iter().any(|account| account.id == *id) {
        return said(HealthVerdict::Ok, format!("the key can read {id}"));
    }
    let own: Vec<_> = accounts.rows.iter().map(ToString::to_string).collect();
    let own = own.join(", ");
    said(
        HealthVerdict::Bad,
        format!("{id} is not an account of this key, which has: {own}"),
    )
}

/// Whether orders of this service are real or a test, as it says of itself.
fn environment_of(asked: &DoctorAnswers) -> Option<HealthCheck> {
    let about = &asked.rest.as_ref()?.about;
    Some(match about {
        Ok(about) => {
            let word = about.environment.as_ref();
            let word = word.map_or_else(|| "does not say".to_owned(), ToString::to_string);
            check("live or test", HealthVerdict::Ok, word)
        }
        Err(why) => check("live or test", HealthVerdict::Note, why.to_string()),
    })
}

fn markets(asked: &DoctorAnswers) -> Option<HealthCheck> {
    Some(match &asked.rest.as_ref()?.listings {
        Ok(page) => {
            let how = format!("{} markets are listed", page.rows.len());
            check("markets", HealthVerdict::Ok, how)
        }
        Err(why) => check("markets", HealthVerdict::Bad, why.to_string()),
    })
}

fn clock(asked: &DoctorAnswers) -> Option<HealthCheck> {
    asked.rest.as_ref()?;
    let Some(ahead) = asked.first()?.ahead else {
        let how = "unknown: the answers have no Date header";
        return Some(check("clock", HealthVerdict::Note, how));
    };
    let verdict = if ahead.unsigned_abs() > SKEW {
        HealthVerdict::Note
    } else {
        HealthVerdict::Ok
    };
    let how = match ahead {
        0 => "the same second as the service's".to_owned(),
        1.. => format!("the service's clock is {ahead} s ahead of this machine's"),
        _ => format!(
            "the service's clock is {} s behind this machine's",
            ahead.unsigned_abs()
        ),
    };
    Some(check("clock", verdict, how))
}

fn latency(asked: &DoctorAnswers) -> Option<HealthCheck> {
    asked.rest.as_ref()?;
    let times = asked.latencies();
    let (least, median, most) = (times.first()?, times.get(times.len() / 2)?, times.last()?);
    let verdict = if *median > SLOW {
        HealthVerdict::Note
    } else {
        HealthVerdict::Ok
    };
    let how = format!(
        "{} ms minimum, {} ms median, {} ms maximum of {} reads",
        millis(*least),
        millis(*median),
        millis(*most),
        times.len()
    );
    Some(check("latency", verdict, how))
}

/// With one decimal.
fn millis(span: Duration) -> String {
    let tenths = span.as_micros() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn budget(asked: &DoctorAnswers) -> HealthCheck {
    let named: BTreeSet<_> = asked.open.iter().flat_map(|probe| &probe.budgets).collect();
    let named: Vec<_> = named.iter().map(ToString::to_string).collect();
    let told = if named.is_empty() {
        "the service states no rate limit".to_owned()
    } else {
        named.join(", ")
    };
    let (calls, limited) = (asked.calls, asked.limited);
    let verdict = if limited > 0 {
        HealthVerdict::Note
    } else {
        HealthVerdict::Ok
    };
    check(
        "budgets",
        verdict,
        format!("{limited} of {calls} requests were limited; {told}"),
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
        return check(
            "environment",
            HealthVerdict::Ok,
            "the environment of this process has no key",
        );
    }
    let how = format!(
        "{} is in it, where root and programs of yours can read it; api_key_file, api_key_command and api_key_keyring avoid that",
        names.join(", ")
    );
    check("environment", HealthVerdict::Note, how)
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
    let said = |verdict, words| check("journal", verdict, words);
    match opened.within(DISK) {
        Some(Ok(Some(damage))) => said(HealthVerdict::Bad, damage),
        Some(Ok(None)) => said(HealthVerdict::Ok, format!("{} is ready", dir.display())),
        Some(Err(why)) => said(HealthVerdict::Bad, why.to_string()),
        None => said(HealthVerdict::Bad, no_answer(dir)),
    }
}
