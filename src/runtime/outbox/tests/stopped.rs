//! The outcome of an interrupted command, and its journal row.

use super::*;
use crate::client::testing::responder::{client, connection};

/// A desk whose disk hangs until the sender is dropped.
async fn hanging() -> (Scene, std::sync::mpsc::Sender<()>) {
    let scene = Scene::of(vec![]).await;
    scene.outbox.context.ready().await;
    let go_on = hang(&scene.outbox.context.writer);
    (scene, go_on)
}

/// The outcome of the command.
async fn stopped(scene: &mut Scene) -> Failure {
    scene.outbox.stop();
    scene.settled().await.1.unwrap_err()
}

/// The state of its row, and whether it may have executed.
async fn row(scene: Scene) -> (IntentState, bool) {
    let [row] = entries(scene).await.try_into().unwrap();
    (row.state, row.maybe_executed)
}

async fn until(scene: &mut Scene, is: impl Fn(&Progress) -> bool) {
    loop {
        if let Msg::Progress(_, progress) = scene.events.recv().await.unwrap()
            && is(&progress)
        {
            return;
        }
    }
}

fn is_sent(progress: &Progress) -> bool {
    matches!(progress, Progress::Sending { .. })
}

fn cancel() -> Command {
    Command::Cancel("o-1".into())
}

#[tokio::test]
async fn what_waits_for_the_journal_is_not_sent_and_its_row_is_not_left_open() {
    let (mut scene, go_on) = hanging().await;
    scene.outbox.send(TICKET, buy());
    scene.outbox.stop();
    drop(go_on);
    let why = scene.settled().await.1.unwrap_err();
    assert_eq!(why.kind, FailureKind::Unavailable, "exit code 12");
    assert_eq!(why.message.raw(), "interrupted; nothing was sent");
    assert_eq!(scene.responder.seen(), []);
    assert_eq!(row(scene).await, (IntentState::Unsent, false));
}

#[tokio::test]
async fn a_journal_that_does_not_answer_keeps_nobody_and_it_is_said_that_it_may_call_it_open() {
    let (mut scene, go_on) = hanging().await;
    scene.outbox.send(TICKET, buy());
    let why = stopped(&mut scene).await;
    let words = why.message.raw();
    let unsent = "interrupted; nothing was sent; the journal may still list it as open";
    assert!(words.starts_with(unsent), "{words}");
    // The disk was only slow.
    drop(go_on);
    assert_eq!(row(scene).await, (IntentState::Unsent, false));
}

#[tokio::test]
async fn what_is_on_the_wire_stays_in_doubt() {
    let mut scene = Scene::of(vec![Reply::Silence]).await;
    scene.outbox.send(TICKET, buy());
    until(&mut scene, is_sent).await;
    let why = stopped(&mut scene).await;
    assert_eq!(why.kind, FailureKind::Unknown, "exit code 14");
    assert_eq!(row(scene).await, (IntentState::Inflight, true));
}

#[tokio::test]
async fn what_waits_behind_one_that_is_on_the_wire_was_not_sent_and_has_no_row() {
    let mut scene = Scene::of(vec![Reply::Silence]).await;
    scene.outbox.send(Ticket(1), cancel());
    until(&mut scene, is_sent).await;
    scene.outbox.send(Ticket(2), cancel());
    scene.outbox.stop();
    let mut ends = vec![];
    while ends.len() < 2 {
        if let Msg::Settled(ticket, Err(why)) = scene.events.recv().await.unwrap() {
            ends.push((ticket, why.kind));
        }
    }
    ends.sort_by_key(|(ticket, _)| *ticket);
    let first = (Ticket(1), FailureKind::Unknown);
    assert_eq!(ends, [first, (Ticket(2), FailureKind::Unavailable)]);
    assert_eq!(row(scene).await, (IntentState::Inflight, true));
}

#[tokio::test]
async fn what_never_got_through_is_let_go_and_not_offered_to_the_next_desk() {
    let responder = Responder::answering(vec![]).await;
    // A port that nobody listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let (client, _calls) = client(connection(&url));
    let mut scene = Scene::with(place(), responder, client);
    scene.outbox.send(TICKET, cancel());
    let waits = |progress: &Progress| matches!(progress, Progress::Waiting { .. });
    until(&mut scene, waits).await;
    let why = stopped(&mut scene).await;
    assert_eq!(why.message.raw(), "interrupted; nothing was sent");
    assert_eq!(row(scene).await, (IntentState::Unsent, false));
}

#[tokio::test]
async fn what_an_attempt_left_in_doubt_is_not_called_unsent_after_a_refusal_of_the_next() {
    let limited = error("429 Too Many Requests", "retry-after: 9\r\n");
    let mut scene = Scene::of(vec![Reply::Drop, limited]).await;
    scene.outbox.send(TICKET, cancel());
    let is_limited = |progress: &Progress| matches!(progress, Progress::Unknown { why, .. } if why.kind == FailureKind::Limited);
    until(&mut scene, is_limited).await;
    let why = stopped(&mut scene).await;
    assert_eq!(why.kind, FailureKind::Unknown);
    assert_eq!(row(scene).await, (IntentState::Inflight, true));
}
