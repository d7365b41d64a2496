//! `perpdeck record` of the paper exchange's own stream, and the exchange on what it has recorded.

use super::{
    served::{BARE, Served},
    support::perpdeck,
};
use serde_json::json;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::Duration,
};

/// What another process brings about, once it is there.
#[expect(
    clippy::disallowed_methods,
    reason = "a file of another process, which nothing announces"
)]
#[track_caller]
pub(crate) fn awaited<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(found) = look() {
            return found;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("it never came");
}

/// The only file in a directory.
fn file_in(dir: &Path) -> Option<PathBuf> {
    let found = fs::read_dir(dir).ok()?.next()?;
    Some(found.unwrap().path())
}

pub(crate) fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let done = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(done.success());
}

#[test]
fn what_was_recorded_of_an_exchange_is_a_market_of_another_one() {
    let origin = Served::with(BARE, &["--speed", "20"]);
    let out = origin.home.path().join("recordings");
    let stream = origin.base_url.replacen("http", "ws", 1) + "/v1/market-data";
    let mut recorder = perpdeck(origin.home.path());
    recorder.args([
        "record",
        "--feed",
        &stream,
        "--markets",
        "paper|BTC",
        "--out",
    ]);
    let mut recorder = recorder
        .arg(&out)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let file = awaited(|| file_in(&out));
    // The first part is written after five seconds.
    awaited(|| Some(fs::metadata(&file).unwrap().len()).filter(|len| *len > 0));
    interrupt(&recorder);
    let mut said = String::new();
    let stdout = recorder.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut said).unwrap();
    assert_eq!(recorder.wait().unwrap().code(), Some(0));
    assert!(
        said.starts_with("paper|BTC ") && said.contains(" frames, "),
        "{said}"
    );

    let path = file.to_str().unwrap();
    let again = Served::with(BARE, &["--replay", path, "--manual-clock"]);
    let markets = again.get("/sim/markets");
    assert_eq!(markets[0]["market_id"], "paper|BTC");
    assert_eq!(markets.as_array().unwrap().len(), 1);
    assert!(markets[0]["bid_price"].is_number(), "{markets}");
    let moved = again.post("/sim/clock", &json!({"advance_ms": 4_000}));
    let nudge = json!({"market_id": "paper|BTC", "bps": 5});
    let (status, nudged) = again.call_as(again.key(), "POST", "/sim/nudge", Some(&nudge));
    assert_eq!(status, "400");
    let why = nudged["error"].to_string();
    assert!(why.contains("only a generated market"), "{why}");
    let hash = &moved["data"]["log_hash"];
    assert!(again.get("/sim/markets/paper%7CBTC/book")["bids"][0].is_object());
    // The first state, and the same four seconds after it.
    again.call("POST", "/sim/reset", None);
    let repeated = again.post("/sim/clock", &json!({"advance_ms": 4_000}));
    assert_eq!(&repeated["data"]["log_hash"], hash);
}

#[test]
fn an_exchange_trades_on_the_live_books_of_another_one() {
    let origin = Served::bare();
    let stream = origin.base_url.replacen("http", "ws", 1) + "/v1/market-data";
    let live = Served::with(
        BARE,
        &["--feed", &stream, "--markets", "paper|ETH,paper|BTC"],
    );
    let markets = live.get("/sim/markets");
    let ids: Vec<_> = markets
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["market_id"])
        .collect();
    assert_eq!(ids, ["paper|BTC", "paper|ETH"]);
    assert!(markets[1]["ask_price"].is_number(), "{markets}");
    let (status, refused) = live.call_as(live.key(), "POST", "/sim/reset", None);
    assert_eq!(status, "400");
    let why = refused["error"].to_string();
    assert!(why.contains("start the exchange again"), "{why}");
}

#[test]
fn a_replay_that_cannot_begin_says_why_and_what_to_do() {
    let home = tempfile::TempDir::new().unwrap();
    let refused = |args: &[&str]| {
        let mut command = perpdeck(home.path());
        let (code, _, err) = super::ran(command.args(args));
        (code, super::said(&err))
    };
    let (code, why) = refused(&["serve", "--replay", "gone.gz"]);
    assert_eq!(code, 1);
    assert!(why.contains("gone.gz cannot be read"), "{why}");
    let (code, why) = refused(&["serve", "--speed", "max"]);
    assert_eq!(code, 2);
    assert!(why.contains("--speed max is for recordings"), "{why}");
    let (code, why) = refused(&["record", "--feed", "nyse", "--markets", "BTC", "--out", "x"]);
    assert_eq!(code, 2);
    assert!(why.contains("hyperliquid, binance, bybit"), "{why}");
    let (code, _) = refused(&["serve", "--feed", "hyperliquid"]);
    assert_eq!(code, 2);
}
