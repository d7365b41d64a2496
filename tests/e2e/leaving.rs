//! The terminal lent to a shell for a while, and a disk that takes no log.

use super::{SIZE, Session, assert_given_back};
use std::fs;

#[test]
fn a_desk_whose_log_cannot_be_written_opens_and_says_so() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("state");
    let demo = [
        "demo",
        "--seed",
        "7",
        "--state-dir",
        below.to_str().unwrap(),
    ];
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    session.press("7");
    session.wait_for("cannot be written");
    session.press("q");
    assert_given_back(session, 0);
}
