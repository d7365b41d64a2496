//! Several commands at once: orders from a file, and cancels of several orders.

use super::{
    served::{Served, last_error},
    *,
};
use serde_json::{Value, json};
use std::{io::Write as _, process::Stdio};

/// Exit code, the lines of standard output, and standard error, of `place --file -`.
fn placed(served: &Served, args: &[&str], lines: &str) -> (i32, Vec<Value>, String) {
    let mut verb = served.verb(&with(&["place", "--file", "-"], args));
    verb.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = verb.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let lines = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line} {err}")));
    (output.status.code().unwrap(), lines.collect(), err)
}

fn limit(size: &str) -> String {
    format!(
        "{{\"market\":\"btc\",\"side\":\"buy\",\"type\":\"limit\",\"size\":{size},\"limit_price\":50000,\"leverage\":5,\"margin_mode\":\"cross\"}}\n"
    )
}

#[test]
fn each_line_is_an_order_with_its_own_key_and_one_line_of_result() {
    let served = Served::bare();
    let lines = limit("0.01") + "\n" + &limit("\"$1000\"") + &limit("0.03");
    let (code, told, err) = placed(&served, &["--yes"], &lines);
    assert_eq!(code, 0, "{err}");
    let numbers: Vec<_> = told
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 3, 4]);
    let keys: std::collections::BTreeSet<_> = told
        .iter()
        .map(|line| line["idempotency_key"].as_str().unwrap())
        .collect();
    assert_eq!(keys.len(), 3);
    assert_eq!(served.orders().len(), 3);
    let journal = served.json(&["journal", "list"]);
    assert_eq!(journal.as_array().unwrap().len(), 3);
}

#[test]
fn a_file_under_a_key_is_placed_once_however_often_it_is_run() {
    let served = Served::bare();
    let lines = limit("0.01") + &limit("0.02");
    let args = ["--yes", "--idempotency-key", "morning"];
    let (code, first, _) = placed(&served, &args, &lines);
    assert_eq!(
        (code, &first[1]["idempotency_key"]),
        (0, &json!("morning-2"))
    );
    let (code, second, _) = placed(&served, &args, &lines);
    assert_eq!(code, 0);
    assert_eq!(first[0]["data"]["id"], second[0]["data"]["id"]);
    assert_eq!(served.orders().len(), 2);
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_nothing_is_sent() {
    let served = Served::bare();
    let lines = limit("0.01")
        + "{\"market\":\"btc\"\n"
        + "{\"market\":\"btc\",\"side\":\"up\",\"type\":\"limit\",\"size\":1}\n"
        + "{\"market\":\"btc\",\"side\":\"buy\",\"type\":\"limit\",\"size\":1,\"price\":5}\n";
    let (code, told, err) = placed(&served, &["--yes"], &lines);
    assert_eq!((code, told.len(), served.orders().len()), (2, 0, 0));
    let words = said(&err);
    let lines: Vec<_> = words.lines().collect();
    assert_eq!(
        lines[0],
        "line 2: no JSON object: EOF while parsing an object at column 15"
    );
    assert!(
        lines[1].starts_with("line 3: ") && lines[1].contains("[possible values: buy, sell]"),
        "{words}"
    );
    assert!(
        lines[2].starts_with(
            "line 4: there is no member \"price\"; the members are market, side, type,"
        ),
        "{words}"
    );
    assert_eq!(lines[3], "nothing was sent");
}

#[test]
fn a_number_is_what_json_says_and_a_price_below_zero_is_no_offset() {
    let served = Served::bare();
    let lines = limit("1e-2") + &limit("2.0E-2,\"stop_loss\":\"-1000\"");
    let (code, told, err) = placed(&served, &["--yes"], &lines);
    assert_eq!(code, 0, "{err}");
    let sizes = told.iter().map(|line| line["data"]["size"].as_f64());
    assert_eq!(sizes.collect::<Vec<_>>(), [Some(0.01), Some(0.02)]);
    let lines = limit("0.01,\"stop_loss\":-1000");
    let (code, told, err) = placed(&served, &["--yes"], &lines);
    assert_eq!((code, told.len(), served.orders().len()), (2, 0, 2));
    let words = "line 1: stop_loss is below 0; write an offset as a string: \"-1000\"";
    assert!(said(&err).contains(words), "{err}");
}

#[test]
fn a_member_that_is_given_twice_is_refused_and_nothing_is_sent() {
    let served = Served::bare();
    for twice in [
        limit("0.01,\"size\":5"),
        limit("0.01,\"size\":null"),
        limit("0.01,\"limit-price\":1"),
    ] {
        let (code, told, err) = placed(&served, &["--yes"], &twice);
        assert_eq!((code, told.len(), served.orders().len()), (2, 0, 0));
        assert!(said(&err).contains("is given twice"), "{err}");
    }
}

#[test]
fn a_file_without_an_end_is_refused() {
    let served = Served::bare();
    let (code, _, err) = served.run(&["place", "--file", "/dev/zero", "--yes"]);
    assert_eq!(code, 1);
    assert!(said(&err).contains("it is longer than 4096 KiB"), "{err}");
}

#[test]
fn a_rehearsal_reads_the_service_once_for_all_lines() {
    let served = Served::bare();
    let many = limit("0.01").repeat(40);
    let (code, told, err) = placed(&served, &["--dry-run", "--verbose"], &many);
    assert_eq!((code, told.len()), (0, 40), "{err}");
    assert_eq!(err.matches("GET /sim/markets").count(), 1, "{err}");
}

#[test]
fn an_order_that_is_refused_does_not_stop_the_others() {
    let served = Served::bare();
    let nowhere = limit("0.01").replace("btc", "nope");
    let lines = limit("0.01") + &nowhere + &limit("1000000") + &limit("0.02");
    let (code, told, err) = placed(&served, &["--yes"], &lines);
    assert_eq!(code, 15, "{err}");
    let failed: Vec<_> = told
        .iter()
        .map(|line| line["error"]["exit_code"].as_u64())
        .collect();
    assert_eq!(failed, [None, Some(13), Some(13), None], "{told:?}");
    let why = told[1]["error"]["message"].as_str().unwrap();
    assert!(why.contains("there is no market nope"), "{why}");
    assert_eq!(served.json(&["orders"]).as_array().unwrap().len(), 2);
    let (code, told, _) = placed(&served, &["--yes"], &nowhere);
    assert_eq!((code, told.len()), (13, 1));
}

#[test]
fn a_rehearsal_of_a_file_shows_each_request_and_sends_none() {
    let served = Served::bare();
    let (code, told, _) = placed(&served, &["--dry-run"], &(limit("0.01") + &limit("0.02")));
    let sizes: Vec<_> = told
        .iter()
        .map(|line| line["body"]["size"].as_f64().unwrap())
        .collect();
    assert_eq!((code, sizes), (0, vec![0.01, 0.02]));
    assert_eq!(served.orders().len(), 0);
    // Nobody can be asked while standard input is the file.
    let (code, _, err) = placed(&served, &[], &limit("0.01"));
    assert!(code == 2 && said(&err).contains("--yes"), "{err}");
    let (code, error) = served.error(&["place", "--file", "x", "--market", "btc"]);
    let words = error["message"].as_str().unwrap();
    assert!(
        code == 2 && words.contains("cannot be used with"),
        "{words}"
    );
    let (code, error) = served.error(&["place", "--side", "buy"]);
    let words = error["message"].as_str().unwrap();
    assert!(code == 2 && words.contains("--market"), "{words}");
}

#[test]
fn several_orders_are_canceled_with_a_line_for_each() {
    let served = Served::bare();
    let (one, two) = (served.waiting("limit"), served.waiting("stop_market"));
    let (code, out, err) = served.run(&["cancel", &one, &two, "--yes"]);
    assert_eq!((code, out.lines().count()), (0, 2), "{err}");
    assert_eq!(served.json(&["orders"]).as_array().unwrap().len(), 0);
    let three = served.waiting("limit");
    let (code, out, err) = served.run(&["cancel", &three, "ord_none", "--yes"]);
    assert_eq!((code, out.lines().count()), (15, 1), "{err}");
    assert_eq!(last_error(&err)["status"], 404);
    let shown = served.run(&["cancel", &one, &two, "--dry-run"]).1;
    assert_eq!(shown.lines().count(), 2);
    let both = served.error(&["cancel", &one, "--all", "--yes"]);
    assert_eq!(both.0, 2);
}
