//! Canceling everything that works: one slice a request, 202 until done, 201 once, 200 ever after.

use crate::{
    orders::place,
    support::{Paper, Reply},
};
use perpdeck::model::{CancelAll, CancelStatus, OperationStatus, Order};
use serde_json::json;

const TARGET: &str = "/v1/accounts/chal-1/cancel-all-orders";

async fn cancel_all(paper: &Paper, key: &str) -> (Reply, CancelAll) {
    let reply = paper.keyed(TARGET, key, "").await;
    let operation = reply.data();
    (reply, operation)
}

async fn rest(paper: &Paper, keys: std::ops::Range<usize>) {
    let price = paper.price("paper|BTC", -5.0).await;
    for n in keys {
        let limit = json!({"type": "limit", "limit_price": price, "size": 0.001});
        let reply = place(paper, &format!("rest {n}"), limit).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
}

async fn working(paper: &Paper) -> Vec<Order> {
    let list = "/v1/orders?account_id=chal-1&status=working";
    paper.get(list).await.data()
}

#[tokio::test]
async fn resting_orders_and_rungs_are_canceled_and_armed_ones_queued() {
    let paper = Paper::bare().await;
    rest(&paper, 0..1).await;
    let trigger = paper.price("paper|BTC", 2.0).await;
    place(
        &paper,
        "stop",
        json!({"type": "stop_market", "trigger_price": trigger}),
    )
    .await;
    let scaled = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.02, "leverage": 5,
        "margin_mode": "cross", "start_price": paper.price("paper|BTC", -2.0).await,
        "end_price": paper.price("paper|BTC", -4.0).await, "rung_count": 2, "distribution": "ascending",
    });
    let scaled = paper
        .keyed("/v1/scaled-orders", "scaled order", &scaled.to_string())
        .await;
    assert_eq!(scaled.status, 201, "{}", scaled.text());
    assert_eq!(scaled.json()["data"]["distribution"], "ascending");
    let (first, operation) = cancel_all(&paper, "k").await;
    assert_eq!((first.status, first.header("retry-after")), (201, None));
    let statuses: Vec<_> = operation
        .results
        .iter()
        .map(|result| &result.status)
        .collect();
    let canceled = CancelStatus::Canceled;
    let expected = [canceled, CancelStatus::Queued, canceled, canceled];
    assert!(
        statuses
            .iter()
            .zip(&expected)
            .all(|(is, expected)| is.is(expected))
    );
    assert_eq!(
        (
            operation.total_count,
            operation.succeeded_count,
            operation.queued_count()
        ),
        (4, 4, 1)
    );
    paper.advance(250).await;
    assert_eq!(working(&paper).await, vec![]);
    let (again, same) = cancel_all(&paper, "k").await;
    assert_eq!((again.status, same), (200, operation));
    let other = "/v1/accounts/chal-1/close-all-positions";
    let other = paper.keyed(other, "k", "").await;
    assert_eq!(other.error().code.raw(), "idempotency_conflict");
}

#[tokio::test]
async fn many_orders_take_several_requests_with_one_key_also_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    rest(&paper, 0..60).await;
    let (first, operation) = cancel_all(&paper, "k").await;
    assert_eq!(
        (first.status, first.header("retry-after")),
        (202, Some("1"))
    );
    assert!(operation.status.is(&OperationStatus::Running));
    assert_eq!((operation.total_count, operation.results.len()), (60, 50));
    // What comes later is not touched, and what ended meanwhile fails.
    rest(&paper, 60..61).await;
    let last = operation.results[49].order_id.clone();
    assert!(!working(&paper).await.iter().any(|row| row.id == last));
    let ended = working(&paper)
        .await
        .iter()
        .map(|row| row.id.clone())
        .next_back()
        .unwrap();
    paper.delete(&format!("/v1/orders/{ended}")).await;
    paper.stop().await;
    let paper = Paper::kept(dir.path()).await;
    let (second, operation) = cancel_all(&paper, "k").await;
    assert_eq!((second.status, operation.failed_count), (201, 1));
    let failed = operation
        .results
        .iter()
        .find(|result| result.order_id == ended)
        .unwrap();
    assert_eq!(
        failed.failure_code.as_ref().unwrap().raw(),
        "order_not_working"
    );
    assert_eq!(working(&paper).await.len(), 1);
}

#[tokio::test]
async fn more_orders_than_one_operation_takes_are_a_503_that_records_nothing() {
    let paper = Paper::bare().await;
    rest(&paper, 0..201).await;
    let refused = paper.keyed(TARGET, "k", "").await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    let ended = working(&paper).await[0].id.clone();
    paper.delete(&format!("/v1/orders/{ended}")).await;
    let (first, operation) = cancel_all(&paper, "k").await;
    assert_eq!((first.status, operation.total_count), (202, 200));
}

#[tokio::test]
async fn it_needs_a_key_and_no_body_and_an_account_of_the_caller() {
    let paper = Paper::bare().await;
    assert_eq!(paper.post(TARGET, "").await.status, 400);
    assert_eq!(
        paper.keyed(TARGET, "k", r#"{"all":true}"#).await.status,
        400
    );
    let theirs = "/v1/accounts/chal-2/cancel-all-orders";
    assert_eq!(paper.keyed(theirs, "k", "").await.status, 404);
}
