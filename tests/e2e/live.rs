//! A desk that trades on paper against the live books of a venue.

use crate::{
    SIZE, assert_given_back,
    session::Session,
    venue::{FakeVenue, Speech},
};
use std::fs;

#[test]
fn a_demo_on_a_venue_shows_its_book_says_when_frames_are_missing_and_comes_back() {
    let venue = FakeVenue::of(Speech::Hyperliquid);
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("venue.toml"), venue.settings()).unwrap();
    let config = home.path().join("venue.toml");
    let demo = [
        "demo",
        "--config",
        config.to_str().unwrap(),
        "--feed",
        "hyperliquid",
        "--markets",
        "BTC",
    ];
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("100,001");
    session.press("9");
    session.wait_until("the book", |screen| {
        venue.moves_to(100_100);
        screen.contains("100,101")
    });
    venue.says("no message at all");
    session.wait_for("1 unreadable");
    venue.closes();
    session.wait_for("FEED GAP");
    venue.opens();
    session.wait_until("the next book", |screen| {
        venue.moves_to(100_200);
        screen.contains("100,201") && !screen.contains("FEED GAP")
    });
    session.press("\u{3}");
    assert_given_back(session, 0);
}
