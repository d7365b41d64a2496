//! Closing everything: 202 until done, 201 once, 200 ever after.

use crate::{
    orders::place,
    support::{Paper, Reply},
};
use perpdeck::model::{CloseAll, CloseResultStatus, OperationStatus, Order, Position};
use serde_json::json;
use std::fmt::Write;

const TARGET: &str = "/v1/accounts/chal-1/close-all-positions";
const MARKETS: [(&str, f64); 3] = [("paper|BTC", 0.1), ("paper|ETH", 1.0), ("paper|SOL", 20.0)];

pub(crate) async fn three_open(paper: &Paper) {
    for (market, size) in MARKETS {
        let reply = place(paper, market, json!({"market_id": market, "size": size})).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        paper.advance(500).await;
    }
}

pub(crate) async fn close_all(paper: &Paper, key: &str) -> (Reply, CloseAll) {
    let reply = paper.keyed(TARGET, key, "").await;
    let operation = reply.data();
    (reply, operation)
}

pub(crate) fn counts(operation: &CloseAll) -> (u32, u32, u32) {
    (
        operation.total_count,
        operation.succeeded_count,
        operation.failed_count,
    )
}

#[tokio::test]
async fn one_target_per_request_until_all_are_tried_and_then_the_same_answer_for_good() {
    let paper = Paper::bare().await;
    three_open(&paper).await;
    let (first, operation) = close_all(&paper, "panic").await;
    assert_eq!(
        (first.status, first.header("retry-after")),
        (202, Some("1"))
    );
    assert!(operation.status.is(&OperationStatus::Running));
    assert_eq!(counts(&operation), (3, 1, 0));

    let (hasty, unchanged) = close_all(&paper, "panic").await;
    assert_eq!(
        (hasty.status, hasty.header("retry-after")),
        (202, Some("1"))
    );
    assert_eq!(unchanged, operation);

    // The second target is closed by hand meanwhile.
    paper.advance(500).await;
    let by_hand = "/v1/positions/pos_000002/close";
    let by_hand = paper.keyed(by_hand, "hand", r#"{"type":"market"}"#).await;
    assert_eq!(by_hand.status, 201, "{}", by_hand.text());
    paper.advance(500).await;
    let (second, operation) = close_all(&paper, "panic").await;
    assert_eq!((second.status, counts(&operation)), (202, (3, 1, 1)));
    let failed = &operation.results[1];
    assert!(failed.status.is(&CloseResultStatus::Failed) && failed.order.is_none());
    assert_eq!(
        failed.failure_code.as_ref().unwrap().raw(),
        "position_closed"
    );

    paper.advance(500).await;
    let (last, operation) = close_all(&paper, "panic").await;
    assert_eq!((last.status, last.header("retry-after")), (201, None));
    assert!(operation.status.is(&OperationStatus::Completed));
    assert_eq!(counts(&operation), (3, 2, 1));
    assert!(operation.completed_at.is_some());
    let order = operation.results[2].order.as_ref().unwrap();
    assert!(order.reduce_only && order.filled_size.unwrap().is_positive());

    paper.advance(60_000).await;
    let (replay, same) = close_all(&paper, "panic").await;
    assert_eq!((replay.status, replay.body == last.body), (200, true));
    assert_eq!(same, operation);
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert_eq!(open, []);
}

#[tokio::test]
async fn positions_opened_after_the_snapshot_are_left_alone() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    // The account's own order cooldown: an attempt that did nothing.
    let (waiting, operation) = close_all(&paper, "panic").await;
    assert_eq!((waiting.status, counts(&operation)), (202, (1, 0, 0)));
    paper.advance(500).await;
    let later = json!({"market_id": "paper|ETH", "size": 1});
    assert_eq!(place(&paper, "later", later).await.status, 201);
    paper.advance(500).await;
    let (done, operation) = close_all(&paper, "panic").await;
    assert_eq!((done.status, counts(&operation)), (201, (1, 1, 0)));
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert_eq!(open[0].symbol.raw(), "ETH");
    paper.advance(500).await;
    let (other, operation) = close_all(&paper, "another key").await;
    assert_eq!((other.status, counts(&operation)), (201, (1, 1, 0)));
}

#[tokio::test]
async fn a_flat_account_is_done_at_once() {
    let paper = Paper::bare().await;
    let (first, operation) = close_all(&paper, "k").await;
    assert_eq!((first.status, counts(&operation)), (201, (0, 0, 0)));
    assert_eq!(operation.operation.raw(), "close_all_positions");
    assert_eq!(operation.account_id.raw(), "chal-1");
    assert_eq!(close_all(&paper, "k").await.0.status, 200);
}

#[tokio::test]
async fn refusals_of_close_all_are_the_documented_ones() {
    let paper = Paper::bare().await;
    let unkeyed = paper.post(TARGET, "").await;
    assert_eq!(unkeyed.refusal().0, 400);
    let with_body = paper.keyed(TARGET, "k", r#"{"now":true}"#).await;
    assert_eq!(with_body.refusal().0, 400);
    let foreign = "/v1/accounts/chal-2/close-all-positions";
    let foreign = paper.keyed(foreign, "k", "").await;
    assert_eq!(foreign.refusal().0, 404);
    place(&paper, "used", json!({})).await;
    let used = paper.keyed(TARGET, "used", "").await;
    assert_eq!(
        (used.status, used.error().code.raw()),
        (409, "idempotency_conflict")
    );
}

/// A market per position, more of them than one operation may hold.
fn crowded() -> String {
    let mut scenario = String::from("seed = 1\n");
    for n in 0..101 {
        let _ = write!(
            scenario,
            "[[markets]]\nsymbol = \"M{n}\"\nsize_decimals = 2\nmax_leverage = 10\nstart_price = \"100\"\n\
             volatility_bps = 5000\ndepth_usd = 5000\n"
        );
    }
    scenario
        + "[[users]]\nname = \"ann\"\n[[users.accounts]]\nid = \"chal-1\"\ncash_usd = 100000\n\
           [users.accounts.rules]\nmax_open_positions = 200\ncooldown_ms = 0\n"
}

#[tokio::test]
async fn an_account_without_a_cooldown_closes_its_targets_while_the_clock_stands_still() {
    let paper = Paper::open(&crowded()).await;
    for n in 0..3 {
        let market = format!("paper|M{n}");
        let reply = place(&paper, &market, json!({"market_id": market, "size": 1})).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
    for (status, closed) in [(202, 1), (202, 2), (201, 3)] {
        let (reply, operation) = close_all(&paper, "panic").await;
        assert_eq!((reply.status, counts(&operation)), (status, (3, closed, 0)));
    }
}

/// A `Retry-After` of a second would be a minute of the market, for each position.
#[tokio::test]
async fn faster_than_real_time_a_cooldown_is_waited_out_and_not_sent_as_a_minute() {
    let paper = Paper::bare().await;
    three_open(&paper).await;
    let faster = paper.post("/sim/clock", r#"{"paused":false,"speed":60}"#);
    assert_eq!(faster.await.status, 200);
    let (reply, operation) = close_all(&paper, "panic").await;
    assert_eq!((reply.status, counts(&operation)), (201, (3, 3, 0)));
    for n in 0..3 {
        let key = format!("again-{n}");
        let order = json!({"market_id": "paper|BTC", "size": 0.1});
        let reply = place(&paper, &key, order).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
}

#[tokio::test]
async fn more_than_a_hundred_positions_is_503_and_leaves_the_key_free() {
    let paper = Paper::open(&crowded()).await;
    for n in 0..101 {
        let market = format!("paper|M{n}");
        let reply = place(&paper, &market, json!({"market_id": market, "size": 1})).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
    let reply = paper.keyed(TARGET, "k", "").await;
    assert_eq!(
        (reply.status, reply.error().code.raw()),
        (503, "snapshot_unavailable")
    );
    assert_eq!(reply.header("retry-after"), Some("1"));
    let why = reply.error().message.to_string();
    assert!(why.contains("101 positions are open"), "{why}");
    assert!(why.contains("close some of them one by one"), "{why}");
    let one = paper
        .keyed(
            "/v1/positions/pos_000001/close",
            "one",
            r#"{"type":"market"}"#,
        )
        .await;
    assert_eq!(
        one.data::<Order>().filled_size,
        Some(perpdeck::model::Num::from(1_i64))
    );
    let (reply, operation) = close_all(&paper, "k").await;
    assert_eq!((reply.status, counts(&operation)), (202, (100, 1, 0)));
}
