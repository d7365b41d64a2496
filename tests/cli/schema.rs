//! What the verbs print is what their schemas say, and CSV holds the same values.

use super::support::{Served, with};
use serde_json::{Map, Value, json};

/// What of `value` the schema does not allow. As much of JSON Schema as the rows have: types, enums, members that must be
/// there, references; and none that is not named.
fn faults(schema: &Value, root: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap();
        return faults(&root["$defs"][name], root, value, at);
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        let fits = ways
            .iter()
            .any(|way| faults(way, root, value, at).is_empty());
        return if fits {
            vec![]
        } else {
            vec![format!("{at}: {value} is none of {ways:?}")]
        };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            return vec![format!("{at}: no type is told")];
        }
    };
    if !kinds.iter().any(|kind| is_of(kind, value)) {
        return vec![format!("{at}: {value} is no {kinds:?}")];
    }
    let words = schema["enum"].as_array();
    if words.is_some_and(|words| !words.contains(value)) {
        return vec![format!("{at}: {value} is none of {words:?}")];
    }
    match value {
        Value::Object(members) => of_members(schema, root, members, at),
        Value::Array(rows) => {
            let rows = rows.iter();
            rows.flat_map(|row| faults(&schema["items"], root, row, at))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![],
    }
}

fn of_members(schema: &Value, root: &Value, members: &Map<String, Value>, at: &str) -> Vec<String> {
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required
        .filter_map(Value::as_str)
        .filter(|name| !members.contains_key(*name));
    let missing = missing.map(|name| format!("{at}: {name} is missing"));
    let others = members
        .iter()
        .flat_map(|(name, value)| match schema["properties"].get(name) {
            Some(property) => faults(property, root, value, &format!("{at}.{name}")),
            None => vec![format!("{at}: {name} is not told of")],
        });
    missing.chain(others).collect()
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[track_caller]
fn fits(served: &Served, row: &str, value: &Value) {
    let schema = served.json(&["schema", row]);
    assert_eq!(faults(&schema, &schema, value, row), Vec::<String>::new());
}

/// With something in every list.
fn busy() -> Served {
    let served = Served::bare();
    // The service wants a moment between two orders at the market.
    let done = |verb: &[&str]| {
        served.json(&with(verb, &["--yes"]));
        served.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
    };
    let position = served.holding("paper|BTC", 0.5, "cross");
    done(&["close", &position, "--size", "0.1"]);
    served.holding("paper|SOL", 5.0, "cross");
    done(&["close", "sol"]);
    served.holding("paper|ETH", 1.0, "cross");
    served.waiting("limit");
    done(&[
        "place",
        "--market",
        "btc",
        "--side",
        "sell",
        "--type",
        "stop_market",
        "--size",
        "0.2",
        "--trigger-price",
        "60000",
        "--reduce-only",
    ]);
    done(super::deeds::TWAP);
    served
}

#[test]
fn what_the_verbs_print_is_what_their_schemas_say() {
    let served = busy();
    let ladder = served.json(&with(super::deeds::LADDER, &["--yes"]));
    let ladder = ladder["data"]["id"].as_str().unwrap().to_owned();
    for (row, verb) in [
        ("position", &["positions"][..]),
        ("closed_position", &["positions", "--closed"]),
        ("order", &["orders"]),
        ("order", &["orders", "--history"]),
        ("twap", &["twap", "list"]),
        ("fill", &["fills"]),
        ("profile", &["accounts"]),
        ("market", &["markets"]),
        ("level", &["book", "btc"]),
        ("candle", &["candles", "btc"]),
        ("trade", &["trades", "btc"]),
        ("journal", &["journal", "list"]),
    ] {
        let rows = served.json(verb);
        let rows = rows.as_array().unwrap();
        assert!(!rows.is_empty(), "{verb:?}");
        for value in rows {
            fits(&served, row, value);
        }
    }
    fits(
        &served,
        "scaled_order",
        &served.json(&["scaled", "show", &ladder]),
    );
    fits(&served, "account", &served.json(&["account"]));
    let (code, error) = served.error(&["cancel", "nothing", "--yes"]);
    assert_eq!(code, 13);
    fits(&served, "error", &error);
    let (code, list, _) = served.run(&["schema"]);
    assert!(code == 0 && list.lines().count() == 23, "{list}");
    assert_eq!(served.run(&["schema", "nothing"]).0, 2);
}

/// The rows of a CSV without quotes in it, by name.
fn rows(text: &str) -> Vec<Map<String, Value>> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<_> = lines.next().unwrap().collect();
    lines
        .map(|cells| {
            names
                .iter()
                .cloned()
                .zip(cells.map(Value::String))
                .collect()
        })
        .collect()
}

#[test]
fn csv_has_the_values_of_json_digit_for_digit_and_no_words_of_the_screen() {
    let served = busy();
    // Held still, so that both reads see one market.
    served.post("/sim/clock", &json!({ "paused": true }));
    for verb in [&["positions"][..], &["orders"], &["twap", "list"]] {
        let (code, out, err) = served.run(verb);
        assert_eq!(code, 0, "{err}");
        let sent: Vec<Map<String, Value>> = serde_json::from_str(&out).unwrap();
        let (code, out, err) = served.run(&with(verb, &["--output", "csv"]));
        assert_eq!(code, 0, "{err}");
        let written = rows(&out);
        assert_eq!(written.len(), sent.len(), "{out}");
        for (row, cells) in sent.iter().zip(&written) {
            for (name, cell) in cells {
                let cell = cell.as_str().unwrap();
                match row.get(name) {
                    // By the clock of this machine.
                    _ if ["age", "elapsed", "drift"].contains(&name.as_str()) => {}
                    None => assert_eq!(cell, "", "{name}"),
                    Some(Value::String(text)) => assert_eq!(cell, text, "{name}"),
                    Some(Value::Number(_)) if name.ends_with("_at") => {
                        assert!(cell.ends_with('Z'), "{name} {cell}");
                    }
                    Some(value @ Value::Number(_)) => {
                        // Read by the same parser, which may be off in the last binary digit.
                        let written: Option<f64> = serde_json::from_str(cell).ok();
                        assert_eq!(written, value.as_f64(), "{name}");
                    }
                    Some(value) => assert_eq!(cell, value.to_string(), "{name}"),
                }
            }
        }
    }
}
