//! `perpdeck alert`: lists, adds and removes the alerts that a desk on this account watches for.
//!
//! Contract: the alerts are those of `:alert`, in the same words and the same file. Only an open desk judges them. A desk
//! keeps its alerts in memory, so while one is open on the account, alerts are changed there and not here.

use super::{
    Exit,
    act::market::unknown,
    desk::setup,
    exit::UsageError,
    out,
    service::Service,
    voice::{ListOutput, Output},
};
use crate::{
    app::{
        Model,
        activity::user_alerts::{KeptAlerts, UserAlert, UserAlerts},
        keys::keymap::Keymap,
        update::command::typed_alert,
    },
    config::{Settings, Sources, load},
    journal::lock_holder,
    model::{Failure, FailureKind, MarketId, Page},
    runtime::{AccountAddress, Clock, call, keep_alerts, kept_alerts},
    view::tables::alert_rows::{ALERTS, UserAlertRow, columns_of},
};
use clap::Subcommand;
use color_eyre::{Report, Result, eyre::Context as _};
use std::{future::ready, num::NonZeroU64};

#[derive(Debug, clap::Args)]
pub(super) struct AlertArgs {
    #[command(subcommand)]
    verb: Option<AlertVerb>,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, Subcommand)]
enum AlertVerb {
    /// Lists the alerts with their numbers (this when nothing is named)
    List {
        #[command(flatten)]
        output: ListOutput,
    },
    /// Adds an alert, in the words of `:alert`
    Add {
        /// What, which way, which level: btc above 66000, 'btc liq < 5% every', pnl below -500 for 2h
        #[arg(required = true, num_args = 1.., allow_negative_numbers = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Removes the alert of this number
        #[arg(long, value_name = "NUMBER")]
        replaces: Option<NonZeroU64>,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Removes alerts
    Remove {
        /// The numbers that `alert list` shows
        #[arg(required = true, num_args = 1..)]
        number: Vec<NonZeroU64>,
        #[command(flatten)]
        output: ListOutput,
    },
}

pub(super) async fn run(args: AlertArgs, sources: &Sources) -> Result<Exit> {
    let output = match &args.verb {
        None => args.output,
        Some(
            AlertVerb::List { output }
            | AlertVerb::Add { output, .. }
            | AlertVerb::Remove { output, .. },
        ) => *output,
    };
    let service = Service::open(sources, output.voice())?;
    match args.verb {
        None => list(&service, args.output).await,
        Some(AlertVerb::List { output }) => list(&service, output).await,
        Some(AlertVerb::Add {
            words,
            replaces,
            output,
        }) => {
            let settings = load(sources)?.settings;
            let said = (words.join(" "), replaces);
            add(&service, &settings, said, output.voice()).await
        }
        Some(AlertVerb::Remove { number, output }) => {
            remove(&service, &number, output.voice()).await
        }
    }
}

/// The alerts, numbered in the order in which they were set.
fn kept(service: &Service) -> Result<UserAlerts> {
    let kept = kept_alerts(&service.journal_dir, &service.identity()).map_err(Failure::local)?;
    let mut alerts = UserAlerts::default();
    alerts.recall(kept);
    Ok(alerts)
}

fn keep(service: &Service, alerts: &UserAlerts) -> Result<()> {
    let dir = &service.journal_dir;
    let kept: KeptAlerts = alerts.kept();
    keep_alerts(dir, &service.identity(), &kept)
        .wrap_err_with(|| format!("the alerts cannot be kept in {}", dir.display()))
}

async fn list(service: &Service, output: ListOutput) -> Result<Exit> {
    let alerts = kept(service)?;
    let rows = alerts.all().iter().map(UserAlertRow::new);
    super::read::list(
        output.voice(),
        &Page::of(rows.collect()),
        (ALERTS, columns_of::ALERT),
        ready(crate::app::Store::default()),
    )
    .await
}

async fn add(
    service: &Service,
    settings: &Settings,
    (text, replaces): (String, Option<NonZeroU64>),
    voice: Output,
) -> Result<Exit> {
    no_desk(service).await?;
    let alert = read(service, settings, &text).await?;
    let mut alerts = kept(service)?;
    if let Some(id) = replaces {
        alerts.delete(id.get()).ok_or_else(|| missing(id))?;
    }
    let id = alerts.set(alert);
    keep(service, &alerts)?;
    say(voice, "added", alerts.get(id))?;
    voice.note("a desk on this account watches for it; no desk is open on it now");
    Ok(Exit::Ok)
}

/// In the words of the desk, with its list of markets.
async fn read(service: &Service, settings: &Settings, text: &str) -> Result<UserAlert> {
    let now = Clock::start().now();
    let mut model = Model::new(setup::options(settings), Keymap::default(), now);
    service.take_prices(&mut model.store).await;
    service.take_positions(&mut model.store).await;
    let first = text.split([' ', '<', '>']).next().unwrap_or_default();
    let is_market = !model.store.markets_named(first).is_empty();
    if !is_market && first != "pnl" && !first.is_empty() {
        let words = unknown(&MarketId::from(first), &model.store.known_markets());
        return Err(Report::new(UsageError(words)));
    }
    let read = typed_alert(&mut model, text);
    Ok(read.map_err(|fault| UsageError(format!("{text:?}: {}", fault.what)))?)
}

async fn remove(service: &Service, numbers: &[NonZeroU64], voice: Output) -> Result<Exit> {
    no_desk(service).await?;
    let mut alerts = kept(service)?;
    let unknown = numbers.iter().find(|id| alerts.get(id.get()).is_none());
    if let Some(id) = unknown {
        return Err(missing(*id).into());
    }
    let removed: Vec<_> = numbers
        .iter()
        .filter_map(|id| alerts.delete(id.get()))
        .collect();
    keep(service, &alerts)?;
    for alert in &removed {
        say(voice, "removed", Some(alert))?;
    }
    Ok(Exit::Ok)
}

fn missing(id: NonZeroU64) -> Failure {
    let words = format!("there is no alert {id}; \"perpdeck alert list\" lists them");
    Failure::new(FailureKind::NotFound, words)
}

/// One line for each alert that was changed.
fn say(voice: Output, what: &str, alert: Option<&UserAlert>) -> Result<()> {
    let Some(alert) = alert else {
        return Ok(());
    };
    let line = if voice.is_json() {
        super::voice::json(&serde_json::json!({ "data": UserAlertRow::new(alert) }))
    } else {
        format!("alert {} {what}: {alert}", alert.id)
    };
    Ok(out::say(&format!("{line}\n"))?)
}

/// A desk would write its own alerts over what is changed here.
async fn no_desk(service: &Service) -> Result<()> {
    let dir = &service.journal_dir;
    let Some(holder) = lock_holder(dir).filter(|holder| holder.listens) else {
        return Ok(());
    };
    let own = AccountAddress::from(service.client.connection());
    let is_other = call(dir)
        .await
        .is_some_and(|desk| !desk.greeting.accounts.contains(&own));
    if is_other {
        return Ok(());
    }
    let words = format!(
        "the desk of process {} keeps the alerts of {}: change them there (:alert btc > 66000, or @), or close it first",
        holder.process, service.account
    );
    Err(Report::new(Failure::new(FailureKind::Conflict, words)))
}
