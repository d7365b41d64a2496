//! What the next desk does with commands that were on the wire.

use super::*;

/// A desk that opens a journal in which `command` is still on the wire.
async fn after_a_crash(command: &Command, script: Vec<Reply>) -> Scene {
    let dir = place();
    let responder = Responder::answering(script).await;
    let mut journal = Journal::open(dir.path()).unwrap();
    let intent = intent(command, &responder.url, &journal);
    journal.record(NOW, &intent).unwrap();
    drop(journal);
    Scene::at(dir, responder)
}

#[tokio::test]
async fn after_a_crash_an_order_that_may_exist_is_asked_about_and_never_sent_by_itself() {
    let mut scene = after_a_crash(&buy(), vec![empty(), empty()]).await;
    parked(&mut scene).await;
    assert_eq!(methods(&scene), ["GET", "GET"]);
}

#[tokio::test]
async fn after_a_crash_an_order_is_found_by_its_name() {
    let named = ORDER.replacen('{', r#"{"client_order_id":"key-1","#, 1);
    let found = ok(&format!(r#"{{"data":[{named}],"has_more":false}}"#));
    let mut scene = after_a_crash(&buy(), vec![empty(), found]).await;
    let told = loop {
        if let Msg::Notify(_, text) = scene.events.recv().await.unwrap() {
            break text;
        }
    };
    assert!(told.ends_with("order o-1 resting"), "{told}");
    let [entry] = entries(scene).await.try_into().unwrap();
    assert_eq!(entry.state, IntentState::Done);
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
        (IntentState::Abandoned, true)
    );
}

#[tokio::test]
async fn a_command_of_the_last_session_is_first_in_its_lane() {
    let position = ok(r#"{"data":{"id":"p-1","market_id":"paper|BTC","size":1}}"#);
    let script = vec![empty(), Reply::Drop, empty(), position, placed(), placed()];
    let mut scene = after_a_crash(&close("p-1"), script).await;
    let lost = |msg: &Msg| matches!(msg, Msg::Progress(_, Progress::Unknown { .. }));
    while !lost(&scene.events.recv().await.unwrap()) {}
    scene.outbox.send(Ticket(1), close("p-1"));
    scene.settled().await.1.unwrap();
    scene.settled().await.1.unwrap();
    let seen = scene.responder.seen().into_iter();
    let keys: Vec<_> = seen
        .filter(|seen| seen.line.starts_with("POST"))
        .map(|seen| seen.header("idempotency-key") == Some("key-1"))
        .collect();
    assert_eq!(keys, [true, true, false]);
}
