//! The command line beside a desk that is open on the same account: three real processes.

use super::{session::Session, *};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

const BUY: &[&str] = &[
    "place",
    "--market",
    "paper|BTC",
    "--side",
    "buy",
    "--type",
    "limit",
    "--limit-price",
    "50000",
    "--leverage",
    "5",
    "--margin-mode",
    "cross",
    "--size",
];

/// A paper exchange on its own, and the home of those who trade there. Killed when dropped.
pub(crate) struct Service {
    child: Child,
    home: TempDir,
    base_url: String,
    /// Every account with its key.
    keys: Vec<(String, String)>,
}

impl Service {
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn keys(&self) -> &[(String, String)] {
        &self.keys
    }

    /// A file of its owner's alone; answers where.
    pub(crate) fn private(&self, name: &str, text: &str) -> String {
        let path = self.home.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let scenario = home.path().join("scenario.toml");
        fs::write(scenario, include_str!("../support/bare.toml")).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_perpdeck"))
            .args([
                "serve",
                "--output",
                "json",
                "--scenario",
                "scenario.toml",
                "--state-dir",
                "serving",
            ])
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let base_url = said["base_url"].as_str().unwrap().to_owned();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let accounts = said["accounts"].as_array().unwrap().iter();
        let keys: Vec<_> = accounts
            .map(|account| (word(&account["account_id"]), word(&account["api_key"])))
            .collect();
        let service = Self {
            child,
            home,
            base_url,
            keys,
        };
        service.private("key", &service.keys[0].1);
        service
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Of a desk that has the journal.
    pub(crate) fn door(&self) -> PathBuf {
        self.home.path().join("s/desk.sock")
    }

    pub(crate) fn settings(&self) -> [String; 8] {
        let key = self.home.path().join("key").to_str().unwrap().to_owned();
        let state = self.home.path().join("s").to_str().unwrap().to_owned();
        [
            "--base-url",
            &self.base_url,
            "--account-id",
            "chal-1",
            "--api-key-file",
            &key,
            "--state-dir",
            &state,
        ]
        .map(str::to_owned)
    }

    /// A desk that is open, with its journal in its hands.
    fn desk(&self, more: &[&str]) -> Session {
        self.desk_showing("2 Working orders 0", more)
    }

    fn desk_showing(&self, text: &str, more: &[&str]) -> Session {
        let settings = self.settings();
        let args: Vec<_> = settings
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        let desk = Session::start(self.home.path(), SIZE, &args);
        desk.wait_for(text);
        let door = self.door();
        desk.wait_until("its door", |_| door.exists());
        desk
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let settings = self.settings();
        let settings: Vec<_> = settings.iter().map(String::as_str).collect();
        self.verb(&with(args, &settings))
    }

    /// The same with nothing but the settings file of this home.
    pub(crate) fn verb(&self, args: &[&str]) -> (i32, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_perpdeck"))
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    /// What the verb that must succeed prints.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{args:?}: {err}");
        serde_json::from_str(&out).unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

pub(crate) fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

#[test]
fn what_is_typed_beside_an_open_desk_is_sent_by_the_desk_and_seen_on_it() {
    let service = Service::open();
    let mut desk = service.desk(&[]);
    let placed = service.json(&with(BUY, &["0.01", "--yes", "--idempotency-key", "mine"]));
    assert_eq!(placed["idempotency_key"], "mine");
    desk.wait_for("2 Working orders 1");
    desk.press("7");
    desk.wait_for("from the command line");
    // Done once, whoever asks again and however often; and noted in the one journal.
    let again = service.json(&with(BUY, &["0.01", "--yes", "--idempotency-key", "mine"]));
    assert_eq!(again["data"]["id"], placed["data"]["id"]);
    assert_eq!(service.json(&["orders"]).as_array().unwrap().len(), 1);
    let noted = service.json(&["journal"]);
    assert_eq!(
        (&noted[0]["idempotency_key"], &noted[0]["state"]),
        (&"mine".into(), &"done".into())
    );
    assert_eq!(noted.as_array().unwrap().len(), 1);

    service.json(&["cancel", placed["data"]["id"].as_str().unwrap(), "--yes"]);
    desk.wait_for("2 Working orders 0");
    let market = [
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--type",
        "market",
        "--size",
        "1",
        "--yes",
    ];
    service.json(&market);
    desk.wait_for("1 Positions 1");
    let flat = service.json(&["flatten", "--yes"]);
    assert_eq!(flat["data"]["flat"], true);
    desk.wait_for("1 Positions 0");
    desk.press("q");
    assert_given_back(desk, 0);
}

#[test]
fn the_desk_holds_the_command_line_to_its_own_limits() {
    let service = Service::open();
    let desk = service.desk(&["--read-only"]);
    let (code, _, err) = service.run(&with(BUY, &["0.01", "--yes"]));
    assert!(code == 13 && err.contains("read-only"), "{code} {err}");
    assert_eq!(service.json(&["orders"]), serde_json::json!([]));
    desk.signal("TERM");
    assert_given_back(desk, 143);
}

#[test]
fn beside_a_desk_that_is_stopped_exits_go_out_once_and_entries_do_not() {
    let service = Service::open();
    let mut desk = service.desk(&[]);
    service.json(&[
        "place",
        "--market",
        "paper|ETH",
        "--side",
        "buy",
        "--type",
        "market",
        "--size",
        "1",
        "--yes",
    ]);
    desk.wait_for("1 Positions 1");
    desk.signal("STOP");
    let (code, _, err) = service.run(&with(BUY, &["0.01", "--yes"]));
    assert!(code == 1 && err.contains("does not answer"), "{code} {err}");
    let open = service.json(&["positions"]);
    let id = open[0]["id"].as_str().unwrap();
    let (code, _, err) = service.run(&["close", id, "--size", "50%", "--yes"]);
    assert!(code == 0 && err.contains("aside/1"), "{code} {err}");
    desk.signal("CONT");
    // The desk wakes to what was done beside it, and does none of it again.
    desk.wait_for("1 Positions 1");
    let left = service.json(&["positions"]);
    assert_eq!(left[0]["size"].to_string(), "0.5");
    assert_eq!(
        service
            .json(&["orders", "--history"])
            .as_array()
            .unwrap()
            .len(),
        2
    );
    desk.press("q");
    assert_given_back(desk, 0);
}

#[test]
fn a_desk_that_was_killed_leaves_no_door_behind_that_anybody_waits_at() {
    let service = Service::open();
    let desk = service.desk(&[]);
    desk.signal("KILL");
    let _killed = desk.end();
    service.json(&with(BUY, &["0.01", "--yes"]));
    assert_eq!(service.json(&["orders"]).as_array().unwrap().len(), 1);
    let desk = service.desk_showing("2 Working orders 1", &[]);
    service.json(&["cancel", "--all", "--yes"]);
    desk.wait_for("2 Working orders 0");
    desk.signal("TERM");
    assert_given_back(desk, 143);
}
