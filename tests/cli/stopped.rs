//! Verbs beside a verb that somebody stopped.

use super::{ends::Running, support::BUY, support::Served};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// A close, cancel or flatten does not wait for whoever has the journal.
const AT_ONCE: Duration = Duration::from_secs(3);

const LONG: &[&str] = &[
    "place",
    "--market",
    "paper|BTC",
    "--side",
    "buy",
    "--type",
    "market",
    "--size",
    "0.01",
    "--leverage",
    "5",
    "--margin-mode",
    "cross",
    "--yes",
];

#[test]
fn beside_a_stopped_verb_flatten_goes_out_and_its_order_is_not_sent_when_it_wakes() {
    let mut served = Served::kept();
    served.json(LONG);
    served.kill();
    let mut placing = Running::begin(&served, BUY);
    placing.until_it_says("again in");
    placing.signal("-STOP");
    served.again();
    let began = Instant::now();
    let (code, out, err) = served.run(&["flatten", "--yes", "--output", "json"]);
    assert!(
        code == 0 && began.elapsed() < AT_ONCE,
        "{code} {:?} {err}",
        began.elapsed()
    );
    let ended: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["data"]["flat"], json!(true), "{out}");
    let before = served.orders().len();
    placing.signal("-CONT");
    let (code, out, err) = placing.end();
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert_eq!(
        served.orders().len(),
        before,
        "it was sent after the flatten: {err}"
    );
    let rows = served.json(&["journal"]);
    let mut orders = rows.as_array().unwrap().iter();
    let last = orders.find(|row| row["risk"] == "increasing").unwrap();
    assert_eq!(last["state"], "unsent", "{rows}");
}
