//! What the exchange answers, byte for byte: one session on a market that stands still but where it is moved.

use super::super::{orders::place, support::Paper, support::Reply};
use serde_json::{Value, json};
use std::fmt::Write;

/// A reply as one paragraph: the request, the status, the names of the headers, the body. Only what is random in each
/// run is left out.
#[derive(Default)]
struct Story(String);

impl Story {
    fn tell(&mut self, request: &str, reply: &Reply) {
        let names = reply.headers.iter().map(|(name, _)| name.as_str());
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        let body = without_random(reply);
        writeln!(
            self.0,
            "{request}\n{} {}\n{body}\n",
            reply.status,
            names.join(" ")
        )
        .unwrap();
    }
}

/// Nor is it frozen how an error is put into words.
fn without_random(reply: &Reply) -> String {
    let text = reply.text();
    let Ok(body) = serde_json::from_str::<Value>(&text) else {
        return text;
    };
    let mut out = text;
    for pointer in ["/error/request_id", "/error/message", "/next_cursor"] {
        if let Some(word) = body.pointer(pointer) {
            out = out.replace(&word.to_string(), &pointer.to_uppercase());
        }
    }
    out
}

async fn get(story: &mut Story, paper: &Paper, target: &str) {
    story.tell(&format!("GET {target}"), &paper.get(target).await);
}

async fn post(story: &mut Story, paper: &Paper, target: &str, body: &Value) {
    let body = body.to_string();
    let reply = paper.keyed(target, target, &body).await;
    story.tell(&format!("POST {target} {body}"), &reply);
}

async fn orders(story: &mut Story, paper: &Paper) {
    let (low, high) = (50_000, 80_000);
    for (n, order) in [
        json!({"size": 0.1}),
        json!({"market_id": "paper|ETH", "size": 1, "margin_mode": "isolated"}),
        json!({"type": "limit", "limit_price": low, "size": 0.01, "time_in_force": "gtd",
            "gtd_expires_at": 4_102_444_800_000_i64, "attached_take_profit_price": 90_000,
            "attached_stop_loss_price": 40_000}),
        json!({"type": "chase", "chase_offset": 2000, "chase_cap_price": low, "size": 0.001}),
        json!({"type": "stop_market", "side": "sell", "trigger_price": low, "size": 0.01}),
        json!({"type": "take_limit", "side": "sell", "trigger_price": high, "limit_price": high, "size": 0.01}),
        json!({"type": "conditional", "trigger_market_id": "paper|ETH", "trigger_price": 100,
            "trigger_direction": "below", "size": 0.001}),
        json!({"type": "take_profit", "side": "sell", "trigger_price": high, "size": 0.01,
            "target_position_id": "pos_000001"}),
        json!({"leverage": 30}),
        json!({"leverage": 0}),
        json!({"market_id": "paper|DOGE"}),
        json!({"surprise": 1}),
    ]
    .into_iter()
    .enumerate()
    {
        let reply = place(paper, &format!("k{n}"), order.clone()).await;
        story.tell(&format!("POST /v1/orders {order}"), &reply);
        paper.advance(500).await;
    }
}

async fn changes(story: &mut Story, paper: &Paper) {
    for (target, body) in [
        (
            "/v1/orders/ord_000003/attached-exits",
            r#"{"take_profit_price":91000,"stop_loss_price":null}"#,
        ),
        (
            "/v1/positions/pos_000002/isolated-margin",
            r#"{"extra_margin":25}"#,
        ),
    ] {
        story.tell(
            &format!("PUT {target} {body}"),
            &paper.put(target, body).await,
        );
    }
    for target in [
        "/v1/orders/ord_000004",
        "/v1/orders/ord_000005",
        "/v1/orders/none",
    ] {
        story.tell(&format!("DELETE {target}"), &paper.delete(target).await);
    }
    let close = json!({"type": "market", "size": 0.5, "expected_price": 3100, "slippage_tolerance_bps": 50});
    post(story, paper, "/v1/positions/pos_000002/close", &close).await;
}

async fn strategies(story: &mut Story, paper: &Paper) {
    let twap = json!({
        "account_id": "chal-1", "market_id": "paper|SOL", "side": "buy", "size": 10, "leverage": 5,
        "margin_mode": "cross", "duration_minutes": 30, "max_price": 200, "min_price": 100,
    });
    post(story, paper, "/v1/twap-orders", &twap).await;
    let scaled = json!({
        "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.06, "leverage": 5,
        "margin_mode": "cross", "start_price": 61_000, "end_price": 60_000, "rung_count": 3,
    });
    post(story, paper, "/v1/scaled-orders", &scaled).await;
    paper.advance(60_000).await;
    get(story, paper, "/v1/twap-orders?account_id=chal-1").await;
    get(story, paper, "/v1/scaled-orders?account_id=chal-1").await;
    for target in [
        "/v1/twap-orders/twap_000001",
        "/v1/scaled-orders/scl_000001",
    ] {
        story.tell(&format!("DELETE {target}"), &paper.delete(target).await);
    }
}

/// To its end.
async fn close_all(story: &mut Story, paper: &Paper) {
    let target = "/v1/accounts/chal-1/close-all-positions";
    for _ in 0..4 {
        story.tell(
            &format!("POST {target}"),
            &paper.keyed(target, "panic", "").await,
        );
        paper.advance(1_000).await;
    }
}

/// Something in every list.
pub(super) async fn trade(paper: &Paper) -> String {
    let mut story = Story::default();
    orders(&mut story, paper).await;
    changes(&mut story, paper).await;
    strategies(&mut story, paper).await;
    close_all(&mut story, paper).await;
    story.0
}

pub(super) async fn lists(paper: &Paper) -> String {
    let mut story = Story::default();
    for list in [
        "/v1/orders?account_id=chal-1&limit=100",
        "/v1/positions?account_id=chal-1&status=open",
        "/v1/positions?account_id=chal-1&status=closed",
        "/v1/twap-orders?account_id=chal-1",
        "/v1/scaled-orders?account_id=chal-1",
        "/v1/accounts/chal-1",
    ] {
        get(&mut story, paper, list).await;
    }
    // Answered from the keys that were kept, each in its own way.
    for order in [json!({"size": 0.1}), json!({"leverage": 30})] {
        let key = if order["size"].is_null() { "k8" } else { "k0" };
        let reply = place(paper, key, order.clone()).await;
        story.tell(&format!("again {order}"), &reply);
    }
    let target = "/v1/accounts/chal-1/close-all-positions";
    story.tell(
        &format!("again {target}"),
        &paper.keyed(target, "panic", "").await,
    );
    story.0
}

#[tokio::test]
async fn a_session_is_answered_as_it_is_today() {
    let paper = Paper::bare().await;
    let mut story = Story::default();
    orders(&mut story, &paper).await;
    get(
        &mut story,
        &paper,
        "/v1/orders?account_id=chal-1&status=working",
    )
    .await;
    get(
        &mut story,
        &paper,
        "/v1/positions?account_id=chal-1&status=open",
    )
    .await;
    changes(&mut story, &paper).await;
    strategies(&mut story, &paper).await;
    close_all(&mut story, &paper).await;
    get(
        &mut story,
        &paper,
        "/v1/positions?account_id=chal-1&status=closed&limit=1",
    )
    .await;
    insta::assert_snapshot!(story.0);
}

#[tokio::test]
async fn the_paper_exchanges_own_endpoints_answer_as_they_do_today() {
    let paper = Paper::bare().await;
    let mut story = Story::default();
    for target in [
        "/sim/markets",
        "/sim/markets/paper%7CSOL/book",
        "/v1/accounts/chal-1",
        "/sim/clock",
        "/sim/faults",
        "/sim/none",
    ] {
        get(&mut story, &paper, target).await;
    }
    for (target, body) in [
        ("/sim/clock", json!({"advance_ms": 1000})),
        ("/sim/nudge", json!({"market_id": "paper|BTC", "bps": 10})),
        (
            "/sim/faults",
            json!({"kind": "before", "route": "place_order", "count": 1, "percent": 50, "status": 503, "retry_after": 2}),
        ),
        (
            "/sim/faults",
            json!({"kind": "clock_skew", "skew_millis": 5}),
        ),
        ("/sim/faults", json!({"kind": "slow_body", "millis": 5})),
        ("/sim/faults", json!({"kind": "surprise"})),
        (
            "/sim/faults",
            json!({"kind": "before", "route": "surprise"}),
        ),
        (
            "/sim/budgets",
            json!({"per_key": {"burst": 600, "per_second": 300}}),
        ),
    ] {
        let body = body.to_string();
        let reply = paper.post(target, &body).await;
        story.tell(&format!("POST {target} {body}"), &reply);
    }
    insta::assert_snapshot!(story.0);
}
