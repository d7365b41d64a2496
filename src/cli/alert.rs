//! `perpdeck alert`: lists, adds and removes the alerts that a desk on this account watches for.
//!
//! Contract: the alerts are those of `:alert`, in the same words and the same file. Only an open desk judges them. A desk
//! keeps its alerts in memory, so while one is open on the account, it changes them: the verb hands them over through the
//! desk's socket, and ends when their file has them.
//! Known limit: a desk in a dry run takes no requests, and of two desks one takes them. The other writes its own alerts over
//! the file's.

use super::{
    Exit,
    exit::UsageError,
    named::unknown_market,
    options::options,
    read::ListView,
    service::Service,
    voice::{FormOutput, ListOutput, Output},
};
use crate::{
    app::{
        CallerRequest, Model, Store,
        activity::user_alerts::{AlertEdit, KeptAlerts, UserAlert, UserAlerts},
        keys::keymap::Keymap,
        update::command::typed_alert,
    },
    config::{Settings, Sources, load},
    model::{Failure, FailureKind, MarketId, MarketNames, Page},
    runtime::{Clock, DeskConnection, FoundDesk, find_desk, keep_alerts, kept_alerts},
    view::{
        READING,
        tables::alert_rows::{ALERTS, UserAlertRow, columns_of},
    },
};
use clap::Subcommand;
use color_eyre::{Report, Result, eyre::Context as _};
use std::{num::NonZeroU64, time::Duration};
use tokio::time::sleep;

/// How often the file of the alerts is read until it holds what the desk changed, and how long apart: 2 s in all.
const WRITE_POLLS: u32 = 80;
const WRITE_POLL_INTERVAL: Duration = Duration::from_millis(25);

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
        Some(AlertVerb::Remove { number, .. }) => remove(&service, &number).await,
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

fn list(service: &Service, output: &ListOutput) -> Result<Exit> {
    let alerts = kept(service)?;
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
    let mut alerts = kept(service)?;
    let old = replaces.map(|id| alerts.delete(id.get()).ok_or_else(|| missing(id)));
    let edit = AlertEdit {
        remove: old.transpose()?.into_iter().collect(),
        add: Some(alert.clone()),
    };
    if let Some(desk) = open_desk(service).await? {
        let process = desk.greeting.process;
        let is_listed = |alerts: &UserAlerts| alerts.all().iter().any(|one| one.is_same(&alert));
        let alerts = hand_over(service, desk, edit, is_listed).await?;
        let mut newest = alerts.all().iter().rev();
        let added = newest.find(|one| one.is_same(&alert));
        print_changed(service.voice, "added", added, &names(alerts.all()));
        service
            .voice
            .note(&format!("the open desk (process {process}) watches for it"));
        return Ok(Exit::Ok);
    }
    let id = alerts.set(alert);
    keep(service, &alerts)?;
    print_changed(service.voice, "added", alerts.get(id), &names(alerts.all()));
    service
        .voice
        .note("a desk on this account watches for it; no desk is open on it now");
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

async fn remove(service: &Service, numbers: &[NonZeroU64]) -> Result<Exit> {
    let mut alerts = kept(service)?;
    let unknown = numbers.iter().find(|id| alerts.get(id.get()).is_none());
    if let Some(id) = unknown {
        return Err(missing(*id).into());
    }
    let removed: Vec<_> = numbers
        .iter()
        .filter_map(|id| alerts.delete(id.get()))
        .collect();
    if let Some(desk) = open_desk(service).await? {
        let edit = AlertEdit {
            remove: removed.clone(),
            add: None,
        };
        let left = alerts.all().len();
        let are_gone = |now: &UserAlerts| now.all().len() <= left;
        hand_over(service, desk, edit, are_gone).await?;
    } else {
        keep(service, &alerts)?;
    }
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

/// The desk that keeps the alerts of this account in its memory.
async fn open_desk(service: &Service) -> Result<Option<DeskConnection>> {
    let own = service.client.connection().into();
    match find_desk(&service.journal_dir, &own).await {
        FoundDesk::Trading(desk) => Ok(Some(desk)),
        FoundDesk::Elsewhere(_) | FoundDesk::None => Ok(None),
        FoundDesk::Silent(process) => Err(refused(&format!(
            "the desk of process {process} does not answer, and may have the alerts of {}: nothing was changed",
            service.account
        ))),
    }
}

/// Has the desk change its alerts, and answers what their file then holds.
async fn hand_over(
    service: &Service,
    desk: DeskConnection,
    edit: AlertEdit,
    is_done: impl Fn(&UserAlerts) -> bool,
) -> Result<UserAlerts> {
    let (process, own) = (desk.greeting.process, service.client.connection().into());
    match desk.ask(own, CallerRequest::EditAlerts(edit)).await {
        Some(Ok(())) => {}
        Some(Err(why)) => return Err(refused(&why)),
        None => {
            return Err(refused(&format!(
                "the desk of process {process} did not answer: change the alerts there (:alert btc > 66000, or @)"
            )));
        }
    }
    for _ in 0..WRITE_POLLS {
        let alerts = kept(service)?;
        if is_done(&alerts) {
            return Ok(alerts);
        }
        sleep(WRITE_POLL_INTERVAL).await;
    }
    let words = format!(
        "the desk of process {process} changed its alerts and has not written them yet; \"perpdeck alert list\" lists what is written"
    );
    Err(Failure::local(words).into())
}

fn refused(why: &str) -> Report {
    Report::new(Failure::new(FailureKind::Conflict, why.to_owned()))
}
