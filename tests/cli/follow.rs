//! The verbs that look on, export and set alerts: `watch`, `export` and `alert`.

use super::{served::Served, *};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdout, Stdio},
};

/// A running `watch`, ended when dropped.
struct Watch {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watch {
    fn start(served: &Served, args: &[&str]) -> Self {
        let mut verb = served.verb(&with(&["watch"], args));
        let mut child = verb
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no line: {line:?}"))
    }
}

fn told(line: &Value) -> (&str, &str, &str) {
    let word = |value: &'static str| {
        line.pointer(value)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    (word("/change"), word("/row/id"), word("/row/status"))
}

#[test]
fn watched_orders_are_told_when_they_come_and_how_they_end() {
    let served = Served::bare();
    let first = served.waiting("limit");
    let mut watch = Watch::start(&served, &["orders", "--interval", "200ms"]);
    assert_eq!(told(&watch.next()), ("present", first.as_str(), "resting"));
    let second = served.waiting("limit");
    assert_eq!(told(&watch.next()), ("added", second.as_str(), "resting"));
    served.json(&["cancel", &first, "--yes"]);
    assert_eq!(told(&watch.next()), ("removed", first.as_str(), "canceled"));
}

#[test]
fn watched_positions_end_with_what_they_came_to() {
    let served = Served::bare();
    let held = served.holding("paper|BTC", 0.5, "cross");
    let mut watch = Watch::start(&served, &["positions", "--interval", "200ms"]);
    let line = watch.next();
    assert_eq!(told(&line), ("present", held.as_str(), "open"));
    assert_eq!(line["row"]["side"], "long");
    served.json(&["close", &held, "--yes"]);
    let line = watch.next();
    assert_eq!(told(&line), ("removed", held.as_str(), "closed"));
    assert!(line["row"]["closed_at"].is_number(), "{line}");
}

#[test]
fn a_watch_ends_after_its_time_and_with_its_reader() {
    let served = Served::bare();
    served.waiting("limit");
    let (code, out, err) = served.run(&["watch", "--for", "1s", "--output", "jsonl"]);
    assert_eq!((code, out.lines().count(), err.as_str()), (0, 1, ""));
    let mut verb = served.verb(&["watch", "--for", "20s", "--interval", "200ms"]);
    let (code, _, err) = ran(verb.stdout(read_no_more()));
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, error) = served.error(&["watch", "--interval", "1ms"]);
    let words = error["message"].as_str().unwrap();
    assert!(code == 2 && words.contains("from 200ms to 1h"), "{words}");
}

#[test]
fn a_watch_goes_on_after_a_failed_read_and_ends_where_the_key_is_refused() {
    let served = Served::bare();
    served.plant(&json!({ "kind": "before", "route": "orders", "count": 1, "status": 503 }));
    let mut watch = Watch::start(&served, &["orders", "--interval", "200ms"]);
    let order = served.waiting("limit");
    assert_eq!(told(&watch.next()).1, order);
    let mut verb = served.verb(&["watch"]);
    let (code, _, _) = ran(verb.env("PERPDECK_API_KEY", "wrong"));
    assert_eq!(code, 10);
}

#[test]
fn events_of_this_account_are_followed_as_a_desk_writes_them() {
    let served = Served::bare();
    let dir = served.home.path().join(".local/state/perpdeck");
    fs::create_dir_all(&dir).unwrap();
    let mut file = fs::File::create(dir.join("events.jsonl")).unwrap();
    let event = |account: &str, what: &str| {
        let line = json!({
            "at": "2026-01-05T14:30:00Z", "account": account, "service": served.base_url, "event": "said",
            "tone": "plain", "what": what, "ticket": null,
        });
        format!("{line}\n")
    };
    write!(file, "{}", event("chal-1", "before the watch")).unwrap();
    let mut watch = Watch::start(&served, &["events"]);
    // It starts at the end of the file: what is written before it looks is not told.
    let (told, wanted) = std::sync::mpsc::channel();
    let lines = std::thread::spawn(move || {
        let first = watch.next();
        told.send(()).unwrap();
        first
    });
    while wanted
        .recv_timeout(std::time::Duration::from_millis(100))
        .is_err()
    {
        write!(
            file,
            "{}{}",
            event("chal-2", "of another"),
            event("chal-1", "mine")
        )
        .unwrap();
    }
    assert_eq!(lines.join().unwrap()["what"], "mine");
    let mut verb = served.verb(&["watch", "events"]);
    let (code, _, err) = ran(verb.env("PERPDECK_EVENT_LOG", "false"));
    assert!(
        code == 2 && said(&err).contains("event_log is false"),
        "{err}"
    );
}

#[test]
fn an_export_is_what_the_desk_writes_and_never_over_a_file() {
    let served = Served::bare();
    served.post("/sim/clock", &json!({ "paused": true }));
    served.holding("paper|BTC", 0.5, "cross");
    served.waiting("limit");
    let (code, csv, err) = served.run(&["export", "positions"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(csv.lines().count(), 2, "{csv}");
    assert!(csv.starts_with("id,market_id,side,size,"), "{csv}");
    let history = served.json(&["export", "history", "--output", "json"]);
    assert_eq!(history.as_array().unwrap().len(), 2);
    let (code, csv, _) = served.run(&["export", "closed"]);
    assert!(code == 0 && csv.contains(",note,tags,r_multiple,"), "{csv}");
    let to = ["export", "orders", "--to", "orders.csv"];
    let (code, out, err) = served.run(&to);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    let file = served.home.path().join("orders.csv");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let (code, error) = served.error(&to);
    let words = error["message"].as_str().unwrap();
    assert!(
        code == 1 && words.contains("orders.csv exists and is not changed"),
        "{words}"
    );
}

#[test]
fn an_alert_is_set_in_the_words_of_the_desk_listed_and_removed() {
    let served = Served::bare();
    let added = served.json(&["alert", "add", "btc", "above", "166000", "every"]);
    assert_eq!(added["data"]["alert"], "btc > 166000 every");
    served.json(&["alert", "add", "btc liq < 5%"]);
    served.json(&["alert", "add", "pnl", "below", "-500", "for", "2h"]);
    let list = served.json(&["alert"]);
    let words: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["alert"].as_str().unwrap())
        .collect();
    assert_eq!(words, ["btc > 166000 every", "btc liq < 5%", "pnl < -500"]);
    assert_eq!(
        (&list[1]["level"], &list[1]["state"]),
        (&json!(0.05), &json!("armed"))
    );
    assert!(list[2]["expires_at"].is_number(), "{list}");
    served.json(&["alert", "remove", "1"]);
    let (code, table, _) = served.run(&["alert", "list", "--output", "table"]);
    assert!(
        code == 0 && !table.contains("166000") && table.contains("pnl < -500"),
        "{table}"
    );
    for (words, why) in [
        (
            &["alert", "add", "nope", "above", "1"][..],
            "there is no market nope",
        ),
        (
            &["alert", "add", "btc", "near", "1"],
            "which way: >, <, crosses",
        ),
        (&["alert", "remove", "7"], "there is no alert 7"),
    ] {
        let (_, error) = served.error(words);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(why), "{message}");
    }
}
