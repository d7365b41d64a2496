//! The verbs that print what streams tell: `watch market` and `watch account`, also where the service misbehaves.

use super::{
    served::{BARE, Served, last_error},
    *,
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

/// A verb with the addresses of the streams.
fn streaming(served: &Served, args: &[&str]) -> Command {
    let stream = served.base_url.replacen("http", "ws", 1);
    let mut verb = served.verb(args);
    verb.env(
        "PERPDECK_MARKET_STREAM_URL",
        format!("{stream}/v1/market-data"),
    )
    .env("PERPDECK_ACCOUNT_STREAM_URL", format!("{stream}/v1/stream"));
    verb
}

fn lines(served: &Served, args: &[&str]) -> Vec<Value> {
    let (code, out, err) = ran(&mut streaming(served, args));
    assert_eq!(code, 0, "{err}");
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn of<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line[kind].is_object())
}

/// Nothing wrong is printed as right: books that are not crossed and do not go back, trades once and in order, of this market.
#[track_caller]
fn are_sound(lines: &[Value]) {
    let (mut updated_at, mut trade_id) = (0, 0);
    for (seq, line) in (1..).zip(lines) {
        assert_eq!(line["seq"].as_u64(), Some(seq), "{line}");
        if let Some(book) = line["book"].as_object() {
            let best = |side: &str| book[side][0][0].as_f64().unwrap();
            assert!(best("bids") < best("asks"), "{line}");
            assert_eq!(book["market_id"], "paper|BTC");
            assert!(book["updated_at"].as_i64().unwrap() >= updated_at, "{line}");
            updated_at = book["updated_at"].as_i64().unwrap();
        }
        if let Some(trade) = line["trade"].as_object() {
            let id = trade["trade_id"].as_u64().unwrap();
            assert!(line["history"] == true || id > trade_id, "{line}");
            trade_id = id;
        }
    }
}

#[test]
fn a_watched_market_is_told_as_it_was_and_then_as_it_changes() {
    let served = Served::bare();
    let told = lines(
        &served,
        &["watch", "market", "BTC", "--for", "2s", "-o", "jsonl"],
    );
    are_sound(&told);
    assert!(of(&told, "book").count() > 2, "{told:?}");
    let candles: Vec<_> = of(&told, "candle").collect();
    assert_eq!(candles[0]["history"], true);
    assert!(candles.last().unwrap()["history"].is_null());
    assert!(of(&told, "stats").count() > 1);
    let args = [
        "watch",
        "market",
        "BTC",
        "--channel",
        "trades",
        "--for",
        "1s",
        "-o",
        "jsonl",
    ];
    let told = lines(&served, &args);
    assert_eq!(of(&told, "trade").count(), told.len());
}

#[test]
fn a_watched_account_is_told_whole_and_then_event_by_event() {
    let served = Served::bare();
    let order = served.waiting("limit");
    let mut verb = streaming(&served, &["watch", "account", "-o", "jsonl"]);
    let mut watch = verb.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let mut told: Vec<Value> = vec![];
    for line in lines {
        told.push(serde_json::from_str(&line.unwrap()).unwrap());
        match told.last().unwrap()["order"]["status"].as_str() {
            Some("canceled") => break,
            Some(_) => drop(served.json(&["cancel", &order, "--yes"])),
            None => {}
        }
    }
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert_eq!(told[0]["account"]["status"], "active");
    let orders: Vec<_> = of(&told, "order").collect();
    assert_eq!(
        (&orders[0]["history"], &orders[0]["order"]["id"]),
        (&json!(true), &json!(order))
    );
    let last = orders.last().unwrap();
    assert_eq!(
        (&last["history"], &last["order"]["status"]),
        (&Value::Null, &json!("canceled"))
    );
    assert!(last["seq"].as_u64() > orders[0]["seq"].as_u64());
}

#[test]
fn whatever_a_stream_does_nothing_wrong_is_printed_and_the_watch_goes_on() {
    let served = Served::bare();
    let books = |kind: &str, percent: u32| json!({"kind": kind, "percent": percent, "channel": "books", "count": 6});
    let faults = [
        json!({"kind": "close", "count": 1}),
        json!({"kind": "draining", "count": 1}),
        json!({"kind": "duplicate", "percent": 50, "count": 20}),
        json!({"kind": "reorder", "percent": 50, "count": 20}),
        json!({"kind": "drop", "percent": 50, "count": 20}),
        json!({"kind": "malformed_frame", "percent": 20, "count": 6}),
        json!({"kind": "late_ack", "count": 2}),
        books("wrong_symbol", 70),
        books("crossed_book", 70),
    ];
    for fault in faults {
        served.plant(&fault);
        let told = lines(
            &served,
            &["watch", "market", "BTC", "--for", "4s", "-o", "jsonl"],
        );
        are_sound(&told);
        let after = told
            .iter()
            .rev()
            .take(20)
            .filter(|line| line["book"].is_object());
        assert!(after.count() > 0, "{fault}: {} lines", told.len());
        served.clear_faults();
    }
}

#[test]
fn a_channel_that_stalls_is_asked_for_anew_while_the_others_go_on() {
    let served = Served::bare();
    served.plant(&json!({"kind": "stall", "channel": "books", "count": 4}));
    let watch = ["watch", "market", "BTC", "--channel", "book,stats"];
    let told = lines(&served, &with(&watch, &["--for", "14s", "-o", "jsonl"]));
    are_sound(&told);
    let (first, last) = told.split_at(told.len() / 2);
    assert_eq!(of(first, "book").count(), 0);
    assert!(of(first, "stats").count() > 0 && of(last, "book").count() > 0);
}

#[test]
fn a_refused_key_ends_the_watch_of_an_account() {
    let served = Served::bare();
    let mut verb = streaming(&served, &["watch", "account", "--for", "20s"]);
    let (code, _, err) = ran(verb.env("PERPDECK_API_KEY", "paper_live_unknown"));
    assert_eq!(code, 10, "{err}");
    assert_eq!(last_error(&err)["kind"], "not authorized", "{err}");
}

#[test]
fn a_watch_of_a_stream_says_which_setting_or_word_is_missing() {
    let served = Served::bare();
    for (args, why) in [
        (
            &["watch", "market", "BTC"][..],
            "market_stream_url is not set",
        ),
        (&["watch", "account"], "account_stream_url is not set"),
        (&["watch", "market"], "needs one market"),
        (&["watch", "orders", "BTC"], "cannot be watched"),
    ] {
        let (code, error) = served.error(args);
        let words = error["message"].as_str().unwrap();
        assert!(code == 2 && words.contains(why), "{words}");
    }
}

/// A service without the documents of a simulator: the verbs print what its market stream begins with.
#[test]
fn a_service_with_a_market_stream_alone_has_a_book_candles_and_trades() {
    let served = Served::with(BARE, &["--no-sim"]);
    // So that there is a trade.
    served.post(
        "/v1/orders",
        &json!({"type": "market", "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.01,
            "leverage": 5, "margin_mode": "cross"}),
    );
    for (verb, column) in [
        ("book", "price"),
        ("candles", "close"),
        ("trades", "aggressor"),
    ] {
        let (code, error) = served.error(&[verb, "BTC"]);
        let words = error["message"].as_str().unwrap();
        assert!(
            code == 2 && words.contains("market_stream_url is not set"),
            "{words}"
        );
        let (code, out, err) = ran(&mut streaming(&served, &[verb, "BTC", "-o", "json"]));
        let told: Value =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code} {out} {err}"));
        assert!(!told[0][column].is_null(), "{verb}: {told}");
    }
}
