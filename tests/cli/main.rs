//! The real program, run as a person runs it, without a terminal.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed helper is a failed test"
)]

use std::{
    fs,
    io::PipeWriter,
    os::unix::fs::PermissionsExt,
    process::{Command, Output},
};
use support::{perpdeck, ran, with};
use tempfile::TempDir;

mod again;
mod batch;
mod blocks;
mod brackets;
mod completion;
mod control;
mod curl;
mod deeds;
mod disk;
mod doctor;
mod documents;
mod elsewhere;
mod ends;
mod fields;
mod follow;
mod frozen;
mod lists;
mod names;
mod reads;
mod recordings;
mod reference;
mod same_run;
mod schema;
mod secrets;
mod served;
mod service_alone;
mod settings;
mod stopped;
mod strategies;
mod streams;
#[path = "../support/served.rs"]
mod support;
mod terminal;
mod types;
#[path = "../support/venue.rs"]
mod venue;
mod venue_feeds;
mod version;
mod waits;
mod words;

/// What the lines of JSON on standard error say, each problem a line, as a person would be told.
///
/// Off a terminal every error of every verb is the same JSON object.
#[track_caller]
fn said(err: &str) -> String {
    let told = err.lines().map(|line| {
        let line: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {err}"));
        let note = line["note"].as_str();
        note.or(line["error"]["message"].as_str())
            .unwrap()
            .to_owned()
            + "\n"
    });
    told.collect()
}

#[test]
fn a_word_that_is_no_command_is_a_usage_error_that_names_the_likely_one() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path()).arg("completion"));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(said(&err).contains("'completions'"), "{err}");
    let (code, _, err) = ran(perpdeck(home.path()).args(["man", "nothing"]));
    assert!(
        code == 2 && said(&err).contains("there is no command"),
        "{err}"
    );
}

#[test]
fn a_port_that_is_taken_and_a_journal_without_a_place_are_told_in_json() {
    let home = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (code, out, err) = ran(perpdeck(home.path()).args(["serve", "--listen", &address]));
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(said(&err).contains(&address), "{err}");
    // A file where the directory of the journal would be.
    fs::write(home.path().join("held"), "").unwrap();
    let rearm = ["journal", "rearm", "--state-dir", "held"];
    let (code, out, err) = ran(perpdeck(home.path()).args(rearm));
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(said(&err).contains("held"), "{err}");
}

#[test]
fn without_a_terminal_the_desk_says_so_and_names_snapshot() {
    let home = TempDir::new().unwrap();
    for desk in [&[][..], &["desk"]] {
        let (code, out, err) = ran(perpdeck(home.path()).args(desk));
        assert_eq!((code, out.as_str()), (2, ""));
        let words =
            "the desk needs a terminal; \"perpdeck snapshot\" prints one frame without one\n";
        assert_eq!(said(&err), words);
    }
}

#[test]
fn the_key_is_never_a_flag() {
    let home = TempDir::new().unwrap();
    let (code, _, err) = ran(perpdeck(home.path()).args(["--api-key", "pp_live_4711"]));
    assert_eq!(code, 2);
    assert!(
        said(&err).contains("unexpected argument '--api-key'"),
        "{err}"
    );
    assert!(!err.contains("4711"), "{err}");
}

const VERBS: [&str; 12] = [
    "orders",
    "positions",
    "twap",
    "scaled",
    "place",
    "close",
    "cancel",
    "exits",
    "margin",
    "close-all",
    "doctor",
    "config",
];

#[test]
fn completions_and_the_manual_know_every_command() {
    let home = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let (code, out, _) = ran(perpdeck(home.path()).args(["completions", shell]));
        assert_eq!(code, 0);
        assert!(out.contains("close-all-delay"), "{shell}");
        for verb in VERBS {
            assert!(out.contains(verb), "{shell} {verb}");
        }
    }
    let (code, page, _) = ran(perpdeck(home.path()).arg("man"));
    assert_eq!(code, 0);
    assert!(
        page.contains(".SH NAME") && page.contains("perpdeck\\-config"),
        "{page}"
    );
    for verb in VERBS {
        assert!(
            page.contains(&format!("perpdeck\\-{}", verb.replace('-', "\\-"))),
            "{verb}"
        );
        assert_eq!(
            ran(perpdeck(home.path()).args(["man", verb])).0,
            0,
            "{verb}"
        );
    }
    assert_eq!(ran(perpdeck(home.path()).args(["man", "trade"])).0, 2);
    for page in [&["man", "place"][..], &["man", "twap", "start"]] {
        let (code, page, _) = ran(perpdeck(home.path()).args(page));
        assert_eq!(code, 0);
        for section in ["EXAMPLES", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES"] {
            assert!(
                page.contains(&format!(".SH {section}\n")),
                "{section}: {page}"
            );
        }
    }
}

/// A standard output whose reader has what it wanted, as behind `| head -1`.
fn read_no_more() -> PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = TempDir::new().unwrap();
    for verb in [
        &["completions", "zsh"][..],
        &["man"],
        &["config", "schema"],
        &["--help"],
    ] {
        let (code, _, err) = ran(perpdeck(home.path()).args(verb).stdout(read_no_more()));
        assert_eq!((code, err.as_str()), (0, ""), "{verb:?}");
    }
}

#[test]
fn a_command_line_that_cannot_be_read_is_told_to_a_program_in_json() {
    let home = TempDir::new().unwrap();
    for args in [&["orders", "--histroy"][..], &["place", "--output=json"]] {
        let (code, out, err) = ran(perpdeck(home.path()).args(args));
        assert_eq!((code, out.as_str()), (2, ""));
        let told: serde_json::Value = serde_json::from_str(&err).unwrap();
        let error = &told["error"];
        assert_eq!(
            (&error["kind"], &error["exit_code"]),
            (&"usage".into(), &2.into())
        );
        let words = error["message"].as_str().unwrap();
        assert!(
            words.contains("--histroy") || words.contains("--market"),
            "{words}"
        );
    }
    let (code, out, err) = ran(perpdeck(home.path()).args(["orders", "--help"]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("Usage: perpdeck orders"), "{out}");
}

#[test]
fn a_picture_of_escape_sequences_has_the_colors_that_are_asked_for() {
    for (color, speaks, never) in [
        ("truecolor", "38;2;", "38;5;"),
        ("256", "38;5;", "38;2;"),
        ("16", "[2m", "38;"),
        ("never", "1 Positions", "38;"),
    ] {
        let home = TempDir::new().unwrap();
        let picture = ["snapshot", "--format", "ansi", "--color", color];
        let (code, out, err) = ran(perpdeck(home.path()).args(picture));
        assert_eq!((code, err.as_str()), (0, ""), "{color}");
        assert!(out.contains(speaks) && !out.contains(never), "{color}");
    }
}
