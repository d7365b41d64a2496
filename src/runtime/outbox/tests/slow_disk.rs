//! A disk that hangs delays no close or cancel, and the desk reports it.

use super::*;
use crate::{
    journal::{Intent, ReplayWindow, StateUpdate},
    runtime::journal::journal_writer::JournalWriter,
};
use std::sync::mpsc;

/// Whether the message contains `words`.
pub(super) fn is_said(msg: &Msg, words: &str) -> bool {
    matches!(msg, Msg::Notify(_, text) if text.contains(words))
}

#[tokio::test]
async fn a_way_out_under_a_chosen_key_waits_for_no_disk_that_hangs() {
    let mut scene = Scene::of(vec![placed()]).await;
    scene.outbox.context.ready().await;
    let go_on = hang(&scene.outbox.context.writer);
    let given = Instant::now();
    scene.outbox.send_as(TICKET, close("p-1"), "mine".into());
    let sends = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Sending { .. }));
    while !sends(&scene.events.recv().await.unwrap()) {}
    let took = given.elapsed();
    assert!(took < Duration::from_millis(250), "{took:?}");
    scene.settled().await.1.unwrap();
    drop(go_on);
    let [row] = entries(scene).await.try_into().unwrap();
    assert_eq!(
        (row.intent.key, row.state),
        (Some("mine".into()), IntentState::Done)
    );
}

/// A desk whose journal holds `close("p-1")` under the key "mine", settled as done.
async fn done_before(script: Vec<Reply>) -> Scene {
    let (dir, responder) = (
        tempfile::tempdir().unwrap(),
        Responder::answering(script).await,
    );
    let mut journal = Journal::open(dir.path()).unwrap();
    let before = Intent {
        key: Some("mine".into()),
        replay_until: ReplayWindow::since(NOW).until(),
        ..intent(&close("p-1"), &responder.url, &journal)
    };
    let id = journal.record(NOW, &before).unwrap();
    let done = StateUpdate::new(IntentState::Done, "closed");
    journal.record_state(NOW, id, &done).unwrap();
    drop(journal);
    Scene::at(dir, responder)
}

#[tokio::test]
async fn a_key_that_turns_out_to_be_known_when_the_disk_is_back_neither_breaks_the_journal_nor_its_row()
 {
    let refused = error("404 Not Found", "");
    let mut scene = done_before(vec![refused]).await;
    scene.outbox.context.ready().await;
    let go_on = hang(&scene.outbox.context.writer);
    scene.outbox.send_as(TICKET, close("p-1"), "mine".into());
    scene.settled().await.1.unwrap_err();
    drop(go_on);
    assert!(scene.outbox.is_written().await && !scene.outbox.context.writer.is_down());
    let [row] = entries(scene).await.try_into().unwrap();
    assert_eq!((row.state, row.maybe_executed), (IntentState::Done, true));
}

#[tokio::test]
async fn an_order_that_was_answered_is_shown_though_the_disk_hangs_and_written_down_when_it_is_back()
 {
    let late = Arc::new(Mutex::new(None::<(JournalWriter, mpsc::Receiver<()>)>));
    let once = Arc::clone(&late);
    let arrived = move || {
        if let Some((writer, hangs)) = once.lock().unwrap().take() {
            let _hangs = writer.ask(move |_| {
                let _over = hangs.recv();
                Ok(())
            });
        }
    };
    let responder = Responder::watched(vec![placed()], arrived).await;
    let mut scene = Scene::at(tempfile::tempdir().unwrap(), responder);
    let (go_on, hangs) = mpsc::channel();
    *late.lock().unwrap() = Some((scene.outbox.context.writer.clone(), hangs));
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    let word = "the journal does not answer";
    assert!(said.iter().any(|msg| is_said(msg, word)), "{said:?}");
    drop(go_on);
    let [row] = entries(scene).await.try_into().unwrap();
    assert_eq!((row.state, row.attempts.len()), (IntentState::Done, 1));
}

#[tokio::test]
async fn an_order_waits_its_time_for_the_disk_and_says_for_what() {
    let mut scene = Scene::of(vec![placed()]).await;
    scene.outbox.context.ready().await;
    let go_on = hang(&scene.outbox.context.writer);
    scene.outbox.send(TICKET, buy());
    while !is_said(
        &scene.events.recv().await.unwrap(),
        "new orders wait for it",
    ) {}
    drop(go_on);
    scene.settled().await.1.unwrap();
}
