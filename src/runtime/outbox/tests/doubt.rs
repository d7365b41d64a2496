//! An outcome that no read can decide becomes a question to a person.

use super::*;

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
        (IntentState::Abandoned, true)
    );
}

#[tokio::test]
async fn an_older_change_is_not_sent_after_a_newer_one() {
    let margin = |extra: &str| Command::margin("p-1".into(), extra.parse().unwrap(), None);
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
