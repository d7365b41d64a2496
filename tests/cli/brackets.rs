//! `place --bracket`: the stop and targets of the settings go with an order of a verb only where the flag says so.

use super::support::{Served, ran};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read as _},
    process::Stdio,
};

const ORDER: [&str; 10] = [
    "place", "--market", "btc", "--side", "buy", "--type", "market", "--size", "0.1", "--yes",
];

/// Places an order with this bracket in the settings.
fn placed(served: &Served, bracket: &str, more: &[&str]) -> (i32, String) {
    let mut verb = served.verb(&[&ORDER[..], more].concat());
    let (code, _, err) = ran(verb.env("PERPDECK_BRACKET", bracket));
    (code, err)
}

/// The sizes of the working stops, and of the working targets.
fn exits(served: &Served) -> [Vec<f64>; 2] {
    let working = served.orders().into_iter();
    let working: Vec<_> = working
        .filter(|order| order["status"] == "resting" && order["target_position_id"].is_string())
        .collect();
    ["below", "above"].map(|side| {
        let is_on = |order: &&Value| order["trigger_direction"] == side;
        let sizes = working.iter().filter(is_on);
        let mut sizes: Vec<_> = sizes.filter_map(|order| order["size"].as_f64()).collect();
        sizes.sort_by(f64::total_cmp);
        sizes
    })
}

#[test]
fn an_order_has_a_bracket_only_with_the_flag() {
    let served = Served::bare();
    let bracket = "stop 5%, target 5%";
    assert_eq!(placed(&served, bracket, &[]).0, 0);
    assert_eq!(exits(&served).map(|sizes| sizes.len()), [0, 0]);
    let (code, err) = placed(&served, bracket, &["--bracket"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(exits(&served).map(|sizes| sizes.len()), [1, 1]);
}

#[test]
fn an_order_that_cannot_have_its_bracket_is_not_sent() {
    let served = Served::bare();
    let (code, err) = placed(&served, "", &["--bracket"]);
    assert_eq!(code, 2);
    assert!(err.contains("the settings have none"), "{err}");
    assert_eq!(placed(&served, "stop 5%", &["--bracket"]).0, 0);
    assert_eq!(
        placed(&served, "stop 5%", &["--bracket"]).0,
        2,
        "it has exits"
    );
    assert_eq!(exits(&served)[0].len(), 1);
}

#[test]
fn several_targets_follow_the_fill() {
    let served = Served::bare();
    let bracket = "stop 5%, target 5% 60%, target 10% 40%";
    let (code, err) = placed(&served, bracket, &["--bracket"]);
    assert_eq!(code, 0, "{err}");
    let [_, targets] = exits(&served);
    assert_eq!(targets, vec![0.04, 0.06]);
}

#[test]
fn a_bracket_goes_with_a_price_that_follows_the_market() {
    let served = Served::bare();
    let limit = [
        "place",
        "--market",
        "btc",
        "--side",
        "buy",
        "--type",
        "limit",
        "--size",
        "0.1",
        "--yes",
        "--limit-price",
        "mid-1%",
        "--bracket",
    ];
    let mut verb = served.verb(&limit);
    let (code, _, err) = ran(verb.env("PERPDECK_BRACKET", "stop 5%, target 5%"));
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("--limit-price mid-1% is "), "{err}");
    let orders = served.orders();
    let number = |name: &str| orders[0][name].as_f64().unwrap();
    let (limit, stop) = (number("limit_price"), number("attached_stop_loss_price"));
    assert!((stop / limit - 0.95).abs() < 0.001, "{limit} {stop}");
}

#[test]
fn an_order_whose_targets_would_be_too_small_to_place_is_not_sent() {
    let served = Served::bare();
    let bracket = "stop 5%, target 5% 99.99%, target 10% 0.01%";
    let (code, err) = placed(&served, bracket, &["--bracket"]);
    assert_eq!(code, 2, "{err}");
    let words = "is below the 10.00 USD minimum, and no target would be placed: a larger size or fewer targets";
    assert!(err.contains(words), "{err}");
    assert_eq!(exits(&served).map(|sizes| sizes.len()), [0, 0]);
}

/// The first line of a pipe that contains these words.
fn line_with(words: &str, pipe: &mut impl BufRead) -> String {
    let is_it = |line: &String| line.contains(words);
    pipe.lines().map(Result::unwrap).find(is_it).unwrap()
}

/// The service does not move this order in place: the other verb cancels it, and places another.
#[test]
fn the_targets_follow_an_entry_that_another_verb_replaces() {
    let served = Served::bare();
    let quote = served.get("/v1/markets/paper%7CBTC/quote");
    let mid = quote["mid"].as_f64().unwrap();
    let [first, second] = [0.99, 0.991].map(|share| format!("{:.0}", mid * share));
    let order = ORDER.map(|word| if word == "market" { "limit" } else { word });
    let order = [&order[..], &["--limit-price", &first, "--bracket"]].concat();
    let mut keeper = served.verb(&order);
    let keeper = keeper.env("PERPDECK_BRACKET", "stop 5%, target 5% 60%, target 10% 40%");
    let mut keeper = keeper
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(keeper.stdout.take().unwrap());
    let mut err = BufReader::new(keeper.stderr.take().unwrap());
    let placed: Value = serde_json::from_str(&line_with("resting", &mut out)).unwrap();
    let id = placed["data"]["id"].as_str().unwrap();
    let fault = json!({ "kind": "before", "route": "modify_order", "count": 1, "status": 409 });
    served.post("/sim/faults", &fault);
    let (code, _, said) = served.run(&["move", id, "--price", &second, "--yes"]);
    assert_eq!(code, 0, "{said}");
    line_with("its 2 targets follow", &mut err);
    served.post(
        "/sim/nudge",
        &json!({ "market_id": "paper|BTC", "bps": -120 }),
    );
    let code = keeper.wait().unwrap().code();
    let mut said = String::new();
    err.read_to_string(&mut said).unwrap();
    assert_eq!(code, Some(0), "{said}");
    let [_, targets] = exits(&served);
    assert_eq!(targets, vec![0.04, 0.06]);
}
