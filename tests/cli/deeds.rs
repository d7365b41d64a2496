use super::{
    served::{Served, last_error},
    support::BUY,
    *,
};
use serde_json::{Value, json};

pub(crate) const TWAP: &[&str] = &[
    "twap",
    "start",
    "--market",
    "btc",
    "--side",
    "buy",
    "--size",
    "0.1",
    "--duration",
    "30m",
];

pub(crate) const LADDER: &[&str] = &[
    "scaled",
    "place",
    "--market",
    "btc",
    "--side",
    "buy",
    "--size",
    "0.1",
    "--start-price",
    "50000",
    "--end-price",
    "49000",
    "--rungs",
    "4",
];

/// Every verb that changes something, about things that exist.
fn deeds<'a>(order: &'a str, position: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        BUY.to_vec(),
        TWAP.to_vec(),
        LADDER.to_vec(),
        vec!["close", position],
        vec!["flip", position],
        vec!["move", order, "--price", "49000"],
        vec!["cancel", order],
        vec!["cancel", "--all"],
        vec!["twap", "stop", "twap-1"],
        vec!["scaled", "cancel", "scl-1"],
        vec!["exits", order, "--take-profit", "70000"],
        vec!["margin", position, "--extra", "+5"],
        vec!["close-all"],
        vec!["flatten"],
    ]
}

#[test]
fn an_order_is_placed_as_typed_and_its_key_is_told() {
    let served = Served::bare();
    let typed = with(BUY, &["--expected-price", "64000"]);
    let placed = served.json(&with(&typed, &["--yes"]));
    let order = &served.orders()[0];
    assert_eq!(placed["data"]["id"], order["id"]);
    assert_eq!(order["size"], json!(0.01));
    assert_eq!(order["limit_price"], json!(50_000));
    assert_eq!(order["expected_price"], json!(64_000));
    assert_eq!(placed["idempotency_key"].as_str().unwrap().len(), 36);
    let shown = served.json(&with(
        &typed,
        &["--tif", "ioc", "--reduce-only", "--dry-run"],
    ));
    assert_eq!(
        (
            &shown["body"]["time_in_force"],
            &shown["body"]["reduce_only"]
        ),
        (&json!("ioc"), &json!(true))
    );
}

#[test]
fn orders_of_other_types_carry_their_own_fields() {
    let served = Served::bare();
    let common = [
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--size",
        "0.5",
        "--yes",
    ];
    let stop = served.json(&with(
        &common,
        &[
            "--type",
            "stop_limit",
            "--trigger-price",
            "3500",
            "--limit-price",
            "3510",
        ],
    ));
    assert_eq!(
        (&stop["data"]["status"], &stop["data"]["trigger_price"]),
        (&json!("resting"), &json!(3500))
    );
    let exits = [
        "--limit-price",
        "2500",
        "--take-profit",
        "3000",
        "--stop-loss",
        "2400",
    ];
    let entry = served.json(&with(&with(&common, &["--type", "limit"]), &exits));
    assert_eq!(entry["data"]["attached_stop_loss_price"], json!(2400));
}

#[test]
fn a_size_in_usd_is_resolved_at_the_observed_price_and_one_at_risk_at_the_stop() {
    let served = Served::bare();
    let common = [
        "place",
        "--market",
        "paper|BTC",
        "--side",
        "buy",
        "--type",
        "limit",
        "--limit-price",
        "50000",
        "--stop-loss",
        "49000",
        "--dry-run",
    ];
    for (typed, size) in [("$1000", 0.02), ("r25", 0.025), ("0.03", 0.03)] {
        let shown = served.json(&with(&common, &["--size", typed]));
        assert_eq!(shown["body"]["size"], json!(size), "{typed}");
        assert!(shown["body"]["expected_price"].as_f64().unwrap() > 0.0);
    }
    let share = ["--size", "10%", "--leverage", "10"];
    let shown = served.json(&with(&common, &share));
    assert_eq!(
        shown["body"]["size"],
        json!(2),
        "of 100,000 free, 5,000 a coin"
    );
    let (code, error) = served.error(&with(
        &common,
        &["--size", "0.1", "--take-profit", "60000.5"],
    ));
    let said = error["message"].as_str().unwrap();
    let off = "--take-profit: not on the tick of 1: 60000 or 60001";
    assert!(code == 2 && said.contains(off), "{code} {said}");
}

#[test]
fn a_dry_run_shows_the_exact_request_without_the_key_and_sends_nothing() {
    let served = Served::bare();
    let (position, order) = (
        served.holding("paper|SOL", 5.0, "isolated"),
        served.waiting("limit"),
    );
    let before = (served.orders().len(), served.positions());
    for deed in deeds(&order, &position) {
        for format in ["json", "table"] {
            let (code, out, err) = served.run(&with(&deed, &["--dry-run", "--output", format]));
            assert_eq!(code, 0, "{deed:?}: {err}");
            let is_shown = ["/v1/", "/sim/"].iter().any(|path| out.contains(path));
            assert!(is_shown && out.contains("(not shown)"), "{out}");
            assert!(!out.contains(served.key()) && !err.contains(served.key()));
        }
    }
    let shown = served.json(&with(BUY, &["--dry-run", "--idempotency-key", "mine"]));
    assert_eq!(
        (
            &shown["method"],
            &shown["target"],
            &shown["headers"]["idempotency-key"]
        ),
        (&json!("POST"), &json!("/v1/orders"), &json!("mine"))
    );
    assert_eq!(
        (served.orders().len(), served.positions().len()),
        (before.0, before.1.len())
    );
    assert!(
        served
            .home
            .path()
            .join(".local/state/perpdeck/journal.jsonl")
            .metadata()
            .is_err()
    );
}

#[test]
fn without_a_terminal_nothing_is_done_that_was_not_agreed_to() {
    let served = Served::bare();
    let (position, order) = (
        served.holding("paper|SOL", 5.0, "isolated"),
        served.waiting("limit"),
    );
    let before = served.orders().len();
    for deed in deeds(&order, &position) {
        let (code, error) = served.error(&deed);
        assert_eq!(code, 2, "{deed:?}");
        assert!(
            error["message"].as_str().unwrap().contains("--yes"),
            "{error}"
        );
    }
    assert_eq!(
        (served.orders().len(), served.positions().len()),
        (before, 1)
    );
}

#[test]
fn what_is_typed_wrong_is_told_by_its_flag_all_at_once() {
    let served = Served::bare();
    let (code, error) = served.error(&[
        "place",
        "--market",
        "paper|BTC",
        "--side",
        "buy",
        "--type",
        "limit",
        "--size",
        "1,5",
        "--limit-price",
        "6e4",
        "--yes",
    ]);
    assert_eq!(code, 2);
    assert_eq!(
        error["message"],
        "--size: no commas: write 1.5 or 1000; --limit-price: write the digits out, without an exponent"
    );
    assert_eq!(served.orders(), Vec::<Value>::new());
}

#[test]
fn a_lost_answer_is_asked_for_again_and_never_places_a_second_order() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "drop_reply", "route": "place_order", "count": 1 }));
    let placed = served.json(&with(BUY, &["--yes"]));
    assert_eq!(served.orders().len(), 1);
    assert_eq!(placed["data"]["id"], served.orders()[0]["id"]);
}

/// No placement is answered, and no order can be read: what became of one stays unknown.
pub(crate) fn blinded() -> Served {
    let served = Served::bare();
    served.plant(&json!({ "kind": "drop_reply", "route": "place_order" }));
    served.plant(&json!({ "kind": "before", "route": "orders", "status": 503 }));
    served
}

#[test]
fn when_no_answer_ever_comes_the_order_is_found_by_reading() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "drop_reply", "route": "place_order" }));
    let placed = served.json(&with(BUY, &["--yes"]));
    assert_eq!(served.orders().len(), 1);
    assert_eq!(placed["data"]["id"], served.orders()[0]["id"]);
}

#[test]
fn an_outcome_nobody_knows_is_called_unknown_and_the_named_key_finds_the_order() {
    let served = blinded();
    let (code, error) = served.error(&with(BUY, &["--yes"]));
    assert_eq!((code, &error["kind"]), (14, &json!("outcome unknown")));
    let key = error["idempotency_key"].as_str().unwrap().to_owned();

    served.clear_faults();
    let found = served.json(&with(BUY, &["--yes", "--idempotency-key", &key]));
    assert_eq!(served.orders().len(), 1);
    assert_eq!(found["data"]["id"], served.orders()[0]["id"]);
}

#[test]
fn a_refusal_of_the_repeated_command_does_not_prove_that_the_first_failed() {
    let served = blinded();
    let (_, error) = served.error(&with(BUY, &["--yes"]));
    let key = error["idempotency_key"].as_str().unwrap().to_owned();

    served.clear_faults();
    for (route, status) in [("place_order", 400), ("orders", 503)] {
        served.plant(&json!({ "kind": "before", "route": route, "status": status }));
    }
    let (code, _) = served.error(&with(BUY, &["--yes", "--idempotency-key", &key]));
    assert_eq!(code, 14);
}

#[test]
fn a_cancel_that_only_reads_tell_about_names_no_status_that_never_came() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    let order = served.orders()[0]["id"].as_str().unwrap().to_owned();
    served.plant(&json!({ "kind": "drop_reply", "route": "cancel_order" }));
    let (code, error) = served.error(&["cancel", &order, "--yes"]);
    assert_eq!((code, &error["kind"]), (13, &json!("conflict")), "{error}");
    let said = error["message"].as_str().unwrap();
    assert!(said.contains(&format!("order {order} is filled")), "{said}");
    assert_eq!(error.get("status"), None, "{error}");
    let noted = served.json(&["journal"]);
    assert_eq!(noted[0]["state"], "rejected", "{noted}");
}

#[test]
fn what_the_service_refuses_is_told_with_its_rule() {
    let served = Served::bare();
    let (code, error) = served.error(&[
        "place",
        "--market",
        "paper|BTC",
        "--side",
        "buy",
        "--type",
        "market",
        "--size",
        "5000",
        "--leverage",
        "5",
        "--margin-mode",
        "cross",
        "--yes",
    ]);
    assert_eq!((code, &error["exit_code"]), (13, &json!(13)));
    assert!(
        error["rule_id"].is_string() && error["request_id"].is_string(),
        "{error}"
    );
    let (code, _, err) = served.run(&["cancel", "ord_none", "--yes", "--output", "table"]);
    assert_eq!(code, 13);
    assert!(
        err.contains("not found") && err.contains("request "),
        "{err}"
    );
}

#[test]
fn a_key_that_is_refused_a_spent_budget_and_a_service_that_is_away_have_codes_of_their_own() {
    let served = Served::bare();
    let code = |command: &mut Command| ran(command).0;
    for verb in [&["orders"][..], &["cancel", "ord_1", "--yes"], &["doctor"]] {
        assert_eq!(
            code(served.verb(verb).env("PERPDECK_API_KEY", "wrong")),
            10,
            "{verb:?}"
        );
    }
    for verb in [&["orders"][..], &["doctor"]] {
        assert_eq!(
            code(
                served
                    .verb(verb)
                    .env("PERPDECK_BASE_URL", "http://127.0.0.1:1")
            ),
            12,
            "{verb:?}"
        );
    }
    served.plant(&json!({ "kind": "before", "status": 429, "retry_after": 3600 }));
    // A close or cancel would be tried for as long as any exit is, once a minute.
    for verb in [&["orders"][..], &with(BUY, &["--yes"]), &["doctor"]] {
        assert_eq!(code(&mut served.verb(verb)), 11, "{verb:?}");
    }
    // The key may only read: it has to be replaced, as one that is refused.
    served.clear_faults();
    served.plant(&json!({ "kind": "before", "status": 403 }));
    for verb in [with(BUY, &["--yes"]), vec!["cancel", "ord_1", "--yes"]] {
        assert_eq!(code(&mut served.verb(&verb)), 10, "{verb:?}");
    }
}

#[test]
fn part_of_a_position_is_closed_and_then_the_rest() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    let half = served.json(&["close", &position, "--size", "50%", "--yes"]);
    assert_eq!(
        (&half["data"]["filled_size"], &half["data"]["reduce_only"]),
        (&json!(0.25), &json!(true))
    );
    served.json(&["close", &position, "--yes"]);
    assert_eq!(served.positions(), Vec::<Value>::new());
    let (code, _) = served.error(&["close", &position, "--yes"]);
    assert_eq!(code, 13);
}

#[test]
fn what_the_service_places_is_what_was_asked_whatever_the_type() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    let close: &[&str] = &["close", &position, "--size", "0.1"];
    let waits = ["--trigger-price", "50000"];
    for (verb, more) in [
        (BUY, &["--tif", "gtd", "--gtd-expires-at", "2h"][..]),
        (BUY, &["--stop-loss", "45000"]),
        (close, &[]),
        (close, &["--type", "limit", "--limit-price", "90000"]),
        (
            close,
            &[
                &waits[..],
                &["--type", "conditional", "--trigger-direction", "below"],
            ]
            .concat(),
        ),
        (&["close", &position], &[]),
    ] {
        let (code, out, err) = served.run(&with(&with(verb, more), &["--yes"]));
        assert!(out.contains("ord_"), "{verb:?} {more:?}: {code} {err}");
        assert!(!err.contains("not as asked"), "{verb:?} {more:?}: {err}");
        served.post("/sim/clock", &json!({ "advance_ms": 1_000 }));
    }
}

#[test]
fn the_exit_that_is_not_named_stays_as_it_is() {
    let served = Served::bare();
    let order = served.waiting("limit");
    let exits = |more: &[&str]| {
        let set = served.json(&with(&with(&["exits", &order], more), &["--yes"]));
        let price = |name: &str| set["data"][name].as_f64();
        (
            price("attached_take_profit_price"),
            price("attached_stop_loss_price"),
        )
    };
    assert_eq!(
        exits(&["--take-profit", "70000", "--stop-loss", "45000"]),
        (Some(70_000.0), Some(45_000.0))
    );
    assert_eq!(
        exits(&["--stop-loss", "46000"]),
        (Some(70_000.0), Some(46_000.0))
    );
    assert_eq!(exits(&["--take-profit", "none"]), (None, Some(46_000.0)));
}

#[test]
fn a_price_off_the_tick_is_told_with_both_neighbours_by_every_verb_that_takes_one() {
    let served = Served::bare();
    let order = served.waiting("limit");
    let place = [
        "place", "--market", "btc", "--side", "buy", "--size", "0.01", "--type", "limit",
    ];
    for (verb, flag) in [
        (&["exits", &*order][..], "--stop-loss"),
        (&place[..], "--limit-price"),
    ] {
        let (code, out, err) = served.run(&with(&with(verb, &[flag, "45000.5"]), &["--yes"]));
        assert_eq!((code, out.as_str()), (2, ""), "{verb:?}");
        let told = format!("{flag}: not on the tick of 1: 45000 or 45001");
        assert!(err.contains(&told), "{verb:?}: {err}");
    }
    assert_eq!(
        served
            .run(&["exits", &order, "--stop-loss", "45001", "--yes"])
            .0,
        0
    );
}

#[test]
fn extra_margin_is_set_in_all_or_changed_by_so_much() {
    let served = Served::bare();
    let position = served.holding("paper|SOL", 5.0, "isolated");
    let set = |extra: &str| {
        let set = served.json(&["margin", &position, "--extra", extra, "--yes"]);
        set["data"]["isolated_margin_extra"].as_f64().unwrap()
    };
    assert_eq!(
        (set("200"), set("+50.5"), set("-0.5")),
        (200.0, 250.5, 250.0)
    );
    let cross = served.holding("paper|BTC", 0.1, "cross");
    let (code, error) = served.error(&["margin", &cross, "--extra", "+5", "--yes"]);
    let said = error["message"].as_str().unwrap();
    assert!(
        code == 2 && said.contains("has cross margin"),
        "{code} {said}"
    );
}

#[test]
fn every_working_order_is_canceled_and_the_end_of_a_queued_cancel_is_waited_for() {
    let served = Served::bare();
    for kind in ["limit", "limit", "stop_market"] {
        served.waiting(kind);
    }
    served.ladder();
    let (code, out, err) = served.run(&["cancel", "--all", "--yes"]);
    assert_eq!(code, 0, "{err}");
    // One request for all of them.
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["data"]["succeeded_count"], json!(7), "{ended}");
    let noted = served.json(&["journal"]);
    assert_eq!(noted.as_array().unwrap().len(), 1, "{noted}");
    assert_eq!(noted[0]["idempotency_key"], ended["idempotency_key"]);
    // Exit 0 means that none is listed any more, and what it queued is no business of the next verb.
    assert_eq!(ended["still_working"], json!([]), "{ended}");
    assert_eq!(served.json(&["orders"]), json!([]));
    assert!(
        !err.contains("last session") && !err.contains("open since"),
        "{err}"
    );
    served.waiting("stop_market");
    for verb in ["cancel", "close-all", "flatten"] {
        let args = [verb, "--all", "--yes"];
        let args: Vec<_> = args
            .into_iter()
            .filter(|arg| verb == "cancel" || *arg != "--all")
            .collect();
        let (code, _, err) = served.run(&args);
        assert_eq!(code, 0, "{verb}: {err}");
        assert!(
            !err.contains("last session") && !err.contains("open since"),
            "{verb}: {err}"
        );
    }
}

#[test]
fn a_price_that_is_said_by_another_is_the_one_that_is_sent_and_told() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "paused": true }));
    let place = |more: &[&str]| {
        let common = [
            "place", "--market", "btc", "--side", "buy", "--type", "limit", "--size", "0.01",
        ];
        served.run(&with(&common, more))
    };
    let (code, out, err) = place(&[
        "--limit-price",
        "bid-100",
        "--stop-loss",
        "entry-5%",
        "--dry-run",
    ]);
    assert_eq!(code, 0, "{err}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    let markets = served.get("/sim/markets");
    let bid = markets[0]["bid_price"].as_f64().unwrap();
    let limit = shown["body"]["limit_price"].as_f64().unwrap();
    assert!((bid - 100.0 - limit).abs() < 5.0, "{bid} {limit}");
    let stop = shown["body"]["stop_loss_price"].as_f64().unwrap();
    assert!((limit * 0.95 - stop).abs() < 5.0, "{limit} {stop}");
    assert!(
        err.contains(&format!(
            "--limit-price bid-100 is {}",
            shown["body"]["limit_price"]
        )),
        "{err}"
    );
    let placed = |key| place(&["--limit-price", "bid-1%", "--yes", "--idempotency-key", key]);
    let (code, first, err) = placed("k");
    assert_eq!(code, 0, "{err}");
    served.post("/sim/clock", &json!({ "advance_ms": 60_000 }));
    let (code, again, err) = placed("k");
    assert_eq!((code, again), (0, first), "the price of then: {err}");
}

#[test]
fn a_price_that_is_said_by_another_needs_a_source_that_tells_that() {
    let served = Served::bare();
    let words = "place --market paper|BTC --side buy --type limit --size 0.01 --limit-price bid-100 --leverage 5 \
                 --margin-mode cross --yes";
    let words: Vec<_> = words.split_whitespace().collect();
    served.plant(&json!({ "kind": "before", "route": "markets", "status": 503 }));
    let (code, _, err) = served.run(&words);
    assert!(
        code == 2 && err.contains("no bid price is known here"),
        "{code} {err}"
    );
}

#[test]
fn orders_beyond_the_rate_wait_for_their_turn() {
    let served = Served::bare();
    let verbs: Vec<_> = (0..8)
        .map(|number| {
            let price = (50_000 + number).to_string();
            let order = BUY.iter().map(|word| {
                if *word == "50000" {
                    price.as_str()
                } else {
                    *word
                }
            });
            let order: Vec<_> = order.chain(["--yes"]).collect();
            let mut verb = served.verb(&order);
            verb.stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped());
            verb.env("PERPDECK_CHECKS__ORDERS_PER_SECOND", "3")
                .spawn()
                .unwrap()
        })
        .collect();
    for verb in verbs {
        let ended = verb.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{err}");
    }
    assert_eq!(served.orders().len(), 8);
}

#[test]
fn a_cancel_of_several_that_went_half_way_is_partial() {
    let served = Served::bare();
    let (one, other) = (served.waiting("limit"), served.waiting("limit"));
    served.plant(&json!({ "kind": "before", "route": "cancel_order", "status": 400, "count": 1 }));
    let (code, out, err) = served.run(&["cancel", &one, &other, "--yes"]);
    assert_eq!((code, out.lines().count()), (15, 1), "{err}");
    assert_eq!(last_error(&err)["status"], 400);
}

#[test]
fn while_entries_are_halted_a_cancel_of_all_leaves_the_stops_of_open_positions() {
    let served = Served::bare();
    served.run(&["flatten", "--yes"]);
    served.holding("paper|BTC", 0.1, "cross");
    let stop = json!({
        "type": "stop_market", "account_id": "chal-1", "market_id": "paper|BTC", "side": "sell", "size": 0.1,
        "leverage": 5, "margin_mode": "cross", "reduce_only": true, "trigger_price": 50_000,
    });
    let stop = served.post("/v1/orders", &stop);
    served.waiting("limit");
    let (code, _, err) = served.run(&["cancel", "--all", "--yes"]);
    assert!(code == 15 && err.contains("HALTED"), "{code} {err}");
    let left = served.json(&["orders"]);
    assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
    assert_eq!(left[0]["id"], stop["data"]["id"]);
}

/// 1.6 BTC at 50,000 need 80,000 USD of margin at a leverage of 1; the account has 100,000.
#[test]
fn a_ladder_whose_rungs_are_refused_says_so_by_its_exit_code() {
    let served = Served::bare();
    let of = |size: &str, rungs: &str| {
        let mut args = LADDER.to_vec();
        (args[7], args[13]) = (size, rungs);
        served.run(&with(&args, &["--leverage", "1", "--yes"]))
    };
    let (code, _, err) = of("5", "2");
    assert_eq!(code, 13, "{err}");
    assert_eq!(last_error(&err)["kind"], "rejected", "{err}");
    assert_eq!(served.json(&["orders"]), json!([]));
    let (code, out, err) = of("3.2", "4");
    assert_eq!(code, 15, "{out} {err}");
    assert!(err.contains("of 4 rungs were refused"), "{err}");
    let (code, _, err) = of("0.4", "4");
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_twap_is_stopped_and_a_ladder_canceled() {
    let served = Served::bare();
    let (twap, ladder) = (served.twap(), served.ladder());
    served.json(&["twap", "stop", &twap, "--yes"]);
    served.json(&["scaled", "cancel", &ladder, "--yes"]);
    assert_eq!(served.json(&["twap", "list"]), json!([]));
    assert_eq!(served.json(&["orders"]), json!([]));
}

#[test]
fn close_all_is_followed_to_its_end_and_says_what_is_still_open() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.1, "cross");
    served.holding("paper|ETH", 1.0, "cross");
    let (code, out, err) = served.run(&["close-all", "--yes"]);
    let closed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        (&closed["data"]["succeeded_count"], &closed["still_open"]),
        (&json!(2), &json!([]))
    );
    assert!(err.contains("1 of 2 tried"), "{err}");
    assert_eq!(served.positions(), Vec::<Value>::new());
}

#[test]
fn a_close_all_that_cannot_be_proved_is_partial() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "before", "route": "positions", "status": 400 }));
    let (code, out, err) = served.run(&["close-all", "--yes"]);
    let closed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, closed.get("still_open")), (15, None));
    assert!(err.contains("could not be read"), "{err}");
}

/// What `[checks]` allows, by the environment.
fn limited(served: &Served, limits: &[(&str, &str)], args: &[&str]) -> (i32, Value) {
    let mut verb = served.verb(args);
    verb.envs(limits.iter().copied());
    let (code, out, err) = ran(&mut verb);
    let said = if code == 0 {
        serde_json::from_str(&out).unwrap()
    } else {
        last_error(&err)
    };
    (code, said)
}

#[test]
fn an_order_past_ones_own_limits_is_held_back_and_an_exit_never() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.1, "cross");
    let strict = [
        ("PERPDECK_CHECKS__MAX_SIZE", "0.001"),
        ("PERPDECK_CHECKS__PRICE_COLLAR_BPS", "1"),
        ("PERPDECK_CHECKS__MAX_OPEN_NOTIONAL", "1"),
    ];
    let before = served.orders().len();
    for limit in strict {
        let too_dear = with(BUY, &["--limit-price", "65000", "--yes"]);
        let dear: Vec<_> = too_dear
            .iter()
            .enumerate()
            .filter(|(at, arg)| !(**arg == "50000" || BUY.get(*at) == Some(&"--limit-price")))
            .map(|(_, arg)| *arg)
            .collect();
        let (code, why) = limited(&served, &[limit], &dear);
        let said = why["message"].as_str().unwrap().to_owned();
        let setting = limit.0.rsplit("__").next().unwrap().to_lowercase();
        assert!(code == 13 && said.contains(&setting), "{code} {said}");
    }
    assert_eq!(served.orders().len(), before);
    assert_eq!(
        limited(&served, &strict, &["close", &position, "--yes"]).0,
        0
    );
}

#[test]
fn a_limit_whose_facts_cannot_be_read_refuses() {
    let served = Served::bare();
    let order = with(BUY, &["--yes"]);
    let refuses = |limits: &[(&str, &str)]| {
        let (code, why) = limited(&served, limits, &order);
        let said = why["message"].as_str().unwrap();
        assert!(
            code == 13 && said.contains("is set") && said.contains("fresh"),
            "{code} {said}"
        );
    };
    served.plant(&json!({ "kind": "before", "route": "markets", "status": 503 }));
    refuses(&[("PERPDECK_CHECKS__MAX_NOTIONAL", "1000000")]);
    served.clear_faults();
    served.plant(&json!({ "kind": "before", "route": "account", "status": 503 }));
    refuses(&[("PERPDECK_CHECKS__MAX_SESSION_LOSS", "1000000")]);
    served.clear_faults();
    assert_eq!(served.orders(), Vec::<Value>::new());
    served.clear_faults();
    let generous = [("PERPDECK_CHECKS__MAX_SESSION_LOSS", "1000000")];
    assert_eq!(limited(&served, &generous, &with(BUY, &["--yes"])).0, 0);
}

#[test]
fn the_same_order_again_at_once_is_taken_for_a_mistake_unless_its_key_says_it_is_the_same_deed() {
    let served = Served::bare();
    let patient = [("PERPDECK_CHECKS__DUPLICATE_WITHIN", "1h")];
    let named = with(BUY, &["--yes", "--idempotency-key", "mine"]);
    assert_eq!(limited(&served, &patient, &named).0, 0);
    assert_eq!(limited(&served, &patient, &named).0, 0);
    let (code, why) = limited(&served, &patient, &with(BUY, &["--yes"]));
    let said = why["message"].as_str().unwrap();
    assert!(
        code == 13 && said.contains("the same order was sent"),
        "{code} {said}"
    );
    assert_eq!(served.orders().len(), 1);
}

#[test]
fn a_dry_run_that_only_the_settings_ask_for_is_no_success_and_can_be_ended_for_one_verb() {
    let served = Served::bare();
    served.holding("paper|ETH", 1.0, "cross");
    for verb in [&["flatten", "--yes"][..], &with(BUY, &["--yes"])] {
        let (code, out, err) = ran(served.verb(verb).env("PERPDECK_DRY_RUN", "true"));
        assert!(code == 13 && out.contains("/v1/"), "{code} {out} {err}");
        assert!(
            err.contains("nothing was sent, because PERPDECK_DRY_RUN sets dry_run"),
            "{err}"
        );
    }
    assert_eq!((served.orders().len(), served.positions().len()), (1, 1));
    let flatten = ["flatten", "--yes", "--dry-run=false"];
    let (code, _, err) = ran(served.verb(&flatten).env("PERPDECK_DRY_RUN", "true"));
    assert_eq!((code, served.positions().len()), (0, 0), "{err}");
}

#[test]
fn read_only_sends_nothing_whatever_the_verb() {
    let served = Served::bare();
    let (position, order) = (
        served.holding("paper|SOL", 5.0, "isolated"),
        served.waiting("limit"),
    );
    let before = (served.orders().len(), served.positions().len());
    for deed in deeds(&order, &position) {
        let (code, error) = served.error(&with(&deed, &["--yes", "--read-only"]));
        let said = error["message"].as_str().unwrap();
        assert!(code == 13 && said.contains("read_only"), "{deed:?}: {said}");
    }
    assert_eq!((served.orders().len(), served.positions().len()), before);
}

/// A position, a TWAP, a ladder, a limit and a stop.
fn busy() -> Served {
    let served = Served::bare();
    served.holding("paper|ETH", 1.0, "cross");
    served.ladder();
    served.twap();
    served.waiting("limit");
    served.waiting("stop_market");
    served
}

#[test]
fn flatten_gets_out_of_everything_and_proves_it() {
    let served = busy();
    let (code, out, err) = served.run(&["flatten", "--yes"]);
    let end: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{err}");
    assert_eq!(end["data"]["flat"], true);
    let proved: Vec<_> = end["data"]["proved_at"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::as_i64)
        .collect();
    assert!(proved[1] >= proved[0].map(|first| first + 2_000), "{end}");
    assert!(err.contains("flatten chal-1: round 1"), "{err}");
    for list in [&["orders"][..], &["positions"], &["twap", "list"]] {
        assert_eq!(served.json(list), json!([]), "{list:?}");
    }
    // Flat already: nothing to do, and still proved.
    let (code, out, _) = served.run(&["flatten", "--yes", "--output", "table"]);
    assert!(code == 0 && out.starts_with("flat: no position"), "{out}");
}

#[test]
fn after_a_flatten_nothing_that_raises_exposure_is_sent_until_somebody_says_so() {
    let served = Served::bare();
    let order = served.waiting("limit");
    assert_eq!(served.run(&["flatten", "--yes"]).0, 0);
    let place = || served.run(&with(BUY, &["--yes"]));
    let (code, _, err) = place();
    let said = last_error(&err)["message"].as_str().unwrap().to_owned();
    for word in ["HALTED: flattened", "perpdeck journal rearm"] {
        assert!(code == 13 && said.contains(word), "{code} {said}");
    }
    assert_eq!(
        served.run(&["cancel", &order, "--yes"]).0,
        0,
        "ways out go on"
    );
    let rearm = || served.run(&["journal", "rearm"]).1;
    assert_eq!(rearm(), "entries resumed; it was halted: flattened\n");
    assert_eq!(rearm(), "nothing is halted\n");
    assert_eq!(place().0, 0);
}

#[test]
fn where_new_risk_is_held_back_margin_is_added_and_a_stop_only_moved_nearer() {
    let served = Served::bare();
    assert_eq!(served.run(&["flatten", "--yes"]).0, 0);
    let position = served.holding("paper|SOL", 5.0, "isolated");
    let order = served.waiting("limit");
    let margin = |extra| {
        served
            .run(&["margin", &position, "--extra", extra, "--yes"])
            .0
    };
    assert_eq!(["+5", "200", "-5", "100"].map(margin), [0, 0, 13, 13]);
    let exits = |stop| {
        served
            .run(&["exits", &order, "--stop-loss", stop, "--yes"])
            .0
    };
    assert_eq!(
        ["45000", "46000", "45500", "none"].map(exits),
        [0, 0, 13, 13]
    );
}

#[test]
fn a_flatten_shows_first_what_it_would_send() {
    let served = busy();
    let (code, out, _) = served.run(&["flatten", "--dry-run"]);
    let targets: Vec<_> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|request| {
            format!(
                "{} {}",
                request["method"].as_str().unwrap(),
                request["target"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(code, 0);
    let kinds = targets
        .iter()
        .map(|target| target.split('/').nth(2).unwrap());
    assert!(
        kinds.eq([
            "accounts",
            "twap-orders",
            "scaled-orders",
            "orders",
            "orders"
        ]),
        "{targets:?}"
    );
    // The first slice of the TWAP has bought something too.
    assert_eq!(served.positions().len(), 2);
}

#[test]
fn a_flatten_that_leaves_something_names_it_and_one_with_a_refused_key_says_so() {
    let served = busy();
    for (status, expected) in [(400, 15), (403, 10)] {
        served.plant(&json!({ "kind": "before", "route": "close_all", "status": status }));
        let (code, out, err) = served.run(&["flatten", "--yes"]);
        let end: Value = serde_json::from_str(&out).unwrap();
        let flat = &end["data"]["flat"];
        assert_eq!((code, flat), (expected, &json!(false)), "{err}");
        let left = &end["data"]["left"];
        assert_eq!(
            (left["positions"].as_array().unwrap().len(), &left["orders"]),
            (2, &json!([]))
        );
        assert!(err.contains(&format!("\"exit_code\":{expected}")), "{err}");
        assert!(err.contains("its close-all: rejected: "), "{err}");
        served.clear_faults();
    }
    let mut other = served.verb(&["flatten", "--yes"]);
    let (code, _, err) = ran(other.env("PERPDECK_API_KEY", "pp_live_nobody"));
    assert!(
        code == 10 && err.contains("refuses the key"),
        "{code} {err}"
    );
}

fn journal(served: &Served) -> std::path::PathBuf {
    served.home.path().join(".local/state/perpdeck")
}

#[test]
fn beside_a_process_that_has_the_journal_open_and_does_nothing_everything_goes_out() {
    let served = Served::bare();
    let position = served.holding("paper|SOL", 1.0, "isolated");
    let desk = perpdeck::journal::Journal::open(&journal(&served)).unwrap();
    served.json(&["margin", &position, "--extra", "10", "--yes"]);
    served.json(&with(BUY, &["--yes"]));
    served.json(&["close", &position, "--size", "50%", "--yes"]);
    served.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
    assert_eq!(served.run(&["flatten", "--yes"]).0, 0);
    assert_eq!(served.positions(), Vec::<Value>::new());
    drop(desk);
    let noted = served.json(&["journal"]);
    let states = noted.as_array().unwrap().iter().map(|row| &row["state"]);
    assert!(states.clone().all(|state| state == "done"), "{noted}");
}

#[test]
fn eight_verbs_at_the_same_time_all_send_and_share_one_journal() {
    let served = Served::bare();
    // Of different prices: the same order four times within a moment would be taken for a mistake.
    let running: Vec<_> = ["1", "2", "3", "4", "5", "6", "7", "8"]
        .map(|stop| {
            served
                .verb(&with(BUY, &["--stop-loss", stop, "--yes"]))
                .spawn()
                .unwrap()
        })
        .into();
    for child in running {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(served.orders().len(), 8);
    let noted = served.json(&["journal"]);
    let rows = noted.as_array().unwrap().iter().rev();
    let ids: Vec<_> = rows
        .clone()
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, (1..=8).collect::<Vec<_>>());
    assert!(rows.clone().all(|row| row["state"] == "done"), "{noted}");
}

/// A halt is a limit of one's own.
#[test]
fn beside_a_journal_that_was_damaged_entries_are_held_back_until_a_person_re_arms() {
    let served = Served::bare();
    fs::create_dir_all(journal(&served)).unwrap();
    let garbage = "no journal".repeat(500);
    fs::write(journal(&served).join("journal.jsonl"), garbage).unwrap();
    let (code, error) = served.error(&with(BUY, &["--yes"]));
    assert_eq!((code, served.orders()), (13, vec![]));
    let why = error["message"].as_str().unwrap();
    assert!(why.contains("HALTED") && why.contains("damaged"), "{why}");
    assert_eq!(served.run(&["journal", "rearm"]).0, 0);
    served.json(&with(BUY, &["--yes"]));
}

#[test]
fn without_a_working_journal_entries_are_held_back_and_exits_go_out_with_their_key_told() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.1, "cross");
    fs::create_dir_all(journal(&served)).unwrap();
    fs::create_dir(journal(&served).join("journal.jsonl")).unwrap();
    let before = served.orders().len();
    let (code, error) = served.error(&with(BUY, &["--yes"]));
    assert_eq!((code, served.orders().len()), (1, before));
    let why = error["message"].as_str().unwrap();
    assert!(why.contains("journal.jsonl cannot be opened"), "{why}");

    let (code, out, err) = served.run(&["close", &position, "--yes"]);
    let closed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0, "{err}");
    assert!(
        err.contains(closed["idempotency_key"].as_str().unwrap()),
        "{err}"
    );
    assert_eq!(served.positions(), Vec::<Value>::new());
}

#[test]
fn the_secret_is_in_nothing_that_is_written() {
    let served = Served::bare();
    let (position, order) = (
        served.holding("paper|SOL", 5.0, "isolated"),
        served.waiting("limit"),
    );
    let mut said = vec![];
    let mut all = deeds(&order, &position);
    all.extend([
        vec!["orders"],
        vec!["positions"],
        vec!["twap", "list"],
        vec!["doctor"],
    ]);
    for verb in all {
        let yes = if verb.len() > 1 || verb == ["close-all"] || verb == ["flatten"] {
            &["--yes"][..]
        } else {
            &[]
        };
        let (_, out, err) = served.run(&with(&with(&verb, yes), &["--log-level", "trace"]));
        said.extend([out, err]);
    }
    let mut folders = vec![served.home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                said.push(String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned());
            }
        }
    }
    assert!(said.len() > 20);
    assert!(said.iter().all(|text| !text.contains(served.key())));
}

#[test]
fn with_nothing_configured_every_verb_says_what_to_set() {
    let home = TempDir::new().unwrap();
    let mut verbs = deeds("ord-1", "pos-1");
    verbs.extend([
        vec!["orders"],
        vec!["positions"],
        vec!["twap", "list"],
        vec!["scaled", "show", "s"],
        vec!["doctor"],
    ]);
    for verb in verbs {
        let (code, out, err) = ran(perpdeck(home.path()).args(&verb));
        assert_eq!((code, out.as_str()), (2, ""), "{verb:?}");
        for name in ["PERPDECK_BASE_URL", "PERPDECK_API_KEY", "perpdeck serve"] {
            assert!(err.contains(name), "{verb:?}: {err}");
        }
    }
}

#[test]
fn a_market_is_called_by_its_id_or_its_symbol_and_a_position_by_its_market_too() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    for market in ["btc", "BTC", "paper|BTC"] {
        let mut order = BUY.to_vec();
        order[2] = market;
        let shown = served.json(&with(&order, &["--dry-run"]));
        assert_eq!(shown["body"]["market_id"], "paper|BTC", "{market}");
        let close = ["close", market, "--size", "10%", "--dry-run"];
        let target = format!("/v1/positions/{position}/close");
        assert_eq!(served.json(&close)["target"], target.as_str(), "{market}");
    }
}

#[test]
fn a_result_that_cannot_be_written_changes_no_exit_code_and_goes_to_standard_error() {
    let served = Served::bare();
    let full = || {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let into_full = |args: &[&str]| {
        let output = served.verb(args).stdout(full()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), err)
    };
    let (code, err) = into_full(&with(BUY, &["--yes", "--idempotency-key", "mine"]));
    let id = served.orders()[0]["id"].clone();
    let told: Value = serde_json::from_str(err.lines().next().unwrap()).unwrap();
    assert_eq!(code, 0, "{err}");
    assert_eq!(told["result"]["data"]["id"], id, "{err}");
    assert_eq!(told["idempotency_key"], "mine", "{err}");

    let (code, err) = into_full(&with(
        &BUY[..BUY.len() - 1],
        &["0.02", "--yes", "--output", "table"],
    ));
    let id = served.orders()[0]["id"].clone();
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(id.as_str().unwrap()), "{err}");
    assert!(err.contains("idempotency key "), "{err}");

    // A refusal keeps its own code.
    let (code, _) = into_full(&["cancel", "nothing", "--yes"]);
    assert_eq!(code, 13);
    for args in [
        &["cancel", "--all", "--yes"][..],
        &["close-all", "--yes"],
        &["flatten", "--yes"],
    ] {
        let (code, err) = into_full(args);
        assert_eq!(code, 0, "{args:?} {err}");
    }
    assert_eq!(served.json(&["orders"]), json!([]));
}

#[test]
fn a_cancel_that_fails_names_its_order() {
    let served = Served::bare();
    let (code, _, err) = served.run(&["cancel", "first", "second", "--yes"]);
    let ids: Vec<_> = err
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|told| told["note"].is_null())
        .map(|told| told["error"]["order_id"].clone())
        .collect();
    assert_eq!(
        (code, ids),
        (13, vec![json!("first"), json!("second")]),
        "{err}"
    );
}

#[test]
fn a_size_between_two_lots_is_refused_with_its_neighbors() {
    let served = Served::bare();
    let odd = with(&BUY[..BUY.len() - 1], &["0.010009", "--yes"]);
    let (code, _, err) = served.run(&odd);
    assert_eq!(code, 2, "{err}");
    assert!(
        said(&err).contains("--size: not in lots of 0.00001: 0.01000 or 0.01001"),
        "{err}"
    );
    assert_eq!(served.orders(), Vec::<Value>::new());
}

#[test]
fn an_empty_id_or_one_of_dots_addresses_nothing() {
    let served = Served::bare();
    for args in [
        &["cancel", ""][..],
        &["twap", "stop", " "],
        &["cancel", ".."],
        &["close", ""],
        &["exits", ".", "--take-profit", "1", "--stop-loss", "none"],
        &["margin", "", "--extra", "5"],
    ] {
        let (code, _, err) = served.run(&with(args, &["--yes"]));
        assert_eq!(code, 2, "{args:?} {err}");
    }
}

#[test]
fn a_price_may_begin_with_a_minus_and_margin_takes_a_market() {
    let served = Served::bare();
    let (code, _, err) = served.run(&with(BUY, &["--stop-loss", "-1%", "--yes"]));
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = served.run(&["margin", "btc", "--extra", "5", "--yes"]);
    assert_eq!(code, 13, "{err}");
    assert!(
        said(&err).contains("there is no open position in btc"),
        "{err}"
    );
}

#[test]
fn an_equal_order_under_another_chosen_key_is_another_order() {
    let served = Served::bare();
    for key in ["one", "two"] {
        let (code, _, err) = served.run(&with(BUY, &["--yes", "--idempotency-key", key]));
        assert_eq!(code, 0, "{err}");
    }
    assert_eq!(served.orders().len(), 2);
    let (code, _, err) = served.run(&with(BUY, &["--yes"]));
    assert_eq!(code, 13);
    assert!(said(&err).contains("--idempotency-key"), "{err}");
}
