//! Closing positions and moving isolated margin.

use crate::{orders::place, support::Paper};
use perpdeck::model::{Num, Order, OrderStatus, Position};
use serde_json::json;

/// Opens 0.1 BTC isolated and lets the cooldown pass.
async fn open(paper: &Paper) -> Position {
    let reply = place(paper, "open", json!({"margin_mode": "isolated"})).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    paper.advance(500).await;
    let positions: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    positions.into_iter().next().unwrap()
}

#[tokio::test]
async fn half_a_position_is_closed_and_then_the_rest_and_then_there_is_nothing_to_close() {
    let paper = Paper::bare().await;
    let position = open(&paper).await;
    let target = format!("/v1/positions/{}/close", position.id);
    let half = r#"{"type":"market","size":0.05}"#;
    let reply = paper.keyed(&target, "half", half).await;
    let order: Order = reply.data();
    assert_eq!(
        (reply.status, &reply.json()["queued"]),
        (201, &json!(false))
    );
    assert!(order.reduce_only && order.status.is(&OrderStatus::Filled));
    assert_eq!(order.filled_size, Some(Num::new(5, 2)));
    assert!(order.realized_pnl.is_some());
    let again = paper.keyed(&target, "half", half).await;
    assert_eq!((again.status, again.data::<Order>()), (200, order));

    paper.advance(500).await;
    let rest = paper.keyed(&target, "rest", r#"{"type":"market"}"#).await;
    assert_eq!(rest.status, 201, "{}", rest.text());
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert_eq!(open, []);
    let closed: Vec<Position> = paper
        .get("/v1/positions?account_id=chal-1&status=closed")
        .await
        .data();
    assert_eq!(closed.len(), 1);
    assert_eq!(closed[0].size, Num::new(1, 1));
    assert!(closed[0].closed_at.is_some() && closed[0].exit_price.is_some());

    paper.advance(500).await;
    let late = paper.keyed(&target, "late", r#"{"type":"market"}"#).await;
    assert_eq!(
        (late.status, late.error().code.raw()),
        (409, "position_closed")
    );
    let replayed = paper.keyed(&target, "rest", r#"{"type":"market"}"#).await;
    assert_eq!(
        replayed.status, 200,
        "a closed position does not lose its keys"
    );
}

#[tokio::test]
async fn a_closing_limit_that_would_fill_at_once_must_be_meant() {
    let paper = Paper::bare().await;
    let position = open(&paper).await;
    let target = format!("/v1/positions/{}/close", position.id);
    let price = paper.price("paper|BTC", -1.0).await;
    let limit = json!({"type":"limit","limit_price":price});
    let reply = paper.keyed(&target, "k1", &limit.to_string()).await;
    assert_eq!(
        (reply.status, reply.error().code.raw()),
        (422, "marketable_limit_unacknowledged")
    );
    let meant = json!({"type":"limit","limit_price":price,"marketable_limit_acknowledged":true});
    let reply = paper.keyed(&target, "k1", &meant.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
}

#[tokio::test]
async fn a_conditional_close_waits_and_says_it_is_queued() {
    let paper = Paper::bare().await;
    let position = open(&paper).await;
    let target = format!("/v1/positions/{}/close", position.id);
    let trigger = paper.price("paper|BTC", -2.0).await;
    let body = json!({"type":"conditional","trigger_price":trigger,"trigger_direction":"below"});
    let reply = paper.keyed(&target, "k", &body.to_string()).await;
    assert_eq!((reply.status, &reply.json()["queued"]), (201, &json!(true)));
    let order: Order = reply.data();
    assert!(order.is_armed() && order.reduce_only);
    let missing = paper
        .keyed(&target, "k2", r#"{"type":"conditional","trigger_price":1}"#)
        .await;
    assert_eq!(missing.refusal().0, 400);
    assert!(missing.error().message.raw().contains("trigger_direction"));
}

#[tokio::test]
async fn isolated_margin_is_a_total_and_moves_the_liquidation_price() {
    let paper = Paper::bare().await;
    let before = open(&paper).await;
    let target = format!("/v1/positions/{}/isolated-margin", before.id);
    let set = r#"{"extra_margin":500}"#;
    let once: Position = paper.put(&target, set).await.data();
    let twice = paper.put(&target, set).await;
    assert_eq!(
        (twice.status, twice.data::<Position>()),
        (200, once.clone())
    );
    assert_eq!(once.isolated_margin_extra, Some(Num::from(500_i64)));
    assert!(once.liquidation_price < before.liquidation_price);

    for (body, status, code) in [
        (r#"{"extra_margin":-1}"#, 400, "invalid_margin"),
        (r#"{"extra_margin":0.0000001}"#, 400, "invalid_margin"),
        (r#"{"extra_margin":10000000}"#, 422, "insufficient_margin"),
        (r#"{"extra":1}"#, 400, "invalid_request"),
    ] {
        let reply = paper.put(&target, body).await;
        assert_eq!(
            (reply.status, reply.error().code.raw()),
            (status, code),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_cross_position_has_no_margin_of_its_own() {
    let paper = Paper::bare().await;
    place(&paper, "k", json!({})).await;
    let positions: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert!(!positions[0].is_isolated());
    let target = format!("/v1/positions/{}/isolated-margin", positions[0].id);
    let reply = paper.put(&target, r#"{"extra_margin":1}"#).await;
    assert_eq!(
        (reply.status, reply.error().code.raw()),
        (409, "position_not_isolated")
    );
}
