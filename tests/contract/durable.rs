//! `--data-dir`: what was answered is still so after the process is gone. A crash is a copy of the directory as it is
//! on disk while the exchange runs.

use crate::{
    close_all::{close_all, counts, three_open},
    orders::{body, place},
    strategies::{scaled, twap},
    support::{Paper, START},
};
use perpdeck::{
    disk::Log,
    exchange::{ClockMode, ExchangeOptions, Speed},
    model::{Order, Timestamp},
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

pub(crate) const LOG: &str = "exchange.jsonl";
pub(crate) const FORMAT: &str = "perpdeck exchange 10";

/// What is on disk of `dir` at this moment, as a power cut would leave it.
pub(crate) fn crashed(dir: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // The newest number before the log: it is written after it.
    paths.sort_by_key(|path| path.ends_with(LOG));
    for path in paths {
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    copy
}

const LISTS: [&str; 16] = [
    "/sim/clock",
    "/sim/markets",
    "/v1/accounts/chal-1",
    "/v1/orders?account_id=chal-1",
    "/v1/orders?account_id=chal-1&status=working",
    "/v1/positions?account_id=chal-1",
    "/v1/positions?account_id=chal-1&status=closed",
    "/v1/twap-orders?account_id=chal-1",
    "/v1/scaled-orders?account_id=chal-1",
    "/sim/markets/paper%7CBTC/candles?interval=1s",
    "/sim/markets/paper%7CETH/candles",
    "/sim/markets/paper%7CBTC/candles?interval=1d",
    "/sim/markets/paper%7CBTC/trades",
    "/v1/fills?account_id=chal-1",
    "/sim/accounts/chal-1/equity",
    "/sim/accounts/chal-1/funding",
];

/// Everything a client can read.
pub(crate) async fn everything(paper: &Paper) -> Vec<Value> {
    let mut all = vec![];
    for list in LISTS {
        let reply = paper.get(list).await;
        assert_eq!(reply.status, 200, "{list}: {}", reply.text());
        all.push(reply.json());
    }
    all
}

/// Orders of several kinds, open and closed positions, a TWAP and a scaled order on their way.
async fn busy(paper: &Paper) {
    three_open(paper).await;
    let close = r#"{"type":"market"}"#;
    let closed = paper.keyed("/v1/positions/pos_000002/close", "close", close);
    assert_eq!(closed.await.status, 201);
    let price = paper.price("paper|BTC", -5.0).await;
    let (stop, target) = (price - 1_000, price + 1_000);
    let orders = [
        json!({
            "type": "limit", "limit_price": price, "take_profit_price": target,
            "stop_loss_price": stop,
        }),
        json!({"type": "stop_market", "side": "sell", "trigger_price": stop, "reduce_only": true}),
        json!({"type": "chase", "size": 0.01, "side": "sell", "chase_offset": 1}),
    ];
    for (key, order) in ["limit", "stop", "chase"].into_iter().zip(orders) {
        let reply = place(paper, key, order).await;
        assert_eq!(reply.status, 201, "{key}: {}", reply.text());
    }
    scaled(paper).await;
    let twap = twap(&json!({"randomize": true}));
    assert_eq!(paper.post("/v1/twap-orders", &twap).await.status, 201);
    let nudge = r#"{"market_id":"paper|SOL","bps":-40}"#;
    assert_eq!(paper.post("/sim/nudge", nudge).await.status, 200);
    paper.advance(70_000).await;
}

#[tokio::test]
async fn after_a_crash_everything_is_as_it_was_and_goes_on_as_it_would_have() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    busy(&paper).await;
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    assert_eq!(everything(&again).await, everything(&paper).await);
    // The TWAP and the market go on, to the same trades at the same prices.
    paper.advance(200_000).await;
    again.advance(200_000).await;
    assert_eq!(everything(&again).await, everything(&paper).await);
}

#[tokio::test]
async fn after_an_orderly_stop_everything_is_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    busy(&paper).await;
    let before = everything(&paper).await;
    paper.stop().await;
    let again = Paper::kept(dir.path()).await;
    assert_eq!(everything(&again).await, before);
    // A second crash right behind the first start.
    let copy = crashed(dir.path());
    let third = Paper::kept(copy.path()).await;
    assert_eq!(everything(&third).await, before);
}

#[tokio::test]
async fn in_real_time_the_night_passes_no_price_moves_and_a_new_order_is_of_today() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    let price = paper.price("paper|BTC", -5.0).await;
    let (hour, night) = (3_600_000, 14 * 3_600_000);
    let lasting = json!({"type": "limit", "limit_price": price});
    let expiring = json!({
        "type": "limit", "limit_price": price, "time_in_force": "gtd", "gtd_expires_at": START.0 + hour,
    });
    let lasting: Order = place(&paper, "lasting", lasting).await.data();
    paper.advance(1_000).await;
    let expiring: Order = place(&paper, "expiring", expiring).await.data();
    let before = paper.price("paper|BTC", 0.0).await;
    paper.stop().await;

    let morning = ExchangeOptions {
        start: Timestamp(START.0 + night),
        pace: Some(ClockMode::Live(Speed::REAL_TIME)),
        ..Paper::options(dir.path())
    };
    let again = Paper::started(morning.clone()).await.unwrap();
    again.post("/sim/clock", r#"{"paused":true}"#).await;
    again.advance(250).await;
    let after = again.price("paper|BTC", 0.0).await;
    assert!((after - before).abs() < 100, "{before} {after}");
    let working = again.get("/v1/orders?account_id=chal-1&status=working");
    let working: Vec<Order> = working.await.data();
    let ids: Vec<_> = working.into_iter().map(|order| order.id).collect();
    assert_eq!(ids, [lasting.id], "and {} has expired", expiring.id);
    let fresh = json!({"type": "limit", "limit_price": price});
    let fresh: Order = place(&again, "fresh", fresh).await.data();
    assert!(fresh.requested_at.0 >= START.0 + night);

    // The night is on the disk: a crash right behind it does not bring it back.
    let copy = crashed(dir.path());
    let kept = ExchangeOptions {
        pace: Some(ClockMode::Paused),
        ..Paper::options(copy.path())
    };
    let third = Paper::started(kept).await.unwrap();
    assert_eq!(everything(&third).await[3..], everything(&again).await[3..]);
}

#[tokio::test]
async fn a_key_used_before_the_crash_places_nothing_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    let placed: Order = place(&paper, "k", json!({})).await.data();
    paper.advance(500).await;
    let refused = json!({"type": "limit", "limit_price": 1, "size": 0.1, "leverage": 40});
    let refusal = place(&paper, "bad", refused.clone()).await;
    assert!(refusal.status >= 400, "{}", refusal.text());
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    let replay = place(&again, "k", json!({})).await;
    assert_eq!((replay.status, replay.data::<Order>()), (200, placed));
    let other = place(&again, "k", json!({"size": 0.2})).await;
    assert_eq!(other.refusal().1, "idempotency_conflict");
    let rejected = place(&again, "bad", refused).await;
    assert_eq!(
        (rejected.status, rejected.anonymous()),
        (refusal.status, refusal.anonymous())
    );
    let orders = |reply: Value| reply["data"].as_array().unwrap().len();
    let target = "/v1/orders?account_id=chal-1";
    let (before, after) = (
        paper.get(target).await.json(),
        again.get(target).await.json(),
    );
    assert_eq!(orders(after), orders(before));
}

#[tokio::test]
async fn a_close_all_goes_on_at_its_next_position_after_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    three_open(&paper).await;
    let (first, begun) = close_all(&paper, "panic").await;
    assert_eq!((first.status, counts(&begun)), (202, (3, 1, 0)));
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    // Its cooldown lasts as long as it would have.
    let (hasty, same) = close_all(&again, "panic").await;
    assert_eq!((hasty.status, same), (202, begun.clone()));
    let mut done = begun;
    for (status, tried) in [(202, 2), (201, 3)] {
        again.advance(500).await;
        let (reply, operation) = close_all(&again, "panic").await;
        assert_eq!((reply.status, counts(&operation)), (status, (3, tried, 0)));
        assert_eq!(operation.id, done.id);
        done = operation;
    }
    let twice = crashed(copy.path());
    let third = Paper::kept(twice.path()).await;
    let (replay, same) = close_all(&third, "panic").await;
    assert_eq!((replay.status, same), (200, done));
}

#[tokio::test]
async fn time_is_never_taken_back_and_a_stop_in_good_order_does_not_move_it() {
    let dir = tempfile::tempdir().unwrap();
    let live = |dir: &Path| ExchangeOptions {
        pace: Some(ClockMode::Live(Speed::from_thousandths(100_000).unwrap())),
        ..Paper::options(dir)
    };
    let now = |reply: Value| Timestamp(reply["data"]["now"].as_i64().unwrap());
    let paper = Paper::started(live(dir.path())).await.unwrap();
    let told = now(paper.get("/sim/clock").await.json());
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    let after = now(again.get("/sim/clock").await.json());
    // At most the 4 s it is written ahead, at a hundred times their speed.
    assert!(
        after >= told && after.0 <= told.0 + 410_000,
        "{told:?} {after:?}"
    );
    assert!(told >= START);
    again.stop().await;
    let still = Paper::kept(copy.path()).await;
    assert_eq!(now(still.get("/sim/clock").await.json()), after);
}

#[tokio::test]
async fn the_pace_it_was_left_at_is_kept_unless_another_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    let set = r#"{"speed":2.5,"paused":true}"#;
    assert_eq!(paper.post("/sim/clock", set).await.status, 200);
    paper.stop().await;
    let as_left = ExchangeOptions {
        pace: None,
        ..Paper::options(dir.path())
    };
    let again = Paper::started(as_left).await.unwrap();
    let clock = again.get("/sim/clock").await.json();
    assert_eq!(
        (&clock["data"]["paused"], &clock["data"]["speed"]),
        (&json!(true), &json!(2.5))
    );
}

#[tokio::test]
async fn a_long_history_is_cut_short_by_checkpoints_and_lost_by_none() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    busy(&paper).await;
    // Past the 20 minutes after which a checkpoint is due, with the next look at the clock.
    paper.advance(1_300_000).await;
    // Inputs behind the last checkpoint.
    let log = |dir: &Path| {
        let mut count = 0;
        let take = &mut |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            for change in line["changes"].as_array().unwrap() {
                match change.get("checkpoint") {
                    Some(_) => count = 0,
                    None => count += usize::from(change.get("input").is_some()),
                }
            }
        };
        assert!(Log::read(&dir.join(LOG), FORMAT, take).unwrap().is_none());
        count
    };
    while log(dir.path()) > 0 {
        tokio::task::yield_now().await;
    }
    paper.keyed("/v1/orders", "after", &body(&json!({}))).await;
    assert_eq!(log(dir.path()), 1);
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    assert_eq!(everything(&again).await, everything(&paper).await);
}

#[tokio::test]
async fn a_reset_puts_everything_back_to_the_start_on_disk_too_and_goes_on_from_there() {
    let dir = tempfile::tempdir().unwrap();
    let paper = Paper::kept(dir.path()).await;
    let at_first = everything(&paper).await;
    busy(&paper).await;
    let before = everything(&paper).await;
    let old = crashed(dir.path());
    assert_eq!(paper.post("/sim/reset", "").await.status, 200);
    // A crash on either side of it finds all of the one or all of the other.
    let new = crashed(dir.path());
    let [old, new] = [Paper::kept(old.path()).await, Paper::kept(new.path()).await];
    assert_eq!(everything(&old).await, before);
    assert_eq!(everything(&new).await, at_first);
    assert_eq!(everything(&paper).await, at_first);
    // What is done afterwards is done to the new one, with the ids and keys of the old, and kept.
    busy(&paper).await;
    assert_eq!(everything(&paper).await, before);
    let copy = crashed(dir.path());
    let again = Paper::kept(copy.path()).await;
    assert_eq!(everything(&again).await, before);
    paper.stop().await;
    let stopped = Paper::kept(dir.path()).await;
    assert_eq!(everything(&stopped).await, before);
}

fn keys(paper: &Paper) -> Vec<String> {
    let accounts = paper.handle.accounts.iter();
    accounts
        .map(|account| account.api_key.reveal().to_owned())
        .collect()
}

async fn request_id(paper: &Paper) -> String {
    let reply = paper.get("/sim/markets").await;
    reply.header("x-request-id").unwrap().to_owned()
}

#[tokio::test]
async fn keys_and_request_ids_are_new_at_every_start_unless_they_are_kept_or_fixed() {
    let (one, other) = (Paper::bare().await, Paper::bare().await);
    assert_ne!(keys(&one), keys(&other));
    assert_ne!(request_id(&one).await, request_id(&other).await);
    let hash = |paper: Value| paper["data"]["log_hash"].clone();
    let hashes = [&one, &other].map(|paper| paper.get("/sim/clock"));
    let [first, second] = hashes;
    assert_eq!(hash(first.await.json()), hash(second.await.json()));

    let dir = TempDir::new().unwrap();
    let kept = Paper::kept(dir.path()).await;
    let before = (keys(&kept), request_id(&kept).await);
    kept.stop().await;
    let again = Paper::kept(dir.path()).await;
    assert_eq!(keys(&again), before.0);
    assert_ne!(request_id(&again).await, before.1);

    let fixed = format!(
        "fixed_keys = true\n{}",
        include_str!("../support/bare.toml")
    );
    let (one, other) = (Paper::open(&fixed).await, Paper::open(&fixed).await);
    assert_eq!(keys(&one), keys(&other));
    assert_eq!(request_id(&one).await, request_id(&other).await);
}
