//! A terminal that nobody reads: what gets out goes out all the same, and the desk ends when it is told to.
//!
//! Not one byte is read here from the first to the last, so whatever arrives at the exchange has not waited for it.

use super::{
    session::Unread,
    support::{Served, with},
    *,
};
use std::time::{Duration, Instant};

/// Far more than the promise of 250 ms, which the outbox is held to where nothing else runs: this is for whole
/// processes on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks again and again; the processes between are real.
#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn count(service: &Served, list: &str) -> usize {
    service.json(&[list]).as_array().unwrap().len()
}

/// A desk with a position and an order, whose terminal is full.
fn stuck(service: &Served) -> Unread {
    let buy = [
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--size",
        "1",
        "--yes",
    ];
    service.json(&with(&buy, &["--type", "market"]));
    service.json(&with(&buy, &["--type", "limit", "--limit-price", "2000"]));
    let at_once = ["--close-all-delay", "0s"];
    let mut desk = Unread::start(service.home(), SIZE, &at_once, &service.environment());
    until("the journal of the desk", || service.has_desk());
    // Each of these draws a panel and takes it away again: many times what a terminal holds unread.
    for _ in 0..150 {
        // A key within 50 ms after Esc is Alt and that key: no person is as fast.
        for (key, pause) in [("?", 17), ("\u{1b}", 60)] {
            desk.press(key);
            std::thread::sleep(Duration::from_millis(pause));
        }
    }
    desk
}

fn ends(mut desk: Unread) {
    desk.signal("TERM");
    let mut code = None;
    until("the end", || {
        code = desk.ended();
        code.is_some()
    });
    assert_eq!(code, Some(143));
}

#[test]
fn one_key_closes_everything_and_the_desk_ends_when_told() {
    let service = Served::bare();
    let mut desk = stuck(&service);
    desk.press("X");
    until("the close", || count(&service, "positions") == 0);
    assert_eq!(count(&service, "orders"), 1);
    ends(desk);
}

#[test]
fn a_flatten_by_key_and_one_by_signal_get_out_of_orders_too() {
    for by_key in [true, false] {
        let service = Served::bare();
        let mut desk = stuck(&service);
        if by_key {
            desk.press("F");
        } else {
            desk.signal("USR1");
        }
        until("the close", || count(&service, "positions") == 0);
        until("the cancel", || count(&service, "orders") == 0);
        ends(desk);
    }
}
