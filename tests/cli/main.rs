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
mod curl;
mod deeds;
mod disk;
mod doctor;
mod elsewhere;
mod ends;
mod lists;
mod other;
mod readme;
mod same_run;
mod served;
mod settings;
mod strategies;
#[path = "../support/served.rs"]
mod support;
mod terminal;
mod types;

#[test]
fn a_word_that_is_no_command_is_a_usage_error_that_names_the_likely_one() {
    let home = TempDir::new().unwrap();
    let (code, out, err) = ran(perpdeck(home.path()).arg("completion"));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("'completions'"), "{err}");
}

#[test]
fn without_a_terminal_the_desk_says_so_and_names_snapshot() {
    let home = TempDir::new().unwrap();
    for desk in [&[][..], &["desk"]] {
        let (code, out, err) = ran(perpdeck(home.path()).args(desk));
        assert_eq!((code, out.as_str()), (2, ""));
        let said = "perpdeck: the desk needs a terminal; \"perpdeck snapshot\" writes one frame of it anywhere\n";
        assert_eq!(err, said);
    }
}

#[test]
fn the_key_is_never_a_flag() {
    let home = TempDir::new().unwrap();
    let (code, _, err) = ran(perpdeck(home.path()).args(["--api-key", "pp_live_4711"]));
    assert_eq!(code, 2);
    assert!(err.contains("unexpected argument '--api-key'"), "{err}");
    assert!(!err.contains("4711"), "{err}");
}

const VERBS: [&str; 12] = [
    "orders",
    "positions",
    "twaps",
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
fn a_picture_of_escape_sequences_has_the_colours_that_are_asked_for() {
    for (color, speaks, never) in [
        ("truecolor", "38;2;", "38;5;"),
        ("256", "38;5;", "38;2;"),
        ("16", "[2m", "38;"),
        ("never", "1 Positions", "38;"),
    ] {
        let home = TempDir::new().unwrap();
        let picture = [
            "snapshot", "--format", "ansi", "--seed", "1", "--color", color,
        ];
        let (code, out, err) = ran(perpdeck(home.path()).args(picture));
        assert_eq!((code, err.as_str()), (0, ""), "{color}");
        assert!(out.contains(speaks) && !out.contains(never), "{color}");
    }
}
