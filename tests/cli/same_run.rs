//! A run that can be done again: the same start, seed and commands give the same history in another process.

use super::{perpdeck, ran, served::Served};
use crate::support::BARE;
use serde_json::{Value, json};
use tempfile::TempDir;

const RUN: [&str; 3] = ["--start", "2026-01-05T23:58:00Z", "--manual-clock"];

/// Orders of several kinds, a TWAP, a ladder and a fall of the price, over two funding hours and the end of a day.
fn commands(exchange: &Served) -> Vec<Value> {
    let order = |more: Value| {
        let mut body = json!({
            "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.05, "leverage": 5,
            "margin_mode": "cross",
        });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let wait = |millis: u32| exchange.post("/sim/clock", &json!({ "advance_ms": millis }));
    exchange.post("/v1/orders", &order(json!({})));
    let limit = json!({ "type": "limit", "limit_price": 60_000 });
    exchange.post("/v1/orders", &order(limit));
    wait(5_000);
    let twap = json!({
        "size": 0.3, "expected_price": 64_000, "duration_minutes": 5, "strategy": "vwap", "randomize": true,
    });
    exchange.post("/v1/twap-orders", &order(twap));
    let ladder = json!({
        "size": 0.06, "start_price": 60_000, "end_price": 50_000, "rung_count": 5, "distribution": "ascending",
    });
    exchange.post("/v1/scaled-orders", &order(ladder));
    wait(300_000);
    let fall = json!({ "market_id": "paper|BTC", "bps": -500 });
    exchange.post("/sim/nudge", &fall);
    wait(3_600_000);
    [
        "/sim/clock",
        "/v1/accounts/chal-1",
        "/sim/markets",
        "/v1/orders?account_id=chal-1&limit=100",
        "/v1/positions?account_id=chal-1",
        "/v1/scaled-orders?account_id=chal-1",
    ]
    .map(|list| exchange.get(list))
    .to_vec()
}

#[test]
fn the_same_commands_give_the_same_history_in_another_process_and_after_a_reset() {
    let first = Served::with(BARE, &RUN);
    let at_first = first.get("/sim/clock");
    assert_eq!(at_first["now"], 1_767_657_480_000_i64);
    assert_eq!(at_first["paused"], true);
    let golden = commands(&first);
    first.call("POST", "/sim/reset", None);
    assert_eq!(first.get("/sim/clock"), at_first);
    assert_eq!(commands(&first), golden, "after a reset");
    let anew = |more: &[&str]| commands(&Served::with(BARE, &[&RUN[..], more].concat()));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| anew(&["--seed", "43"]));
        assert_eq!(anew(&[]), golden, "in another process");
        assert_ne!(other.join().unwrap()[0], golden[0], "with another seed");
    });
}

#[test]
fn with_a_manual_clock_time_stands_still_until_it_is_advanced() {
    let exchange = Served::with(BARE, &["--manual-clock"]);
    let before = exchange.get("/sim/clock");
    // A clock that ran would be looked at eight times a second.
    let markets = exchange.get("/sim/markets");
    for _ in 0..20 {
        assert_eq!(exchange.get("/sim/markets"), markets);
    }
    assert_eq!(exchange.get("/sim/clock"), before);
    let after = exchange.post("/sim/clock", &json!({ "advance_ms": 1_000 }));
    let passed = after["data"]["now"].as_i64().unwrap() - before["now"].as_i64().unwrap();
    assert_eq!(passed, 1_000);
}

#[test]
fn the_seed_of_the_scenario_counts_unless_the_flag_is_given() {
    let of_file = |seed: u32| BARE.replace("seed = 42", &format!("seed = {seed}"));
    let history = |scenario: &str, more: &[&str]| {
        let exchange = Served::with(scenario, &[&RUN[..], more].concat());
        exchange.post("/sim/clock", &json!({ "advance_ms": 60_000 }));
        exchange.get("/sim/clock")["log_hash"].take()
    };
    let eleven = history(&of_file(11), &[]);
    assert_ne!(eleven, history(&of_file(12), &[]));
    assert_eq!(eleven, history(&of_file(12), &["--seed", "11"]));
}

#[test]
fn a_picture_of_one_instant_and_seed_is_the_same_every_time() {
    let picture = || {
        let home = TempDir::new().unwrap();
        let at = ["snapshot", "--seed", "7", "--at", "2026-01-05T14:30:00Z"];
        let keys = ["--size", "120x60", "--keys", "1 j enter", "--wait", "10m"];
        let (code, frame, err) = ran(perpdeck(home.path()).args(at).args(keys));
        assert_eq!(code, 0, "{err}");
        frame
    };
    let pictures = std::thread::scope(|scope| {
        let taken = [(); 4].map(|()| scope.spawn(picture));
        taken.map(|picture| picture.join().unwrap())
    });
    let [first, others @ ..] = &pictures;
    let (_, mae) = first.split_once("MAE  ").unwrap();
    assert!(mae.starts_with(|c: char| c.is_ascii_digit()), "{first}");
    for picture in others {
        assert_eq!(picture, first);
    }
}
