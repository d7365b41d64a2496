//! Several processes that send from one journal. Each outbox here has a journal of its own open, as a process has.

use super::*;
use crate::{
    client::testing::responder::Seen,
    journal::{IntentId, IntentRow, StateUpdate},
    model::Command,
};

/// Another process that has the journal open.
fn another(dir: &TempDir) -> Journal {
    Journal::open(dir.path()).unwrap()
}

/// A desk, and another process beside it.
async fn beside(script: Vec<Reply>) -> (Scene, Journal) {
    let dir = place();
    let other = another(&dir);
    let scene = Scene::hurried_at(dir, Responder::answering(script).await, 20);
    scene.outbox.context.ready().await;
    (scene, other)
}

fn settle(journal: &mut Journal, id: IntentId, state: IntentState) {
    let update = StateUpdate::new(state, "so");
    journal.record_state(NOW, id, &update).unwrap();
}

#[tokio::test]
async fn two_desks_on_one_account_both_trade_and_share_the_numbers_of_their_rows() {
    let dir = place();
    let answer = |_: &Seen| placed();
    let responder = Responder::playing(answer, || ()).await;
    let mut first = Scene::at(dir, responder);
    let (client, _calls) = first.responder.client();
    let (sender, events) = channel(64);
    let place = first.dir.path().to_owned();
    let open = move || Journal::open(&place);
    let mut second = Outbox::spawn(client, Clock::Frozen(NOW), first.dir.path(), open, sender);
    let mut heard = events;
    for number in 1..=3 {
        first.outbox.send(Ticket(number), buy());
        second.send(Ticket(number), buy());
        first.settled().await.1.unwrap();
        while !matches!(heard.recv().await.unwrap(), Msg::Settled(_, Ok(_))) {}
    }
    drop(second);
    let rows = entries(first).await;
    let ids: Vec<_> = rows.iter().rev().map(|row| row.id.0).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    assert!(rows.iter().all(|row| row.state == IntentState::Done));
}

#[tokio::test]
async fn what_a_living_process_has_under_way_is_left_to_it_and_what_it_leaves_is_taken_over_once() {
    let dir = place();
    let answer = |seen: &Seen| {
        if seen.line.contains("close-all") {
            closed_all()
        } else {
            empty()
        }
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut other = another(&dir);
    let close_all = intent(&Command::CloseAll("chal-1".into()), &responder.url, &other);
    other.record(NOW, &close_all).unwrap();
    let mut desks: Vec<_> = (0..3)
        .map(|_| {
            let (client, _calls) = responder.client();
            let (sender, events) = channel(64);
            let place = dir.path().to_owned();
            let open = move || Journal::open(&place);
            let outbox = Outbox::spawn(client, Clock::Frozen(NOW), dir.path(), open, sender);
            (outbox, events)
        })
        .collect();
    for (outbox, _) in &desks {
        outbox.context.ready().await;
    }
    assert_eq!(responder.seen(), []);
    drop(other);
    // One of them resumes it, under its key.
    let ends = desks.iter_mut().map(|(_, events)| {
        Box::pin(async {
            loop {
                if let Msg::Settled(_, end) = events.recv().await.unwrap() {
                    return end;
                }
            }
        })
    });
    let (end, ..) = futures_util::future::select_all(ends).await;
    assert!(matches!(end, Ok(Receipt::CloseAll(_))), "{end:?}");
    let sent = responder.seen().into_iter();
    let keys: Vec<_> = sent
        .filter_map(|seen| seen.header("idempotency-key").map(str::to_owned))
        .collect();
    assert_eq!(keys, ["key-1"]);
    let journal = another(&dir);
    let row = journal.entry(IntentId(1)).unwrap().unwrap();
    assert_eq!(row.state, IntentState::Done);
}

#[tokio::test]
async fn a_halt_of_one_process_holds_for_all_at_once_and_so_does_its_end() {
    let (mut scene, other) = beside(vec![canceled()]).await;
    let (url, account) = (scene.responder.url.clone(), "chal-1".into());
    other.halts().halt(&url, &account, "flattened").unwrap();
    scene.outbox.send(Ticket(1), buy());
    let (msgs, refused) = scene.settled().await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("HALTED: flattened"), "{why}");
    let halted = Msg::Halted(Some("flattened".to_owned()));
    assert!(msgs.contains(&halted), "{msgs:?}");
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["DELETE"]);
    other.halts().rearm(&url, &account).unwrap();
    while scene.events.recv().await.unwrap() != Msg::Halted(None) {}
}

#[tokio::test]
async fn an_order_is_not_sent_after_a_close_all_of_another_process_that_came_after_it() {
    let (mut scene, mut other) = beside(vec![placed()]).await;
    let close_all = Command::CloseAll("chal-1".into());
    let close_all = intent(&close_all, &scene.responder.url, &other);
    let later = NOW.plus(Duration::from_millis(1));
    other.record(later, &close_all).unwrap();
    scene.outbox.send(TICKET, buy());
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(why.contains("a close-all was requested after it"), "{why}");
    assert_eq!(scene.responder.seen(), []);
    drop(other);
    assert_eq!(entries(scene).await.len(), 1, "it has no row");
}

#[tokio::test]
async fn what_another_process_has_on_the_wire_under_a_key_is_waited_for_and_then_repeated() {
    let (mut scene, mut other) = beside(vec![placed()]).await;
    let theirs = crate::journal::Intent {
        key: Some("mine".into()),
        ..intent(&buy(), &scene.responder.url, &other)
    };
    let id = other.record(NOW, &theirs).unwrap();
    scene.outbox.send_as(TICKET, buy(), "mine".into());
    // Its first look at the journal is over.
    assert!(scene.outbox.is_written().await);
    assert_eq!(scene.responder.seen(), [], "not beside it");
    settle(&mut other, id, IntentState::Unknown);
    scene.settled().await.1.unwrap();
    let seen = scene.responder.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].header("idempotency-key"), Some("mine"));
    drop(other);
    let [row] = entries(scene).await.try_into().unwrap();
    assert_eq!(row.state, IntentState::Done, "one row");
}

/// One order a process never ends: a limit of time, and an exit that does not wait for it.
#[tokio::test]
async fn beside_a_process_that_never_ends_an_order_is_refused_in_time_and_an_exit_goes_out() {
    let (mut scene, mut other) = beside(vec![canceled()]).await;
    let url = scene.responder.url.clone();
    let margin = Command::margin("p-1".into(), "100".parse().unwrap(), None);
    let stuck = crate::journal::Intent {
        key: Some("stuck".into()),
        resource: Some("p-1".to_owned()),
        ..intent(&margin, &url, &other)
    };
    other.record(NOW, &stuck).unwrap();
    let less = Command::margin(
        "p-1".into(),
        "1".parse().unwrap(),
        Some("100".parse().unwrap()),
    );
    assert_eq!(less.risk(), Risk::Increasing);
    scene.outbox.send(Ticket(1), less);
    let why = scene.settled().await.1.unwrap_err();
    assert_eq!(why.kind, FailureKind::Unavailable, "{why}");
    assert!(why.message.raw().contains("another perpdeck"), "{why}");
    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    scene.settled().await.1.unwrap();
    assert_eq!(methods(&scene), ["DELETE"]);
}

#[tokio::test]
async fn what_another_process_did_on_this_account_is_said() {
    let (mut scene, mut other) = beside(vec![]).await;
    let theirs = intent(&buy(), &scene.responder.url, &other);
    let id = other.record(NOW, &theirs).unwrap();
    settle(&mut other, id, IntentState::Done);
    let text = loop {
        if let Msg::Notify(_, text) = scene.events.recv().await.unwrap() {
            break text;
        }
    };
    let process = std::process::id();
    let expected = format!("another perpdeck ({process}): {}: so", buy());
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_desk_learns_which_order_another_process_has_put_in_the_place_of_which() {
    let (mut scene, mut other) = beside(vec![]).await;
    let mut order = buy();
    if let Command::Place(order) = &mut order {
        order.replaces = Some("o-1".into());
    }
    let theirs = crate::journal::Intent {
        replaces: order.replaces().cloned(),
        ..intent(&order, &scene.responder.url, &other)
    };
    let id = other.record(NOW, &theirs).unwrap();
    let placed = StateUpdate {
        order_id: Some("o-2".into()),
        ..StateUpdate::new(IntentState::Done, "order o-2 resting")
    };
    other.record_state(NOW, id, &placed).unwrap();
    let rows = loop {
        if let Msg::DoneElsewhere(page) = scene.events.recv().await.unwrap() {
            break page.rows;
        }
    };
    let told = rows[0].command.as_ref().and_then(Command::replaces);
    assert_eq!(told, Some(&"o-1".into()));
    assert_eq!(rows[0].record.order_id, Some("o-2".into()));
}

/// The process was stopped in the middle of a write.
#[tokio::test]
async fn a_process_stopped_with_the_log_locked_holds_no_exit_up_and_its_row_comes_when_it_goes_on()
{
    let (mut scene, other) = beside(vec![canceled(), closed_all(), empty(), empty()]).await;
    let newest = std::fs::File::open(scene.dir.path().join("journal.newest")).unwrap();
    newest.lock().unwrap();
    for (number, exit, most) in [
        (1, Command::Cancel("o-1".into()), 250),
        (2, Command::CloseAll("chal-1".into()), 50),
    ] {
        let began = Instant::now();
        scene.outbox.send(Ticket(number), exit);
        let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
        while !sends(&scene.events.recv().await.unwrap()) {}
        let took = began.elapsed().as_millis();
        assert!(took < most, "exit {number} left after {took} ms");
        scene.settled().await.1.unwrap();
    }
    // A halt needs no log.
    scene.outbox.context.halt("flattened").await;
    let noted = other.halts().of(&scene.responder.url, &"chal-1".into());
    assert_eq!(noted.as_deref(), Some("flattened"));
    drop((newest, other));
    assert!(scene.outbox.is_written().await);
    let rows: Vec<IntentRow> = entries(scene).await;
    let states: Vec<_> = rows.iter().map(|row| row.state).collect();
    assert_eq!(states, [IntentState::Done, IntentState::Done]);
}

/// It holds the log and has requests on the wire for which the exits would have waited.
#[tokio::test]
async fn every_exit_that_went_out_past_a_stopped_process_has_a_row_when_it_goes_on() {
    let (mut scene, mut other) =
        beside(vec![placed(), closed_all(), empty(), empty(), empty()]).await;
    let url = scene.responder.url.clone();
    let part = Command::Close(ClosePosition {
        size: Some("0.05".parse().unwrap()),
        ..ClosePosition::market("p-1".into())
    });
    let close_all = Command::CloseAll("chal-1".into());
    for (key, command, resource) in [
        ("theirs", &part, Some("p-1".to_owned())),
        ("their close-all", &close_all, None),
    ] {
        let intent = crate::journal::Intent {
            key: Some(key.into()),
            resource,
            ..intent(command, &url, &other)
        };
        other.record(NOW, &intent).unwrap();
    }
    let newest = std::fs::File::open(scene.dir.path().join("journal.newest")).unwrap();
    newest.lock().unwrap();
    for (number, exit) in [(1, part), (2, close_all)] {
        scene.outbox.send(Ticket(number), exit);
        let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
        while !sends(&scene.events.recv().await.unwrap()) {}
    }
    drop(newest);
    assert!(scene.outbox.is_written().await);
    // What is sent is seen before it is answered, which is an event.
    while scene.responder.seen().len() < 2 {
        scene.events.recv().await.unwrap();
    }
    let sent = scene.responder.seen().into_iter();
    let mut sent: Vec<_> = sent
        .filter_map(|seen| seen.header("idempotency-key").map(str::to_owned))
        .collect();
    sent.sort();
    assert_eq!(sent.len(), 2);
    other.refresh().unwrap();
    let rows = other.recent(99).unwrap().into_iter();
    let mut recorded: Vec<_> = rows
        .filter_map(|row| Some(row.intent.key?.raw().to_owned()))
        .filter(|key| !key.starts_with("their"))
        .collect();
    recorded.sort();
    assert_eq!(recorded, sent);
}

#[tokio::test]
async fn a_flatten_waits_for_the_answer_to_an_order_of_another_process() {
    let dir = place();
    let answer = |seen: &Seen| {
        if seen.line.starts_with("GET ") {
            empty()
        } else {
            closed_all()
        }
    };
    let responder = Responder::playing(answer, || ()).await;
    let mut other = another(&dir);
    let theirs = intent(&buy(), &responder.url, &other);
    other.record(NOW, &theirs).unwrap();
    let mut scene = Scene::hurried_at(dir, responder, 20);
    scene.outbox.send(TICKET, Command::Flatten("chal-1".into()));
    let (msgs, flat) = scene.settled().await;
    assert!(matches!(flat, Ok(Receipt::Flat(_))), "{flat:?}");
    let said = said(&msgs);
    assert!(
        said.contains("an order sent before it is still unanswered"),
        "{said}"
    );
}
