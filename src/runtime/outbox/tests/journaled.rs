//! What is on disk before the first byte leaves, and after the response.

use super::*;

#[tokio::test]
async fn an_order_that_nobody_has_is_sent_again_with_the_same_key_and_the_same_bytes() {
    let mut scene = Scene::of(vec![Reply::Drop, empty(), placed()]).await;
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    let [first, named, second] = scene.responder.seen().try_into().unwrap();
    assert_eq!(first, second);
    assert_eq!(first.header("idempotency-key").unwrap().len(), 36);
    let key = first.header("idempotency-key").unwrap();
    let line = format!("GET /v1/orders?client_order_id={key} HTTP/1.1");
    assert_eq!(named.line, line);
    let [sending, doubt, _, again] = said.try_into().unwrap();
    let sends = |attempt| Msg::Progress(TICKET, Progress::Sending { attempt });
    assert_eq!((sending, again), (sends(1), sends(2)));
    let Msg::Progress(
        TICKET,
        Progress::Unknown {
            why,
            retry_at,
            then: FollowUp::Look,
        },
    ) = doubt
    else {
        panic!("{doubt:?}");
    };
    assert!(why.kind == FailureKind::Broken && retry_at > NOW);
}

fn on_disk(dir: &Path, text: &str) -> bool {
    let log = std::fs::read_to_string(dir.join("journal.jsonl")).unwrap_or_default();
    log.contains(text)
}

#[tokio::test]
async fn the_intent_is_on_disk_before_the_first_byte_arrives() {
    let dir = place();
    let place: PathBuf = dir.path().to_owned();
    let found = Arc::new(Mutex::new(None));
    let noted = Arc::clone(&found);
    let responder = Responder::watched(vec![placed()], move || {
        *noted.lock().unwrap() = Some(on_disk(&place, r#"\"size\":0.10"#));
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
        (entry.created_at, entry.attempts.len(), entry.intent.risk),
        (NOW, 1, Risk::Increasing)
    );
    assert_eq!(entry.outcome.unwrap().detail, failure.to_string());
    assert!(!on_disk(dir.path(), "pd_live_secret"));
}

#[tokio::test]
async fn without_a_journal_an_order_is_held_back_and_a_cancel_goes_out() {
    let dir = place();
    std::fs::create_dir(dir.path().join("journal.jsonl")).unwrap();
    let mut scene = Scene::at(dir, Responder::answering(vec![canceled()]).await);
    scene.outbox.send(TICKET, buy());
    let (said, result) = scene.settled().await;
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Local);
    assert!(
        failure.to_string().contains("cannot be opened"),
        "{failure}"
    );
    let told = |is: fn(&Msg) -> bool| said.iter().filter(|msg| is(msg)).count();
    assert_eq!(
        told(|msg| matches!(msg, Msg::Notify(_, text) if text.contains("New orders are refused"))),
        1
    );
    assert_eq!(scene.responder.seen(), []);

    scene.outbox.send(Ticket(2), Command::Cancel("o-1".into()));
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Cancel(_))), "{result:?}");
    assert!(said.iter().any(
        |msg| matches!(msg, Msg::Notify(_, text) if text.contains("sent without the journal"))
    ));
}
