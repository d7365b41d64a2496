//! Every way out of the desk ends with its exit code, with the terminal given back, without a core and
//! without spinning. Each way is gone twice here; for fifty times:
//!
//! `PERPDECK_DRILL=50 cargo test --test e2e exits -- --nocapture`

use super::{
    session::{Session, Took, Watch},
    support::Served,
    *,
};
use std::{path::Path, time::Duration};

/// However long a person would wait for the end of a desk; what an unloaded machine takes is in `docs/verification.md`.
const WALL: Duration = Duration::from_secs(5);
/// A desk that spins while it ends uses all of the time there is.
const CPU: Duration = Duration::from_secs(1);

/// Debug builds can be asked to panic; see `src/runtime/forced.rs`.
const PANIC: &str = "DRILL_PANIC";

fn rounds() -> usize {
    let asked = std::env::var("PERPDECK_DRILL").ok();
    asked.map_or(2, |rounds| rounds.parse().unwrap())
}

/// A service and a home for the desks that are opened on it one after another.
struct Stage {
    service: Served,
}

impl Stage {
    fn new() -> Self {
        let service = Served::bare();
        Self { service }
    }

    fn home(&self) -> &Path {
        self.service.home.path()
    }

    fn desk(&self, more: &[(&str, &str)]) -> Session {
        let variables = [&self.service.environment()[..], more].concat();
        let desk = Session::start_with(self.home(), SIZE, &[], &variables);
        desk.wait_for("1 Positions 0");
        desk
    }

    /// Goes a way out again and again, and prints what it took.
    #[track_caller]
    #[expect(clippy::print_stderr, reason = "what was measured is told")]
    fn goes(&self, name: &str, mut way: impl FnMut(usize) -> Took) {
        let took: Vec<Took> = (0..rounds()).map(&mut way).collect();
        let wall = took.iter().map(|took| took.wall).max().unwrap_or_default();
        let cpu = took.iter().map(|took| took.cpu).max().unwrap_or_default();
        let times = took.len();
        eprintln!("{name}: {times} of {times}, worst {wall:?}, of the processor {cpu:?}");
        assert!(wall <= WALL, "{name}: {wall:?}");
        assert!(cpu <= CPU, "{name}: {cpu:?} of the processor");
        let cores = std::fs::read_dir(self.home()).unwrap();
        let cores = cores.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("core")
        });
        assert_eq!(cores.count(), 0, "{name}");
    }
}

/// The end of a desk that has been told to leave, on a terminal that is there.
#[track_caller]
fn given_back(name: &str, desk: Session, watch: Watch, code: u32) -> (Took, Vec<u8>) {
    let took = watch.until_dead();
    let end = desk.end();
    assert_eq!((end.code, end.kept), (code, vec![]), "{name}");
    (took, end.bytes)
}

#[test]
fn by_keys() {
    let stage = Stage::new();
    for (name, keys) in [("q", "q"), ("^C", "\u{3}"), (":quit", ":quit\r")] {
        stage.goes(name, |_| {
            let mut desk = stage.desk(&[]);
            let watch = desk.watch();
            desk.press(keys);
            given_back(name, desk, watch, 0).0
        });
    }
}

#[test]
fn a_desk_whose_input_is_at_its_end_is_refused_and_takes_nothing() {
    let stage = Stage::new();
    let name = "standard input at its end";
    stage.goes(name, |_| {
        let variables = stage.service.environment();
        let desk = Session::start_without_input(stage.home(), SIZE, &variables);
        let watch = desk.watch();
        let (took, bytes) = given_back(name, desk, watch, 2);
        let said = String::from_utf8_lossy(&bytes).into_owned();
        assert!(said.contains("the desk needs a terminal"), "{said}");
        assert!(!bytes.contains(&0x1b), "{said}");
        took
    });
}

#[test]
fn by_signal() {
    let stage = Stage::new();
    for (signal, number) in [
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("TRAP", 5),
        ("USR2", 12),
        ("ALRM", 14),
        ("TERM", 15),
        ("STKFLT", 16),
        ("XCPU", 24),
        ("VTALRM", 26),
        ("PROF", 27),
        ("IO", 29),
        ("PWR", 30),
        ("SYS", 31),
        ("34", 34),
        ("64", 64),
    ] {
        stage.goes(signal, |_| {
            let desk = stage.desk(&[]);
            let watch = desk.watch();
            desk.signal(signal);
            given_back(signal, desk, watch, 128 + number).0
        });
    }
}

#[test]
fn signals_that_ask_nothing_of_a_desk_end_none() {
    let stage = Stage::new();
    let mut desk = stage.desk(&[]);
    for signal in ["PIPE", "XFSZ", "CHLD", "URG", "CONT", "WINCH"] {
        desk.signal(signal);
    }
    desk.press("?");
    desk.wait_for("keys that work here");
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}

#[test]
fn by_a_terminal_that_is_closed() {
    let stage = Stage::new();
    stage.goes("terminal closed", |_| closed(stage.desk(&[]), 129));
    stage.goes("terminal closed in a burst", |_| {
        let mut desk = stage.desk(&[]);
        desk.send("j\u{1b}[<65;20;20M?\u{1b}".repeat(500).as_bytes());
        closed(desk, 129)
    });
}

#[track_caller]
fn closed(desk: Session, expected: u32) -> Took {
    let (code, took) = desk.hang_up_and_wait();
    assert_eq!(code, expected);
    took
}

#[cfg(debug_assertions)]
#[test]
fn by_a_panic() {
    let stage = Stage::new();
    let name = "panic";
    stage.goes(name, |_| {
        let mut desk = stage.desk(&[(PANIC, "leave")]);
        let watch = desk.watch();
        desk.press("\u{3}");
        let (took, bytes) = given_back(name, desk, watch, 101);
        let said = String::from_utf8_lossy(&bytes).into_owned();
        assert!(said.contains("a drill forced this panic: leave"), "{said}");
        took
    });
    stage.goes("panic, terminal closed", |_| {
        closed(stage.desk(&[(PANIC, "leave")]), 101)
    });
}

// A panic while drawing does not end the desk; the end of the terminal does.
#[cfg(debug_assertions)]
#[test]
fn a_screen_that_cannot_be_drawn_leaves_every_way_out() {
    let stage = Stage::new();
    let draw = [&stage.service.environment()[..], &[(PANIC, "draw")]].concat();
    let broken = || {
        let desk = Session::start_with(stage.home(), SIZE, &["--close-all-delay", "0s"], &draw);
        desk.wait_for("This screen cannot be drawn. The desk still runs: X, F and ^C work.");
        desk
    };
    let name = "panic in every frame, terminal closed";
    stage.goes(name, |_| closed(broken(), 129));
    let name = "panic in every frame, ^C";
    stage.goes(name, |_| {
        let mut desk = broken();
        let watch = desk.watch();
        desk.press("\u{3}");
        given_back(name, desk, watch, 0).0
    });
    let place = "place --market paper|ETH --side buy --size 1 --type market --yes";
    stage.service.json(&place.split(' ').collect::<Vec<_>>());
    let mut desk = broken();
    // The first frame may come before the account is open: the key waits for it.
    desk.press("F");
    while stage.service.json(&["positions"]) != serde_json::json!([]) {
        desk.wait_for("This screen cannot be drawn");
    }
    desk.press("\u{3}");
    assert_given_back(desk, 0);
}
