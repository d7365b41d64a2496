//! TWAP, VWAP and scaled orders.

use crate::support::Paper;
use perpdeck::model::{Distribution, LiquidityRole, Num, Order, OrderStatus, Scaled, Twap};
use serde_json::{Value, json};

pub(crate) fn twap(extra: &Value) -> String {
    let mut body = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.5,
        "expected_price": 64_000, "leverage": 5, "margin_mode": "cross", "duration_minutes": 5,
    });
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body.to_string()
}

pub(crate) async fn scaled(paper: &Paper) -> Scaled {
    let (top, bottom) = (
        paper.price("paper|BTC", 1.0).await,
        paper.price("paper|BTC", -4.0).await,
    );
    let body = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.3,
        "leverage": 5, "margin_mode": "cross", "start_price": top, "end_price": bottom, "rung_count": 3,
        "distribution": "flat",
    });
    let reply = paper.post("/v1/scaled-orders", &body.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.data()
}

#[tokio::test]
async fn a_twap_fills_slice_by_slice_and_its_children_name_it() {
    let paper = Paper::bare().await;
    let reply = paper.post("/v1/twap-orders", &twap(&json!({}))).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    paper.advance(120_000).await;
    let active: Vec<Twap> = paper.get("/v1/twap-orders?account_id=chal-1").await.data();
    let running = &active[0];
    assert_eq!(running.status.as_ref().unwrap().raw(), "active");
    assert_eq!(running.slice_count, Some(Num::from(11_i64)));
    let filled = running.filled_size.unwrap();
    assert!(filled.is_positive() && filled < running.total_size.unwrap());
    let orders: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    let children: Vec<&Order> = orders
        .iter()
        .filter(|order| order.twap_order_id.as_ref() == Some(&running.id))
        .collect();
    let sum = children
        .iter()
        .filter_map(|child| child.filled_size)
        .fold(Num::ZERO, |sum, size| sum.plus(size).unwrap());
    assert_eq!(sum, filled);
    paper.advance(300_000).await;
    let active: Vec<Twap> = paper.get("/v1/twap-orders?account_id=chal-1").await.data();
    assert_eq!(active, [], "a finished one is not in the list");
}

#[tokio::test]
async fn only_the_list_of_ended_twaps_takes_a_limit() {
    let paper = Paper::bare().await;
    for (status, answered) in [("active", 400), ("completed", 200), ("canceled", 200)] {
        let target = format!("/v1/twap-orders?account_id=chal-1&limit=5&status={status}");
        let reply = paper.get(&target).await;
        assert_eq!(reply.status, answered, "{status}: {}", reply.text());
        assert_eq!(reply.text().contains(r#""field":"limit""#), answered == 400);
    }
}

#[tokio::test]
async fn an_ended_twap_can_be_read_again() {
    let paper = Paper::bare().await;
    let start = async |extra: Value| {
        let reply = paper.post("/v1/twap-orders", &twap(&extra)).await;
        reply.data::<Twap>()
    };
    let done = start(json!({})).await;
    paper.advance(400_000).await;
    let stopped = start(json!({"market_id": "paper|ETH"})).await;
    let target = format!("/v1/twap-orders/{}", stopped.id);
    let stopped: Twap = paper.delete(&target).await.data();
    let running = start(json!({})).await;
    let listed = async |query: &str| {
        let target = format!("/v1/twap-orders?account_id=chal-1{query}");
        let rows: Vec<Twap> = paper.get(&target).await.data();
        rows
    };
    let ended = listed("&status=completed").await;
    assert_eq!(ended[0].id, done.id);
    assert_eq!(ended[0].filled_size, done.total_size);
    assert_eq!(ended[0].completion_reason.as_ref().unwrap().raw(), "filled");
    assert_eq!(
        listed("&status=canceled").await,
        std::slice::from_ref(&stopped)
    );
    assert_eq!(listed("&status=active").await, listed("").await);
    assert_eq!(listed("").await[0].id, running.id);
    let target = format!("/v1/twap-orders/{}", stopped.id);
    assert_eq!(paper.get(&target).await.data::<Twap>(), stopped);
    for odd in [
        "/v1/twap-orders",
        "/v1/twap-orders?account_id=chal-1&status=done",
        "/v1/twap-orders?account_id=chal-1&cursor=00",
    ] {
        assert_eq!(paper.get(odd).await.refusal().0, 400, "{odd}");
    }
    let theirs = paper.call_as("chal-2", "GET", "/v1/twap-orders?account_id=chal-1", "");
    assert_eq!(theirs.await.status, 404);
}

#[tokio::test]
async fn a_twap_runs_at_the_interval_that_the_client_chose() {
    let paper = Paper::bare().await;
    let body = twap(&json!({"slice_interval_seconds": 150}));
    let started: Twap = paper.post("/v1/twap-orders", &body).await.data();
    let schedule = (started.slice_interval_seconds, started.slice_count);
    assert_eq!(schedule, (Some(Num::from(150_i64)), Some(Num::from(3_i64))));
    let body = json!({"size": 0.002, "duration_minutes": 10, "slice_interval_seconds": 30});
    let thin = paper.post("/v1/twap-orders", &twap(&body)).await;
    assert_eq!(
        (thin.status, thin.error().code.raw()),
        (422, "below_min_notional")
    );
}

#[tokio::test]
async fn stopping_a_twap_ends_future_slices_and_is_repeatable() {
    let paper = Paper::bare().await;
    let started: Twap = paper
        .post("/v1/twap-orders", &twap(&json!({})))
        .await
        .data();
    paper.advance(60_000).await;
    let target = format!("/v1/twap-orders/{}", started.id);
    let stopped = paper.delete(&target).await;
    let row: Twap = stopped.data();
    assert_eq!(stopped.status, 200);
    assert_eq!(row.status.as_ref().unwrap().raw(), "canceled");
    assert_eq!(
        row.completion_reason.as_ref().unwrap().raw(),
        "canceled_by_user"
    );
    paper.advance(120_000).await;
    assert_eq!(paper.delete(&target).await.data::<Twap>(), row);
    assert_eq!(
        paper.delete("/v1/twap-orders/twap_000099").await.status,
        404
    );
    let theirs = paper.call_as("chal-2", "DELETE", &target, "").await;
    assert_eq!(theirs.status, 404);
}

#[tokio::test]
async fn a_vwap_with_a_trigger_waits_for_it() {
    let paper = Paper::bare().await;
    let trigger = paper.price("paper|BTC", 4.0).await;
    let body = twap(&json!({"strategy": "vwap", "side": "sell", "trigger_price": trigger}));
    let waiting: Twap = paper.post("/v1/twap-orders", &body).await.data();
    assert_eq!(waiting.status.as_ref().unwrap().raw(), "pending");
    assert_eq!(waiting.total_size, Some(Num::new(5, 1)));
    let up = r#"{"market_id":"paper|BTC","bps":700}"#;
    assert_eq!(paper.post("/sim/nudge", up).await.status, 200);
    paper.advance(120_000).await;
    let active: Vec<Twap> = paper.get("/v1/twap-orders?account_id=chal-1").await.data();
    assert_eq!(active[0].status.as_ref().unwrap().raw(), "active");
}

#[tokio::test]
async fn a_strategy_that_makes_no_sense_is_400_and_names_the_field() {
    let paper = Paper::bare().await;
    for extra in [
        json!({"duration_minutes": 1}),
        json!({"duration_minutes": 1.5}),
        json!({"duration_minutes": 1_441}),
        json!({"slice_interval_seconds": 29}),
        json!({"slice_interval_seconds": 151}),
        json!({"expected_price": 0}),
        json!({"strategy": "pov"}),
        json!({"size": 0}),
        json!({"surprise": true}),
    ] {
        let reply = paper.post("/v1/twap-orders", &twap(&extra)).await;
        assert_eq!(reply.refusal().0, 400, "{extra}");
    }
    let body = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.3,
        "leverage": 5, "margin_mode": "cross", "start_price": 60000, "end_price": 59000, "rung_count": 1,
        "distribution": "flat",
    });
    let reply = paper.post("/v1/scaled-orders", &body.to_string()).await;
    assert_eq!(
        (reply.status, reply.error().code.raw()),
        (400, "invalid_scaled")
    );
}

#[tokio::test]
async fn a_scaled_order_shows_its_rungs_and_cancelling_it_takes_the_working_ones() {
    let paper = Paper::bare().await;
    let placed = scaled(&paper).await;
    let target = format!("/v1/scaled-orders/{}", placed.id);
    let shown: Scaled = paper.get(&target).await.data();
    assert_eq!(shown, placed);
    assert_eq!(shown.rungs.len(), 3);
    assert!(shown.distribution.as_ref().unwrap().is(&Distribution::Flat));
    let roles = shown.rungs.iter().map(|rung| rung.liquidity_role.clone());
    let took = Some(LiquidityRole::Taker.into());
    assert_eq!(roles.collect::<Vec<_>>(), [took, None, None]);
    let listed: Vec<Scaled> = paper
        .get("/v1/scaled-orders?account_id=chal-1")
        .await
        .data();
    assert_eq!(listed, std::slice::from_ref(&placed));

    let canceled: Scaled = paper.delete(&target).await.data();
    assert_eq!(canceled.status.as_ref().unwrap().raw(), "canceled");
    let orders: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    let states: Vec<String> = placed
        .rungs
        .iter()
        .map(|rung| {
            let id = rung.order_id.as_ref().unwrap();
            let order = orders.iter().find(|order| order.id == *id).unwrap();
            assert_eq!(order.scaled_order_id.as_ref(), Some(&placed.id));
            order.status.to_string()
        })
        .collect();
    assert_eq!(states, ["filled", "canceled", "canceled"]);
    assert!(
        !orders
            .iter()
            .any(|order| order.status.is(&OrderStatus::Resting))
    );

    let theirs = paper.call_as("chal-2", "GET", &target, "").await;
    let missing = paper
        .call_as("chal-2", "GET", "/v1/scaled-orders/scl_000077", "")
        .await;
    assert_eq!(theirs.status, 404);
    assert_eq!(theirs.anonymous(), missing.anonymous());
}

#[tokio::test]
async fn a_scaled_order_that_cannot_be_is_refused_naming_the_field_of_the_request() {
    let paper = Paper::bare().await;
    for (field, given) in [
        ("size", json!(0.0002)),
        ("skew", json!(2)),
        ("distribution", json!("even")),
        ("rung_count", json!(11)),
        ("start_price", json!(0)),
        ("leverage", json!(0)),
    ] {
        let mut body = json!({
            "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.3,
            "leverage": 5, "margin_mode": "cross", "start_price": 60000, "end_price": 50000, "rung_count": 3,
        "distribution": "flat",
        });
        body[field] = given;
        let reply = paper.post("/v1/scaled-orders", &body.to_string()).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(
            reply.json()["error"]["details"][0]["field"],
            field,
            "{body}"
        );
    }
}

#[tokio::test]
async fn under_one_key_a_twap_starts_once_and_a_scaled_order_is_placed_once() {
    let paper = Paper::bare().await;
    let scaled = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.3, "leverage": 5,
        "margin_mode": "cross", "start_price": 50000, "end_price": 45000, "rung_count": 3,
        "distribution": "flat",
    });
    let (twap, scaled) = (twap(&json!({})), scaled.to_string());
    for (path, body) in [("/v1/twap-orders", &twap), ("/v1/scaled-orders", &scaled)] {
        let first = paper.keyed(path, path, body).await;
        let again = paper.keyed(path, path, body).await;
        assert_eq!((first.status, again.status), (201, 200), "{path}");
        let (first, again): (Value, Value) = (first.data(), again.data());
        assert_eq!(first["id"], again["id"]);
        let larger = body.replace("\"leverage\":5", "\"leverage\":6");
        assert_eq!(paper.keyed(path, path, &larger).await.status, 409);
    }
    let twaps: Vec<Twap> = paper.get("/v1/twap-orders?account_id=chal-1").await.data();
    let scaled: Vec<Scaled> = paper
        .get("/v1/scaled-orders?account_id=chal-1")
        .await
        .data();
    assert_eq!((twaps.len(), scaled.len()), (1, 1));
}
