mod answers;
mod crash;
mod disk;
mod doubt;
mod dry_run;
mod first_byte;
mod flat;
mod halted;
mod healing;
mod held_back;
mod journaled;
mod keys;
mod others;
mod pace;
mod resource_queues;
mod restart;
mod silence;
mod slow_disk;
mod stopped;

use super::{delivery::pursue, *};
use crate::{
    app::Msg,
    client::{
        Attempt, Client, ReconcileOutcome, Timeouts,
        policy::{Interim, RetryState},
        testing::responder::{ORDER, Reply, Responder, error, ok},
    },
    journal::{IntentState, Journal, writer_processes},
    model::{
        CloseAll, ClosePosition, Command, Failure, FailureKind, FollowUp, IdempotencyKey,
        PlaceKind, PlaceOrder, Progress, Receipt, Risk, Side, Ticket, Timestamp,
    },
    runtime::{
        base::clock::Clock,
        journal::{journal_writer::JournalWriter, shared_journal::ResumedIntents},
        recovery::{
            dispatch::{CommandSink, Outbox, VerbRun},
            dry_run::DryRunOutbox,
        },
    },
};
use std::{
    future::ready,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    sync::mpsc::{Receiver, channel},
    time::Instant,
};

/// In memory where possible: these tests do not measure the disk.
fn place() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

const NOW: Timestamp = Timestamp(1_790_000_000_000);

struct Scene {
    dir: TempDir,
    responder: Responder,
    outbox: Outbox,
    events: Receiver<Msg>,
}

impl Scene {
    async fn of(script: Vec<Reply>) -> Self {
        let dir = place();
        let responder = Responder::answering(script).await;
        Self::at(dir, responder)
    }

    /// Runs `times` as fast.
    async fn divided_by(script: Vec<Reply>, times: u32) -> Self {
        Self::hurried_at(place(), Responder::answering(script).await, times)
    }

    fn hurried_at(dir: TempDir, responder: Responder, times: u32) -> Self {
        let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
        let timeouts = Timeouts::divided_by(times);
        let client =
            Client::with_timeouts(responder.connection(), calls, || NOW, timeouts).unwrap();
        Self::with(dir, responder, client)
    }

    fn at(dir: TempDir, responder: Responder) -> Self {
        let (client, _calls) = responder.client();
        Self::with(dir, responder, client)
    }

    fn with(dir: TempDir, responder: Responder, client: Client) -> Self {
        Self::on(dir, responder, client, |_| ())
    }

    /// With a journal that has a fault.
    fn on(
        dir: TempDir,
        responder: Responder,
        client: Client,
        hurt: impl FnOnce(&mut Journal) + Send + 'static,
    ) -> Self {
        let (sender, events) = channel(64);
        let place = dir.path().to_owned();
        let open = move || {
            let mut journal = Journal::open(&place)?;
            hurt(&mut journal);
            Ok(journal)
        };
        let outbox = Outbox::spawn(client, Clock::Frozen(NOW), dir.path(), open, sender);
        Self {
            dir,
            responder,
            outbox,
            events,
        }
    }

    /// Every message until the ticket is settled.
    async fn settled(&mut self) -> (Vec<Msg>, Result<Receipt, Failure>) {
        let mut said = vec![];
        loop {
            let msg = self.events.recv().await.unwrap();
            if let Msg::Settled(_, result) = msg {
                return (said, result);
            }
            said.push(msg);
        }
    }
}

/// A verb, which runs twenty times as fast.
fn verb(dir: TempDir, responder: Responder) -> Scene {
    let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
    let timeouts = Timeouts::divided_by(20);
    let client = Client::with_timeouts(responder.connection(), calls, || NOW, timeouts).unwrap();
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let run = VerbRun {
        clock: Clock::Frozen(NOW),
        others: vec![],
        resumed: ResumedIntents::Keys(vec![]),
        orders_per_second: 0,
    };
    Scene {
        outbox: Outbox::for_verb(
            client,
            run,
            dir.path(),
            move || Journal::open(&place),
            sender,
        ),
        dir,
        responder,
        events,
    }
}

pub(crate) fn buy() -> Command {
    let size = "0.10".parse().unwrap();
    Command::Place(Box::new(PlaceOrder {
        kind: PlaceKind::Limit,
        leverage: "5".parse().unwrap(),
        ..PlaceOrder::market("chal-1".into(), "paper|BTC".into(), Side::Buy, size)
    }))
}

pub(super) fn placed() -> Reply {
    ok(&format!(r#"{{"data":{ORDER},"queued":false}}"#))
}

fn canceled() -> Reply {
    ok(r#"{"data":{"id":"o-1","canceled":true,"queued":false}}"#)
}

const TICKET: Ticket = Ticket(1);

/// A desk whose journal has this fault.
async fn hurt(script: Vec<Reply>, hurt: impl FnOnce(&mut Journal) + Send + 'static) -> Scene {
    let responder = Responder::answering(script).await;
    let (client, _calls) = responder.client();
    Scene::on(place(), responder, client, hurt)
}

/// Nothing more is written until the sender is dropped.
fn hang(writer: &JournalWriter) -> std::sync::mpsc::Sender<()> {
    let (go_on, hang) = std::sync::mpsc::channel();
    let _hangs = writer.ask(move |_| {
        let _over = hang.recv();
        Ok(())
    });
    go_on
}

fn closed_all() -> Reply {
    ok(
        r#"{"data":{"id":"op","operation":"close_all_positions","account_id":"chal-1",
        "status":"completed","total_count":0,"succeeded_count":0,"failed_count":0,"results":[],
        "created_at":1790000000000}}"#,
    )
}

fn said(msgs: &[Msg]) -> String {
    let words = msgs.iter().filter_map(|msg| {
        if let Msg::Notify(_, text) = msg {
            Some(text.as_str())
        } else {
            None
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

fn empty() -> Reply {
    ok(r#"{"data":[],"has_more":false}"#)
}

/// One order, as it is read by its id.
fn row(order: &str) -> Reply {
    ok(&format!(r#"{{"data":{order}}}"#))
}

/// There is no such order.
fn none() -> Reply {
    error("404 Not Found", "")
}

/// Runs until the command is parked.
async fn parked(scene: &mut Scene) -> Failure {
    loop {
        if let Msg::Progress(_, Progress::Parked { why, .. }) = scene.events.recv().await.unwrap() {
            return why;
        }
    }
}

/// The rows that the next desk finds in the journal.
async fn entries(scene: Scene) -> Vec<crate::journal::IntentRow> {
    let Scene { dir, outbox, .. } = scene;
    drop(outbox);
    reopened(&dir).await.recent(99).unwrap()
}

/// The journal's thread ends shortly after the outbox, when all is written.
pub(super) async fn reopened(dir: &TempDir) -> Journal {
    while !writer_processes(dir.path()).is_empty() {
        tokio::task::yield_now().await;
    }
    Journal::open(dir.path()).unwrap()
}

fn methods(scene: &Scene) -> Vec<String> {
    let word = |seen: crate::client::testing::responder::Seen| {
        seen.line.split(' ').next().unwrap().to_owned()
    };
    scene.responder.seen().into_iter().map(word).collect()
}

pub(crate) fn close(position: &str) -> Command {
    Command::Close(ClosePosition::market(position.into()))
}

fn intent(command: &Command, url: &str, journal: &Journal) -> crate::journal::Intent {
    let request = crate::api::Request::encode(command, "key-1".into()).unwrap();
    crate::journal::Intent {
        base_url: url.to_owned(),
        account_id: "chal-1".into(),
        credential: journal.fingerprint("pd_live_secret").unwrap(),
        method: request.method.to_string(),
        target: request.target,
        body: request.body,
        key: request.key,
        risk: command.risk(),
        command: command.to_string(),
        resource: None,
        parent: None,
        entry: None,
        replaces: None,
        deadline: NOW.plus(Duration::from_secs(30)),
        replay_until: NOW.plus(Duration::from_mins(15)),
    }
}

fn broken() -> Reply {
    error("500 Internal Server Error", "")
}
