//! TWAPs and ladders made from the shell.

use super::{
    deeds::{LADDER, TWAP},
    support::{Served, with},
};
use serde_json::{Value, json};

#[test]
fn a_twap_and_a_ladder_are_made_as_typed_over_the_terms_of_the_desk() {
    let served = Served::bare();
    let more = ["--randomize", "--max-price", "70000", "--yes"];
    let twap = served.json(&with(TWAP, &more));
    let listed = &served.json(&["twap", "list"])[0];
    assert_eq!(listed["id"], twap["data"]["id"]);
    let fields = [
        "total_size",
        "duration_minutes",
        "leverage",
        "max_price",
        "randomize",
    ];
    assert_eq!(
        fields.map(|name| listed[name].clone()),
        [json!(0.1), json!(30), json!(5), json!(70_000), json!(true)]
    );
    let ladder = served.json(&with(LADDER, &["--leverage", "7", "--yes"]));
    let id = ladder["data"]["id"].as_str().unwrap().to_owned();
    let ladder = served.json(&["scaled", "show", &id]);
    let rungs = ladder["rungs"].as_array().unwrap();
    let prices = [&rungs[0]["price"], &rungs[3]["price"]];
    assert_eq!((rungs.len(), prices), (4, [&json!(50_000), &json!(49_000)]));
    assert_eq!(ladder["leverage"], json!(7));
}

#[test]
fn what_they_would_send_is_shown_in_full() {
    let served = Served::bare();
    let twap = with(
        TWAP,
        &["--curve", "vwap", "--dry-run", "--idempotency-key", "mine"],
    );
    let shown = served.json(&twap);
    assert_eq!(
        (&shown["target"], &shown["headers"]["idempotency-key"]),
        (&json!("/v1/twap-orders"), &json!("mine"))
    );
    assert_eq!(
        shown["body"],
        json!({
            "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.1, "leverage": 5,
            "margin_mode": "cross", "reduce_only": false, "strategy": "vwap", "duration_minutes": 30,
            "randomize": false, "expected_price": shown["body"]["expected_price"],
        })
    );
    let worth = [
        "scaled",
        "place",
        "--market",
        "btc",
        "--side",
        "buy",
        "--size",
        "$1000",
        "--start-price",
        "50000",
        "--end-price",
        "50000",
        "--rungs",
        "2",
        "--distribution",
        "descending",
        "--dry-run",
    ];
    let shown = served.json(&worth);
    let fields = [
        "size",
        "start_price",
        "end_price",
        "rung_count",
        "distribution",
    ];
    assert_eq!(
        fields.map(|name| shown["body"][name].clone()),
        [
            json!(0.02),
            json!(50_000),
            json!(50_000),
            json!(2),
            json!("descending")
        ]
    );
}

#[test]
fn repeated_under_their_key_they_are_answered_as_the_first_time() {
    let served = Served::bare();
    let made = |verb: &[&str], key| served.json(&with(verb, &["--yes", "--idempotency-key", key]));
    let usd = [
        "twap",
        "start",
        "--market",
        "eth",
        "--side",
        "buy",
        "--size",
        "$3000",
        "--duration",
        "1h",
    ];
    let deeds: [(&str, &[&str]); 3] = [("slices", TWAP), ("rungs", LADDER), ("usd", &usd)];
    let first = deeds.map(|(key, verb)| made(verb, key));
    // What the size in USD was computed at has moved since, and something is open.
    served.post(
        "/sim/nudge",
        &json!({ "market_id": "paper|ETH", "bps": -150 }),
    );
    served.holding("paper|BTC", 0.5, "cross");
    assert_eq!(deeds.map(|(key, verb)| made(verb, key)), first);
    assert_eq!(served.json(&["twap", "list"]).as_array().unwrap().len(), 2);
    let other = with(
        TWAP,
        &["--reduce-only", "--yes", "--idempotency-key", "slices"],
    );
    let (code, error) = served.error(&other);
    let said = error["message"].as_str().unwrap();
    assert!(code == 2 && said.contains("was used for"), "{code} {said}");
}

#[test]
fn what_is_wrong_with_them_is_told_by_its_flag_and_what_the_service_refuses_by_its_words() {
    let served = Served::bare();
    let typed = [
        "scaled",
        "place",
        "--market",
        "btc",
        "--side",
        "buy",
        "--size",
        "1,5",
        "--start-price",
        "50000",
        "--end-price",
        "49000",
        "--rungs",
        "x",
        "--yes",
    ];
    let (code, error) = served.error(&typed);
    let said = error["message"].as_str().unwrap();
    assert!(
        code == 2 && said.contains("--size: no commas") && said.contains("; --rungs: "),
        "{code} {said}"
    );
    let long = [
        "twap",
        "start",
        "--market",
        "btc",
        "--side",
        "buy",
        "--size",
        "0.1",
        "--duration",
        "100000000",
        "--yes",
    ];
    let (code, error) = served.error(&long);
    let said = error["message"].as_str().unwrap();
    assert!(
        code == 2 && said == "--duration: write whole minutes from 5 to 1,440: 30, 90m, 2h or 1d",
        "{code} {said}"
    );
    served.plant(&json!({ "kind": "before", "route": "place_twap", "status": 400 }));
    let (code, error) = served.error(&with(TWAP, &["--yes"]));
    assert_eq!((code, &error["status"]), (13, &json!(400)), "{error}");
    assert_eq!(served.json(&["twap", "list"]), Value::Array(vec![]));
}
