//! What a key of one's own is worth: the same command again is the same deed, whatever has become of its object.

use super::support::{BUY, Served, ran, with};
use perpdeck::journal::{IntentRow, IntentState};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

#[test]
fn the_same_command_under_the_same_key_is_done_once() {
    let served = Served::bare();
    let again = || served.json(&with(BUY, &["--yes", "--idempotency-key", "once"]));
    let (first, second) = (again(), again());
    assert_eq!(first["data"]["id"], second["data"]["id"]);
    assert_eq!(served.orders().len(), 1);

    let other = [
        "place",
        "--market",
        "paper|BTC",
        "--side",
        "sell",
        "--type",
        "limit",
        "--size",
        "0.01",
        "--limit-price",
        "90000",
        "--leverage",
        "5",
        "--margin-mode",
        "cross",
        "--yes",
        "--idempotency-key",
        "once",
    ];
    let (code, error) = served.error(&other);
    assert_eq!(code, 2);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("was used for: buy 0.01 BTC"),
        "{error}"
    );
    assert_eq!(served.orders().len(), 1);
}

/// What the verb answers the first time, and again under the same key when what it was about has changed.
#[track_caller]
fn twice(served: &Served, verb: &[&str], key: &str) -> [Value; 2] {
    let verb = with(verb, &["--yes", "--idempotency-key", key]);
    [served.json(&verb), served.json(&verb)]
}

#[test]
fn a_close_that_is_repeated_under_its_key_is_answered_as_before_whatever_is_left() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    // Half of it, half of the rest, a little, and all that is left then.
    let deeds = [
        ("coin", "0.25"),
        ("share", "50%"),
        ("usd", "$1000"),
        ("rest", "100%"),
    ];
    let close = |(key, size)| twice(&served, &["close", &position, "--size", size], key);
    let answers = deeds.map(close);
    for [first, again] in &answers {
        assert_eq!(first, again);
    }
    assert_eq!(served.positions(), Vec::<Value>::new());
    let orders = served.orders().len();
    assert_eq!(deeds.map(close), answers, "nothing is open any more");
    let (code, error) = served.error(&[
        "close",
        &position,
        "--size",
        "0.1",
        "--yes",
        "--idempotency-key",
        "coin",
    ]);
    let said = error["message"].as_str().unwrap();
    assert!(code == 2 && said.contains("was used for"), "{code} {said}");
    assert_eq!(served.orders().len(), orders);
}

#[test]
fn a_key_that_only_the_service_knows_repeats_a_close_as_well() {
    let served = Served::bare();
    let position = served.holding("paper|BTC", 0.5, "cross");
    let close = [
        "close",
        &position,
        "--size",
        "0.25",
        "--expected-price",
        "64000",
        "--yes",
        "--idempotency-key",
        "half",
    ];
    let first = served.json(&close);
    served.json(&["close", &position, "--yes"]);
    let again = served.json(&with(&close, &["--state-dir", "elsewhere"]));
    assert_eq!(first["data"]["id"], again["data"]["id"]);
}

#[test]
fn orders_and_a_close_all_that_are_repeated_under_their_key_are_answered_as_before() {
    let served = Served::bare();
    let eth = [
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--type",
        "market",
    ];
    // Leverage and margin mode are left out: the first order decides them for the position it opens.
    for (key, size) in [("coin", "0.5"), ("usd", "$1000")] {
        let [first, again] = twice(&served, &with(&eth, &["--size", size]), key);
        assert_eq!(first, again, "{size}");
        served.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
    }
    let reduce = [
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "sell",
        "--type",
        "market",
        "--reduce-only",
        "--size",
        "100%",
    ];
    let [first, again] = twice(&served, &reduce, "share");
    assert_eq!(first, again);
    assert_eq!(served.positions(), Vec::<Value>::new());
    assert_eq!(served.orders().len(), 3);

    served.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
    served.holding("paper|SOL", 5.0, "isolated");
    let [first, again] = twice(&served, &["close-all"], "all");
    assert_eq!(first, again);
    assert_eq!(served.orders().len(), 5);
}

/// What was last told of a command; no order is known for it.
fn tell(entry: &mut IntentRow, state: IntentState, detail: &str) {
    let told = entry.outcome.as_mut().unwrap();
    (entry.state, told.order_id, told.detail) = (state, None, detail.to_owned());
}

const HOUR: i64 = 3_600_000;

/// Everything in the journal was done an hour earlier.
fn an_hour_earlier(entry: &mut IntentRow) {
    entry.created_at.0 -= HOUR;
    entry.intent.replay_until.0 -= HOUR;
}

/// As it stands when no connection was made.
fn never_left(entry: &mut IntentRow) {
    tell(entry, IntentState::Unsent, "unreachable: refused");
}

#[test]
fn an_order_that_never_left_is_checked_like_new_when_it_is_asked_for_again() {
    let served = Served::bare();
    let buy = with(BUY, &["--yes", "--idempotency-key", "mine"]);
    let again = |limits: &[(&str, &str)]| {
        let mut verb = served.verb(&buy);
        verb.envs(limits.iter().copied());
        ran(&mut verb)
    };
    let strict = [("PERPDECK_CHECKS__MAX_SIZE", "0.001")];
    served.json(&buy);
    let (code, _, err) = again(&strict);
    assert_eq!(code, 0, "it took effect, and is only repeated: {err}");
    served.retell(never_left);
    let (code, _, err) = again(&strict);
    assert!(code == 13 && err.contains("max_size"), "{code} {err}");
    let patient = [("PERPDECK_CHECKS__DUPLICATE_WITHIN", "1h")];
    let (code, _, err) = again(&patient);
    assert_eq!(code, 0, "it is no repetition of itself: {err}");
}

/// As it stands when the line breaks before an answer comes, an hour later.
fn lost_an_hour_ago(entry: &mut IntentRow) {
    an_hour_earlier(entry);
    tell(entry, IntentState::Unknown, "outcome unknown: no answer");
}

#[test]
fn a_key_from_an_hour_ago_is_answered_with_what_came_of_it_and_nothing_is_sent() {
    let served = Served::bare();
    let buy = with(BUY, &["--yes", "--idempotency-key", "long ago"]);
    let first = served.json(&buy);
    let dear = BUY
        .iter()
        .map(|word| if *word == "0.01" { "900" } else { *word });
    let dear: Vec<_> = dear.chain(["--yes", "--idempotency-key", "dear"]).collect();
    let (refused, why) = served.error(&dear);
    served.holding("paper|ETH", 0.5, "cross");
    let all = ["close-all", "--yes", "--idempotency-key", "all"];
    let closed = served.json(&all);
    served.retell(an_hour_earlier);

    let orders = served.orders().len();
    assert_eq!(served.json(&buy)["data"]["id"], first["data"]["id"]);
    let (code, again) = served.error(&dear);
    assert_eq!((code, &again["message"]), (refused, &why["message"]));
    let (now, then) = (served.json(&all), &closed["data"]);
    for field in ["id", "total_count", "failed_count"] {
        assert_eq!(now["data"][field], then[field], "{field}");
    }
    assert_eq!(served.orders().len(), orders);
}

#[test]
fn a_key_from_an_hour_ago_whose_outcome_was_never_known_is_looked_for() {
    let served = Served::bare();
    let buy = with(BUY, &["--yes", "--idempotency-key", "lost"]);
    served.json(&buy);
    served.retell(lost_an_hour_ago);
    let orders = served.orders();
    let found = served.json(&buy);
    assert_eq!(found["data"]["id"], orders[0]["id"], "the one that fits");
    assert_eq!(served.orders().len(), 1);

    let all = ["close-all", "--yes", "--idempotency-key", "all"];
    served.json(&all);
    served.retell(lost_an_hour_ago);
    let (code, why) = served.error(&all);
    let said = why["message"].as_str().unwrap();
    assert!(
        code == 14 && said.contains("nothing was sent now"),
        "{code} {said}"
    );
}

/// An exchange with three positions and a close-all that was killed after the first of them.
fn interrupted() -> Served {
    let served = Served::bare();
    for (market, size) in [("paper|BTC", 0.1), ("paper|ETH", 1.0), ("paper|SOL", 5.0)] {
        served.holding(market, size, "cross");
    }
    kill_after("1 of 3 tried", served.verb(&["close-all", "--yes"]));
    served
}

/// Kills the verb as soon as it says this.
fn kill_after(words: &str, mut verb: Command) {
    let mut killed = verb.stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(killed.stderr.take().unwrap()).lines();
    let is_it = |line: &String| line.contains(words);
    notes.by_ref().map(Result::unwrap).find(is_it).unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
}

/// The service cancels 50 orders for each request, and lets a second pass between two.
#[test]
fn a_cancel_all_that_is_killed_in_the_middle_is_continued_when_it_is_typed_again() {
    let served = Served::bare();
    let sixty = || (0..60).for_each(|_| drop(served.waiting("limit")));
    sixty();
    let all = ["cancel", "--all", "--yes"];
    kill_after("50 of 60 tried", served.verb(&all));
    let shown = served.json(&["cancel", "--all", "--dry-run"]);
    let (code, out, err) = served.run(&all);
    assert_eq!(code, 0, "{err}");
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["data"]["succeeded_count"], json!(60), "{ended}");
    assert_eq!(ended["still_working"], json!([]));
    let shown = &shown["headers"]["idempotency-key"];
    assert_eq!(*shown, ended["idempotency_key"]);
    let continues = "is unfinished; perpdeck continues it under its key";
    assert!(err.contains(continues), "{err}");

    // What was placed since is not among its own.
    sixty();
    kill_after("50 of 60 tried", served.verb(&all));
    let late = served.waiting("limit");
    let (code, out, err) = served.run(&all);
    assert_eq!(code, 0, "{err}");
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["data"]["results"][0]["order_id"], late, "{ended}");
    assert!(err.contains("a new cancel-all follows"), "{err}");
    assert_eq!(served.json(&["orders"]), json!([]));
}

/// Killed after the first of three, the same command is the same operation.
#[test]
fn a_close_all_that_is_killed_in_the_middle_is_continued_when_it_is_typed_again() {
    let served = interrupted();
    let all = ["close-all", "--yes"];
    let shown = served.json(&["close-all", "--dry-run"]);
    let (code, out, err) = served.run(&all);
    assert_eq!(code, 0, "{err}");
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["data"]["succeeded_count"], json!(3), "{ended}");
    assert_eq!(ended["still_open"], json!([]));
    assert_eq!(
        shown["headers"]["idempotency-key"],
        ended["idempotency_key"]
    );
    assert!(
        err.contains("is unfinished; perpdeck continues it under its key"),
        "{err}"
    );
    assert!(!err.contains("open since before"), "{err}");
    let closes: Vec<_> = served
        .orders()
        .into_iter()
        .filter(|order| order["reduce_only"] == json!(true))
        .collect();
    assert_eq!(closes.len(), 3, "each position was closed once");
    let open = served.json(&["journal", "list", "--open"]);
    assert_eq!(open, json!([]));
    let next = served.json(&all);
    assert_ne!(
        next["idempotency_key"], ended["idempotency_key"],
        "that one was finished"
    );
}

/// A close-all closes what was open when it began: what was opened since needs another, and the verb sees to it.
#[test]
fn a_continued_close_all_closes_what_was_opened_after_it_began_too() {
    let served = interrupted();
    // Past the cooldown of the close that went through.
    served.post("/sim/clock", &json!({ "advance_ms": 1_000 }));
    served.holding("paper|BTC", 0.2, "cross");
    let (code, out, err) = served.run(&["close-all", "--yes"]);
    assert_eq!(code, 0, "{err}");
    let ended: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(ended["still_open"], json!([]), "{ended}");
    assert_eq!(ended["data"]["total_count"], json!(1), "{ended}");
    assert!(err.contains("a new close-all follows"), "{err}");
}
