//! `perpdeck alert`: lists, adds and removes the alerts that a desk on this account watches for.
//!
//! Contract: the alerts are those of `:alert`, in the same words and the same file. Only an open desk judges them; it has
//! what the verb changed within 2 s.

use super::{
    Exit,
    disk_wait::saying,
    exit::UsageError,
    named::unknown_market,
    options::options,
    read::ListView,
    service::Service,
    voice::{FormOutput, ListOutput, Output},
};
use crate::{
    app::{
        Model, Store,
        activity::user_alerts::{KeptAlerts, UserAlert, UserAlerts},
        keys::keymap::Keymap,
        update::command::typed_alert,
    },
    config::{Settings, Sources, load},
    model::{Failure, FailureKind, MarketId, MarketNames, Page},
    runtime::{Clock, LockedAlerts, change_alerts, kept_alerts},
    view::{
        READING,
        tables::alert_rows::{ALERTS, UserAlertRow, columns_of},
    },
};
use clap::Subcommand;
use color_eyre::{Result, eyre::Context as _};
use std::num::NonZeroU64;

const WATCHED: &str =
    "an open desk on this account watches for it within 2 s, otherwise the next one";

#[derive(Debug, clap::Args)]
pub(super) struct AlertArgs {
    #[command(subcommand)]
    verb: Option<AlertVerb>,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, Subcommand)]
enum AlertVerb {
    /// Lists the alerts with their numbers (the default)
    List {
        #[command(flatten)]
        output: ListOutput,
    },
    /// Adds an alert, in the words of `:alert`
    Add {
        /// What, which way, which level: btc above 66000, 'btc liq < 5% every', pnl below -500 for 2h
        #[arg(required = true, num_args = 1.., allow_negative_numbers = true, value_name = "WORDS")]
        words: Vec<String>,
        /// Replaces the alert with this number, in one step
        #[arg(long, value_name = "NUMBER")]
        replaces: Option<NonZeroU64>,
        #[command(flatten)]
        output: FormOutput,
    },
    /// Removes alerts
    Remove {
        /// The numbers that `alert list` shows
        #[arg(required = true, num_args = 1..)]
        number: Vec<NonZeroU64>,
        #[command(flatten)]
        output: FormOutput,
    },
}

pub(super) async fn run(args: AlertArgs, sources: &Sources) -> Result<Exit> {
    let voice = match &args.verb {
        None => args.output.voice(),
        Some(AlertVerb::List { output }) => output.voice(),
        Some(AlertVerb::Add { output, .. } | AlertVerb::Remove { output, .. }) => output.voice(),
    };
    let service = Service::open(sources, voice).await?;
    match args.verb {
        None => list(&service, &args.output),
        Some(AlertVerb::List { output }) => list(&service, &output),
        Some(AlertVerb::Add {
            words, replaces, ..
        }) => {
            let settings = load(sources)?.settings;
            let text = words.join(" ");
            add(&service, &settings, &text, replaces).await
        }
        Some(AlertVerb::Remove { number, .. }) => remove(&service, &number),
    }
}

/// Numbered in the order in which they were set.
fn numbered(kept: KeptAlerts) -> UserAlerts {
    let mut alerts = UserAlerts::default();
    alerts.recall(kept);
    alerts
}

/// The alerts while no other process changes them.
fn to_change(service: &Service) -> Result<(LockedAlerts, UserAlerts)> {
    let dir = &service.journal_dir;
    let waits = format!(
        "waiting for another perpdeck that changes alerts in {}",
        dir.display()
    );
    let locked = saying(waits, || change_alerts(dir, &service.identity()));
    let locked = locked.map_err(Failure::local)?;
    let alerts = numbered(locked.kept.clone());
    Ok((locked, alerts))
}

fn save(mut locked: LockedAlerts, alerts: &UserAlerts) -> Result<()> {
    locked.kept = alerts.kept();
    locked.save().wrap_err("the alerts cannot be kept")
}

fn list(service: &Service, output: &ListOutput) -> Result<Exit> {
    let kept = kept_alerts(&service.journal_dir, &service.identity());
    let alerts = numbered(kept.map_err(Failure::local)?);
    let rows = alerts.all().iter();
    let names = names(alerts.all());
    let rows = rows.map(|alert| UserAlertRow::new(alert, &names));
    let view = ListView::plain(ALERTS, columns_of::ALERT);
    view.print(output, &Page::of(rows.collect()), &Store::default())
}

async fn add(
    service: &Service,
    settings: &Settings,
    text: &str,
    replaces: Option<NonZeroU64>,
) -> Result<Exit> {
    let alert = read(service, settings, text).await?;
    let (locked, mut alerts) = to_change(service)?;
    if let Some(id) = replaces {
        alerts.delete(id.get()).ok_or_else(|| missing(id))?;
    }
    let id = alerts.set(alert);
    save(locked, &alerts)?;
    print_changed(service.voice, "added", alerts.get(id), &names(alerts.all()));
    service.voice.note(WATCHED);
    Ok(Exit::Ok)
}

/// In the words of the desk, with its list of markets.
async fn read(service: &Service, settings: &Settings, text: &str) -> Result<UserAlert> {
    let now = Clock::start().now();
    let mut model = Model::new(options(settings), READING, Keymap::default(), now);
    let first = text.split([' ', '<', '>']).next().unwrap_or_default();
    service.take_positions(&mut model.account.store).await;
    service
        .take_prices(&mut model.account.store, &[MarketId::from(first)])
        .await;
    let is_market = !model.account.store.markets_named(first).is_empty();
    if !is_market && first != "pnl" && !first.is_empty() {
        let words = unknown_market(&MarketId::from(first), &model.account.store);
        return Err(UsageError(words).into());
    }
    let read = typed_alert(&mut model, text);
    Ok(read.map_err(|fault| UsageError(format!("{text:?}: {}", fault.what)))?)
}

fn remove(service: &Service, numbers: &[NonZeroU64]) -> Result<Exit> {
    let (locked, mut alerts) = to_change(service)?;
    let mut removed = vec![];
    for id in numbers {
        removed.push(alerts.delete(id.get()).ok_or_else(|| missing(*id))?);
    }
    save(locked, &alerts)?;
    let names = names(&removed);
    for alert in &removed {
        print_changed(service.voice, "removed", Some(alert), &names);
    }
    Ok(Exit::Ok)
}

fn missing(id: NonZeroU64) -> Failure {
    let words = format!("there is no alert {id}; \"perpdeck alert list\" lists them");
    Failure::new(FailureKind::NotFound, words)
}

/// The coins of the markets that alerts watch: no list of markets is at hand.
fn names(alerts: &[UserAlert]) -> MarketNames {
    let ids = alerts.iter().filter_map(|one| one.subject.market_id());
    let coins: Vec<_> = ids.map(|id| (id, id.coin())).collect();
    let mut names = MarketNames::default();
    names.find(coins.iter().map(|(id, coin)| (*id, coin, coin)));
    names
}

/// One line for each alert that was changed.
fn print_changed(voice: Output, what: &str, alert: Option<&UserAlert>, names: &MarketNames) {
    let Some(alert) = alert else {
        return;
    };
    let data = serde_json::json!({ "data": UserAlertRow::new(alert, names) });
    let words = format!("alert {} {what}: {}", alert.id, alert.words(names));
    voice.answer(&data, &words, None);
}
