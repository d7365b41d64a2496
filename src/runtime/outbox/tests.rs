use super::*;
use crate::{
    client::responder::{ORDER, Reply, Responder, error, ok},
    model::{
        CloseAll, CloseAllStatus, FailureKind, MarginMode, PlaceKind, PlaceOrder, Side, Timestamp,
    },
};
use std::{
    future::ready,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tempfile::TempDir;
use tokio::sync::mpsc::{Receiver, channel};

const NOW: Timestamp = Timestamp(1_790_000_000_000);

struct Scene {
    dir: TempDir,
    responder: Responder,
    outbox: Outbox,
    events: Receiver<Msg>,
}

impl Scene {
    async fn of(script: Vec<Reply>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let responder = Responder::answering(script).await;
        Self::at(dir, responder)
    }

    fn at(dir: TempDir, responder: Responder) -> Self {
        let (client, _calls) = responder.client();
        let (sender, events) = channel(64);
        let place = dir.path().to_owned();
        let open = move || Journal::open(&place);
        let outbox = Outbox::spawn(client, Clock::Frozen(NOW), open, sender);
        Self {
            dir,
            responder,
            outbox,
            events,
        }
    }

    /// Everything said until the ticket is settled.
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

fn buy() -> Command {
    Command::Place(Box::new(PlaceOrder {
        account_id: "chal-1".into(),
        market_id: "paper|BTC".into(),
        kind: PlaceKind::Market,
        side: Side::Buy,
        size: "0.10".parse().unwrap(),
        expected_price: None,
        leverage: "5".parse().unwrap(),
        margin_mode: MarginMode::Cross,
        reduce_only: false,
        time_in_force: None,
        gtd_expires_at: None,
        limit_price: None,
        trigger: None,
        chase_offset: None,
        chase_cap_price: None,
        take_profit_price: None,
        stop_loss_price: None,
        slippage_tolerance: None,
        target_position_id: None,
    }))
}

fn placed() -> Reply {
    ok(&format!(r#"{{"data":{ORDER},"queued":false}}"#))
}

fn canceled() -> Reply {
    ok(r#"{"data":{"id":"o-1","canceled":true,"queued":false}}"#)
}

const TICKET: Ticket = Ticket(1);

#[tokio::test]
async fn a_lost_reply_is_asked_for_again_with_the_same_key_and_the_same_bytes() {
    let mut scene = Scene::of(vec![Reply::Drop, placed()]).await;
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    let [first, second] = scene.responder.seen().try_into().unwrap();
    assert_eq!(first, second);
    assert_eq!(first.header("idempotency-key").unwrap().len(), 36);
    let [sending, doubt, again] = said.try_into().unwrap();
    let sends = |attempt| Msg::Progress(TICKET, Progress::Sending { attempt });
    assert_eq!((sending, again), (sends(1), sends(2)));
    let Msg::Progress(TICKET, Progress::Unknown { why, retry_at }) = doubt else {
        panic!("{doubt:?}");
    };
    assert!(why.kind == FailureKind::Unreachable && retry_at > NOW);
}

/// The write-ahead log holds committed rows only; another process may not open the database itself.
fn on_disk(dir: &Path, text: &str) -> bool {
    let log = std::fs::read(dir.join("journal.sqlite3-wal")).unwrap_or_default();
    log.windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn the_intent_is_on_disk_before_the_first_byte_arrives() {
    let dir = tempfile::tempdir().unwrap();
    let place: PathBuf = dir.path().to_owned();
    let found = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&found);
    let responder = Responder::watched(vec![placed()], move || {
        *noted.lock().unwrap() = Some(on_disk(&place, r#""size":0.10"#));
    })
    .await;
    let mut scene = Scene::at(dir, responder);
    scene.outbox.send(TICKET, buy());
    scene.settled().await.1.unwrap();
    assert_eq!(*found.lock().unwrap(), Some(true));
}

#[tokio::test]
async fn the_journal_tells_what_was_asked_and_what_became_of_it() {
    let mut scene = Scene::of(vec![error("400 Bad Request", "")]).await;
    scene.outbox.send(TICKET, buy());
    let failure = scene.settled().await.1.unwrap_err();
    let Scene {
        dir,
        outbox,
        responder,
        ..
    } = scene;
    drop(outbox);
    let entry = loop {
        // The journal's thread ends, and frees the lock, a moment after the outbox.
        match Journal::open(dir.path()) {
            Ok(journal) => break journal.recent(9).unwrap().remove(0),
            Err(JournalError::Held(_)) => tokio::task::yield_now().await,
            Err(why) => panic!("{why}"),
        }
    };
    let sent = &responder.seen()[0];
    assert_eq!(entry.intent.body, sent.body);
    assert_eq!(
        entry.intent.key.as_ref().map(IdempotencyKey::raw),
        sent.header("idempotency-key")
    );
    assert_eq!(
        (entry.created_at, entry.attempts, entry.intent.risk),
        (NOW, 1, Risk::Increasing)
    );
    assert_eq!(entry.outcome.unwrap().detail, failure.to_string());
    assert!(!on_disk(dir.path(), "pd_live_secret"));
}

#[tokio::test]
async fn without_a_journal_an_order_is_held_back_and_a_cancel_goes_out() {
    let dir = tempfile::tempdir().unwrap();
    let _other_desk = Journal::open(dir.path()).unwrap();
    let mut scene = Scene::at(dir, Responder::answering(vec![canceled()]).await);
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Local);
    assert!(
        failure.to_string().contains("another perpdeck"),
        "{failure}"
    );
    assert!(matches!(said.as_slice(), [Msg::Said(_, text)] if text.contains("held back")));
    assert_eq!(scene.responder.seen(), []);

    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
}

#[tokio::test]
async fn two_commands_for_one_order_never_overlap_and_keep_their_order() {
    let gone = || error("404 Not Found", "");
    let mut scene = Scene::of(vec![canceled(), gone(), gone()]).await;
    for number in 1..=3 {
        scene
            .outbox
            .send(Ticket(number), Command::Cancel("o-1".into()));
    }
    let mut settled = vec![];
    while settled.len() < 3 {
        if let Msg::Settled(ticket, result) = scene.events.recv().await.unwrap() {
            settled.push((ticket, result.is_ok()));
        }
    }
    let expected = [(Ticket(1), true), (Ticket(2), false), (Ticket(3), false)];
    assert_eq!(settled, expected);
}

#[tokio::test]
async fn nothing_is_sent_while_the_service_wants_silence() {
    let limited = error("429 Too Many Requests", "retry-after: 90\r\n");
    let mut scene = Scene::of(vec![limited]).await;
    let client = scene.outbox.desk.client.clone();
    client.open_positions(&"chal-1".into()).await.unwrap_err();
    scene.outbox.send(TICKET, buy());
    let failure = scene.settled().await.1.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Limited);
    assert!(failure.retry_after.unwrap() > Duration::from_secs(80));
    assert_eq!(scene.responder.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_wait_the_service_asks_for_is_sat_out_to_the_second() {
    let limited = |wait: u64| {
        Attempt::Refused(Failure {
            status: Some(429),
            retry_after: Some(Duration::from_secs(wait)),
            ..Failure::new(FailureKind::Limited, "slow down")
        })
    };
    let start = Instant::now();
    let mut at = vec![];
    let result = pursue(
        Tries::of(&Command::Cancel("o".into())),
        || 0,
        |number| {
            at.push(start.elapsed().as_secs());
            ready(match number {
                1 => limited(7),
                2 => limited(3),
                _ => Attempt::Refused(Failure {
                    status: Some(404),
                    ..Failure::new(FailureKind::NotFound, "no such order")
                }),
            })
        },
        |_, _| ready(()),
    )
    .await;
    assert_eq!(result.unwrap_err().kind, FailureKind::NotFound);
    assert_eq!(at, [0, 7, 10]);
}

#[tokio::test(start_paused = true)]
async fn a_close_all_is_followed_at_the_pace_the_service_sets() {
    let operation = |done: u32| CloseAll {
        id: "op".into(),
        operation: "close_all_positions".into(),
        account_id: "chal-1".into(),
        status: CloseAllStatus::Running.into(),
        total_count: 3,
        succeeded_count: done,
        failed_count: 0,
        results: vec![],
        created_at: NOW,
        completed_at: None,
    };
    let start = Instant::now();
    let (mut at, mut told) = (vec![], vec![]);
    let result = pursue(
        Tries::of(&Command::CloseAll("chal-1".into())),
        || 0,
        |number| {
            at.push(start.elapsed().as_secs());
            ready(match number {
                1 | 2 => Attempt::Running {
                    operation: Some(operation(number)),
                    retry_after: Some(Duration::from_secs(5)),
                },
                _ => Attempt::Done(Receipt::CloseAll(operation(3))),
            })
        },
        |meanwhile, _| {
            told.push(meanwhile);
            ready(())
        },
    )
    .await;
    assert_eq!(result, Ok(Receipt::CloseAll(operation(3))));
    assert_eq!(at, [0, 5, 10]);
    let running = [1, 2].map(|done| Pause::Running(operation(done)));
    assert_eq!(told, running);
}
