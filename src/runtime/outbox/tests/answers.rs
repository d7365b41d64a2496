//! Responses are compared with the request and with what later reads find.

use super::*;
use crate::model::{CancelResult, Exits, Leg, Proof, TimeInForce};

/// The messages for an order that the service placed like this, without its progress.
async fn messages_for(asked: Command, order: String) -> Vec<Msg> {
    let reply = ok(&format!(r#"{{"data":{order},"queued":false}}"#));
    let mut scene = Scene::of(vec![reply]).await;
    scene.outbox.send(TICKET, asked);
    let (said, result) = scene.settled().await;
    assert!(matches!(result, Ok(Receipt::Order { .. })), "{result:?}");
    assert_eq!(
        methods(&scene),
        ["POST"],
        "an offer sends nothing by itself"
    );
    said.into_iter()
        .filter(|msg| !matches!(msg, Msg::Progress(..)))
        .collect()
}

fn fleeting() -> Command {
    let Command::Place(mut order) = buy() else {
        unreachable!()
    };
    order.time_in_force = Some(TimeInForce::Ioc);
    Command::Place(order)
}

#[tokio::test]
async fn an_order_that_rests_otherwise_than_asked_is_an_alert_with_an_offer_to_cancel_it() {
    let cases = [
        (
            "paper|BTC",
            "paper|ETH",
            "market paper|ETH instead of paper|BTC",
        ),
        (
            r#""side":"buy""#,
            r#""side":"sell""#,
            "side sell instead of buy",
        ),
        (
            r#""size":0.10"#,
            r#""size":1.0"#,
            "size 1.0 instead of 0.10",
        ),
        (
            r#""type":"limit","mode":"limit""#,
            r#""type":"market","mode":"market""#,
            "type market instead of limit",
        ),
        (
            r#""reduce_only":false"#,
            r#""reduce_only":true"#,
            "reduce-only true instead of false",
        ),
    ];
    for (asked, placed, difference) in cases {
        let order = ORDER.replace(asked, placed);
        assert_ne!(order, ORDER);
        let offer = Msg::Offered(
            format!("order o-1 differs from the request: {difference}"),
            Command::Cancel("o-1".into()),
        );
        assert_eq!(messages_for(buy(), order).await, [offer]);
    }
}

#[tokio::test]
async fn a_time_in_force_that_was_not_understood_is_an_alert_too() {
    let offer = Msg::Offered(
        "order o-1 differs from the request: time in force gtc instead of ioc".to_owned(),
        Command::Cancel("o-1".into()),
    );
    assert_eq!(messages_for(fleeting(), ORDER.to_owned()).await, [offer]);
}

#[tokio::test]
async fn an_order_as_asked_says_nothing_more() {
    assert_eq!(messages_for(buy(), ORDER.to_owned()).await, []);
}

#[tokio::test]
async fn of_an_order_that_is_over_already_nothing_is_offered() {
    let filled = ORDER
        .replace("resting", "filled")
        .replace(r#""side":"buy""#, r#""side":"sell""#);
    assert_eq!(messages_for(buy(), filled).await, []);
}

#[tokio::test]
async fn a_close_of_another_position_is_an_alert_as_well() {
    let closing = |position: &str| {
        ORDER
            .replace(r#""size":0.10"#, r#""size":1"#)
            .replace(
                r#""type":"limit","mode":"limit""#,
                r#""type":"market","mode":"market""#,
            )
            .replace(
                r#""reduce_only":false"#,
                &format!(r#""reduce_only":true,"target_position_id":"{position}""#),
            )
    };
    assert_eq!(messages_for(close("p-1"), closing("p-1")).await, []);
    let text = "order o-1 differs from the request: position p-2 instead of p-1".to_owned();
    let offer = Msg::Offered(text, Command::Cancel("o-1".into()));
    assert_eq!(messages_for(close("p-1"), closing("p-2")).await, [offer]);
}

#[tokio::test]
async fn the_journal_keeps_that_an_order_was_not_as_asked() {
    let order = ORDER.replace(r#""size":0.10"#, r#""size":1.0"#);
    let reply = ok(&format!(r#"{{"data":{order},"queued":false}}"#));
    let mut scene = Scene::of(vec![reply]).await;
    scene.outbox.send(TICKET, buy());
    scene.settled().await.1.unwrap();
    let [entry] = entries(scene).await.try_into().unwrap();
    let told = entry.outcome.unwrap().detail;
    assert!(
        told.ends_with("DIFFERS FROM THE REQUEST: size 1.0 instead of 0.10"),
        "{told}"
    );
}

fn queued() -> Reply {
    ok(r#"{"data":{"id":"o-1","canceled":false,"queued":true}}"#)
}

fn ended(status: &str) -> String {
    ORDER.replace("resting", status)
}

/// The outcome of a cancel that the service queued: the final response, and the journal row.
async fn end_of_queued(reads: Vec<Reply>) -> (Result<Receipt, Failure>, crate::journal::IntentRow) {
    let expected = reads.len();
    let script = std::iter::once(queued()).chain(reads).collect();
    let mut scene = Scene::divided_by(script, 20).await;
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    let first = scene.settled().await.1;
    let only_queued = CancelResult {
        id: "o-1".into(),
        canceled: false,
        queued: true,
    };
    assert_eq!(first, Ok(Receipt::Cancel(only_queued)));
    let end = loop {
        if let Msg::Ended(order, result) = scene.events.recv().await.unwrap() {
            assert_eq!(order, "o-1".into());
            break result;
        }
    };
    let mut sent = methods(&scene);
    assert_eq!(
        (sent.remove(0).as_str(), sent),
        ("DELETE", vec!["GET".to_owned(); expected])
    );
    let [entry] = entries(scene).await.try_into().unwrap();
    (end, entry)
}

#[tokio::test]
async fn a_queued_cancel_is_watched_until_the_order_is_canceled() {
    let reads = vec![row(ORDER), row(ORDER), row(&ended("canceled"))];
    let (end, entry) = end_of_queued(reads).await;
    let done = CancelResult {
        id: "o-1".into(),
        canceled: true,
        queued: false,
    };
    assert_eq!(end, Ok(Receipt::Cancel(done)));
    assert_eq!(entry.state, IntentState::Done);
}

#[tokio::test]
async fn a_queued_cancel_that_came_too_late_says_that_the_order_was_filled() {
    let (end, entry) = end_of_queued(vec![row(&ended("filled"))]).await;
    let why = end.unwrap_err();
    assert_eq!(
        why.message.raw(),
        "order o-1 is filled, before the queued cancel"
    );
    let known = (entry.state, why.status, entry.maybe_executed);
    assert_eq!(
        known,
        (IntentState::Rejected, None, false),
        "a read said so"
    );
    let told = entry.outcome.unwrap().detail;
    assert!(told.contains("is filled"), "{told}");
}

#[tokio::test]
async fn a_queued_cancel_is_watched_through_reads_that_fail_and_words_nobody_knows() {
    let reads = vec![
        broken(),
        row(&ended("under_review")),
        // A missing order does not prove a cancel.
        none(),
        none(),
        row(&ended("canceled")),
    ];
    let (end, _) = end_of_queued(reads).await;
    assert!(matches!(end, Ok(Receipt::Cancel(_))), "{end:?}");
}

/// The outcome of a cancel that the service answers with 404, when reads find this.
async fn cancel_of_nothing(reads: Vec<Reply>) -> Result<Receipt, Failure> {
    let script = std::iter::once(error("404 Not Found", ""))
        .chain(reads)
        .collect();
    let mut scene = Scene::divided_by(script, 20).await;
    scene.outbox.send(TICKET, Command::Cancel("o-1".into()));
    let (said, result) = scene.settled().await;
    let done = |msg: &Msg| matches!(msg, Msg::Ended(..) | Msg::Offered(..));
    assert!(!said.iter().any(done), "{said:?}");
    assert_eq!(
        methods(&scene)
            .iter()
            .filter(|word| *word == "DELETE")
            .count(),
        1
    );
    result
}

#[tokio::test]
async fn a_cancel_of_an_order_nobody_knows_is_never_shown_as_canceled() {
    let unknown = cancel_of_nothing(vec![none()]).await.unwrap_err();
    assert_eq!(
        (unknown.kind, unknown.status),
        (FailureKind::NotFound, Some(404))
    );
    let filled = cancel_of_nothing(vec![row(&ended("filled"))]).await;
    let why = filled.unwrap_err();
    assert!(why.message.raw().contains("order o-1 is filled"), "{why}");
    assert_eq!((why.proves, why.status), (Proof::Refused, Some(404)));
    let still_there = cancel_of_nothing(vec![row(ORDER)]).await.unwrap_err();
    assert_eq!(still_there.kind, FailureKind::NotFound);
}

#[tokio::test]
async fn a_change_of_exits_in_doubt_is_not_sent_again_after_a_newer_one() {
    let exits = |price: &str| {
        Command::Exits(Exits::unseen(
            "o-1".into(),
            Leg::Set(price.parse().unwrap()),
            Leg::Keep,
        ))
    };
    let changed = ORDER.replace(
        r#""status""#,
        r#""attached_take_profit_price":71000,"status""#,
    );
    let newer = ok(&format!(r#"{{"data":{changed},"queued":false}}"#));
    let mut scene = Scene::of(vec![error("302 Found", ""), newer]).await;
    scene.outbox.send(Ticket(1), exits("70000"));
    parked(&mut scene).await;
    scene.outbox.send(Ticket(2), exits("71000"));
    scene.settled().await.1.unwrap();
    scene.outbox.again(Ticket(1));
    let why = loop {
        if let Msg::Notify(_, text) = scene.events.recv().await.unwrap() {
            break text;
        }
    };
    assert!(
        why.ends_with("a newer one was given since; it is not sent again"),
        "{why}"
    );
    parked(&mut scene).await;
    let bodies: Vec<_> = scene
        .responder
        .seen()
        .into_iter()
        .map(|seen| String::from_utf8(seen.body).unwrap())
        .collect();
    assert!(
        bodies.len() == 2 && bodies[0].contains("70000") && bodies[1].contains("71000"),
        "{bodies:?}"
    );
}
