//! The parts of rows that a list prints, their order, and what a jq expression makes of them; and several ids at once.

use super::{served::Served, *};
use serde_json::{Value, json};

fn printed(served: &Served, args: &[&str]) -> String {
    let (code, out, err) = served.run(args);
    assert_eq!(code, 0, "{args:?}: {err}");
    out
}

#[test]
fn a_list_prints_the_fields_that_were_named_in_their_order_in_every_format() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    let fields = ["--fields", "market_id,id,size", "-o"];
    let of = |format: &str| printed(&served, &with(&["positions"], &with(&fields, &[format])));
    let id = served.json(&["positions"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let row = format!("{{\"market_id\":\"paper|BTC\",\"id\":\"{id}\",\"size\":0.5}}");
    assert_eq!(of("json"), format!("[\n{row}\n]\n"));
    assert_eq!(of("jsonl"), format!("{row}\n"));
    assert_eq!(
        of("csv"),
        format!("market_id,id,size\r\npaper|BTC,{id},0.5\r\n")
    );
    let table = of("table");
    let mut lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), ["market_id", "id", "size"]);
    assert_eq!(lines.next().unwrap()[..2], ["paper|BTC", &id]);
    let (code, error) = served.error(&["positions", "--fields", "sise"]);
    let words = error["message"].as_str().unwrap();
    assert!(
        code == 2 && words.starts_with("--fields: there is no field \"sise\"; there are "),
        "{words}"
    );
    let (code, error) = served.error(&["positions", "--fields", "size,id,size"]);
    let words = error["message"].as_str().unwrap();
    assert_eq!((code, words), (2, "--fields: size is there twice"));
}

#[test]
fn a_list_is_sorted_by_the_value_of_a_field_and_rows_without_it_come_last() {
    let served = Served::bare();
    for (market, size) in [("paper|BTC", 0.5), ("paper|ETH", 10.0), ("paper|SOL", 9.0)] {
        served.holding(market, size, "cross");
    }
    let sizes = |sort: &str| {
        let rows = served.json(&["positions", "--sort", sort]);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["size"].as_f64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes("size"), [0.5, 9.0, 10.0]);
    assert_eq!(sizes("-size"), [10.0, 9.0, 0.5]);
    let (code, error) = served.error(&["positions", "--sort", "-sise"]);
    assert_eq!((code, &error["kind"]), (2, &json!("usage")));
}

#[test]
fn a_jq_expression_reads_the_json_of_a_list_and_prints_texts_bare() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    let of = |expression: &str| printed(&served, &["positions", "--jq", expression]);
    assert_eq!(of(".[0].market_id"), "paper|BTC\n");
    assert_eq!(of("map(.size)"), "[0.5]\n");
    assert_eq!(of("length, .[].side"), "1\nlong\n");
    for (expression, words) in [
        (".[", "this is no jq expression"),
        (
            "nothing_of_this_name",
            "jq does not know nothing_of_this_name",
        ),
        // The environment may hold the API key.
        ("env", "jq does not know env"),
        ("halt", "jq does not know halt"),
        ("halt_error(0)", "jq does not know halt_error"),
        ("$ENV", "jq does not know $ENV"),
        ("input_filename", "jq does not know input_filename"),
        // It would write what a service sent to the terminal as it is.
        ("stderr", "jq does not know stderr"),
        ("stderr_empty", "jq does not know stderr_empty"),
    ] {
        let (code, error) = served.error(&["positions", "--jq", expression]);
        let message = error["message"].as_str().unwrap();
        assert!(code == 2 && message.contains(words), "{message}");
    }
    let (code, _, err) = served.run(&["positions", "--jq", ".[0] | error(\"gone\")"]);
    assert!(code == 2 && err.contains("--jq: "), "{err}");
}

#[test]
fn one_object_is_an_object_and_several_are_a_list_in_the_order_of_their_names() {
    let served = Served::bare();
    let (one, two) = (served.waiting("limit"), served.waiting("limit"));
    assert_eq!(served.json(&["order", &one])["id"], json!(one));
    let both = served.json(&["order", &two, &one]);
    assert_eq!((&both[0]["id"], &both[1]["id"]), (&json!(two), &json!(one)));
    let position = served.holding("paper|BTC", 0.5, "cross");
    for name in [position.as_str(), "btc"] {
        assert_eq!(
            served.json(&["position", name])["id"],
            json!(position),
            "{name}"
        );
    }
    served.json(&["close", "btc", "--yes"]);
    let closed = served.json(&["position", &position]);
    assert!(closed["exit_price"].is_number(), "{closed}");
    let (code, error) = served.error(&["position", "pos_none"]);
    assert_eq!((code, &error["kind"]), (13, &json!("not found")));
    let twap = served.twap();
    assert_eq!(served.json(&["twap", "show", &twap])["id"], json!(twap));
    served.json(&["twap", "stop", &twap, "--yes"]);
    assert_eq!(served.json(&["twap", "show", &twap])["id"], json!(twap));
}

/// The ids of the list.
fn ids(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn the_orders_of_a_market_or_a_side_are_canceled_and_no_other() {
    let served = Served::bare();
    let (limit, stop) = (served.waiting("limit"), served.waiting("stop_market"));
    let (code, _, err) = served.run(&["cancel", "--market", "eth", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("no working order matches"), "{err}");
    assert_eq!(served.json(&["orders"]).as_array().unwrap().len(), 2);
    let side = served.json(&["order", &limit])["side"]
        .as_str()
        .unwrap()
        .to_owned();
    let (code, _, err) = served.run(&["cancel", "--market", "btc", "--side", &side, "--yes"]);
    assert_eq!(code, 0, "{err}");
    let left = served.json(&["orders"]);
    let other: Vec<_> = served.json(&["order", &stop])["side"]
        .as_str()
        .into_iter()
        .filter(|of_stop| *of_stop != side)
        .map(|_| stop.clone())
        .collect();
    assert_eq!(ids(&left), other);
    for wrong in [
        &["cancel", "--all", "--market", "btc", "--yes"][..],
        &["cancel", &stop, "--side", "buy", "--yes"],
        &["cancel", "--market", "bct", "--yes"],
        &["cancel", "--yes"],
    ] {
        assert_eq!(served.run(wrong).0, 2, "{wrong:?}");
    }
}

#[test]
fn several_positions_are_closed_each_with_its_own_outcome() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    let (code, out, err) = served.run(&["close", "btc", "sol", "eth", "--yes"]);
    assert_eq!((code, out.lines().count()), (15, 2), "{out} {err}");
    assert!(err.contains("there is no open position in sol"), "{err}");
    assert_eq!(served.json(&["positions"]), json!([]));
}

#[test]
fn the_stop_and_the_target_of_positions_are_set_and_removed() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    served.json(&["stop", "btc", "entry-2%", "--yes"]);
    served.json(&["target", "btc", "entry+3%", "--yes"]);
    let btc = served.json(&["position", "btc"]);
    assert!(
        btc["stop"].is_number() && btc["target"].is_number(),
        "{btc}"
    );
    let (code, _, err) = served.run(&["stop", "btc", "eth", "entry-1%", "--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(served.json(&["position", "eth"])["stop"].is_number());
    served.json(&["stop", "btc", "none", "--yes"]);
    let btc = served.json(&["position", "btc"]);
    assert!(btc["stop"].is_null() && btc["target"].is_number(), "{btc}");
}
