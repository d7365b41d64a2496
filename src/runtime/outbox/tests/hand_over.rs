//! A desk whose journal another desk holds.

use super::*;
use crate::{
    app::CallerRequest,
    journal::overflow_dirs,
    runtime::journal::{
        caller_event::CallerEvent,
        callers::CallerRegistry,
        socket::{self, SocketHost},
    },
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::UnixListener,
    sync::mpsc::Sender,
};

/// Another desk holds the journal in `dir` and does not respond.
fn another(dir: &TempDir) -> Journal {
    let journal = Journal::open(dir.path()).unwrap();
    journal.announce();
    journal
}

/// Messages until a new holder of the journal is reported, and that holder.
async fn told(scene: &mut Scene) -> Option<String> {
    loop {
        if let Msg::Second(first) = scene.events.recv().await.unwrap() {
            return first;
        }
    }
}

/// The states of all commands in the first overflow journal of `dir`.
fn beside(dir: &TempDir) -> Vec<IntentState> {
    let beside = overflow_dirs(dir.path()).next().unwrap();
    let journal = Journal::open_read_only(&beside).unwrap();
    let rows = journal.recent(9).unwrap();
    rows.into_iter().map(|row| row.state).collect()
}

#[tokio::test]
async fn beside_a_desk_that_does_not_answer_exits_go_out_and_an_order_is_refused_with_its_number() {
    let dir = place();
    let _other = another(&dir);
    let script = vec![canceled(), closed_all(), empty(), empty()];
    let mut scene = Scene::at(dir, Responder::answering(script).await);
    let pid = format!("(process {})", std::process::id());
    scene.outbox.send(Ticket(1), buy());
    let (_, refused) = scene.settled().await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains(&pid) && why.contains("trade there"), "{why}");
    for (number, exit) in [
        (2, Command::Cancel("o-1".into())),
        (3, Command::CloseAll("chal-1".into())),
    ] {
        scene.outbox.send(Ticket(number), exit);
        let (msgs, result) = scene.settled().await;
        assert!(result.is_ok(), "{result:?}");
        assert!(said(&msgs).contains("does not answer"), "{msgs:?}");
    }
    assert_eq!(methods(&scene)[..2], ["DELETE", "POST"]);
    assert!(scene.outbox.is_written().await);
    assert_eq!(beside(&scene.dir), [IntentState::Done, IntentState::Done]);
}

#[tokio::test]
async fn a_flatten_beside_a_desk_that_does_not_answer_is_halted_still_when_it_takes_over() {
    let dir = place();
    let other = another(&dir);
    let mut scene = Scene::hurried_at(dir, flat_at_once().await, 100);
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (_, flat) = scene.settled().await;
    assert!(matches!(flat, Ok(Receipt::Flat(_))), "{flat:?}");
    drop(other);
    let halted = Msg::Halted(Some("flattened".to_owned()));
    while scene.events.recv().await.unwrap() != halted {}
}

#[tokio::test]
async fn when_the_other_desk_is_gone_this_one_takes_the_journal_and_goes_on_with_what_was_open() {
    let dir = place();
    let answer = |seen: &crate::client::testing::responder::Seen| match seen.line.as_str() {
        line if line.starts_with("GET ") => empty(),
        line if line.contains("close-all") => closed_all(),
        _ => placed(),
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut other = another(&dir);
    let left = intent(&Command::CloseAll("chal-1".into()), &responder.url, &other);
    other.record(NOW, &left).unwrap();
    let mut scene = Scene::at(dir, responder);
    assert!(told(&mut scene).await.is_some());
    assert_eq!(methods(&scene), Vec::<String>::new());
    drop(other);
    let (msgs, resumed) = scene.settled().await;
    assert!(matches!(resumed, Ok(Receipt::CloseAll(_))), "{resumed:?}");
    assert!(msgs.contains(&Msg::Second(None)), "{msgs:?}");
    let sent = scene.responder.seen().into_iter();
    let keys: Vec<_> = sent
        .filter_map(|seen| seen.header("idempotency-key").map(str::to_owned))
        .collect();
    assert_eq!(keys, ["key-1"], "its own");
    scene.outbox.send(TICKET, buy());
    let (_, bought) = scene.settled().await;
    assert!(bought.is_ok(), "{bought:?}");
    let states = entries(scene).await.into_iter().map(|entry| entry.state);
    assert_eq!(
        states.collect::<Vec<_>>(),
        [IntentState::Done, IntentState::Done]
    );
}

#[tokio::test]
async fn what_was_begun_beside_the_journal_is_settled_where_it_was_begun() {
    let dir = place();
    let mut other = another(&dir);
    let responder = Responder::answering(vec![error("302 Found", ""), empty()]).await;
    let first = intent(&buy(), &responder.url, &other);
    let row = other.record(NOW, &first).unwrap();
    other
        .record_state(
            NOW,
            row,
            &crate::journal::StateUpdate::new(IntentState::Rejected, "so"),
        )
        .unwrap();
    let mut scene = Scene::at(dir, responder);
    assert!(told(&mut scene).await.is_some());
    scene.outbox.send(TICKET, close("p-1"));
    parked(&mut scene).await;
    drop(other);
    assert_eq!(told(&mut scene).await, None);
    scene.outbox.give_up(TICKET);
    scene.settled().await.1.unwrap_err();
    assert!(scene.outbox.is_written().await);
    assert_eq!(beside(&scene.dir), [IntentState::Abandoned]);
    let states = entries(scene).await.into_iter().map(|entry| entry.state);
    assert_eq!(states.collect::<Vec<_>>(), [IntentState::Rejected]);
}

/// A holding desk that responds; its requests arrive in the receiver.
async fn answering(scene: &mut Scene) -> (CallerRegistry, Receiver<Msg>) {
    let (inbox, asked) = channel(4);
    let callers = CallerRegistry::default();
    let door = scene.dir.path().to_owned();
    tokio::spawn(socket::receive(vec![host(scene, &callers, inbox)], door));
    assert!(told(scene).await.is_some());
    while socket::call(scene.dir.path()).await.is_none() {}
    (callers, asked)
}

fn host(scene: &Scene, callers: &CallerRegistry, inbox: Sender<Msg>) -> SocketHost {
    SocketHost {
        client: scene.outbox.context.client.clone(),
        callers: callers.clone(),
        inbox,
        lapses: socket::LAPSES,
    }
}

/// The outcome on a second desk when the holding desk reports these events for `command`.
async fn hears(
    scene: &mut Scene,
    command: Command,
    news: Msg,
) -> (Vec<Msg>, Result<Receipt, Failure>) {
    let (callers, mut asked) = answering(scene).await;
    scene.outbox.send(TICKET, command);
    let Some(Msg::Asked(caller, _)) = asked.recv().await else {
        panic!("asked");
    };
    callers.subscribe(caller, Ticket(9));
    callers.forward(&news);
    scene.settled().await
}

#[tokio::test]
async fn a_desk_that_answers_sends_what_the_second_one_is_told_to() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    let (callers, mut asked) = answering(&mut scene).await;
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    let Some(Msg::Asked(caller, wish)) = asked.recv().await else {
        panic!("asked");
    };
    let CallerRequest::Send { command, .. } = wish else {
        panic!("one command");
    };
    assert_eq!(command, Command::Cancel("o-1".into()));
    callers.subscribe(caller, Ticket(9));
    callers.forward(&Msg::Progress(Ticket(9), Progress::Sending { attempt: 1 }));
    let receipt = Receipt::AlreadySo("canceled there".into());
    callers.forward(&Msg::Settled(Ticket(9), Ok(receipt.clone())));
    let (msgs, end) = scene.settled().await;
    assert_eq!(end, Ok(receipt));
    let sending = Msg::Progress(TICKET, Progress::Sending { attempt: 1 });
    assert!(msgs.contains(&sending), "{msgs:?}");
    assert_eq!(scene.responder.seen(), [], "nothing leaves from here");
}

#[tokio::test]
async fn what_the_first_desk_asks_about_is_in_doubt_here_and_says_on_which_screen_it_is_decided() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    let parked = Progress::Parked {
        why: Failure::new(FailureKind::Unknown, "no answer"),
        replay_until: NOW,
    };
    let parked = Msg::Progress(Ticket(9), parked);
    let (_, end) = hears(&mut scene, close("p-1"), parked).await;
    let why = end.unwrap_err();
    assert_eq!(why.kind, FailureKind::Unknown);
    let place = format!(
        "no answer; the desk that sent it (process {}) asks on its screen what to do",
        std::process::id()
    );
    assert_eq!(why.message.raw(), place);
}

#[tokio::test]
async fn an_answer_that_is_not_as_asked_is_said_on_the_second_desk_too() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    let order = ORDER
        .replace(r#""size":0.10"#, r#""size":1"#)
        .replace(
            r#""type":"limit","mode":"limit""#,
            r#""type":"market","mode":"market""#,
        )
        .replace(
            r#""reduce_only":false"#,
            r#""reduce_only":true,"target_position_id":"p-2""#,
        );
    let receipt = Receipt::Order {
        order: Box::new(serde_json::from_str(&order).unwrap()),
        queued: false,
    };
    let settled = Msg::Settled(Ticket(9), Ok(receipt));
    let (msgs, end) = hears(&mut scene, close("p-1"), settled).await;
    assert!(end.is_ok(), "{end:?}");
    let text = "order o-1 differs from the request: position p-2 instead of p-1".to_owned();
    let offered = Msg::Offered(text, Command::Cancel("o-1".into()));
    assert!(msgs.contains(&offered), "{msgs:?}");
}

#[tokio::test]
async fn a_close_all_that_the_first_desk_sent_is_proved_on_the_second_one_too() {
    let dir = place();
    let _other = another(&dir);
    let position = r#"{"id":"p-1","account_id":"chal-1","market_id":"paper|BTC","size":1}"#;
    let open = move |_: &crate::client::testing::responder::Seen| {
        ok(&format!(r#"{{"data":[{position}],"has_more":false}}"#))
    };
    let mut scene = Scene::hurried_at(dir, Responder::playing(open, || ()).await, 100);
    let done = Receipt::CloseAll(CloseAll {
        id: "op".into(),
        operation: "close_all_positions".into(),
        account_id: "chal-1".into(),
        status: crate::model::OperationStatus::Completed.into(),
        total_count: 1,
        succeeded_count: 1,
        failed_count: 0,
        results: vec![],
        created_at: NOW,
        completed_at: None,
    });
    let settled = Msg::Settled(Ticket(9), Ok(done));
    hears(&mut scene, Command::CloseAll("chal-1".into()), settled)
        .await
        .1
        .unwrap();
    let left = "close all is complete but not flat, still open: BTC 1".to_owned();
    assert_eq!(
        scene.events.recv().await,
        Some(Msg::Notify(crate::app::activity::notice::Tone::Alert, left))
    );
}

#[tokio::test]
async fn a_cancel_that_the_first_desk_has_queued_ends_on_the_second_one_too() {
    let dir = place();
    let _other = another(&dir);
    let gone = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.contains("working") {
            return empty();
        }
        row(&ORDER.replace("resting", "canceled"))
    };
    let mut scene = Scene::hurried_at(dir, Responder::playing(gone, || ()).await, 100);
    let queued = Receipt::Cancel(crate::model::CancelResult {
        id: "o-1".into(),
        canceled: false,
        queued: true,
    });
    let settled = Msg::Settled(Ticket(9), Ok(queued));
    hears(&mut scene, Command::Cancel("o-1".into()), settled)
        .await
        .1
        .unwrap();
    let ended = scene.events.recv().await.unwrap();
    let is_end = matches!(&ended, Msg::Ended(id, Ok(_)) if *id == "o-1".into());
    assert!(is_end, "{ended:?}");
}

/// What the first desk does after it accepted a request and sent this event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Dies,
    /// It accepts no further callers.
    Stops,
}

/// A first desk that responds once and then does `then`.
fn once(scene: &Scene, said: Option<CallerEvent>, then: Then) {
    let listener = UnixListener::bind(scene.dir.path().join("desk.sock")).unwrap();
    let greeting = socket::Greeting {
        process: 7,
        accounts: vec![scene.outbox.context.client.connection().into()],
    };
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let line = format!("{}\n", serde_json::to_string(&greeting).unwrap());
        stream.write_all(line.as_bytes()).await.unwrap();
        let mut asked = String::new();
        stream.read_line(&mut asked).await.unwrap();
        if let Some(said) = said {
            let line = format!("{}\n", serde_json::to_string(&said).unwrap());
            stream.write_all(line.as_bytes()).await.unwrap();
        }
        if then == Then::Stops {
            std::future::pending::<()>().await;
        }
    });
}

/// A service whose account is flat at once.
async fn flat_at_once() -> Responder {
    let answer = |seen: &crate::client::testing::responder::Seen| {
        if seen.line.starts_with("GET ") {
            empty()
        } else {
            closed_all()
        }
    };
    Responder::playing(answer, || ()).await
}

#[tokio::test]
async fn a_flatten_that_the_first_desk_has_taken_when_it_is_stopped_goes_out_from_here() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::hurried_at(dir, flat_at_once().await, 100);
    assert!(told(&mut scene).await.is_some());
    once(&scene, Some(CallerEvent::Taken), Then::Stops);
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (msgs, flat) = scene.settled().await;
    assert!(matches!(flat, Ok(Receipt::Flat(_))), "{flat:?}");
    let said = said(&msgs);
    assert!(said.contains("does not answer any more"), "{said}");
    assert!(
        said.contains("also flattens if it resumes within 15 s"),
        "{said}"
    );
}

#[tokio::test]
async fn a_close_that_the_first_desk_has_taken_when_it_is_stopped_holds_up_no_second_one() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![placed(), placed()]).await);
    assert!(told(&mut scene).await.is_some());
    once(&scene, Some(CallerEvent::Taken), Then::Stops);
    scene.outbox.send(Ticket(1), close("p-1"));
    scene.outbox.send(Ticket(2), close("p-1"));
    for _ in 0..2 {
        let (_, end) = scene.settled().await;
        assert!(end.is_ok(), "{end:?}");
    }
    assert_eq!(methods(&scene), ["POST", "POST"]);
}

#[tokio::test]
async fn a_cancel_that_dies_with_the_first_desk_goes_out_from_here_and_a_part_of_a_close_is_in_doubt()
 {
    let half = Command::Close(ClosePosition {
        size: Some("0.5".parse().unwrap()),
        ..ClosePosition::market("p-1".into())
    });
    for (command, sent) in [
        (Command::Cancel("o-1".into()), vec!["DELETE".to_owned()]),
        (half, vec![]),
    ] {
        let dir = place();
        let _other = another(&dir);
        let mut scene = Scene::at(dir, Responder::answering(vec![canceled()]).await);
        assert!(told(&mut scene).await.is_some());
        once(&scene, None, Then::Dies);
        scene.outbox.send(TICKET, command);
        let (_, end) = scene.settled().await;
        assert_eq!(methods(&scene), sent, "{end:?}");
        match end {
            Ok(_) => assert_eq!(sent.len(), 1),
            Err(why) => assert_eq!((why.kind, sent.len()), (FailureKind::Unknown, 0)),
        }
    }
}

/// The outcome in a verb when the holding desk ends so, and what left from here.
async fn beside_verb(
    said: Option<CallerEvent>,
    then: Then,
    command: Command,
) -> (Result<Receipt, Failure>, Vec<String>) {
    let dir = place();
    let _other = another(&dir);
    let mut scene = verb(dir, Responder::answering(vec![canceled()]).await);
    once(&scene, said, then);
    scene.outbox.send_as(TICKET, command, "mine".into());
    let (_, end) = scene.settled().await;
    (end, methods(&scene))
}

/// `docs/delivery.md` 8.5.
#[tokio::test]
async fn what_a_desk_was_asked_by_a_verb_and_did_not_answer_is_unknown_and_never_sent_twice() {
    for command in [buy(), Command::Cancel("o-1".into())] {
        let taken = Some(CallerEvent::Taken);
        let (end, sent) = beside_verb(taken, Then::Dies, command).await;
        let why = end.unwrap_err();
        assert_eq!((why.kind, sent), (FailureKind::Unknown, vec![]), "{why}");
    }
}

#[tokio::test]
async fn what_a_desk_declines_is_not_sent_by_a_verb_either() {
    for command in [buy(), Command::Cancel("o-1".into())] {
        let declined = Some(CallerEvent::TurnedAway("read-only".to_owned()));
        let (end, sent) = beside_verb(declined, Then::Dies, command).await;
        let why = end.unwrap_err();
        assert_eq!((why.kind, sent), (FailureKind::Invalid, vec![]), "{why}");
        let words = "rejected by perpdeck, nothing was sent: read-only";
        assert_eq!(why.message.raw(), words);
    }
}

#[tokio::test]
async fn a_desk_that_stops_before_a_verb_can_ask_it_holds_up_a_cancel_and_lets_no_order_out() {
    let dir = place();
    let other = another(&dir);
    let mut scene = verb(dir, Responder::answering(vec![canceled()]).await);
    scene.outbox.send_as(Ticket(1), buy(), "mine".into());
    let why = scene.settled().await.1.unwrap_err();
    assert_eq!(why.kind, FailureKind::Unavailable);
    assert!(why.message.raw().ends_with("nothing was sent"), "{why}");
    let cancel = Command::Cancel("o-1".into());
    scene.outbox.send_as(Ticket(2), cancel, "another".into());
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["DELETE"]);
    assert!(scene.outbox.is_written().await);
    assert_eq!(beside(&scene.dir), [IntentState::Done]);
    // A verb takes nothing over.
    drop(other);
    drop(reopened(&scene.dir).await);
}

#[tokio::test]
async fn a_verb_that_is_stopped_while_a_desk_sends_for_it_does_not_say_that_nothing_was_sent() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = verb(dir, Responder::answering(vec![]).await);
    let sends = CallerEvent::Progress(Progress::Sending { attempt: 1 });
    once(&scene, Some(sends), Then::Stops);
    scene.outbox.send_as(TICKET, buy(), "mine".into());
    let sending = Msg::Progress(TICKET, Progress::Sending { attempt: 1 });
    while scene.events.recv().await.unwrap() != sending {}
    scene.outbox.stop();
    let why = scene.settled().await.1.unwrap_err();
    assert_eq!(why.kind, FailureKind::Unknown, "{why}");
    assert_eq!(methods(&scene), Vec::<String>::new());
}

#[tokio::test]
async fn a_desk_that_slept_through_a_flatten_is_asked_to_flatten_when_it_wakes() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::hurried_at(dir, flat_at_once().await, 100);
    let listener = UnixListener::bind(scene.dir.path().join("desk.sock")).unwrap();
    assert!(told(&mut scene).await.is_some());
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (msgs, flat) = scene.settled().await;
    assert!(matches!(flat, Ok(Receipt::Flat(_))), "{flat:?}");
    assert!(
        said(&msgs).contains("also flattens if it resumes within 15 s"),
        "{msgs:?}"
    );
    let (inbox, mut asked) = channel(4);
    let asleep = host(&scene, &CallerRegistry::default(), inbox);
    // The caller is gone by then.
    drop(scene);
    tokio::spawn(socket::accept_callers(vec![asleep], listener));
    let Some(Msg::Asked(_, wish)) = asked.recv().await else {
        panic!("asked");
    };
    assert_eq!(wish, CallerRequest::Flatten("chal-1".into()));
}

#[tokio::test]
async fn a_desk_that_wakes_long_after_a_flatten_leaves_open_what_is_open_by_then_and_says_so() {
    let dir = place();
    let _other = another(&dir);
    let scene = Scene::at(dir, Responder::answering(vec![]).await);
    let listener = UnixListener::bind(scene.dir.path().join("desk.sock")).unwrap();
    let here = scene.outbox.context.client.connection().into();
    socket::leave_flatten(scene.dir.path(), here).await.unwrap();
    let (inbox, mut heard) = channel(4);
    let asleep = SocketHost {
        lapses: Duration::ZERO,
        ..host(&scene, &CallerRegistry::default(), inbox)
    };
    tokio::spawn(socket::accept_callers(vec![asleep], listener));
    let said = "flatten was requested 0 s ago, while this desk did not answer, and was NOT executed: positions may \
                be newer. F flattens";
    let told = Msg::Notify(crate::app::activity::notice::Tone::Alert, said.to_owned());
    assert_eq!(heard.recv().await, Some(told));
}

#[tokio::test]
async fn a_desk_that_cannot_be_told_of_a_flatten_is_said_to_be_not_halted() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::hurried_at(dir, flat_at_once().await, 100);
    assert!(told(&mut scene).await.is_some());
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (msgs, _) = scene.settled().await;
    assert!(said(&msgs).contains("is NOT halted"), "{msgs:?}");
}

#[tokio::test]
async fn who_waits_for_the_journal_is_refused_where_another_desk_has_it() {
    let dir = place();
    let _other = another(&dir);
    let mut scene = Scene::at(dir, Responder::answering(vec![]).await);
    assert!(told(&mut scene).await.is_some());
    // Whoever holds the journal when this arrives.
    let ready = scene
        .outbox
        .context
        .ready_within(Duration::from_secs(9))
        .await;
    let why = ready.unwrap_err().to_string();
    assert!(why.contains("trade there"), "{why}");
}

#[tokio::test]
async fn a_look_into_the_other_desks_journal_holds_up_nothing_that_is_written() {
    let dir = place();
    let _other = another(&dir);
    let scene = Scene::at(dir, Responder::answering(vec![]).await);
    let writer = &scene.outbox.context.writer;
    let (go_on, hang) = std::sync::mpsc::channel::<()>();
    let looked = writer.read(move |journal| {
        let _over = hang.recv();
        journal.recent(9).map(|rows| rows.len())
    });
    writer.ask(|_| Ok(())).await.unwrap().unwrap();
    drop(go_on);
    assert_eq!(looked.await.unwrap().unwrap(), 0);
}

#[tokio::test]
async fn beside_a_journal_that_does_not_open_the_next_one_takes_what_closes_or_cancels() {
    let dir = place();
    let _other = another(&dir);
    let [broken, whole] = overflow_dirs(dir.path())
        .take(2)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    std::fs::create_dir_all(broken.join("journal.jsonl")).unwrap();
    let mut scene = Scene::at(dir, Responder::answering(vec![canceled()]).await);
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    scene.settled().await.1.unwrap();
    assert!(scene.outbox.is_written().await);
    let journal = Journal::open_read_only(&whole).unwrap();
    let states = journal.recent(9).unwrap().into_iter().map(|row| row.state);
    assert_eq!(states.collect::<Vec<_>>(), [IntentState::Done]);
}
