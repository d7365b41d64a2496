//! The curl commands of `docs/paper-exchange.md` and the bots of the README and `docs/first-bot.md`, run as they stand against the real `perpdeck serve`.

use super::perpdeck;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../docs/paper-exchange.md");
const README: &str = include_str!("../../README.md");
const FIRST_BOT: &str = include_str!("../../docs/first-bot.md");
const RUN: &str = "<!-- run -->\n```bash\n";

/// The marked blocks, in order, as one script that stops at the first refusal.
fn script() -> String {
    let blocks: Vec<&str> = PAGE
        .split(RUN)
        .skip(1)
        .filter_map(|after| after.split("```").next())
        .collect();
    assert!(blocks.len() >= 10, "only {} blocks to run", blocks.len());
    format!("set -euo pipefail\n{}", blocks.join("\n"))
}

/// `perpdeck serve`, ended when dropped.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Served {
    /// What it prints: its address, and whom it knows with which keys.
    fn start(home: &TempDir) -> (Self, Value) {
        let mut command = perpdeck(home.path());
        command.args(["serve", "--output", "json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        let served = Self(child);
        BufReader::new(stdout).read_line(&mut line).unwrap();
        (served, serde_json::from_str(&line).unwrap())
    }
}

/// `--fail-with-body` came in 7.76, `%header{…}` in 7.84.
fn curl_is_there() -> bool {
    let Ok(output) = Command::new("curl").arg("--version").output() else {
        return false;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split([' ', '.']).filter_map(|part| part.parse().ok());
    let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    version >= (7, 84)
}

/// Where bash finds `perpdeck`, and all it found before.
pub(super) fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_perpdeck"));
    let before = env::var_os("PATH").unwrap_or_default();
    let places = program.parent().map(Path::to_owned).into_iter();
    env::join_paths(places.chain(env::split_paths(&before))).unwrap()
}

#[test]
fn every_curl_command_of_the_documents_does_what_it_says() {
    if !curl_is_there() || Command::new("bash").arg("--version").output().is_err() {
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: bash or curl 7.84 is not on the PATH");
        }
        return;
    }
    let home = TempDir::new().unwrap();
    let (served, told) = Served::start(&home);
    let mut bash = Command::new("bash");
    bash.args(["-c", &script()])
        .current_dir(home.path())
        .env("PATH", path())
        // What it starts keeps nothing of this machine's.
        .env("HOME", home.path())
        .env("PERPDECK_BASE_URL", told["base_url"].as_str().unwrap())
        .env(
            "PERPDECK_API_KEY",
            told["accounts"][0]["api_key"].as_str().unwrap(),
        )
        .env("PERPDECK_ACCOUNT_ID", "chal-1");
    let output = bash.output().unwrap();
    drop(served);
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    for (words, times) in [
        // Bought once though asked twice, and half a position closed.
        (r#""mode":"market","side":"buy","size":0.01,"#, 2),
        (r#","canceled":true}"#, 2),
        (r#""canceled":true,"queued":true"#, 1),
        (r#""client_order_id":"mine-1""#, 3),
        (r#""fillable":true"#, 1),
        (r#""completion_reason":"canceled_by_user""#, 1),
        (r#""isolated_margin_extra":300,"#, 1),
        (
            r#""status":"completed","total_count":5,"succeeded_count":5"#,
            1,
        ),
        (r#""code":"planted_fault""#, 1),
        ("the same run", 1),
    ] {
        assert_eq!(said.matches(words).count(), times, "{words} in:\n{said}");
    }
}

/// The marked blocks of a page.
fn python_blocks(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("<!-- run python -->\n```python\n").skip(1);
    blocks.filter_map(|after| after.split("```").next())
}

/// What programs print, one after the other on the same exchange; `None` without Python.
fn run_python(programs: &[String]) -> Option<String> {
    if Command::new("python3").arg("--version").output().is_err() {
        #[expect(clippy::print_stderr, reason = "a skipped test says so")]
        {
            eprintln!("skipped: python3 is not on the PATH");
        }
        return None;
    }
    let home = TempDir::new().unwrap();
    let (_served, told) = Served::start(&home);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let mut all = String::new();
    for program in programs {
        let mut python = Command::new("python3");
        python
            .args(["-c", program])
            .env("HOME", home.path())
            .env("PERPDECK_BASE_URL", word(&told["base_url"]))
            .env("PERPDECK_ACCOUNT_ID", "chal-1")
            .env("PERPDECK_API_KEY", word(&told["accounts"][0]["api_key"]));
        let output = python.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{complained}");
        all.push_str(&said);
    }
    Some(all)
}

#[test]
fn the_python_bot_of_the_readme_trades() {
    // The first price is its own average, so that it buys at least once.
    if let Some(said) = run_python(&[python_blocks(README).collect()]) {
        assert!(said.starts_with("ord_"), "{said}");
    }
}

/// Holds the clock, and lets the order of the bot fill in the moment between its last look and its cancel.
const FILLS_BEFORE_THE_CANCEL: &str = r#"
time.sleep = lambda seconds: None
send = request
send("POST", "/sim/clock", {"paused": True})
def request(method, path, body=None, key=None):
    if method == "DELETE" and "/v1/orders/" in path:
        send("POST", "/sim/nudge", {"market_id": MARKET, "bps": -300})
        send("POST", "/sim/clock", {"advance_ms": 1000})
    return send(method, path, body, key)
"#;

#[test]
fn the_first_bot_goes_on_when_its_order_fills_before_the_cancel_arrives() {
    let blocks: Vec<_> = python_blocks(FIRST_BOT).collect();
    let (sending, rest) = blocks.split_at(1);
    let program = [sending, &[FILLS_BEFORE_THE_CANCEL], &rest[..3]]
        .concat()
        .concat();
    let Some(said) = run_python(&[program]) else {
        return;
    };
    for words in [
        "not canceled: order_not_working",
        "closed 5 HYPE",
        "left: None",
    ] {
        assert_eq!(said.matches(words).count(), 1, "{words} in:\n{said}");
    }
    assert!(!said.contains("bought at"), "{said}");
}

/// Holds the clock while the limit order rests, so that no part of it fills.
const RESTS_UNTIL_THE_CANCEL: &str = r#"
send = request
def request(method, path, body=None, key=None):
    if body and body.get("type") == "limit":
        send("POST", "/sim/clock", {"paused": True})
    answer = send(method, path, body, key)
    if method == "DELETE" and "/v1/orders/" in path:
        send("POST", "/sim/clock", {"paused": False, "speed": 1})
    return answer
"#;

#[test]
fn the_first_bot_run_after_each_step_does_each_step_once() {
    let blocks: Vec<_> = python_blocks(FIRST_BOT).collect();
    let (sending, rest) = blocks.split_at(1);
    let mut programs: Vec<String> = (0..=rest.len())
        .map(|count| {
            [sending, &[RESTS_UNTIL_THE_CANCEL], &rest[..count]]
                .concat()
                .concat()
        })
        .collect();
    programs.extend(programs.last().cloned());
    let Some(said) = run_python(&programs) else {
        return;
    };
    for words in ["no answer", "left: None"] {
        assert!(said.contains(words), "{words} in:\n{said}");
    }
    for words in ["closed 5 HYPE", ": bought 2 HYPE, once"] {
        assert_eq!(said.matches(words).count(), 1, "{words} in:\n{said}");
    }
    let entries = said
        .lines()
        .filter_map(|line| line.split_once(": buy 5 HYPE at "));
    let ids: BTreeSet<_> = entries.map(|(order, _)| order).collect();
    assert_eq!(ids.len(), 1, "{said}");
}
