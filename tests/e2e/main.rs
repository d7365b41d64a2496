//! Whole stories in the real binary on a real terminal: few, and told as a trader would tell them.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a failed helper is a failed test, and a terminal lives in real time"
)]

mod accounts;
mod clock;
mod exits;
mod flood;
mod keyboard;
mod leaving;
mod live;
mod looks;
mod mouse;
mod session;
mod settings;
mod stories;
#[path = "../support/served.rs"]
mod support;
mod tutorial;
mod unread;
#[path = "../support/venue.rs"]
#[expect(dead_code, reason = "a desk needs less of it than a recorder")]
mod venue;
mod verbs;

use perpdeck::model::{Timestamp, Zone};
use session::Session;
use tempfile::TempDir;

const SIZE: (u16, u16) = (160, 48);

/// A desk on a market that all but stands still, so that a busy machine sees the same story.
fn desk() -> (Session, TempDir) {
    let (session, home) = living_desk(&["--speed", "0.001"]);
    session.wait_for("1 Positions 5");
    session.wait_for("2 Working orders 14");
    // The list of markets is an answer of its own: with it everything moves to its place beside the chart.
    session.wait_for("0 Chart");
    (session, home)
}

/// A desk on the recorded demo: five positions at the start, and they may become more.
fn living_desk(speed: &[&str]) -> (Session, TempDir) {
    let home = tempfile::tempdir().unwrap();
    let demo = [&["demo"], speed].concat();
    let session = Session::start(home.path(), SIZE, &demo);
    session.wait_until("positions", |screen| {
        screen.contains("LONG") && screen.contains("SHORT")
    });
    (session, home)
}

#[track_caller]
fn assert_given_back(session: Session, code: u32) {
    let end = session.end();
    assert_eq!((end.code, end.kept), (code, vec![]));
}

#[test]
fn trade_and_leave() {
    let (mut session, home) = desk();
    session.press("b");
    session.wait_for("new order BUY BTC");
    session.press("0.05");
    session.wait_for("0.05000 BTC");
    session.sends();
    session.wait_for("BUY 0.05000 BTC market: filled at");
    assert!(session.frames() > 3);
    session.press("\u{3}");
    assert_given_back(session, 0);
    let events = std::fs::read_to_string(home.path().join(".local/state/perpdeck/events.jsonl"));
    let filled = r#""event":"filled","tone":"good","what":"BUY 0.05000 BTC market: filled at"#;
    assert!(events.as_ref().unwrap().contains(filled), "{events:?}");
}

#[test]
fn one_key_closes_everything() {
    let (mut session, _home) = living_desk(&[]);
    session.press("X");
    session.wait_for("positions on chal-1 in ");
    session.wait_for(" submitted");
    // The running TWAP may open a new one; what was there is gone.
    session.wait_until("the positions gone", |screen| {
        screen.contains("1 Positions 0") || screen.contains("1 Positions 1")
    });
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn a_word_from_outside_gets_the_running_desk_out_of_everything() {
    let (mut session, home) = living_desk(&[]);
    let flattens = || {
        std::process::Command::new(env!("CARGO_BIN_EXE_perpdeck"))
            .args(["flatten", "--running"])
            .env_clear()
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap()
    };
    // A desk is found by its journal, which a busy machine may open after the first positions are read.
    let is_found = |told: &std::process::Output| told.status.code() != Some(12);
    let told = std::iter::repeat_with(flattens).take(20).find(is_found);
    let told = told.expect("the desk is found");
    let said = String::from_utf8_lossy(&told.stdout);
    assert!(
        told.status.success() && said.contains("is flattening"),
        "{told:?}"
    );
    session.wait_for("no position, order or TWAP on two reads");
    session.wait_for("1 Positions 0");
    session.wait_for("2 Working orders 0");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn a_kept_desk_killed_outright_goes_on_with_its_twap_and_its_close_all() {
    let home = tempfile::tempdir().unwrap();
    let keep = home.path().join("keep");
    let kept = ["demo", "--data-dir", keep.to_str().unwrap()];
    let running = |screen: &str| screen.contains("/121") && screen.contains("active");
    let mut session = Session::start(home.path(), SIZE, &kept);
    session.wait_for("1 Positions 5");
    session.wait_until("a running TWAP", running);
    session.press("X");
    session.wait_until("the first position closed", |screen| {
        screen.contains("closing all on chal-1 ") && !screen.contains("closing all on chal-1 0/5")
    });
    session.signal("KILL");
    session.end();

    let mut session = Session::start(home.path(), SIZE, &kept);
    session.wait_for("close all positions on chal-1: 5 of 5 submitted");
    session.wait_until("the same TWAP running", running);
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn what_was_done_before_is_in_the_activity_with_its_time() {
    let home = tempfile::tempdir().unwrap();
    let keep = home.path().join("keep");
    let kept = ["demo", "--data-dir", keep.to_str().unwrap()];
    let opens = || Session::start_with(home.path(), SIZE, &kept, &[("TZ", "UTC")]);
    let mut session = opens();
    session.wait_for("1 Positions 5");
    session.press("b");
    session.wait_for("▸ size");
    session.press("0.013");
    session.sends();
    session.wait_for("BUY 0.01300 BTC market: filled at");
    session.press("\u{3}");
    assert_given_back(session, 0);

    let journal = keep.join("journal");
    let list = ["journal", "list", "--state-dir", journal.to_str().unwrap()];
    let (code, listed, why) = support::ran(support::perpdeck(home.path()).args(list));
    assert_eq!(code, 0, "{why}");
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let word = |name: &str| listed[0][name].as_str().unwrap();
    let settled = Timestamp(listed[0]["told_at"].as_i64().unwrap());
    let time = Zone::utc().time_of_day(settled);
    let words = format!("{}: order {} filled", word("command"), word("order_id"));
    let mut session = opens();
    session.press("7");
    session.wait_until("the line of before", |screen| {
        let mut lines = screen.lines();
        lines.any(|line| line.contains(&time) && line.contains(&words))
    });
    session.press("/0.013\r\r");
    session.wait_for(word("idempotency_key"));
    session.wait_for("POST /v1/orders");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn a_close_all_pressed_by_accident_is_stopped() {
    let (mut session, _home) = desk();
    session.press("X");
    session.wait_for("Esc stops it");
    session.press("\u{1b}");
    session.wait_until("the strip gone", |screen| !screen.contains("Esc stops it"));
    session.wait_for("1 Positions 5");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn the_terminal_is_given_back_when_the_system_asks_to_leave() {
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131)] {
        let (session, _home) = desk();
        session.signal(signal);
        assert_given_back(session, code);
    }
}

#[test]
fn a_desk_whose_window_is_closed_ends() {
    let (session, _home) = living_desk(&[]);
    // Whichever reaches it first: the signal, or the end of the terminal.
    assert_eq!(session.hang_up(), 129);
}

#[test]
fn a_paste_never_acts() {
    let (mut session, _home) = desk();
    session.press("\u{1b}[200~Xyq\rbbb\u{1b}[201~?");
    session.wait_for("CLOSE ALL");
    session.wait_for("keys that work here");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn the_first_start_shows_around_and_the_second_does_not() {
    let home = tempfile::tempdir().unwrap();
    let demo = ["demo", "--speed", "0.001"];
    let mut session = Session::start_with(home.path(), SIZE, &demo, &[("PERPDECK_TOUR", "true")]);
    session.wait_for("1 Positions 5");
    session.wait_for("Tour 1/8  j and k move");
    session.press("j");
    session.wait_for("Tour 2/8");
    session.click("n next");
    session.wait_for("Tour 3/8  2 goes to the working orders");
    session.press("2");
    session.wait_for("Tour 4/8");
    session.click("Esc ends the tour");
    session.wait_until("no tour", |screen| !screen.contains("Tour "));
    session.press("\u{3}");
    assert_given_back(session, 0);

    let mut session = Session::start_with(home.path(), SIZE, &demo, &[("PERPDECK_TOUR", "true")]);
    session.wait_until("the desk without a tour", |screen| {
        screen.contains("1 Positions 5") && !screen.contains("Tour ")
    });
    session.press(":tour\r");
    session.wait_for("Tour 1/8");
    session.press("\u{3}");
    assert_given_back(session, 0);
}
