mod answers;
mod first_byte;
mod flat;
mod healing;
mod keys;
mod restart;
mod silence;
mod slow_disk;
mod stopped;

use super::{errand::pursue, *};
use crate::{
    client::{
        Attempt, Sight, Tempo,
        policy::{Pause, Tries},
        testing::responder::{ORDER, Reply, Responder, error, ok},
    },
    journal::State,
    model::{
        CloseAll, CloseAllStatus, ClosePosition, Failure, FailureKind, IdempotencyKey, PlaceKind,
        PlaceOrder, Progress, Receipt, Risk, Side, Timestamp,
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

/// In memory where that can be: how long a disk takes is not what these tests are about.
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

    /// As life, but so many times faster.
    async fn hurried(script: Vec<Reply>, times: u32) -> Self {
        let dir = place();
        let responder = Responder::answering(script).await;
        let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
        let tempo = Tempo::hurried(times);
        let client = Client::at_tempo(responder.connection(), calls, || NOW, tempo).unwrap();
        Self::with(dir, responder, client)
    }

    fn at(dir: TempDir, responder: Responder) -> Self {
        let (client, _calls) = responder.client();
        Self::with(dir, responder, client)
    }

    fn with(dir: TempDir, responder: Responder, client: Client) -> Self {
        Self::on(dir, responder, client, |_| ())
    }

    /// With a journal that has something wrong with it.
    fn on(
        dir: TempDir,
        responder: Responder,
        client: Client,
        hurt: impl FnOnce(&mut Journal) + Send + 'static,
    ) -> Self {
        let (sender, events) = channel(64);
        let place = dir.path().to_owned();
        let open = move || {
            let mut journal = crate::runtime::open_journal(&place)?;
            hurt(&mut journal);
            Ok(journal)
        };
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

pub(in crate::runtime) fn buy() -> Command {
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
    assert!(why.kind == FailureKind::Broken && retry_at > NOW);
}

/// The write-ahead log holds committed rows only; another process may not open the database itself.
fn on_disk(dir: &Path, text: &str) -> bool {
    let log = std::fs::read(dir.join("journal.sqlite3-wal")).unwrap_or_default();
    log.windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn the_intent_is_on_disk_before_the_first_byte_arrives() {
    let dir = place();
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
    let entry = reopened(&dir).await.recent(9).unwrap().remove(0);
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
    let dir = place();
    std::fs::write(dir.path().join("journal.sqlite3"), "not a database").unwrap();
    let mut scene = Scene::at(dir, Responder::answering(vec![canceled()]).await);
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Local);
    assert!(failure.to_string().contains("damaged"), "{failure}");
    assert!(matches!(said.as_slice(), [Msg::Said(_, text)] if text.contains("held back")));
    assert_eq!(scene.responder.seen(), []);

    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
    assert!(
        said.iter().any(
            |msg| matches!(msg, Msg::Said(_, text) if text.contains("sent without the journal"))
        )
    );
}

/// A desk whose journal is hurt like this.
async fn hurt(script: Vec<Reply>, hurt: impl FnOnce(&mut Journal) + Send + 'static) -> Scene {
    let responder = Responder::answering(script).await;
    let (client, _calls) = responder.client();
    Scene::on(place(), responder, client, hurt)
}

/// Nothing more is written until the sender goes.
fn hang(scribe: &Scribe) -> std::sync::mpsc::Sender<()> {
    let (go_on, hang) = std::sync::mpsc::channel();
    let _hangs = scribe.ask(move |_| {
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
        if let Msg::Said(_, text) = msg {
            Some(text.as_str())
        } else {
            None
        }
    });
    words.collect::<Vec<_>>().join("; ")
}

#[tokio::test]
async fn a_disk_that_breaks_at_any_write_lets_no_order_out_after_it_and_every_exit() {
    // An order takes three writes: the intent, its attempt and its outcome.
    for writes in 0..=6 {
        let script = (0..9).map(|_| placed()).collect();
        let mut scene = hurt(script, move |journal| journal.breaks = Some(writes)).await;
        let mut out = 0;
        for number in 1..=4 {
            scene.outbox.send(Ticket(number), buy());
            out += u32::from(scene.settled().await.1.is_ok());
        }
        assert_eq!(out, writes.div_ceil(3), "after {writes} writes");
        assert_eq!(methods(&scene).len(), usize::try_from(out).unwrap());
        scene.outbox.send(Ticket(5), close("p-1"));
        let (msgs, result) = scene.settled().await;
        assert!(result.is_ok(), "{result:?}");
        let seen = scene.responder.seen();
        let key = seen.last().unwrap().header("idempotency-key").unwrap();
        let words = said(&msgs);
        assert!(
            words.contains("sent without the journal") && words.contains(key),
            "{words}"
        );
    }
}

#[tokio::test]
async fn on_a_full_disk_everything_is_closed_with_a_key_that_the_next_desk_finds() {
    let mut scene = hurt(vec![closed_all(), empty(), empty()], |journal| {
        journal.fill_disk();
    })
    .await;
    // What is on the last page may still fit.
    let mut held = String::new();
    for number in 1..=100 {
        let mut big = buy();
        if let Command::Place(order) = &mut big {
            order.account_id = "x".repeat(4_000).as_str().into();
        }
        scene.outbox.send(Ticket(number), big);
        let (msgs, result) = scene.settled().await;
        held = said(&msgs);
        if result.is_err_and(|why| why.kind == FailureKind::Local) {
            break;
        }
    }
    assert!(
        held.contains("full") && held.contains("New orders are held back"),
        "{held}"
    );
    let before = scene.responder.seen().len();
    scene
        .outbox
        .send(Ticket(200), Command::CloseAll("chal-1".into()));
    let (msgs, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let key: IdempotencyKey = scene.responder.seen()[before]
        .header("idempotency-key")
        .unwrap()
        .into();
    assert!(said(&msgs).contains(key.raw()));
    let known = entries(scene)
        .await
        .into_iter()
        .find(|entry| entry.intent.key == Some(key.clone()));
    assert_eq!(known.map(|entry| entry.state), Some(State::Unknown));
}

#[tokio::test]
async fn a_desk_started_on_a_full_disk_is_halted_as_before_and_closes_all_with_a_key_that_is_kept()
{
    let dir = place();
    let responder = Responder::answering(vec![closed_all(), empty(), empty()]).await;
    let account = "chal-1".into();
    let mut before = Journal::open(dir.path()).unwrap();
    before
        .halt(&responder.url, &account, "it was flattened")
        .unwrap();
    drop(before);
    let (client, _calls) = responder.client();
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || Journal::open_without_room(&place);
    let mut scene = Scene {
        outbox: Outbox::spawn(client, Clock::Frozen(NOW), open, sender),
        dir,
        responder,
        events,
    };
    scene.outbox.send(TICKET, buy());
    let (msgs, result) = scene.settled().await;
    let why = result.unwrap_err().to_string();
    assert!(why.contains("HALTED: it was flattened"), "{why}");
    assert!(said(&msgs).contains("is full"), "{}", said(&msgs));
    scene.outbox.send(Ticket(2), Command::CloseAll(account));
    let (msgs, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let key: IdempotencyKey = scene.responder.seen()[0]
        .header("idempotency-key")
        .unwrap()
        .into();
    assert!(said(&msgs).contains(key.raw()));
    let [known] = entries(scene).await.try_into().unwrap();
    assert_eq!((known.intent.key, known.state), (Some(key), State::Unknown));
}

#[tokio::test]
async fn an_order_decided_before_the_disk_hung_is_not_placed_when_the_disk_comes_back() {
    let responder = Responder::answering(vec![placed()]).await;
    let (calls, _called) = tokio::sync::mpsc::unbounded_channel();
    // Thirty seconds of patience are thirty milliseconds.
    let tempo = Tempo::hurried(1_000);
    let client = Client::at_tempo(responder.connection(), calls, || NOW, tempo).unwrap();
    let (dir, clock) = (place(), Clock::start());
    let (sender, events) = channel(64);
    let place = dir.path().to_owned();
    let open = move || crate::runtime::open_journal(&place);
    let mut scene = Scene {
        outbox: Outbox::spawn(client, clock, open, sender),
        dir,
        responder,
        events,
    };
    scene.outbox.desk.ready().await;
    let (_never, hang) = std::sync::mpsc::channel::<()>();
    let hangs = scene.outbox.desk.scribe.ask(move |_| {
        let _back = hang.recv_timeout(Duration::from_millis(100));
        Ok(())
    });
    scene.outbox.send(TICKET, buy());
    let why = scene.settled().await.1.unwrap_err();
    assert!(hangs.await.unwrap().is_ok());
    assert!(why.to_string().contains("too much time"), "{why}");
    assert_eq!(scene.responder.seen(), []);
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!((entry.state, entry.maybe_executed), (State::Unsent, false));
}

#[tokio::test]
async fn a_disk_that_hangs_holds_an_exit_for_a_moment_and_the_next_one_not_at_all() {
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let mut scene = hurt(vec![canceled(), canceled(), canceled()], move |_| {
        let _over = hang.recv();
    })
    .await;
    let start = Instant::now();
    for (number, most) in [(1, 250), (2, 50)] {
        let before = start.elapsed();
        scene
            .outbox
            .send(Ticket(number), Command::Cancel("o-1".into()));
        let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
        while !sends(&scene.events.recv().await.unwrap()) {}
        let took = start.elapsed().saturating_sub(before).as_millis();
        assert!(took < most, "cancel {number} left after {took} ms");
        scene.settled().await.1.unwrap();
    }
    drop(go_on);
}

#[tokio::test]
async fn a_read_only_desk_sends_no_byte_that_changes_anything() {
    let responder = Responder::answering(vec![]).await;
    let mut connection = responder.connection();
    connection.read_only = true;
    let (client, _calls) = crate::client::testing::responder::client(connection);
    let mut scene = Scene::with(place(), responder, client);
    let commands = [
        buy(),
        close("p-1"),
        Command::Cancel("o-1".into()),
        Command::Exits(crate::model::Exits {
            order_id: "o-1".into(),
            take_profit: crate::model::Leg::Keep,
            stop_loss: crate::model::Leg::Remove,
        }),
        Command::Margin {
            position_id: "p-1".into(),
            extra: "5".parse().unwrap(),
            held: None,
        },
        Command::StopTwap("t-1".into()),
        Command::CancelScaled("s-1".into()),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ];
    for (number, command) in (1..).zip(commands) {
        scene.outbox.send(Ticket(number), command);
        let why = scene.settled().await.1.unwrap_err();
        assert!(why.message.raw().contains("read-only"), "{why}");
    }
    assert_eq!(scene.responder.seen(), []);
    assert_eq!(entries(scene).await, []);
}

#[tokio::test]
async fn a_desk_made_read_only_while_it_runs_sends_nothing_until_it_is_let_through() {
    let responder = Responder::answering(vec![canceled()]).await;
    let (client, _calls) = responder.client();
    let mut scene = Scene::with(place(), responder, client.clone());
    client.hold_back();
    scene.outbox.send(Ticket(1), Command::Cancel("o-1".into()));
    let why = scene.settled().await.1.unwrap_err();
    assert!(why.message.raw().contains("read-only"), "{why}");
    assert_eq!(scene.responder.seen(), []);
    client.let_through();
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    assert!(scene.settled().await.1.is_ok());
}

#[tokio::test]
async fn beside_another_desk_nothing_is_sent_and_it_says_which() {
    let dir = place();
    let other_desk = Journal::open(dir.path()).unwrap();
    other_desk.announce();
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    let commands = [
        buy(),
        Command::CloseAll("chal-1".into()),
        Command::Flatten("chal-1".into()),
    ];
    for (number, command) in (1..).zip(commands) {
        scene.outbox.send(Ticket(number), command);
        let why = scene.settled().await.1.unwrap_err().to_string();
        let pid = format!("(process {})", std::process::id());
        assert!(why.contains(&pid) && why.contains("sends nothing"), "{why}");
    }
    assert_eq!(scene.responder.seen(), []);
}

#[tokio::test]
async fn a_desk_opened_while_a_verb_has_the_journal_sends_exits_at_once_and_orders_when_it_is_done()
{
    let dir = place();
    let verb = Journal::open(dir.path()).unwrap();
    let mut scene = Scene::at(dir, Responder::answering(vec![canceled(), placed()]).await);
    scene.outbox.send(Ticket(1), Command::Cancel("o-1".into()));
    let (msgs, result) = scene.settled().await;
    assert!(result.is_ok(), "{result:?}");
    assert!(said(&msgs).contains("sent ahead of a journal"), "{msgs:?}");
    scene.outbox.send(Ticket(2), buy());
    drop(verb);
    assert!(scene.settled().await.1.is_ok());
    let states = entries(scene).await.into_iter().map(|entry| entry.state);
    assert_eq!(states.collect::<Vec<_>>(), [State::Done, State::Done]);
}

#[tokio::test]
async fn a_refused_key_stops_all_sending_but_one_try_of_each_exit() {
    let unauthorized = || error("401 Unauthorized", "");
    let script = vec![unauthorized(), unauthorized()];
    let mut scene = Scene::of(script).await;
    let mut ends = vec![];
    let commands = [buy(), buy(), Command::CloseAll("chal-1".into())];
    for (number, command) in (1..).zip(commands) {
        scene.outbox.send(Ticket(number), command);
        ends.push(scene.settled().await.1.unwrap_err().kind);
    }
    assert_eq!(ends, [FailureKind::Auth; 3]);
    let lines: Vec<_> = scene.responder.seen().into_iter().map(|s| s.line).collect();
    assert_eq!(
        lines,
        [
            "POST /v1/orders HTTP/1.1",
            "POST /v1/accounts/chal-1/close-all-positions HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn a_key_that_is_taken_again_re_arms_the_desk_by_itself() {
    let script = vec![error("401 Unauthorized", ""), empty(), placed()];
    let mut scene = Scene::of(script).await;
    let client = scene.outbox.desk.client.clone();
    scene.outbox.send(Ticket(1), buy());
    assert_eq!(scene.settled().await.1.unwrap_err().kind, FailureKind::Auth);
    scene.outbox.send(Ticket(2), buy());
    let why = scene.settled().await.1.unwrap_err();
    assert!(why.message.raw().contains("r asks"), "{why}");
    client.open_positions(&"chal-1".into()).await.unwrap();
    scene.outbox.send(Ticket(3), buy());
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["POST", "GET", "POST"]);
}

fn empty() -> Reply {
    ok(r#"{"data":[],"has_more":false}"#)
}

/// Runs until the command is parked.
async fn parked(scene: &mut Scene) -> Failure {
    loop {
        if let Msg::Progress(_, Progress::Parked { why, .. }) = scene.events.recv().await.unwrap() {
            return why;
        }
    }
}

#[tokio::test]
async fn what_nobody_can_find_out_is_asked_and_the_same_request_goes_again_when_told() {
    let found = || error("302 Found", "location: http://elsewhere.test/\r\n");
    let mut scene = Scene::of(vec![found(), placed()]).await;
    scene.outbox.send(TICKET, buy());
    assert_eq!(parked(&mut scene).await.kind, FailureKind::Unknown);
    scene.outbox.again(TICKET);
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    let [first, second] = scene.responder.seen().try_into().unwrap();
    assert_eq!(first, second);
}

#[tokio::test]
async fn who_asks_again_before_the_service_wants_to_hear_of_it_is_told_so_and_nothing_leaves() {
    let busy = error("302 Found", "retry-after: 90\r\n");
    let nothing = ok(r#"{"data":[]}"#);
    let mut scene = Scene::of(vec![busy, nothing]).await;
    scene.outbox.send(TICKET, buy());
    parked(&mut scene).await;
    scene.outbox.again(TICKET);
    let why = parked(&mut scene).await.to_string();
    assert!(why.contains("asks to wait 90 s"), "{why}");
    assert_eq!(methods(&scene), ["POST", "GET"], "it was only looked for");
}

#[tokio::test]
async fn what_is_given_up_stays_unknown_and_is_not_sent_again() {
    let mut scene = Scene::of(vec![error("302 Found", "")]).await;
    scene.outbox.send(TICKET, buy());
    parked(&mut scene).await;
    scene.outbox.give_up(TICKET);
    assert_eq!(
        scene.settled().await.1.unwrap_err().kind,
        FailureKind::Unknown
    );
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(
        (entry.state, entry.maybe_executed),
        (State::Abandoned, true)
    );
}

#[tokio::test]
async fn an_older_change_is_not_sent_after_a_newer_one() {
    let margin = |extra: &str| Command::Margin {
        position_id: "p-1".into(),
        extra: extra.parse().unwrap(),
        held: None,
    };
    let position =
        r#"{"data":{"id":"p-1","market_id":"paper|BTC","size":1,"isolated_margin_extra":50}}"#;
    let mut scene = Scene::of(vec![error("302 Found", ""), ok(position)]).await;
    scene.outbox.send(Ticket(1), margin("100"));
    parked(&mut scene).await;
    scene.outbox.send(Ticket(2), margin("50"));
    assert!(scene.settled().await.1.is_ok());
    scene.outbox.again(Ticket(1));
    parked(&mut scene).await;
    assert_eq!(scene.responder.seen().len(), 2);
}

/// What the next desk finds in the journal.
async fn entries(scene: Scene) -> Vec<crate::journal::Entry> {
    let Scene { dir, outbox, .. } = scene;
    drop(outbox);
    reopened(&dir).await.recent(99).unwrap()
}

/// The journal's thread ends, and frees the lock, a moment after the outbox.
pub(super) async fn reopened(dir: &TempDir) -> Journal {
    loop {
        match Journal::open(dir.path()) {
            Ok(journal) => return journal,
            Err(JournalError::Held { .. }) => tokio::task::yield_now().await,
            Err(why) => panic!("{why}"),
        }
    }
}

fn intent(command: &Command, url: &str, journal: &Journal) -> crate::journal::Intent {
    let dialect = crate::api::Dialect::default();
    let request = crate::api::Request::of(command, "key-1".into(), &dialect).unwrap();
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
        deadline: NOW.plus(Duration::from_secs(30)),
        replay_until: NOW.plus(Duration::from_mins(15)),
    }
}

/// A desk that opens on a journal in which `command` is still on the wire.
async fn after_a_crash(command: &Command, script: Vec<Reply>) -> Scene {
    let dir = place();
    let responder = Responder::answering(script).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = intent(command, &responder.url, &journal);
    journal.record(NOW, &intent).unwrap();
    drop(journal);
    Scene::at(dir, responder)
}

fn methods(scene: &Scene) -> Vec<String> {
    let word = |seen: crate::client::testing::responder::Seen| {
        seen.line.split(' ').next().unwrap().to_owned()
    };
    scene.responder.seen().into_iter().map(word).collect()
}

#[tokio::test]
async fn after_a_crash_an_order_that_may_exist_is_asked_about_and_never_sent_by_itself() {
    let mut scene = after_a_crash(&buy(), vec![empty(), empty()]).await;
    parked(&mut scene).await;
    assert_eq!(methods(&scene), ["GET", "GET"]);
}

#[tokio::test]
async fn after_a_crash_an_order_that_one_row_fits_is_linked_to_it() {
    let Command::Place(mut order) = buy() else {
        unreachable!()
    };
    order.expected_price = Some("64000.5".parse().unwrap());
    let command = Command::Place(order);
    let history = ok(&format!(r#"{{"data":[{ORDER}],"has_more":false}}"#));
    let mut scene = after_a_crash(&command, vec![empty(), history]).await;
    let told = loop {
        if let Msg::Said(_, text) = scene.events.recv().await.unwrap() {
            break text;
        }
    };
    assert!(told.ends_with("order o-1 resting"), "{told}");
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(entry.state, State::Done);
}

#[tokio::test]
async fn after_a_crash_a_close_all_goes_on_with_its_own_key() {
    let running = r#"{"data":{"id":"op","operation":"close_all_positions","account_id":"chal-1",
        "status":"completed","total_count":0,"succeeded_count":0,"failed_count":0,"results":[],
        "created_at":1790000000000}}"#;
    let command = Command::CloseAll("chal-1".into());
    let mut scene = after_a_crash(&command, vec![empty(), ok(running), empty(), empty()]).await;
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::CloseAll(_))), "{result:?}");
    let seen = scene.responder.seen();
    assert_eq!(seen[1].header("idempotency-key"), Some("key-1"));
}

#[tokio::test]
async fn after_a_crash_a_command_of_another_key_is_in_sight_and_never_sent() {
    let dir = place();
    let responder = Responder::answering(vec![empty()]).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let mut foreign = intent(
        &Command::CloseAll("chal-1".into()),
        &responder.url,
        &journal,
    );
    foreign.credential = journal.fingerprint("pd_live_other").unwrap();
    let id = journal.record(NOW, &foreign).unwrap();
    drop(journal);
    let mut scene = Scene::at(dir, responder);
    let ticket = Ticket(1_000_000 + id.0.unsigned_abs());
    let why = parked(&mut scene).await.to_string();
    assert!(
        why.contains("another key") && why.contains("never sent"),
        "{why}"
    );
    scene.outbox.again(ticket);
    let why = parked(&mut scene).await.to_string();
    assert!(why.contains("never sent"), "{why}");
    scene.outbox.give_up(ticket);
    scene.settled().await.1.unwrap_err();
    assert_eq!(methods(&scene), ["GET"]);
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(
        (entry.state, entry.maybe_executed),
        (State::Abandoned, true)
    );
}

pub(in crate::runtime) fn close(position: &str) -> Command {
    Command::Close(ClosePosition::market(position.into()))
}

#[tokio::test]
async fn a_command_of_the_last_session_is_first_in_its_lane() {
    let script = vec![empty(), Reply::Drop, placed(), placed()];
    let mut scene = after_a_crash(&close("p-1"), script).await;
    let lost = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Unknown { .. }));
    while !lost(&scene.events.recv().await.unwrap()) {}
    scene.outbox.send(Ticket(1), close("p-1"));
    scene.settled().await.1.unwrap();
    scene.settled().await.1.unwrap();
    let keys: Vec<_> = scene.responder.seen()[1..]
        .iter()
        .map(|seen| seen.header("idempotency-key") == Some("key-1"))
        .collect();
    assert_eq!(keys, [true, true, false]);
}

#[tokio::test]
async fn a_halted_desk_sends_what_gets_out_and_nothing_else_until_it_is_re_armed() {
    let mut scene = Scene::of(vec![canceled(), placed()]).await;
    scene.outbox.desk.halt("it was flattened").await;
    let halted = scene.events.recv().await;
    assert_eq!(
        halted,
        Some(Msg::Halted(Some("it was flattened".to_owned())))
    );
    scene.outbox.send(Ticket(1), buy());
    let why = scene.settled().await.1.unwrap_err();
    assert!(
        why.kind == FailureKind::Local && why.message.raw().contains("HALTED"),
        "{why}"
    );
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    scene.settled().await.1.unwrap();
    scene.outbox.rearm();
    while scene.events.recv().await.unwrap() != Msg::Halted(None) {}
    scene.outbox.send(Ticket(3), buy());
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["DELETE", "POST"]);
}

#[tokio::test]
async fn an_order_in_doubt_when_the_desk_halts_is_asked_about_instead_of_sent_again() {
    let mut scene = Scene::of(vec![Reply::Drop]).await;
    scene.outbox.send(TICKET, buy());
    let lost = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Unknown { .. }));
    while !lost(&scene.events.recv().await.unwrap()) {}
    scene.outbox.desk.halt("it was flattened").await;
    let why = parked(&mut scene).await;
    assert!(why.is_doubtful(), "{why}");
    assert_eq!(methods(&scene), ["POST"]);
}

#[tokio::test]
async fn an_answer_about_another_account_halts_the_desk_and_stays_a_question() {
    let order = ORDER.replace("chal-1", "chal-9");
    let other = ok(&format!(r#"{{"data":{order},"queued":false}}"#));
    let mut scene = Scene::of(vec![other]).await;
    scene.outbox.send(TICKET, buy());
    let mut halted = None;
    let why = loop {
        let msg = scene.events.recv().await.unwrap();
        if let Msg::Progress(_, Progress::Parked { why, .. }) = msg {
            break why;
        } else if let Msg::Halted(why) = msg {
            halted = why;
        }
    };
    assert_eq!(why.kind, FailureKind::Contradiction);
    assert!(halted.unwrap().contains("order o-1 is of account chal-9"));
}

#[tokio::test]
async fn a_key_that_another_order_answers_to_halts_the_desk() {
    let dir = place();
    let responder = Responder::answering(vec![empty(), placed()]).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = intent(&close("p-1"), &responder.url, &journal);
    let id = journal.record(NOW, &intent).unwrap();
    let known = crate::journal::Standing {
        order_id: Some("o-7".into()),
        ..crate::journal::Standing::new(State::Unknown, "it may have been placed as o-7")
    };
    journal.tell(NOW, id, &known).unwrap();
    drop(journal);
    let mut scene = Scene::at(dir, responder);
    let why = parked(&mut scene).await.to_string();
    assert!(
        why.contains("order o-1 answers to the key of order o-7"),
        "{why}"
    );
    scene.outbox.send(TICKET, buy());
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(why.contains("HALTED"), "{why}");
}

#[tokio::test]
async fn a_change_of_an_order_is_proved_by_the_order_that_another_command_made() {
    let protected = ORDER.replacen('{', r#"{"attached_stop_loss_price":60000,"#, 1);
    let working = ok(&format!(r#"{{"data":[{protected}],"has_more":false}}"#));
    let mut scene = Scene::of(vec![Reply::Drop, working]).await;
    let desk = scene.outbox.desk.clone();
    assert!(desk.claim(&"o-1".into(), &"its placement".into()));
    let exits = crate::model::Exits {
        order_id: "o-1".into(),
        take_profit: crate::model::Leg::Keep,
        stop_loss: crate::model::Leg::Set("60000".parse().unwrap()),
    };
    scene.outbox.send(TICKET, Command::Exits(exits));
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{said:?}");
    assert!(desk.claim(&"o-1".into(), &"its placement".into()));
}

#[tokio::test]
async fn two_commands_for_one_order_never_overlap_and_keep_their_order() {
    let bad = || error("400 Bad Request", "");
    let mut scene = Scene::of(vec![canceled(), bad(), bad()]).await;
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

fn broken() -> Reply {
    error("500 Internal Server Error", "")
}

#[tokio::test]
async fn an_outage_is_not_answered_with_a_storm_and_an_exit_is_retried_all_the_same() {
    let mut scene = Scene::hurried((0..400).map(|_| broken()).collect(), 50).await;
    for number in 1..=12 {
        scene.outbox.send(Ticket(number), buy());
    }
    for _ in 1..=12 {
        parked(&mut scene).await;
    }
    let sent = |method: &str| {
        let seen = methods(&scene);
        seen.iter().filter(|word| *word == method).count()
    };
    assert_eq!(
        sent("POST"),
        12 + 10,
        "each once, and the whole retry quota"
    );
    scene.outbox.send(Ticket(13), Command::Cancel("o-1".into()));
    parked(&mut scene).await;
    let sent = methods(&scene);
    assert_eq!(sent.iter().filter(|word| *word == "DELETE").count(), 5);
}

#[tokio::test]
async fn with_the_budget_spent_an_exit_leaves_at_once_and_an_order_waits() {
    let limited = error("429 Too Many Requests", "retry-after: 1\r\n");
    let mut scene = Scene::of(vec![limited, canceled()]).await;
    let client = scene.outbox.desk.client.clone();
    client.open_positions(&"chal-1".into()).await.unwrap_err();
    tokio::time::sleep(client.pause_left()).await;
    assert!(client.polls_per_minute().is_some());
    scene.outbox.send(Ticket(1), buy());
    let waits = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Waiting { .. }));
    while !waits(&scene.events.recv().await.unwrap()) {}
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    let (_, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
    assert_eq!(methods(&scene), ["GET", "DELETE"]);
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
        Tries::of(&Command::Cancel("o".into()), Tempo::default()),
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
        || ready(Ok(Sight::Nothing)),
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
        Tries::of(&Command::CloseAll("chal-1".into()), Tempo::default()),
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
        || ready(Ok(Sight::Nothing)),
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
