//! A flatten, from the key to HALTED.

use super::*;
use crate::{
    client::testing::responder::Seen,
    model::{CloseCheck, OperationEnd, SlicedOperation},
};
use std::collections::BTreeSet;

/// An account with a position and its stop, a TWAP, a scaled order of two rungs and an order, until each is ended.
#[derive(Debug, Default)]
struct Account(BTreeSet<&'static str>);

impl Account {
    fn holding_everything() -> Self {
        Self(BTreeSet::from([
            "position",
            "stop",
            "twap",
            "scaled order",
            "order",
        ]))
    }

    fn answer(&mut self, seen: &Seen) -> Reply {
        let line = seen.line.as_str();
        let ends = [
            ("DELETE /v1/twap-orders/t-1 ", "twap", TWAP),
            ("DELETE /v1/scaled-orders/s-1 ", "scaled order", SCALED),
            ("DELETE /v1/orders/o-1 ", "order", CANCELED),
            ("DELETE /v1/orders/o-9 ", "stop", CANCELED),
            (
                "POST /v1/accounts/chal-1/close-all-positions ",
                "position",
                CLOSED,
            ),
        ];
        if let Some((_, what, answer)) = ends.iter().find(|(start, ..)| line.starts_with(start)) {
            self.0.remove(what);
            return ok(&format!(r#"{{"data":{answer}}}"#));
        }
        let rows = if line.starts_with("GET /v1/positions") {
            self.rows("position", &[POSITION.to_owned()])
        } else if line.starts_with("GET /v1/twap-orders") {
            self.rows("twap", &[TWAP.to_owned()])
        } else {
            let rung = |id: &str| {
                ORDER.replace(
                    r#""id":"o-1""#,
                    &format!(r#""id":"{id}","scaled_order_id":"s-1""#),
                )
            };
            [
                self.rows("scaled order", &[rung("r-1"), rung("r-2")]),
                self.rows("order", &[ORDER.to_owned()]),
                self.rows("stop", &[stop()]),
            ]
            .concat()
        };
        ok(&format!(
            r#"{{"data":[{}],"has_more":false}}"#,
            rows.join(",")
        ))
    }

    fn rows(&self, what: &str, rows: &[String]) -> Vec<String> {
        if self.0.contains(what) {
            rows.to_vec()
        } else {
            vec![]
        }
    }
}

fn stop() -> String {
    let reduces = ORDER.replace(r#""reduce_only":false"#, r#""reduce_only":true"#);
    reduces.replace(r#""id":"o-1""#, r#""id":"o-9""#)
}

const POSITION: &str = r#"{"id":"p-1","account_id":"chal-1","market_id":"paper|BTC","size":1}"#;
const TWAP: &str = r#"{"id":"t-1","account_id":"chal-1","market_id":"paper|BTC"}"#;
const SCALED: &str = r#"{"id":"s-1","account_id":"chal-1","market_id":"paper|BTC"}"#;
const CANCELED: &str = r#"{"id":"o-1","canceled":true,"queued":false}"#;
const CLOSED: &str = r#"{"id":"op","operation":"close_all_positions","account_id":"chal-1",
    "status":"completed","total_count":1,"succeeded_count":1,"failed_count":0,"results":[],
    "created_at":1790000000000}"#;

/// A desk that runs `times` as fast, at a service that answers like this.
async fn playing(part: impl Fn(&Seen) -> Reply + Send + Sync + 'static, times: u32) -> Scene {
    let responder = Responder::playing(part, || ()).await;
    let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
    let timeouts = Timeouts::divided_by(times);
    let client = Client::with_timeouts(responder.connection(), calls, || NOW, timeouts).unwrap();
    Scene::with(place(), responder, client)
}

fn mutations(scene: &Scene) -> Vec<String> {
    let seen = scene.responder.seen().into_iter();
    let lines = seen.map(|seen| seen.line);
    lines.filter(|line| !line.starts_with("GET")).collect()
}

#[tokio::test]
async fn a_list_without_an_end_does_not_keep_the_close_all_from_being_repeated() {
    let account = Mutex::new(Account(BTreeSet::from(["order"])));
    let pages = std::sync::atomic::AtomicU32::new(0);
    let part = move |seen: &Seen| {
        if seen.line.starts_with("GET /v1/positions") {
            let page = pages.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let body = format!(r#"{{"data":[],"has_more":true,"next_cursor":"c-{page}"}}"#);
            return ok(&body);
        }
        account.lock().unwrap().answer(seen)
    };
    let mut scene = playing(part, 100).await;
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(
        why.contains("positions: the service's list is incomplete"),
        "{why}"
    );
    let sent = mutations(&scene);
    let close_alls = sent
        .iter()
        .filter(|line| line.contains("close-all"))
        .count();
    assert_eq!(close_alls, 16, "{sent:?}");
    assert_eq!(sent.len(), 17, "the order is canceled once: {sent:?}");
}

#[tokio::test]
async fn everything_is_ended_once_flat_is_proved_and_the_desk_is_halted() {
    let account = Mutex::new(Account::holding_everything());
    let part = move |seen: &Seen| account.lock().unwrap().answer(seen);
    let mut scene = playing(part, 20).await;

    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Flat(_))), "{result:?}");
    let halted = Msg::Halted(Some("flattened".to_owned()));
    assert!(said.contains(&halted), "{said:?}");
    let rounds = said.iter().filter_map(|msg| {
        if let Msg::Progress(_, Progress::Flattening(state)) = msg {
            Some(state.round)
        } else {
            None
        }
    });
    assert_eq!(rounds.max(), Some(1));

    let sent = mutations(&scene);
    let place = |start: &str| sent.iter().position(|line| line.contains(start)).unwrap();
    assert_eq!(sent.len(), 5, "each once: {sent:?}");
    // A slice of a TWAP would open a position again.
    assert!(place("twap-orders/t-1") < place("scaled-orders/s-1").min(place("orders/o-1 ")));
    // A position that is not closed yet keeps its stop.
    assert!(place("close-all-positions") < place("orders/o-9 "));

    scene.outbox.send(Ticket(2), buy());
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(why.contains("the desk is HALTED: flattened"), "{why}");
    let here = scene.responder.url.clone();
    let Scene { dir, outbox, .. } = scene;
    drop(outbox);
    let journal = reopened(&dir).await;
    let noted = journal.halts().of(&here, &"chal-1".into());
    assert_eq!(noted.as_deref(), Some("flattened"), "for the next desk too");
    let open: Vec<_> = journal
        .recent(99)
        .unwrap()
        .into_iter()
        .filter(|entry| entry.state != IntentState::Done)
        .collect();
    assert_eq!(open, []);
}

/// The final message of a close-all whose position stays for this many reads.
#[tokio::test]
async fn the_parts_of_a_flatten_belong_to_it_though_its_own_row_came_late() {
    let account = Mutex::new(Account::holding_everything());
    let part = move |seen: &Seen| account.lock().unwrap().answer(seen);
    let mut scene = playing(part, 20).await;
    scene.outbox.context.ready().await;
    let go_on = hang(&scene.outbox.context.writer);
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let ahead = "sent before the slow journal recorded it";
    while !slow_disk::is_said(&scene.events.recv().await.unwrap(), ahead) {}
    drop(go_on);
    scene.settled().await.1.unwrap();
    let rows = entries(scene).await;
    let is_deed = |row: &&crate::journal::IntentRow| row.intent.target == "flatten:chal-1";
    let deed = rows.iter().find(is_deed).unwrap();
    assert_eq!(deed.state, IntentState::Done);
    let parts = rows.iter().filter(|row| row.intent.parent == Some(deed.id));
    assert_eq!((parts.count(), rows.len()), (5, 6));
}

async fn left_by_a_close_all(reads: usize) -> (CloseCheck, usize) {
    let left = Mutex::new(reads);
    let part = move |_: &Seen| {
        let mut left = left.lock().unwrap();
        let rows = if *left > 0 { POSITION } else { "" };
        *left = left.saturating_sub(1);
        ok(&format!(r#"{{"data":[{rows}],"has_more":false}}"#))
    };
    let mut scene = playing(part, 100).await;
    let operation = serde_json::from_str(CLOSED).unwrap();
    let operation = SlicedOperation::CloseAll(operation);
    let context = scene.outbox.context.clone();
    context.read_remains(TICKET, operation).await;
    let check = loop {
        if let Msg::OperationEnded(TICKET, end) = scene.events.recv().await.unwrap() {
            let OperationEnd::CloseAll(_, check) = *end else {
                panic!("{end:?}");
            };
            break check.unwrap();
        }
    };
    (check, scene.responder.seen().len())
}

#[tokio::test]
async fn what_a_close_all_of_a_verb_has_left_is_read_by_the_verb_alone() {
    let part = |seen: &Seen| {
        let rows = if seen.line.starts_with("POST") {
            CLOSED
        } else {
            "[]"
        };
        ok(&format!(r#"{{"data":{rows},"has_more":false}}"#))
    };
    let mut verb = verb(
        tempfile::tempdir().unwrap(),
        Responder::playing(part, || ()).await,
    );
    let client = verb.outbox.context.client.clone();
    verb.outbox.send(TICKET, Command::CloseAll("chal-1".into()));
    verb.settled().await.1.unwrap();
    client.check_closed().await.unwrap();
    assert_eq!(methods(&verb), ["POST", "GET", "GET"]);
}

/// A verb's outbox, twenty times as fast.
/// A journal in which a flatten and its close-all were in flight.
fn with_a_flatten_left_open(url: &str) -> TempDir {
    let dir = place();
    let mut journal = Journal::open(dir.path()).unwrap();
    let closing = intent(&Command::CloseAll("chal-1".into()), url, &journal);
    let deed = crate::journal::Intent {
        target: "flatten:chal-1".into(),
        key: None,
        command: "flatten chal-1".into(),
        ..closing.clone()
    };
    let parent = Some(journal.record(NOW, &deed).unwrap());
    let closing = crate::journal::Intent { parent, ..closing };
    journal.record(NOW, &closing).unwrap();
    dir
}

/// A service with one of everything open.
async fn at_an_account() -> Responder {
    let account = Mutex::new(Account::holding_everything());
    Responder::playing(move |seen| account.lock().unwrap().answer(seen), || ()).await
}

fn keys_of_close_alls(scene: &Scene) -> Vec<String> {
    let seen = scene.responder.seen().into_iter();
    let closes = seen.filter(|seen| seen.line.contains("close-all-positions"));
    let keys = closes.map(|seen| seen.header("idempotency-key").unwrap().to_owned());
    keys.collect()
}

#[tokio::test]
async fn a_flatten_that_goes_on_after_a_restart_goes_on_with_its_close_all_and_proves_it_once() {
    let responder = at_an_account().await;
    let dir = with_a_flatten_left_open(&responder.url);
    let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
    let timeouts = Timeouts::divided_by(20);
    let client = Client::with_timeouts(responder.connection(), calls, || NOW, timeouts).unwrap();
    let mut scene = Scene::with(dir, responder, client);
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Flat(_))), "{result:?}");
    assert_eq!(keys_of_close_alls(&scene), ["key-1"]);
    let reads = |list: &str| {
        let seen = scene.responder.seen().into_iter();
        seen.filter(|seen| seen.line.starts_with(list)).count()
    };
    // Every proof reads both lists; the sweep before it reads the TWAPs.
    let (positions, twaps) = (reads("GET /v1/positions"), reads("GET /v1/twap-orders"));
    assert_eq!(positions + 1, twaps);
}

#[tokio::test]
async fn a_verb_leaves_the_last_sessions_flatten_to_a_desk_and_one_that_proves_flat_ends_it() {
    let responder = at_an_account().await;
    let dir = with_a_flatten_left_open(&responder.url);
    let mut verb = verb(dir, responder);
    verb.outbox.context.ready().await;
    let told = verb.events.recv().await.unwrap();
    let named = "left open by an earlier session: flatten chal-1; close all positions on chal-1; a desk decides";
    assert!(
        matches!(&told, Msg::Notify(_, text) if text.starts_with(named)),
        "{told:?}"
    );
    assert_eq!(mutations(&verb), Vec::<String>::new());
    verb.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (_, result) = verb.settled().await;
    assert!(matches!(result, Ok(Receipt::Flat(_))), "{result:?}");
    // The unfinished operation goes on under its key; no second one begins.
    assert_eq!(keys_of_close_alls(&verb), ["key-1"]);
    let left = entries(verb).await;
    let open: Vec<_> = left.iter().filter(|entry| entry.state.is_open()).collect();
    assert_eq!(open, Vec::<&crate::journal::IntentRow>::new());
}

#[tokio::test]
async fn a_position_that_is_still_closing_is_not_called_left_over_and_one_that_stays_is_named() {
    let (left, reads) = left_by_a_close_all(2).await;
    assert!(matches!(left, CloseCheck::Closed(_)), "{left:?}");
    assert_eq!(reads, 4, "two that found it, two that did not");
    let (left, _) = left_by_a_close_all(usize::MAX).await;
    let CloseCheck::Open(open) = left else {
        panic!("{left:?}");
    };
    let names = open.iter().map(|position| position.left_by(None));
    assert_eq!(names.collect::<Vec<_>>(), ["BTC 1"]);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_keeps_nothing_that_is_in_the_others_from_being_ended() {
    let account = Mutex::new(Account::holding_everything());
    let part = move |seen: &Seen| {
        let mut account = account.lock().unwrap();
        // The TWAPs can be read only after the order is canceled.
        if seen.line.starts_with("GET /v1/twap-orders") && account.0.contains("order") {
            return ok(r#"{"data":"#);
        }
        account.answer(seen)
    };
    let mut scene = playing(part, 20).await;
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Flat(_))), "{result:?}");
    let sent = mutations(&scene);
    let place = |start: &str| sent.iter().position(|line| line.contains(start));
    assert!(place("orders/o-1 ") < place("twap-orders/t-1"), "{sent:?}");
    assert_eq!(sent.len(), 5, "each once: {sent:?}");
}

#[tokio::test]
async fn of_rows_that_cannot_be_read_a_twap_is_stopped_at_once_and_an_order_when_nothing_is_open() {
    let account = Mutex::new(Account(BTreeSet::from(["position", "order", "twap"])));
    let part = move |seen: &Seen| {
        let reply = account.lock().unwrap().answer(seen);
        match &reply {
            Reply::Bytes(bytes)
                if ["GET /v1/orders?", "GET /v1/twap-orders"]
                    .iter()
                    .any(|list| seen.line.starts_with(list)) =>
            {
                let text = String::from_utf8_lossy(bytes);
                // Without a market, and of the same length.
                Reply::Bytes(text.replace("market_id", "makret_id").into_bytes())
            }
            Reply::Bytes(_) | Reply::Drop | Reply::Silence | Reply::By(_) => reply,
        }
    };
    let mut scene = playing(part, 20).await;
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Flat(_))), "{result:?}");
    let sent = mutations(&scene);
    let place = |what: &str| sent.iter().position(|line| line.contains(what));
    let (twap, order) = (place("twap-orders/t-1"), place(" /v1/orders/o-1 "));
    assert!(twap.is_some() && twap < order, "{sent:?}");
}

#[tokio::test]
async fn flat_is_not_proved_before_an_order_that_was_on_the_wire_has_its_answer_or_its_time() {
    let account = Mutex::new(Account(BTreeSet::from(["position"])));
    let part = move |seen: &Seen| {
        if seen.line.starts_with("POST /v1/orders ") {
            return Reply::Silence;
        }
        account.lock().unwrap().answer(seen)
    };
    let mut scene = playing(part, 20).await;
    scene.outbox.send(Ticket(2), buy());
    while scene.responder.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (mut unanswered, mut clean, mut looked) = (true, None, false);
    while clean.is_none() {
        let msg = scene.events.recv().await.unwrap();
        if let Msg::Progress(_, Progress::Flattening(state)) = msg {
            clean = state.clean_since;
            looked |= unanswered && state.left.is_some();
        } else if let Msg::Progress(Ticket(2), progress) = msg {
            unanswered &= matches!(progress, Progress::Sending { .. });
        } else if let Msg::Notify(_, words) = msg {
            // On a loaded machine the message may come before the response is given up.
            unanswered &= !words.contains("is still unanswered");
        }
    }
    assert!(
        !unanswered,
        "nothing is clean while the order may be at work"
    );
    assert!(looked, "what is there is looked for meanwhile");
}

#[tokio::test]
async fn an_order_that_waits_to_go_again_does_not_go_after_everything_was_to_be_closed() {
    let part = |seen: &Seen| {
        if seen.line.starts_with("POST /v1/orders ") {
            error("503 Service Unavailable", "retry-after: 1\r\n")
        } else if seen.line.starts_with("POST") {
            closed_all()
        } else {
            empty()
        }
    };
    let mut scene = playing(part, 20).await;
    scene.outbox.send(Ticket(1), buy());
    let waits = |msg: &Msg| {
        matches!(
            msg,
            Msg::Progress(_, Progress::Waiting { .. } | Progress::Unknown { .. })
        )
    };
    while !waits(&scene.events.recv().await.unwrap()) {}
    scene
        .outbox
        .send(Ticket(2), Command::CloseAll("chal-1".into()));
    let mut ended = BTreeSet::new();
    while ended.len() < 2 {
        let msg = scene.events.recv().await.unwrap();
        if let Msg::Settled(ticket, _) | Msg::Progress(ticket, Progress::Parked { .. }) = msg {
            ended.insert(ticket.0);
        }
    }
    let orders = mutations(&scene)
        .into_iter()
        .filter(|line| line.starts_with("POST /v1/orders "));
    assert_eq!(orders.count(), 1, "it is not sent again");
    scene.outbox.send(Ticket(3), buy());
    while !waits(&scene.events.recv().await.unwrap()) {}
    let orders = mutations(&scene)
        .into_iter()
        .filter(|line| line.starts_with("POST /v1/orders "));
    assert_eq!(orders.count(), 2, "what is given afterwards goes");
}
