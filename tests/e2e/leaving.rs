//! The terminal lent to a shell for a while, and a disk that takes no log.

use super::{
    SIZE, Session, assert_given_back, desk,
    session::{signal, wait_until_stopped},
    support::Served,
};
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
        self.wait_for_shell();
        wait_until_stopped(self.pid());
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
        session.wait_for("2 Working orders 14");
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
fn a_desk_that_is_continued_in_the_background_stops_again_and_draws_nothing_there() {
    let home = tempfile::tempdir().unwrap();
    let demo = ["demo", "--speed", "0.001"];
    let (mut session, desk) = Session::start_as_job(home.path(), SIZE, &demo);
    // Filled, so that it is not stopped in the middle of a frame.
    for pane in [
        "1 Positions 5",
        "2 Working orders 14",
        "4 Scaled",
        "0 Chart",
    ] {
        session.wait_for(pane);
    }
    for (stop, said) in [("TSTP", "one"), ("STOP", "two")] {
        signal(desk, stop);
        session.wait_for("at the shell");
        let before = session.frames();
        signal(desk, "CONT");
        wait_until_stopped(desk);
        session.press(&format!("echo {said} behind the desk\n"));
        session.wait_for_bytes(format!("\n{said} behind the desk").as_bytes());
        assert_eq!(session.frames(), before, "after {stop}");
        session.press("fg\n");
        session.wait_until("the desk alone", |screen| {
            screen.contains("1 Positions 5") && !screen.contains("at the shell")
        });
    }
    session.press("\u{3}");
    session.wait_until("the shell after the desk", |screen| {
        screen.trim_end().ends_with("at the shell")
    });
    session.press("exit\n");
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
    let demo = ["demo", "--state-dir", below.to_str().unwrap()];
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    session.press("7");
    session.wait_for("cannot be written");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

/// A pipe that nobody writes to or reads from: whoever opens it waits for ever, as on a disk that hangs.
#[test]
fn a_desk_whose_columns_and_log_are_no_files_opens_without_them_at_once() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join("state");
    fs::create_dir(&state).unwrap();
    for name in ["columns.json", "perpdeck.log"] {
        let made = std::process::Command::new("mkfifo")
            .arg(state.join(name))
            .status();
        assert!(made.unwrap().success());
    }
    let demo = ["demo", "--state-dir", state.to_str().unwrap()];
    let mut session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    session.press("7z");
    session.wait_for("columns.json is a FIFO, not a regular file");
    session.wait_for("cannot be written: No such device or address");
    session.press("\u{3}");
    assert_given_back(session, 0);
}

/// How many terminals are closed: 50 in the drill (`PERPDECK_DRILL=50`).
fn rounds() -> usize {
    let asked = std::env::var("PERPDECK_DRILL").ok();
    asked.map_or(4, |rounds| rounds.parse().unwrap())
}

#[test]
fn a_desk_whose_terminal_is_closed_ends_as_by_the_hang_up_signal() {
    for round in 0..rounds() {
        let (mut session, _home) = super::living_desk(&[]);
        if round % 2 == 1 {
            // In the middle of what a person does.
            session.send("j\u{1b}[<65;20;20M?\u{1b}".repeat(500).as_bytes());
        }
        assert_eq!(session.hang_up(), 129, "round {round}");
    }
}

// What ends a program by itself leaves the terminal as the desk had it.
#[test]
fn the_terminal_is_given_back_for_every_signal_that_can_be_caught() {
    for (signal, code) in [("USR2", 140), ("ALRM", 142), ("IO", 157), ("XCPU", 152)] {
        let (session, _home) = desk();
        session.signal(signal);
        assert_given_back(session, code);
    }
}

#[test]
fn a_terminal_that_cannot_place_the_cursor_is_refused_in_words() {
    for term in ["dumb", ""] {
        let home = tempfile::tempdir().unwrap();
        let session = Session::start_with(home.path(), SIZE, &["demo"], &[("TERM", term)]);
        session.wait_for("perpdeck snapshot");
        let end = session.end();
        assert_eq!(end.code, 2);
        assert!(!end.bytes.contains(&0x1b), "{:?}", end.bytes);
    }
}

// As a window manager does: the terminal gets its size when the program has it already, and has drawn nothing yet.
#[test]
fn a_size_that_comes_while_the_desk_starts_is_drawn_on() {
    for _ in 0..12 {
        let home = tempfile::tempdir().unwrap();
        let session = Session::start(home.path(), (80, 24), &["demo", "--speed", "0.001"]);
        session.wait_for_bytes(b"\x1b[?1049h");
        session.resize((120, 40));
        session.wait_until("the desk at its new size", |screen| {
            let last = screen.lines().last().unwrap_or_default();
            screen.lines().count() == 40 && last.contains("q quit")
        });
        session.signal("TERM");
        assert_given_back(session, 143);
    }
}

// More cells than any screen has, and less.
#[test]
fn a_terminal_of_any_size_is_drawn_on() {
    let home = tempfile::tempdir().unwrap();
    let demo = ["demo", "--speed", "0.001"];
    let session = Session::start(home.path(), SIZE, &demo);
    session.wait_for("1 Positions 5");
    for size in [(65_535, 65_535), (2_048, 60), (10_000, 10_000), (1, 1)] {
        session.resize(size);
    }
    session.resize((100, 30));
    session.wait_until("the desk at its new size", |screen| {
        let widths = screen.lines().map(|line| line.chars().count());
        screen.contains("1 Positions 5") && widths.max() == Some(100)
    });
    // Larger than it started with.
    session.resize((180, 55));
    session.wait_until("the desk to its new edges", |screen| {
        let widths = screen.lines().map(|line| line.chars().count());
        let last = screen.lines().last().unwrap_or_default();
        widths.max() == Some(180) && screen.lines().count() == 55 && last.contains("F FLATTEN")
    });
    session.signal("TERM");
    assert_given_back(session, 143);
}
