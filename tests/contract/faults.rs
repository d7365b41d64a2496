//! Faults planted on purpose.

use crate::{
    orders::{body, place},
    support::Paper,
};
use perpdeck::model::Order;
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
