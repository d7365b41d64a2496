//! The program on `perpdeck serve --no-sim`, which serves `/v1` alone and as strictly as a service: nothing may need more.

use super::support::{BARE, Served, with};
use serde_json::{Value, json};

const TERMS: &[&str] = &["--leverage", "5", "--margin-mode", "cross", "--yes"];

fn placed(served: &Served, order: &str) -> Value {
    let order: Vec<_> = order.split(' ').collect();
    served.json(&with(&order, TERMS))["data"].clone()
}

fn rows(served: &Served, verb: &str) -> usize {
    served
        .json(&verb.split(' ').collect::<Vec<_>>())
        .as_array()
        .unwrap()
        .len()
}

/// A short with a pair of exits, a limit order that was moved, a TWAP and a ladder. Gives the id of the order.
fn opens(served: &Served) -> String {
    assert_eq!(rows(served, "markets"), 3);
    assert_eq!(served.json(&["account"])["equity"], 100_000);

    placed(
        served,
        "place --market btc --type market --side sell --size 0.01",
    );
    let position = served.json(&["positions"])[0].clone();
    assert_eq!(
        (&position["side"], &position["margin_mode"]),
        (&json!("short"), &json!("cross"))
    );
    let exits = [
        "exits",
        "btc",
        "--stop-loss",
        "70000",
        "--take-profit",
        "58000",
        "--yes",
    ];
    served.json(&exits);
    let pair = served.json(&["orders"]);
    let is_paired = |order: &Value| order["oco_sibling_order_id"].is_string();
    assert!(pair.as_array().unwrap().iter().all(is_paired), "{pair}");

    let limit = "place --market btc --type limit --side buy --size 0.01 --limit-price 50000";
    let order = placed(served, limit);
    let id = order["id"].as_str().unwrap();
    let moved = served.json(&["move", id, "--limit-price", "50100", "--yes"]);
    assert_eq!(
        (&moved["data"]["id"], &moved["data"]["limit_price"]),
        (&order["id"], &json!(50_100))
    );
    placed(
        served,
        "twap start --market eth --side buy --size 0.5 --duration 10m",
    );
    let ladder =
        "scaled place --market sol --side buy --size 5 --start-price 130 --end-price 120 --rungs 3";
    placed(served, ladder);
    assert_eq!(
        (rows(served, "twap list"), rows(served, "scaled list")),
        (1, 1)
    );
    id.to_owned()
}

fn shows(served: &Served) {
    for size in ["200x60", "80x24"] {
        let (code, frame, err) = served.run(&["snapshot", "--size", size]);
        assert_eq!(code, 0, "{err}");
        for words in [
            "TEST",
            "loss",
            "SHORT",
            "70,000",
            "SCALED SOL",
            "50,100",
            "OCO",
        ] {
            assert!(frame.contains(words), "{words} at {size}:\n{frame}");
        }
    }
}

#[test]
fn every_verb_works_on_a_service_that_is_no_simulator() {
    let served = Served::with(BARE, &["--no-sim"]);
    let id = opens(&served);
    shows(&served);
    served.json(&["cancel", &id, "--yes"]);
    let (code, _, err) = served.run(&["flip", "btc", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        served.json(&["positions", "--market", "btc"])[0]["side"],
        "long"
    );
    served.json(&["close", "btc", "--size", "50%", "--yes"]);
    served.json(&["cancel", "--all", "--yes"]);
    served.json(&["close-all", "--yes"]);
    served.json(&["flatten", "--yes"]);
    assert_eq!(
        (rows(&served, "positions"), rows(&served, "orders")),
        (0, 0)
    );
    assert!(rows(&served, "fills") >= 4);
}

#[test]
fn what_only_a_market_stream_has_says_what_is_missing() {
    let served = Served::with(BARE, &["--no-sim"]);
    for verb in ["book", "candles", "trades"] {
        let (code, error) = served.error(&[verb, "btc"]);
        assert_eq!(code, 2, "{verb}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("market_stream_url is not set"),
            "{message}"
        );
    }
    let (status, _) = served.call_as(served.key(), "GET", "/sim/clock", None);
    assert!(status.starts_with("404"), "{status}");
}
