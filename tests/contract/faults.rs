//! Faults planted on purpose.

use crate::{
    close_all::{close_all, counts, three_open},
    orders::{body, place},
    support::{Paper, START},
};
use perpdeck::model::{CancelResult, Order};
use serde_json::{Value, json};

const ORDERS: &str = "/v1/orders?account_id=chal-1";

async fn plant(paper: &Paper, fault: Value) {
    let reply = paper.post("/sim/faults", &fault.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

async fn orders(paper: &Paper) -> usize {
    paper.get(ORDERS).await.data::<Vec<Order>>().len()
}

#[tokio::test]
async fn a_fault_before_the_effect_places_nothing_and_after_it_the_key_finds_the_order() {
    let paper = Paper::bare().await;
    plant(
        &paper,
        json!({"kind":"before","route":"place_order","count":1,"status":429,"retry_after":7}),
    )
    .await;
    let refused = place(&paper, "k", json!({})).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("7"))
    );
    assert_eq!(orders(&paper).await, 0);

    plant(
        &paper,
        json!({"kind":"after","route":"place_order","count":1,"status":500}),
    )
    .await;
    let broken = place(&paper, "k", json!({})).await;
    assert_eq!(
        (broken.status, broken.error().code.raw()),
        (500, "planted_fault")
    );
    assert_eq!(orders(&paper).await, 1);
    let retried = place(&paper, "k", json!({})).await;
    assert_eq!(retried.status, 200);
    assert_eq!(orders(&paper).await, 1, "placed once");
}

#[tokio::test]
async fn a_reply_dropped_after_the_commit_is_found_again_by_its_key() {
    let paper = Paper::bare().await;
    plant(
        &paper,
        json!({"kind":"drop_reply","route":"place_order","count":1}),
    )
    .await;
    let bearer = format!("Bearer {}", paper.key());
    let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "k")];
    let sent = body(&json!({}));
    let dropped = paper.bare_call("POST", "/v1/orders", &headers, &sent).await;
    assert_eq!(dropped, None);
    assert_eq!(place(&paper, "k", json!({})).await.status, 200);
    assert_eq!(orders(&paper).await, 1);
}

#[tokio::test]
async fn bodies_can_be_cut_garbled_or_full_of_unknown_words() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    let bearer = format!("Bearer {}", paper.key());
    let headers = [("Authorization", bearer.as_str())];

    plant(
        &paper,
        json!({"kind":"cut_body","route":"orders","count":1}),
    )
    .await;
    assert_eq!(paper.bare_call("GET", ORDERS, &headers, "").await, None);

    plant(&paper, json!({"kind":"garbage_body","count":1})).await;
    let garbage = paper.get(ORDERS).await;
    assert_eq!(garbage.status, 200);
    assert!(serde_json::from_slice::<Value>(&garbage.body).is_err());

    plant(&paper, json!({"kind":"unknown_words","count":1})).await;
    let strange: Vec<Order> = paper.get(ORDERS).await.data();
    assert_eq!(strange[0].status.to_string(), "never_heard_of");
    let plain: Vec<Order> = paper.get(ORDERS).await.data();
    assert_eq!(plain[0].status.to_string(), "filled");
}

#[tokio::test]
async fn planted_faults_are_listed_and_removed_and_never_touch_the_controls() {
    let paper = Paper::bare().await;
    plant(&paper, json!({"kind":"before","status":503})).await;
    assert_eq!(paper.get(ORDERS).await.status, 503);
    let listed: Vec<Value> = paper.get("/sim/faults").await.data();
    assert_eq!(listed.len(), 1);
    let cleared: Vec<Value> = paper.delete("/sim/faults").await.data();
    assert_eq!(cleared, Vec::<Value>::new());
    assert_eq!(paper.get(ORDERS).await.status, 200);
    for wrong in [
        json!({"kind":"meteor"}),
        json!({"kind":"before","status":200}),
        json!({"kind":"before","rout":1}),
    ] {
        assert_eq!(
            paper
                .post("/sim/faults", &wrong.to_string())
                .await
                .refusal()
                .0,
            400
        );
    }
}

#[tokio::test]
async fn latency_holds_the_answer_back() {
    let paper = Paper::bare().await;
    plant(
        &paper,
        json!({"kind":"latency","millis":30,"route":"orders","count":1}),
    )
    .await;
    let began = tokio::time::Instant::now();
    assert_eq!(paper.get(ORDERS).await.status, 200);
    assert!(began.elapsed().as_millis() >= 30);
}

#[tokio::test]
async fn a_slow_body_comes_whole_but_late() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    let plain = paper.get(ORDERS).await;
    plant(
        &paper,
        json!({"kind":"slow_body","millis":80,"route":"orders","count":1}),
    )
    .await;
    let began = tokio::time::Instant::now();
    let slow = paper.get(ORDERS).await;
    assert!(began.elapsed().as_millis() >= 75);
    assert_eq!((slow.status, slow.body), (200, plain.body));
}

#[tokio::test]
async fn a_clock_can_be_ahead_in_what_it_tells_and_nothing_else_changes() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    plant(
        &paper,
        json!({"kind":"clock_skew","skew_millis":90_000,"route":"orders","count":1}),
    )
    .await;
    let told = |order: &Order| (order.requested_at.0, order.settled_at.unwrap().0);
    let skewed: Vec<Order> = paper.get(ORDERS).await.data();
    let ahead = START.0 + 90_000;
    assert_eq!(told(&skewed[0]), (ahead, ahead));
    let plain: Vec<Order> = paper.get(ORDERS).await.data();
    assert_eq!(told(&plain[0]), (START.0, START.0));
    assert_eq!(plain[0].size, skewed[0].size);
}

#[tokio::test]
async fn a_close_all_can_be_put_off_again_and_again_and_then_happens_once() {
    let paper = Paper::bare().await;
    three_open(&paper).await;
    plant(
        &paper,
        json!({"kind":"not_yet","route":"close_all","count":4}),
    )
    .await;
    let mut ids = vec![];
    for _ in 0..4 {
        paper.advance(500).await;
        let (reply, operation) = close_all(&paper, "panic").await;
        assert_eq!(
            (
                reply.status,
                reply.header("retry-after"),
                counts(&operation)
            ),
            (202, Some("1"), (3, 0, 0))
        );
        ids.push(operation.id);
    }
    loop {
        paper.advance(500).await;
        let (reply, operation) = close_all(&paper, "panic").await;
        assert_eq!(operation.id, ids[0]);
        if reply.status == 201 {
            assert_eq!(counts(&operation), (3, 3, 0));
            break;
        }
    }
    plant(&paper, json!({"kind":"not_yet","count":1})).await;
    assert_eq!(
        close_all(&paper, "panic").await.0.status,
        200,
        "done is done"
    );
}

#[tokio::test]
async fn the_cancellation_of_a_resting_order_can_be_queued_and_may_come_too_late() {
    let paper = Paper::bare().await;
    let limit = json!({"type":"limit","limit_price":50_000});
    let order: Order = place(&paper, "k", limit).await.data();
    plant(
        &paper,
        json!({"kind":"not_yet","route":"cancel_order","count":1}),
    )
    .await;
    let target = format!("/v1/orders/{}", order.id.raw());
    let result: CancelResult = paper.delete(&target).await.data();
    assert_eq!((result.canceled, result.queued), (false, true));
    let status = async || {
        let rows: Vec<Order> = paper.get(ORDERS).await.data();
        rows[0].status.to_string()
    };
    assert_eq!(status().await, "resting");
    paper.advance(250).await;
    assert_eq!(status().await, "canceled");
    assert_eq!(paper.delete(&target).await.status, 409);
}

#[tokio::test]
async fn a_scenario_brings_its_own_faults_seeded_and_counted() {
    let bare = include_str!("../support/bare.toml");
    let faults = r#"
[[faults]]
kind = "before"
route = "orders"
count = 1
status = 502

[[faults]]
kind = "drop_reply"
route = "positions"
percent = 50
"#;
    let mut dropped = vec![];
    for _ in 0..2 {
        let paper = Paper::open(&format!("{bare}{faults}")).await;
        let listed: Vec<Value> = paper.get("/sim/faults").await.data();
        assert_eq!(listed.len(), 2);
        assert_eq!(paper.get(ORDERS).await.status, 502);
        assert_eq!(paper.get(ORDERS).await.status, 200);
        let bearer = format!("Bearer {}", paper.key());
        let headers = [("Authorization", bearer.as_str())];
        let mut run = vec![];
        for _ in 0..12 {
            let target = "/v1/positions?account_id=chal-1";
            run.push(paper.bare_call("GET", target, &headers, "").await.is_none());
        }
        assert!(run.contains(&true) && run.contains(&false));
        dropped.push(run);
    }
    assert_eq!(dropped[0], dropped[1], "the same seed, the same trouble");
}
