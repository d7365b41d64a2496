//! The terminal lent to a shell for a while, and a disk that takes no log.

use super::{SIZE, Session, assert_given_back, desk, support::Served};
use std::{
    fs,
    time::{Duration, Instant},
};

/// How long the desk is stopped: more than it would ever wait between two polls.
const PAUSE: Duration = Duration::from_secs(4);

impl Session {
    /// Stops the desk as another terminal would, and waits until it is.
    fn stop(&self) {
        self.signal("TSTP");
        self.wait_until("the shell's own screen", |screen| screen.trim().is_empty());
        self.wait_until_stopped();
    }
}

#[test]
fn a_stopped_desk_gives_the_terminal_back_and_takes_it_again() {
    let (mut session, _home) = desk();
    for _ in 0..2 {
        session.stop();
        assert_eq!(session.kept(), Vec::<&str>::new());
        session.signal("CONT");
        session.wait_for("1 Positions 5");
        session.wait_for("2 Working orders 15");
        assert_eq!(
            session.kept(),
            [
                "alternate screen",
                "hidden cursor",
                "bracketed paste",
                "mouse",
                "raw mode"
            ]
        );
    }
    session.press("?");
    session.wait_for("keys that work here");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

#[test]
fn what_was_read_before_a_pause_is_as_old_as_it_is_in_the_first_frame_after_it() {
    let service = Served::bare();
    let desk = service.desk(&[]);
    desk.stop();
    service.signal("STOP");
    let stopped = Instant::now();
    while stopped.elapsed() < PAUSE {
        std::thread::sleep(Duration::from_millis(50));
    }
    desk.signal("CONT");
    // The header is drawn before the panes.
    desk.wait_for("1 Positions 0");
    let screen = desk.screen();
    let age = age_of_orders(&screen);
    assert!(age >= Some(PAUSE.as_secs()), "{age:?} in\n{screen}");
    desk.signal("TERM");
    assert_given_back(desk, 143);
}

/// As the header has it, in seconds.
fn age_of_orders(screen: &str) -> Option<u64> {
    let (_, after) = screen.lines().next()?.split_once("orders ")?;
    after
        .trim_start_matches("late ")
        .split_once('s')?
        .0
        .parse()
        .ok()
}

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

/// A pipe that nobody writes to or reads from: whoever opens it waits for ever, as on a disk that hangs.
#[test]
fn a_desk_whose_state_disk_hangs_opens_without_its_columns_and_its_log() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    fs::create_dir(&state).unwrap();
    for name in ["columns.json", "perpdeck.log"] {
        let made = std::process::Command::new("mkfifo")
            .arg(state.join(name))
            .status();
        assert!(made.unwrap().success());
    }
    let demo = [
        "demo",
        "--seed",
        "7",
        "--state-dir",
        state.to_str().unwrap(),
    ];
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    session.press("7");
    session.wait_for("does not answer: the columns are as built in");
    session.wait_for("cannot be written: its disk does not answer");
    session.press("q");
    assert_given_back(session, 0);
}
