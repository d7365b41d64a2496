//! Waiting for orders, watching some of them, and what the paper exchange keeps of an account.

use super::{served::Served, *};
use serde_json::{Value, json};

#[test]
fn a_wait_says_by_its_exit_code_whether_the_state_was_reached_missed_or_not_in_time() {
    let served = Served::bare();
    let order = served.waiting("limit");
    let wait = |until: &str| {
        let quick = ["--until", until, "--timeout", "1s", "--interval", "200ms"];
        served.run(&with(&["wait", &order], &quick))
    };
    let (code, out, err) = wait("working");
    assert_eq!((code, err.as_str()), (0, ""));
    let row: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(row["id"], json!(order));
    let (code, out, err) = wait("filled");
    assert_eq!((code, out.as_str()), (17, ""), "{err}");
    assert!(err.contains(r#""kind":"timeout""#), "{err}");
    served.json(&["cancel", &order, "--yes"]);
    assert_eq!(wait("canceled").0, 0);
    assert_eq!(wait("ended").0, 0);
    let (code, _, err) = wait("filled");
    assert_eq!(code, 16, "{err}");
    assert!(err.contains(r#""kind":"ended otherwise""#), "{err}");
    let (code, error) = served.error(&["wait", "ord_none"]);
    assert_eq!((code, &error["kind"]), (13, &json!("not found")));
}

#[test]
fn a_watch_of_named_orders_shows_no_other_and_ends_with_them() {
    let served = Served::bare();
    let (order, _other) = (served.waiting("limit"), served.waiting("limit"));
    served.json(&["cancel", &order, "--yes"]);
    let watch = ["watch", &order, "--interval", "200ms", "--for", "20s"];
    let (code, out, err) = served.run(&with(&watch, &["-o", "jsonl"]));
    assert_eq!(code, 0, "{err}");
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let seen = lines
        .iter()
        .map(|line| (&line["change"], &line["row"]["id"]));
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            (&json!("present"), &json!(order)),
            (&json!("removed"), &json!(order))
        ]
    );
    assert_eq!(served.run(&["watch", "ord_none"]).0, 13);
    assert_eq!(served.run(&["watch", "ordres"]).0, 2);
}

#[test]
fn funding_and_equity_are_those_of_the_paper_exchange() {
    let served = Served::bare();
    served.holding("paper|BTC", 0.5, "cross");
    for _ in 0..2 {
        served.post("/sim/clock", &json!({ "advance_ms": 3_600_000 }));
    }
    let paid = served.json(&["funding"]);
    let sent = served.get("/sim/accounts/chal-1/funding");
    assert!(!paid.as_array().unwrap().is_empty(), "{paid}");
    for (row, sent) in paid
        .as_array()
        .unwrap()
        .iter()
        .zip(sent.as_array().unwrap())
    {
        assert_eq!(
            (&row["paid_at"], &row["amount"]),
            (&sent["time"], &sent["amount"])
        );
    }
    assert_eq!(served.json(&["funding", "--market", "eth"]), json!([]));
    for list in ["fills", "funding", "equity"] {
        let (code, csv, err) = served.run(&["export", list]);
        assert_eq!(code, 0, "{list} {err}");
        assert!(csv.lines().count() > 1, "{list}: {csv}");
    }
}
