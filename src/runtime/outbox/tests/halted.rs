//! A halt and its causes.

use super::*;
use crate::app::activity::notice::Tone;
use std::fs;

#[tokio::test]
async fn a_halted_desk_sends_what_gets_out_and_nothing_else_until_it_is_re_armed() {
    let mut scene = Scene::of(vec![canceled(), placed()]).await;
    scene.outbox.context.halt("flattened").await;
    let halted = scene.events.recv().await;
    assert_eq!(halted, Some(Msg::Halted(Some("flattened".to_owned()))));
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
async fn a_halt_that_cannot_be_withdrawn_is_not_said_to_be_over() {
    let mut scene = Scene::of(vec![placed()]).await;
    scene.outbox.context.ready().await;
    let file = scene.dir.path().join("halted");
    fs::remove_file(&file).ok();
    fs::create_dir(&file).unwrap();
    scene.outbox.context.halt("flattened").await;
    scene.outbox.rearm();
    let said = loop {
        let msg = scene.events.recv().await.unwrap();
        assert_ne!(msg, Msg::Halted(None));
        if let Msg::Notify(Tone::Alert, words) = msg
            && words.starts_with("entries")
        {
            break words;
        }
    };
    let start = format!(
        "entries stay halted: the halts in {} cannot",
        file.display()
    );
    assert!(said.starts_with(&start), "{said}");
    scene.outbox.send(TICKET, buy());
    let why = scene.settled().await.1.unwrap_err().to_string();
    assert!(why.contains("HALTED"), "{why}");
    fs::remove_dir(&file).unwrap();
    scene.outbox.rearm();
    while scene.events.recv().await.unwrap() != Msg::Halted(None) {}
}

#[tokio::test]
async fn an_order_in_doubt_when_the_desk_halts_is_asked_about_instead_of_sent_again() {
    let mut scene = Scene::of(vec![Reply::Drop, empty()]).await;
    scene.outbox.send(TICKET, buy());
    let lost = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Unknown { .. }));
    while !lost(&scene.events.recv().await.unwrap()) {}
    scene.outbox.context.halt("flattened").await;
    let why = parked(&mut scene).await;
    assert!(why.is_doubtful(), "{why}");
    assert_eq!(methods(&scene), ["POST", "GET"]);
}

#[tokio::test]
async fn an_answer_about_another_account_halts_the_desk_and_stays_a_question() {
    let order = ORDER.replace("chal-1", "chal-9");
    let other = ok(&format!(r#"{{"data":{order},"queued":false}}"#));
    let mut scene = Scene::of(vec![other]).await;
    scene.outbox.send(TICKET, buy());
    let halted = contradicted(&mut scene).await;
    assert!(
        halted.contains("order o-1 is of account chal-9"),
        "{halted}"
    );
}

/// Why the desk is halted when it asks about an answer that contradicts the request.
async fn contradicted(scene: &mut Scene) -> String {
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
    halted.unwrap()
}

#[tokio::test]
async fn a_close_all_or_cancel_all_of_another_account_halts_the_desk_and_is_not_called_done() {
    for command in [
        Command::CloseAll("chal-1".into()),
        Command::CancelAll("chal-1".into()),
    ] {
        let other = ok(
            r#"{"data":{"id":"op-1","operation":"x","account_id":"chal-9","status":"completed",
            "total_count":0,"succeeded_count":0,"failed_count":0,"results":[],"created_at":1790000000000}}"#,
        );
        let mut scene = Scene::of(vec![other]).await;
        scene.outbox.send(TICKET, command);
        let halted = contradicted(&mut scene).await;
        assert!(halted.contains("is of account chal-9"), "{halted}");
    }
}

#[tokio::test]
async fn a_key_that_another_order_answers_to_halts_the_desk() {
    let dir = place();
    let responder = Responder::answering(vec![empty(), placed()]).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = intent(&close("p-1"), &responder.url, &journal);
    let id = journal.record(NOW, &intent).unwrap();
    let known = crate::journal::StateUpdate {
        order_id: Some("o-7".into()),
        ..crate::journal::StateUpdate::new(IntentState::Unknown, "it may have been placed as o-7")
    };
    journal.record_state(NOW, id, &known).unwrap();
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
