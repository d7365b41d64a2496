//! The API description word by word: every field of every resource is told somewhere, every field of a body is asked
//! for or refused by name, and every limit is where it is said to be.

use crate::{
    close_all::{close_all, counts},
    orders::{body, place},
    support::{Paper, Reply},
};
use perpdeck::exchange::Scenario;
use perpdeck::model::{Order, OrderStatus, Position};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ORDER: &str = "id account_id market_id provider symbol coin type mode side size initial_size filled_size \
    expected_price fill_price trigger_price limit_price notional fee realized_pnl leverage margin_mode reduce_only \
    time_in_force gtd_expires_at attached_take_profit_price attached_stop_loss_price chase_offset chase_cap_price \
    trigger_market_id trigger_direction target_position_id liquidity_role partial_of_order_id \
    partial_fill_root_order_id twap_order_id scaled_order_id client_order_id oco_sibling_order_id status reject_reason \
    reject_rule_id requested_at settled_at canceled_at triggered_at stop_triggered_at cancel_requested_at";
const ALWAYS: &str = "id account_id market_id provider symbol coin type mode side size expected_price leverage \
    margin_mode reduce_only status requested_at";
const POSITION: &str = "id account_id market_id provider symbol coin side margin_mode status size entry_price leverage isolated_margin_extra \
    opened_at liquidation_price closed_at size_decimals exit_price realized_pnl realized_margin_basis fees funding";
const TWAP: &str = "id account_id market_id provider symbol coin strategy side margin_mode total_size filled_size leverage average_price \
    trigger_price max_price min_price reduce_only randomize duration_minutes slice_interval_seconds slice_count \
    slices_attempted size_decimals status completion_reason current_child_order_id started_at end_at activated_at \
    next_run_at canceled_at completed_at";
const SCALED: &str = "id account_id market_id provider symbol coin side margin_mode distribution total_size leverage start_price end_price rung_count \
    placed_count rejected_count size_decimals reduce_only status started_at completed_at canceled_at rungs";
const RUNG: &str = "price size order_id reject_reason liquidity_role";
const CLOSE_ALL: &str = "id operation account_id status total_count succeeded_count failed_count results created_at \
    completed_at";

fn words(list: &str) -> BTreeSet<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

/// The fields that any of the rows has with a value.
fn told<'a>(rows: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    let fields = rows.into_iter().filter_map(Value::as_object).flatten();
    let filled = fields.filter(|(_, value)| !value.is_null());
    filled.map(|(name, _)| name.clone()).collect()
}

async fn demo() -> Paper {
    Paper::play(Scenario::demo().unwrap()).await
}

/// Every page of a list.
async fn pages(paper: &Paper, target: &str) -> Vec<Value> {
    let mut rows = vec![];
    let mut cursor = String::new();
    loop {
        let page = paper.get(&format!("{target}{cursor}")).await.json();
        rows.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else {
            return rows;
        };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn every_documented_field_of_an_order_and_a_position_is_told_and_no_other() {
    let paper = demo().await;
    let low = paper.price("paper|BTC", -5.0).await;
    for (n, order) in [
        json!({"type": "chase", "chase_offset": 2000, "chase_cap_price": low, "size": 0.001}),
        json!({"type": "conditional", "trigger_market_id": "paper|ETH", "trigger_price": 100, "trigger_direction": "below", "size": 0.001}),
        json!({"type": "limit", "limit_price": low, "size": 0.001, "time_in_force": "gtd", "gtd_expires_at": 4_102_444_800_000_i64}),
        json!({"type": "limit", "market_id": "paper|HYPE", "limit_price": 30, "size": 1, "take_profit_price": 45, "stop_loss_price": 20}),
    ]
    .into_iter()
    .enumerate()
    {
        let reply = place(&paper, &format!("k{n}"), order).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
    let pair = json!({
        "market_id": "paper|HYPE", "size": 1, "take_profit_price": 45, "stop_loss_price": 30, "client_order_id": "mine",
    });
    assert_eq!(place(&paper, "pair", pair).await.status, 201);
    let armed = json!({"type": "stop_market", "trigger_price": low * 2, "size": 0.001});
    let armed: Order = place(&paper, "armed", armed).await.data();
    let target = format!("/v1/orders/{}", armed.id);
    assert_eq!(paper.delete(&target).await.status, 200);
    // The stop limit of the demo enters its limit leg.
    let nudge = r#"{"market_id":"paper|DOGE","bps":900}"#;
    assert_eq!(paper.post("/sim/nudge", nudge).await.status, 200);
    paper.advance(1_000).await;
    let refused = place(&paper, "refused", json!({"leverage": 30})).await;
    assert_eq!(refused.status, 422);
    let orders = pages(&paper, "/v1/orders?account_id=chal-1&limit=100").await;
    assert_eq!(told(&orders), words(ORDER));
    for order in &orders {
        let missing: Vec<_> = words(ALWAYS)
            .into_iter()
            .filter(|name| order.get(name).is_none())
            .collect();
        assert_eq!(missing, [] as [String; 0], "{order}");
    }
    let mut positions = pages(&paper, "/v1/positions?account_id=chal-1").await;
    positions.extend(pages(&paper, "/v1/positions?account_id=chal-1&status=closed").await);
    assert_eq!(told(&positions), words(POSITION));
}

async fn made(paper: &Paper, target: &str, body: &Value) -> Value {
    let reply = paper.post(target, &body.to_string()).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["data"].clone()
}

#[tokio::test]
async fn every_documented_field_of_a_strategy_is_told_and_no_other() {
    let paper = Paper::bare().await;
    let price = async |percent| paper.price("paper|BTC", percent).await;
    let mut twap = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.05, "expected_price": 64_000, "leverage": 5,
        "margin_mode": "cross", "duration_minutes": 30, "max_price": price(0.3).await, "min_price": price(-9.0).await,
    });
    let reached = made(&paper, "/v1/twap-orders", &twap).await;
    twap["trigger_price"] = json!(price(-2.0).await);
    made(&paper, "/v1/twap-orders", &twap).await;
    let mut rows = pages(&paper, "/v1/twap-orders?account_id=chal-1").await;
    let nudge = r#"{"market_id":"paper|BTC","bps":100}"#;
    assert_eq!(paper.post("/sim/nudge", nudge).await.status, 200);
    paper.advance(30_000).await;
    for row in [reached, rows[0].clone()] {
        let target = format!("/v1/twap-orders/{}", row["id"].as_str().unwrap());
        rows.push(paper.delete(&target).await.json()["data"].clone());
    }
    assert_eq!(told(&rows), words(TWAP));

    let mut scaled = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.06, "leverage": 5,
        "margin_mode": "cross", "start_price": price(-4.0).await, "end_price": price(-6.0).await, "rung_count": 3,
        "distribution": "flat",
    });
    let waiting = made(&paper, "/v1/scaled-orders", &scaled).await;
    let target = format!("/v1/scaled-orders/{}", waiting["id"].as_str().unwrap());
    let canceled = paper.delete(&target).await.json()["data"].clone();
    // One that fills at once, and one that the account's leverage does not allow.
    (scaled["start_price"], scaled["end_price"]) =
        (json!(price(1.0).await), json!(price(1.1).await));
    let filled = made(&paper, "/v1/scaled-orders", &scaled).await;
    scaled["leverage"] = json!(30);
    let refused = made(&paper, "/v1/scaled-orders", &scaled).await;
    let scaled = [waiting, canceled, filled, refused];
    assert_eq!(told(&scaled), words(SCALED));
    let rungs = scaled.iter().filter_map(|row| row["rungs"].as_array());
    assert_eq!(told(rungs.flatten()), words(RUNG));
}

/// A market nobody can leave within 2.5 %: its smallest step is a tenth of the price. And one with little to take.
const HARD: &str = r#"
seed = 3
[[markets]]
symbol = "DUST"
size_decimals = 0
max_leverage = 10
start_price = "0.00001"
volatility_bps = 100
depth_usd = 50000
[[markets]]
symbol = "THIN"
size_decimals = 2
max_leverage = 10
start_price = "100"
volatility_bps = 5000
depth_usd = 50
[[users]]
name = "ann"
accounts = [{ id = "chal-1", cash_usd = 100000 }]
"#;

/// What a close that trades nothing and one that trades a part look like; completed is not flat.
#[tokio::test]
async fn a_target_that_cannot_be_sold_within_two_and_a_half_percent_is_told_as_failed_and_stays() {
    let paper = Paper::open(HARD).await;
    let dust =
        json!({"market_id": "paper|DUST", "size": 100_000_000, "slippage_tolerance_bps": 5000});
    assert_eq!(place(&paper, "dust", dust).await.status, 201);
    for n in 0..12 {
        paper.advance(5_000).await;
        let thin = json!({"market_id": "paper|THIN", "size": 10});
        assert_eq!(place(&paper, &format!("thin{n}"), thin).await.status, 201);
    }
    paper.advance(5_000).await;
    let (first, _) = close_all(&paper, "panic").await;
    paper.advance(500).await;
    let (done, operation) = close_all(&paper, "panic").await;
    assert_eq!((first.status, done.status), (202, 201), "{}", done.text());
    assert_eq!(counts(&operation), (2, 1, 1));
    let results = done.json()["data"]["results"].clone();
    let failed = &results[0];
    assert_eq!(
        (
            &failed["status"],
            &failed["failure_code"],
            &failed["rule_id"]
        ),
        (
            &json!("failed"),
            &json!("no_liquidity"),
            &json!("max_slippage")
        )
    );
    assert_eq!(failed["order"]["status"], "rejected");
    let part = &results[1]["order"];
    assert_eq!(results[1]["status"], "submitted");
    let size = |name: &str| part[name].as_f64().unwrap();
    assert!(
        0.0 < size("filled_size") && size("filled_size") < size("initial_size"),
        "{part}"
    );
    let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert_eq!(open.len(), 2, "completed is not flat");
    assert_eq!(told([&done.json()["data"]]), words(CLOSE_ALL));
    let fields = words("position_id status order failure_code rule_id");
    assert_eq!(told(results.as_array().unwrap()), fields);
}

#[tokio::test]
async fn every_order_needs_its_account_market_side_size_leverage_and_margin_mode() {
    let paper = Paper::bare().await;
    let whole: Value = serde_json::from_str(&body(&json!({}))).unwrap();
    for field in "account_id market_id side size leverage margin_mode".split(' ') {
        let mut lacking = whole.clone();
        lacking.as_object_mut().unwrap().remove(field);
        let reply = paper.keyed("/v1/orders", "k", &lacking.to_string()).await;
        refused_for(&reply, field, &lacking);
    }
}

#[track_caller]
fn refused_for(reply: &Reply, field: &str, body: &Value) {
    assert_eq!(reply.status, 400, "{body}: {}", reply.text());
    let named = &reply.json()["error"]["details"][0]["field"];
    assert_eq!(named, field, "{body}: {}", reply.text());
}

/// A type, and the optional fields that it takes besides exits, which come with whatever opens something.
const TAKES: [(&str, &str); 9] = [
    ("market", "slippage_tolerance_bps"),
    ("limit", "limit_price"),
    ("chase", "chase_offset chase_cap_price"),
    ("stop_market", "trigger_price slippage_tolerance_bps"),
    ("stop_limit", "trigger_price limit_price"),
    ("take_market", "trigger_price slippage_tolerance_bps"),
    ("take_limit", "trigger_price limit_price"),
    (
        "take_profit",
        "trigger_price target_position_id slippage_tolerance_bps",
    ),
    (
        "conditional",
        "trigger_price trigger_market_id trigger_direction slippage_tolerance_bps",
    ),
];
const EXITS: &str = "take_profit_price stop_loss_price";
/// What each type cannot do without.
const NEEDS: &str = "limit_price chase_offset trigger_price trigger_market_id trigger_direction";

fn optional() -> Value {
    json!({
        "limit_price": 60000, "chase_offset": 5, "chase_cap_price": 60000, "trigger_price": 60000,
        "trigger_market_id": "paper|BTC", "trigger_direction": "below", "slippage_tolerance_bps": 50,
        "take_profit_price": 90000, "stop_loss_price": 10000, "target_position_id": "pos_000001",
    })
}

#[tokio::test]
async fn each_type_takes_its_own_fields_needs_some_of_them_and_refuses_the_others_by_name() {
    let paper = Paper::bare().await;
    let optional = optional();
    for (kind, takes) in TAKES {
        let mut takes = words(takes);
        if kind != "take_profit" {
            takes.extend(words(EXITS));
        }
        let mut own = json!({ "type": kind });
        for field in &takes {
            own[field] = optional[field].clone();
        }
        for field in optional.as_object().unwrap().keys() {
            if !takes.contains(field) {
                let mut odd = own.clone();
                odd[field] = optional[field].clone();
                refused_for(&place(&paper, "k", odd.clone()).await, field, &odd);
            }
        }
        for field in words(NEEDS).intersection(&takes) {
            let mut lacking = own.clone();
            lacking.as_object_mut().unwrap().remove(field);
            refused_for(&place(&paper, "k", lacking.clone()).await, field, &lacking);
        }
    }
    for kind in ["liquidation", "close_out"] {
        let system = json!({ "type": kind });
        refused_for(&place(&paper, "k", system.clone()).await, "type", &system);
    }
    let orders: Vec<Order> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(orders, []);
}

#[tokio::test]
async fn a_market_order_has_no_date_and_a_chase_does_not_trade_at_once() {
    let paper = Paper::bare().await;
    for odd in [
        json!({"time_in_force": "gtd", "gtd_expires_at": 4_102_444_800_000_i64}),
        json!({"type": "chase", "chase_offset": 5, "time_in_force": "ioc"}),
        json!({"type": "chase", "chase_offset": 5, "time_in_force": "fok"}),
    ] {
        refused_for(
            &place(&paper, "k", odd.clone()).await,
            "time_in_force",
            &odd,
        );
    }
}

#[tokio::test]
async fn a_close_takes_its_price_tolerance_and_other_market_and_refuses_what_its_type_does_not() {
    let paper = Paper::bare().await;
    assert_eq!(place(&paper, "open", json!({})).await.status, 201);
    paper.advance(500).await;
    let target = "/v1/positions/pos_000001/close";
    for (odd, field) in [
        (json!({}), "type"),
        (json!({"type": "stop_market"}), "type"),
        (json!({"type": "market", "limit_price": 1}), "limit_price"),
        (json!({"type": "limit"}), "limit_price"),
        (
            json!({"type": "limit", "limit_price": 99000, "slippage_tolerance_bps": 5}),
            "slippage_tolerance_bps",
        ),
        (
            json!({"type": "conditional", "trigger_direction": "above"}),
            "trigger_price",
        ),
        (json!({"type": "market", "side": "sell"}), "side"),
    ] {
        refused_for(
            &paper.keyed(target, "k", &odd.to_string()).await,
            field,
            &odd,
        );
    }
    let elsewhere = json!({
        "type": "conditional", "trigger_market_id": "paper|ETH", "trigger_price": 9000, "trigger_direction": "above",
        "size": 0.04,
    });
    let waiting: Order = paper
        .keyed(target, "far", &elsewhere.to_string())
        .await
        .data();
    assert_eq!(waiting.trigger_market_id.unwrap().raw(), "paper|ETH");
    let now = json!({"type": "market", "size": 0.04, "expected_price": 64000.5, "slippage_tolerance_bps": 30});
    let closed: Order = paper.keyed(target, "now", &now.to_string()).await.data();
    assert!(closed.status.is(&OrderStatus::Filled), "{closed:?}");
    assert_eq!(closed.expected_price.to_string(), "64000.5");
}

#[tokio::test]
async fn every_position_says_its_side_its_margin_mode_and_that_it_has_no_extra_margin() {
    let paper = Paper::bare().await;
    let isolated = json!({"margin_mode": "isolated"});
    assert_eq!(place(&paper, "a", isolated).await.status, 201);
    paper.advance(500).await;
    let cross = json!({"market_id": "paper|ETH", "size": 1});
    assert_eq!(place(&paper, "b", cross).await.status, 201);
    let rows: Vec<Value> = paper.get("/v1/positions?account_id=chal-1").await.data();
    assert_eq!(rows[0]["isolated_margin_extra"], 0);
    assert_eq!(rows[1]["isolated_margin_extra"], 0);
    let told = |row: &Value| (row["side"].clone(), row["margin_mode"].clone());
    assert_eq!(told(&rows[0]), (json!("long"), json!("isolated")));
    assert_eq!(told(&rows[1]), (json!("long"), json!("cross")));
}

#[tokio::test]
async fn a_page_has_fifty_orders_unless_asked_otherwise_and_a_cursor_is_at_most_1024_characters() {
    let paper = Paper::bare().await;
    for n in 0..51 {
        let far = json!({"type": "limit", "limit_price": 50_000 + n, "size": 0.001});
        assert_eq!(place(&paper, &format!("k{n}"), far).await.status, 201);
    }
    let page = paper.get("/v1/orders?account_id=chal-1").await.json();
    assert_eq!(page["data"].as_array().unwrap().len(), 50);
    assert_eq!(page["has_more"], true);
    for (length, words) in [(1024, "was not issued"), (1025, "1024")] {
        let cursor = "0".repeat(length);
        let target = format!("/v1/orders?account_id=chal-1&cursor={cursor}");
        let (status, _, message) = paper.get(&target).await.refusal();
        assert_eq!(status, 400);
        assert!(message.contains(words), "{length}: {message}");
    }
    for limit in ["0", "101", "ten", "-1", "1.5", ""] {
        let target = format!("/v1/positions?account_id=chal-1&status=closed&limit={limit}");
        assert_eq!(paper.get(&target).await.refusal().0, 400, "{limit}");
    }
}

/// A key is used up by what was done under it, and by a rule that said no; not by a request that never got so far.
#[tokio::test]
async fn a_key_is_free_again_after_401_404_and_429() {
    let paper = Paper::bare().await;
    let order = body(&json!({}));
    let keyed = [("Idempotency-Key", "k")];
    let stranger = paper.bare_call("POST", "/v1/orders", &keyed, &order).await;
    assert_eq!(stranger.unwrap().status, 401);
    let foreign = place(&paper, "k", json!({"account_id": "chal-2"})).await;
    assert_eq!(foreign.status, 404);
    assert_eq!(place(&paper, "other", json!({})).await.status, 201);
    assert_eq!(place(&paper, "k", json!({})).await.status, 429);
    paper.advance(500).await;
    assert_eq!(place(&paper, "k", json!({})).await.status, 201);
}
