//! A position flipped and orders moved from the command line.

use super::{served::Served, *};
use serde_json::{Value, json};

/// One JSON value a line.
fn lines(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn notes(err: &str) -> Vec<String> {
    let lines = err
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter_map(|line| Some(line.get("note")?.as_str()?.to_owned()))
        .collect()
}

fn stop(served: &Served, position: &str, price: &str) -> String {
    let typed = [
        "close",
        position,
        "--type",
        "conditional",
        "--trigger-direction",
        "below",
        "--trigger-price",
        price,
        "--yes",
    ];
    served.json(&typed)["data"]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn working(served: &Served) -> Vec<Value> {
    let works = |order: &Value| matches!(order["status"].as_str(), Some("pending" | "resting"));
    served.orders().into_iter().filter(works).collect()
}

#[test]
fn a_flip_closes_and_then_opens_the_same_size_the_other_way() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    stop(&served, &held, "50000");
    let (code, out, err) = served.run(&["flip", "btc", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    let told = lines(&out);
    assert_eq!(told.len(), 2, "{out}");
    assert_eq!(told[0]["data"]["reduce_only"], json!(true));
    assert_eq!(told[1]["data"]["reduce_only"], json!(false));
    assert_ne!(told[0]["idempotency_key"], told[1]["idempotency_key"]);
    let open = served.positions();
    assert_eq!(open.len(), 1);
    assert_eq!(
        (&open[0]["side"], &open[0]["size"]),
        (&json!("short"), &json!(0.5))
    );
    assert_eq!(open[0]["leverage"], json!(5));
    assert_eq!(
        working(&served),
        Vec::<Value>::new(),
        "the stop went with its position"
    );
}

#[test]
fn a_dry_run_of_a_flip_shows_both_requests_and_sends_neither() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let before = served.orders().len();
    let (code, out, err) = served.run(&["flip", &held, "--dry-run"]);
    assert_eq!(code, 0, "{err}");
    let shown = lines(&out);
    assert_eq!(shown.len(), 2, "{out}");
    assert!(shown[0]["target"].as_str().unwrap().ends_with("/close"));
    assert_eq!(shown[1]["target"], json!("/v1/orders"));
    assert_eq!(
        (&shown[1]["body"]["side"], &shown[1]["body"]["size"]),
        (&json!("sell"), &json!(0.5))
    );
    assert_eq!(served.orders().len(), before);
}

#[test]
fn a_flip_that_closes_a_part_only_opens_nothing_and_is_partial() {
    let served = Served::thin();
    let held = served.holding("paper|SOL", 5.0, "cross");
    served.eat_bids("paper|SOL", 1_000.0);
    let (code, out, err) = served.run(&["flip", &held, "--yes"]);
    assert!([13, 15].contains(&code), "{code} {out} {err}");
    let told = notes(&err).join("\n");
    assert!(told.contains("flip stopped"), "{err}");
    let open = served.positions();
    assert!(open[0]["size"].as_f64().unwrap() > 0.0, "{open:?}");
}

#[test]
fn a_close_whose_outcome_was_unknown_for_a_while_is_followed_by_nothing() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    served.plant(&json!({ "kind": "drop_reply", "route": "close_position", "count": 1 }));
    let (code, out, err) = served.run(&["flip", &held, "--yes"]);
    assert_eq!(code, 15, "{out} {err}");
    let told = notes(&err).join("\n");
    assert!(
        told.contains("the close of") && told.contains("the opening was not sent"),
        "{err}"
    );
    assert_eq!(served.positions(), Vec::<Value>::new());
    let entries = served.orders().into_iter();
    let entries = entries.filter(|order| order["side"] == "sell" && order["reduce_only"] == false);
    assert_eq!(entries.count(), 0);
}

#[test]
fn while_entries_are_halted_a_flip_is_not_begun() {
    let served = Served::bare();
    assert_eq!(served.run(&["flatten", "--yes"]).0, 0);
    let held = served.holding("paper|BTC", 0.5, "cross");
    let before = served.orders().len();
    let (code, out, err) = served.run(&["flip", &held, "--yes"]);
    assert_eq!(code, 13, "{out} {err}");
    assert!(
        err.contains("HALTED") && err.contains("journal rearm"),
        "{err}"
    );
    assert_eq!(served.orders().len(), before, "not even the close was sent");
}

#[test]
fn an_opening_that_is_refused_or_cannot_be_reached_leaves_a_partial_flip() {
    for status in [400, 401] {
        let served = Served::bare();
        let held = served.holding("paper|BTC", 0.5, "cross");
        served.plant(&json!({ "kind": "before", "route": "place_order", "status": status }));
        let (code, out, err) = served.run(&["flip", &held, "--yes"]);
        assert_eq!(code, 15, "{out} {err}");
        let words = "flip stopped: the position is closed, the other way is not opened";
        assert!(notes(&err).contains(&words.to_owned()), "{err}");
        assert_eq!(served.positions(), Vec::<Value>::new());
    }
}

#[test]
fn a_flip_needs_an_open_position_and_a_yes() {
    let served = Served::bare();
    assert_eq!(served.run(&["flip", "btc", "--yes"]).0, 13);
    served.holding("paper|BTC", 0.5, "cross");
    assert_eq!(served.run(&["flip", "btc"]).0, 2);
    assert_eq!(served.positions().len(), 1);
}

fn methods(out: &str) -> Vec<Value> {
    lines(out).iter().map(|one| one["method"].clone()).collect()
}

#[test]
fn a_stop_is_moved_in_place_with_the_exits_of_its_position() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let old = stop(&served, &held, "50000");
    let (code, out, err) = served.run(&["move", &old, "--price", "51000", "--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(methods(&out), [json!("PUT")]);
    let (code, out, err) = served.run(&["move", &old, "--price", "51000", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    let left = working(&served);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(
        (&left[0]["id"], &left[0]["trigger_price"]),
        (&json!(old), &json!(51_000))
    );
}

#[test]
fn a_refused_batch_leaves_the_stop_where_it_is() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let old = stop(&served, &held, "50000");
    served.plant(&json!({ "kind": "before", "route": "exit_orders", "status": 422 }));
    let (code, out, err) = served.run(&["move", &old, "--price", "51000", "--yes"]);
    assert_eq!(code, 13, "{out} {err}");
    let left = working(&served);
    assert_eq!((left.len(), &left[0]["trigger_price"]), (1, &json!(50_000)));
}

#[test]
fn exits_that_have_changed_are_read_again_once() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let old = stop(&served, &held, "50000");
    served.plant(&json!({ "kind": "before", "route": "exit_orders", "status": 409, "count": 1 }));
    let (code, out, err) = served.run(&["move", &old, "--price", "51000", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    assert_eq!(working(&served)[0]["trigger_price"], json!(51_000));
}

/// The working exits: kind and trigger.
fn exits(served: &Served) -> Vec<(String, Value)> {
    let exit = |order: &Value| {
        let kind = order["type"].as_str().unwrap().to_owned();
        (kind, order["trigger_price"].clone())
    };
    working(served).iter().map(exit).collect()
}

#[test]
fn the_exits_of_a_position_are_set_moved_and_removed_as_one_batch() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let both = ["--stop-loss", "50000", "--take-profit", "90000"];
    let (code, out, err) = served.run(&[&["exits", "btc"], &both[..], &["--dry-run"]].concat());
    assert_eq!((code, methods(&out)), (0, vec![json!("PUT")]), "{err}");
    let set = served.json(&[&["exits", "btc", "--yes"], &both[..]].concat());
    assert_eq!(set["data"]["id"], json!(held));
    let pair = working(&served);
    assert_eq!(pair.len(), 2, "{pair:?}");
    assert_eq!(pair[0]["oco_sibling_order_id"], pair[1]["id"]);
    assert_eq!(pair[1]["oco_sibling_order_id"], pair[0]["id"]);

    let run = |more: &[&str]| {
        let (code, _, err) = served.run(&[&["exits", &held, "--yes"], more].concat());
        (code, err)
    };
    assert_eq!(run(&["--stop-loss", "51000"]).0, 0);
    let left = working(&served);
    assert_eq!((left.len(), &left[0]["id"]), (2, &pair[0]["id"]), "moved");
    assert_eq!(run(&["--stop-loss", "51000"]).0, 0, "it is so already");
    assert_eq!(run(&["--stop-loss", "99000"]).0, 13, "it would fire");
    assert_eq!(run(&["--take-profit", "none"]).0, 0);
    assert_eq!(exits(&served), [("stop_market".to_owned(), json!(51_000))]);
    assert_eq!(run(&["--stop-loss", "51000", "--size", "20%"]).0, 0);
    assert_eq!(working(&served)[0]["size"], json!(0.1));
    assert_eq!(run(&["--stop-loss", "51000", "--size", "0.6"]).0, 2);
}

#[test]
fn exits_of_a_position_that_have_changed_are_read_again_once() {
    for (conflicts, code, left) in [(1, 0, 1), (2, 13, 0)] {
        let served = Served::bare();
        served.holding("paper|BTC", 0.5, "cross");
        served.plant(
            &json!({ "kind": "before", "route": "exit_orders", "status": 409, "count": conflicts }),
        );
        let set = served.run(&["exits", "btc", "--stop-loss", "50000", "--yes"]);
        assert_eq!(set.0, code, "{set:?}");
        assert_eq!(working(&served).len(), left);
    }
}

#[test]
fn exits_of_what_is_not_open_are_refused_before_anything_is_sent() {
    let served = Served::bare();
    let both = ["--stop-loss", "50000", "--take-profit", "90000", "--yes"];
    for named in ["btc", "doge"] {
        let (code, out, err) = served.run(&[&["exits", named], &both[..]].concat());
        assert_eq!((code, &*out), (13, ""), "{err}");
        assert!(err.contains("there is no open position"), "{err}");
    }
    let order = served.waiting("limit");
    let (code, _, err) = served.run(&[
        "exits",
        &order,
        "--stop-loss",
        "40000",
        "--size",
        "1",
        "--yes",
    ]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn a_stop_whose_position_cannot_be_read_is_not_canceled() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let old = stop(&served, &held, "50000");
    served.plant(&json!({ "kind": "before", "route": "positions", "status": 500 }));
    let (code, out, err) = served.run(&["move", &old, "--price", "51000", "--yes"]);
    assert_eq!(code, 12, "{out} {err}");
    assert!(err.contains("stops an open position is not known"), "{err}");
    served.clear_faults();
    let left = working(&served);
    assert_eq!((left.len(), &left[0]["id"]), (1, &json!(old)));
}

#[test]
fn a_resting_order_is_moved_in_place_or_else_replaced() {
    let served = Served::bare();
    let old = served.waiting("limit");
    let (code, out, err) = served.run(&["move", &old, "--price", "49000", "--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(methods(&out), [json!("PATCH")]);
    let (code, out, err) = served.run(&["move", &old, "--price", "49000", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    let left = working(&served);
    let shown = (&left[0]["id"], &left[0]["limit_price"], &left[0]["size"]);
    assert_eq!(shown, (&json!(old), &json!(49_000), &json!(0.01)));

    served.plant(&json!({ "kind": "before", "route": "modify_order", "status": 409 }));
    let (code, out, err) = served.run(&["move", &old, "--price", "48000", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    let left = working(&served);
    assert_eq!((left.len(), &left[0]["limit_price"]), (1, &json!(48_000)));
    assert_ne!(left[0]["id"], json!(old));
}

#[test]
fn a_replacement_that_stops_halfway_says_whether_the_old_order_is_canceled() {
    let half = "is canceled, its replacement is not placed";
    for (route, code, is_half) in [("cancel_order", 13, false), ("place_order", 15, true)] {
        let served = Served::bare();
        let old = served.waiting("limit");
        for route in ["modify_order", route] {
            served.plant(&json!({ "kind": "before", "route": route, "status": 409 }));
        }
        let (exit, out, err) = served.run(&["move", &old, "--price", "48000", "--yes"]);
        assert_eq!(exit, code, "{out} {err}");
        assert_eq!(
            notes(&err).contains(&format!("{old} {half}")),
            is_half,
            "{err}"
        );
        assert_eq!(working(&served).len(), usize::from(!is_half), "{err}");
    }
}

#[test]
fn an_order_is_not_canceled_for_a_replacement_that_would_be_refused() {
    let limit = ("PERPDECK_CHECKS__MAX_SIZE", "0.001");
    for (why, limits) in [("HALTED", vec![]), ("max_size", vec![limit])] {
        let served = Served::bare();
        if limits.is_empty() {
            assert_eq!(served.run(&["flatten", "--yes"]).0, 0);
        }
        // Its two prices do not move in place.
        let armed = json!({
            "type": "stop_limit", "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.01,
            "leverage": 5, "margin_mode": "cross", "trigger_price": 80_000, "limit_price": 81_000,
        });
        let old = served.post("/v1/orders", &armed)["data"]["id"].clone();
        let words = ["move", old.as_str().unwrap(), "--price", "79000", "--yes"];
        let (code, out, err) = ran(served.verb(&words).envs(limits));
        assert_eq!(code, 13, "{out} {err}");
        assert!(err.contains(why), "{err}");
        let left = working(&served);
        assert_eq!((left.len(), &left[0]["id"]), (1, &old), "{err}");
    }
}

#[test]
fn a_price_that_an_order_does_not_have_is_not_moved() {
    let served = Served::bare();
    for (kind, flag, label) in [
        ("limit", "--trigger-price", "trigger price"),
        ("stop_market", "--limit-price", "limit price"),
    ] {
        let old = served.waiting(kind);
        let (code, out, err) = served.run(&["move", &old, flag, "81000", "--yes"]);
        assert_eq!(code, 2, "{out} {err}");
        assert!(
            err.contains(&format!("{flag}: {old} has no {label}")),
            "{err}"
        );
    }
}

#[test]
fn a_price_of_a_move_may_begin_with_a_minus() {
    let served = Served::bare();
    let old = served.waiting("limit");
    for flag in ["--price", "--limit-price"] {
        let (code, out, err) = served.run(&["move", &old, flag, "-100", "--dry-run"]);
        assert_eq!(code, 0, "{out} {err}");
    }
}

#[test]
fn a_refused_price_leaves_the_order_where_it_is() {
    let served = Served::bare();
    let old = served.waiting("limit");
    let (code, out, err) = served.run(&["move", &old, "--price", "1", "--yes"]);
    assert_eq!(code, 13, "{out} {err}");
    let left = working(&served);
    assert_eq!((left.len(), &left[0]["id"]), (1, &json!(old)));
}

#[test]
fn an_armed_entry_is_moved_in_place_too() {
    let served = Served::bare();
    let old = served.waiting("stop_market");
    let (code, out, err) = served.run(&["move", &old, "--trigger-price", "81000", "--yes"]);
    assert_eq!(code, 0, "{out} {err}");
    let left = working(&served);
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["trigger_price"], json!(81_000));
}

#[test]
fn what_is_not_working_or_says_nothing_new_is_not_moved() {
    let served = Served::bare();
    assert_eq!(
        served
            .run(&["move", "ord_999999", "--price", "1", "--yes"])
            .0,
        13
    );
    let old = served.waiting("limit");
    assert_eq!(served.run(&["move", &old, "--yes"]).0, 2);
    assert_eq!(
        served
            .run(&["move", &old, "--price", "nonsense", "--yes"])
            .0,
        2
    );
    assert_eq!(working(&served).len(), 1);
}
