//! Placing, replaying, cancelling and protecting orders.

use crate::support::{Paper, Reply};
use perpdeck::model::{CancelResult, Num, Order, OrderMode, OrderStatus, OrderType};
use serde_json::{Value, json};

/// A buy on BTC for `chal-1`; `extra` overrides and adds.
pub(crate) fn body(extra: &Value) -> String {
    let mut body = json!({
        "type": "market", "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy",
        "size": 0.1, "leverage": 5, "margin_mode": "cross",
    });
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body.to_string()
}

pub(crate) async fn place(paper: &Paper, key: &str, extra: Value) -> Reply {
    paper.keyed("/v1/orders", key, &body(&extra)).await
}

/// A limit buy far below the market.
async fn rest(paper: &Paper, key: &str) -> Order {
    let price = paper.price("paper|BTC", -5.0).await;
    let reply = place(paper, key, json!({"type":"limit","limit_price":price})).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.data()
}

#[tokio::test]
async fn a_market_buy_fills_at_once_and_opens_a_position() {
    let paper = Paper::bare().await;
    let reply = place(&paper, "k1", json!({"expected_price": 64000.5})).await;
    let order: Order = reply.data();
    assert_eq!(reply.status, 201);
    assert!(order.status.is(&OrderStatus::Filled), "{order:?}");
    assert_eq!(order.filled_size, Some(Num::new(1, 1)));
    assert_eq!(order.expected_price, Num::new(640_005, 1));
    assert!(order.fee.unwrap().is_positive() && order.fill_price.is_some());
    assert_eq!(order.requested_at, crate::support::START);
    let positions = paper.get("/v1/positions?account_id=chal-1").await.json();
    assert_eq!(positions["data"][0]["size"], json!(0.1));
}

#[tokio::test]
async fn without_a_type_it_is_a_market_order_and_without_an_expected_price_the_mid_is_recorded() {
    let paper = Paper::bare().await;
    let mid = paper.mid("paper|BTC").await;
    let mut bare: Value = serde_json::from_str(&body(&json!({}))).unwrap();
    bare.as_object_mut().unwrap().remove("type");
    let reply = paper.keyed("/v1/orders", "k", &bare.to_string()).await;
    let order: Order = reply.data();
    assert!(order.kind.is(&OrderType::Market) && order.mode.is(&OrderMode::Market));
    assert_eq!(order.expected_price.to_string(), mid.to_string());
}

#[tokio::test]
async fn the_same_request_again_is_the_same_order_as_it_is_now() {
    let paper = Paper::bare().await;
    let price = paper.price("paper|BTC", -5.0).await;
    let limit = body(&json!({"type":"limit","limit_price":price,"size":0.1}));
    let first = paper.keyed("/v1/orders", "once", &limit).await;
    let order: Order = first.data();
    // Another spelling of the same request: other order of fields, other digits.
    let spelled = format!(
        r#"{{"limit_price":{price}.0,"margin_mode":"cross","size":1e-1,"leverage":5,"side":"buy",
            "market_id":"paper|BTC","account_id":"chal-1","reduce_only":false,"type":"limit"}}"#
    );
    let again = paper.keyed("/v1/orders", "once", &spelled).await;
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(again.data::<Order>(), order);
    paper.delete(&format!("/v1/orders/{}", order.id)).await;
    let canceled: Order = paper.keyed("/v1/orders", "once", &limit).await.data();
    assert_eq!(canceled.id, order.id);
    assert!(canceled.status.is(&OrderStatus::Canceled));
    let all: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(all.len(), 1);
}

#[tokio::test]
async fn the_same_key_from_several_sides_at_once_places_one_order() {
    let paper = Paper::bare().await;
    let call = || place(&paper, "k", json!({}));
    let replies: [Reply; 4] = tokio::join!(call(), call(), call(), call()).into();
    let mut statuses = replies.map(|reply| reply.status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 201]);
    let all: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(all.len(), 1);
}

#[tokio::test]
async fn a_key_stands_for_one_request_and_one_user() {
    let paper = Paper::bare().await;
    let order = rest(&paper, "k").await;
    let other = place(&paper, "k", json!({"size": 0.2})).await;
    assert_eq!(other.refusal().0, 409);
    assert_eq!(other.error().code.raw(), "idempotency_conflict");
    let elsewhere = "/v1/accounts/chal-1/close-all-positions";
    let elsewhere = paper.keyed(elsewhere, "k", "").await;
    assert_eq!(elsewhere.error().code.raw(), "idempotency_conflict");
    // `call_as` sends the key `k` too.
    let theirs = body(&json!({"account_id": "chal-2"}));
    let theirs = paper.call_as("chal-2", "POST", "/v1/orders", &theirs).await;
    assert_eq!(theirs.status, 201);
    assert_ne!(theirs.data::<Order>().id, order.id);
}

#[tokio::test]
async fn without_a_proper_idempotency_key_nothing_is_placed() {
    let paper = Paper::bare().await;
    let order = body(&json!({}));
    let long = "k".repeat(129);
    for headers in [
        vec![],
        vec![("Idempotency-Key", "")],
        vec![("Idempotency-Key", long.as_str())],
        vec![("Idempotency-Key", "ümlaut")],
        vec![("Idempotency-Key", "a"), ("Idempotency-Key", "b")],
    ] {
        for target in [
            "/v1/orders",
            "/v1/positions/pos_000001/close",
            "/v1/accounts/chal-1/close-all-positions",
        ] {
            let reply = paper.call("POST", target, &headers, &order).await;
            let (status, _, message) = reply.refusal();
            assert_eq!(status, 400, "{headers:?}");
            assert!(message.contains("Idempotency-Key"), "{message}");
        }
    }
    let all: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(all, []);
    let most = "k".repeat(128);
    assert_eq!(place(&paper, &most, json!({})).await.status, 201);
}

/// A body, the field it is refused for, and words of the message. `LONG` is 200 characters.
const WRONG: &[(&str, &str, &str)] = &[
    (r#"{"sise":1}"#, "sise", "unknown field"),
    (r#"{"size":"1"}"#, "size", "not a number"),
    (r#"{"size":0}"#, "size", "must be above 0"),
    (r#"{"size":-1}"#, "size", "must be above 0"),
    (r#"{"size":1e12}"#, "size", "above the largest accepted"),
    (r#"{"side":"long"}"#, "side", "unknown variant"),
    (r#"{"type":"iceberg"}"#, "type", "unknown variant"),
    (r#"{"type":"liquidation"}"#, "type", "unknown variant"),
    (r#"{"leverage":2.5}"#, "leverage", "whole number"),
    (
        r#"{"reduce_only":"yes"}"#,
        "reduce_only",
        "expected a boolean",
    ),
    (
        r#"{"market_id":"paper|NOPE"}"#,
        "market_id",
        "is not a market here",
    ),
    (r#"{"market_id":"LONG"}"#, "market_id", "the limit is 128"),
    (r#"{"account_id":"LONG"}"#, "account_id", "the limit is 128"),
    (
        r#"{"limit_price":1}"#,
        "limit_price",
        "cannot be used with type market",
    ),
    (
        r#"{"type":"limit"}"#,
        "limit_price",
        "required for type limit",
    ),
    (
        r#"{"type":"stop_market"}"#,
        "trigger_price",
        "required for type stop_market",
    ),
    (
        r#"{"type":"conditional","trigger_price":1}"#,
        "trigger_market_id",
        "required",
    ),
    (
        r#"{"type":"chase"}"#,
        "chase_offset",
        "required for type chase",
    ),
    (
        r#"{"time_in_force":"gtd"}"#,
        "gtd_expires_at",
        "required with time_in_force gtd",
    ),
    (
        r#"{"gtd_expires_at":1}"#,
        "gtd_expires_at",
        "needs time_in_force gtd",
    ),
    (
        r#"{"slippage_tolerance_bps":-1}"#,
        "slippage_tolerance_bps",
        "from 0 up",
    ),
    (
        r#"{"slippage_tolerance_bps":0.5}"#,
        "slippage_tolerance_bps",
        "whole number",
    ),
];

#[tokio::test]
async fn a_body_that_is_wrong_whatever_the_market_is_400_and_names_the_field() {
    let paper = Paper::bare().await;
    let over_long = "x".repeat(200);
    for (extra, field, words) in WRONG {
        let extra = serde_json::from_str(&extra.replace("LONG", &over_long)).unwrap();
        let reply = place(&paper, "k", extra).await;
        let error = reply.error();
        assert_eq!(reply.status, 400, "{field}: {}", reply.text());
        let message = error.message.raw();
        assert!(message.contains(words), "{field}: {message}");
        let details = error.details.unwrap();
        assert!(details.get().contains(field), "{field}: {details}");
    }
    let all: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(all, [], "nothing was recorded, and `k` is still free");
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
}

#[tokio::test]
async fn text_that_is_no_json_or_no_finite_number_is_400() {
    let paper = Paper::bare().await;
    let order = body(&json!({}));
    for text in [
        "",
        "{",
        "[]",
        "null",
        "nul",
        "{\"size\":NaN}",
        &format!("{order} {order}"),
        &order.replace("0.1", "1e400"),
        &order.replace("0.1", "Infinity"),
        &order.replace('{', "{\"side\":\"sell\","),
    ] {
        let reply = paper.keyed("/v1/orders", "k", text).await;
        assert_eq!(reply.refusal().0, 400, "{text}");
    }
}

#[tokio::test]
async fn an_order_against_the_rules_is_422_with_its_row_and_rule_and_replays_as_such() {
    let paper = Paper::bare().await;
    let too_high = json!({"leverage": 30});
    let reply = place(&paper, "k", too_high.clone()).await;
    let error = reply.error();
    assert_eq!(reply.status, 422, "{}", reply.text());
    assert!(reply.json()["error"]["details"].is_object());
    assert_eq!(error.code.raw(), "leverage_too_high");
    assert_eq!(error.rule_id.unwrap().raw(), "max_leverage");
    let id = error.order_id.unwrap();
    let rows: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].id, id);
    assert!(rows[0].status.is(&OrderStatus::Rejected));
    assert_eq!(
        rows[0].reject_reason.as_ref().unwrap().raw(),
        "leverage_too_high"
    );
    assert_eq!(
        rows[0].reject_rule_id.as_ref().unwrap().raw(),
        "max_leverage"
    );
    let again = place(&paper, "k", too_high).await;
    assert_eq!((again.status, again.anonymous()), (422, reply.anonymous()));
}

#[tokio::test]
async fn a_second_market_order_within_half_a_second_is_429_and_its_key_stays_free() {
    let paper = Paper::bare().await;
    assert_eq!(place(&paper, "k1", json!({})).await.status, 201);
    let hasty = place(&paper, "k2", json!({})).await;
    let (status, code, _) = hasty.refusal();
    assert_eq!((status, code.as_str()), (429, "order_cooldown"));
    assert_eq!(hasty.header("retry-after"), Some("1"));
    assert_eq!(hasty.error().rule_id.unwrap().raw(), "order_cooldown");
    paper.advance(500).await;
    assert_eq!(place(&paper, "k2", json!({})).await.status, 201);
}

#[tokio::test]
async fn cancelling_a_resting_order_is_done_at_once_and_an_armed_one_with_the_next_step() {
    let paper = Paper::bare().await;
    let resting = rest(&paper, "k1").await;
    let done: CancelResult = paper
        .delete(&format!("/v1/orders/{}", resting.id))
        .await
        .data();
    assert_eq!(
        done,
        CancelResult {
            id: resting.id.clone(),
            canceled: true,
            queued: false
        }
    );
    let twice = paper.delete(&format!("/v1/orders/{}", resting.id)).await;
    assert_eq!(twice.refusal().0, 409);
    assert_eq!(twice.error().code.raw(), "order_not_working");

    let trigger = paper.price("paper|BTC", 5.0).await;
    let armed = json!({"type":"stop_market","trigger_price":trigger});
    let armed: Order = place(&paper, "k2", armed).await.data();
    assert!(armed.is_armed());
    let target = format!("/v1/orders/{}", armed.id);
    let queued: CancelResult = paper.delete(&target).await.data();
    assert_eq!((queued.canceled, queued.queued), (false, true));
    paper.advance(250).await;
    let rows: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert!(rows.iter().all(|row| row.status.is(&OrderStatus::Canceled)));
}

/// A body, and the type, mode and status it is shown with. Prices are filled in.
const TYPES: &[(&str, [&str; 3])] = &[
    (
        r#"{"type":"limit","limit_price":BELOW,"time_in_force":"gtd","gtd_expires_at":EXPIRES}"#,
        ["limit", "limit", "resting"],
    ),
    (
        r#"{"type":"chase","chase_offset":50}"#,
        ["limit", "chase", "resting"],
    ),
    (
        r#"{"type":"stop_market","trigger_price":ABOVE}"#,
        ["stop_market", "stop_market", "resting"],
    ),
    (
        r#"{"type":"stop_limit","trigger_price":ABOVE,"limit_price":ABOVE}"#,
        ["stop_limit", "stop_limit", "resting"],
    ),
    (
        r#"{"type":"take_market","trigger_price":BELOW}"#,
        ["take_market", "take_market", "resting"],
    ),
    (
        r#"{"type":"take_limit","trigger_price":BELOW,"limit_price":BELOW}"#,
        ["take_limit", "take_limit", "resting"],
    ),
    (
        r#"{"type":"conditional","trigger_price":1000,"trigger_market_id":"paper|SOL","trigger_direction":"above"}"#,
        ["market", "conditional", "resting"],
    ),
    ("{}", ["market", "market", "filled"]),
    (
        r#"{"type":"take_profit","side":"sell","trigger_price":ABOVE}"#,
        ["take_profit", "take_profit", "resting"],
    ),
];

#[tokio::test]
async fn every_type_that_can_be_placed_is_shown_as_placed() {
    let paper = Paper::bare().await;
    let above = paper.price("paper|BTC", 3.0).await.to_string();
    let below = paper.price("paper|BTC", -3.0).await.to_string();
    let expires = (crate::support::START.0 + 60_000).to_string();
    for (n, (extra, words)) in TYPES.iter().enumerate() {
        let extra = extra
            .replace("ABOVE", &above)
            .replace("BELOW", &below)
            .replace("EXPIRES", &expires);
        let extra = serde_json::from_str(&extra).unwrap();
        let reply = place(&paper, &format!("k{n}"), extra).await;
        assert_eq!(reply.status, 201, "{words:?}: {}", reply.text());
        let data = &reply.json()["data"];
        let shown = [&data["type"], &data["mode"], &data["status"]];
        assert_eq!(shown, words.each_ref());
    }
    paper.advance(60_000).await;
    let rows: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    let ended = rows
        .iter()
        .filter(|row| row.status.is(&OrderStatus::Expired));
    assert_eq!(ended.count(), 1, "the gtd order");
}

#[tokio::test]
async fn a_trigger_on_another_market_keeps_that_markets_price() {
    let paper = Paper::bare().await;
    let trigger = json!({
        "type": "conditional", "market_id": "paper|SOL", "size": 1, "trigger_market_id": "paper|BTC",
        "trigger_price": 70000, "trigger_direction": "above",
    });
    let order: Order = place(&paper, "k", trigger).await.data();
    assert_eq!(order.trigger_price, Some(Num::from(70_000_i64)));
    assert_eq!(order.trigger_market_id.unwrap().raw(), "paper|BTC");
}

#[tokio::test]
async fn attached_exits_are_set_kept_and_removed_one_leg_at_a_time() {
    let paper = Paper::bare().await;
    let order = rest(&paper, "k").await;
    let (profit, stop) = (
        paper.price("paper|BTC", 3.0).await,
        paper.price("paper|BTC", -9.0).await,
    );
    let target = format!("/v1/orders/{}/attached-exits", order.id);
    let legs = |reply: &Reply| {
        let json = reply.json();
        assert_eq!((reply.status, &json["queued"]), (200, &json!(false)));
        (
            json["data"]["attached_take_profit_price"].as_i64(),
            json["data"]["attached_stop_loss_price"].as_i64(),
        )
    };
    let both = json!({"take_profit_price": profit, "stop_loss_price": stop}).to_string();
    assert_eq!(
        legs(&paper.put(&target, &both).await),
        (Some(profit), Some(stop))
    );
    let remove = r#"{"take_profit_price":null}"#;
    assert_eq!(legs(&paper.put(&target, remove).await), (None, Some(stop)));
    assert_eq!(paper.put(&target, "{}").await.refusal().0, 400, "no leg");

    let wrong = json!({ "take_profit_price": stop }).to_string();
    let wrong = paper.put(&target, &wrong).await;
    assert_eq!(
        (wrong.status, wrong.error().code.raw()),
        (422, "invalid_attached_exit")
    );
    paper.delete(&format!("/v1/orders/{}", order.id)).await;
    let late = paper.put(&target, &both).await;
    assert_eq!(
        (late.status, late.error().code.raw()),
        (409, "order_not_resting")
    );
}
