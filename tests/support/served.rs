//! The real exchange as a process of its own, the real program beside it, and raw HTTP to prepare the one and see what it
//! holds: what the tests with processes share.

use perpdeck::journal::{Claim, ClaimCheck, IntentRow, Journal, StateUpdate};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// Three quiet markets and two users with nothing traded yet.
pub(crate) const BARE: &str = include_str!("bare.toml");

/// A limit order that rests far below the market, but for its size.
pub(crate) const BUY: &[&str] = &[
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
    "0.01",
];

/// A running `perpdeck serve` and a home for those who trade on it. Killed when dropped.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) home: TempDir,
    pub(crate) base_url: String,
    /// Every account with its key.
    pub(crate) keys: Vec<(String, String)>,
}

/// The program with a home of its own and nothing of this machine's environment.
pub(crate) fn perpdeck(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perpdeck"));
    // Paper desks are looked for there: whoever tests while trading must not be got out by it.
    let places = [("HOME", home), ("TMPDIR", home)];
    command.env_clear().envs(places).current_dir(home);
    command
}

/// Exit code, standard output, standard error.
pub(crate) fn ran(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

pub(crate) fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

/// Starts `perpdeck serve` and answers what it announces.
pub(crate) fn serve(home: &Path, more: &[&str]) -> (Child, Value) {
    let mut child = perpdeck(home)
        .args(["serve", "--output", "json", "--scenario", "scenario.toml"])
        .args(["--state-dir", "serving"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    (child, serde_json::from_str(&line).unwrap())
}

impl Served {
    pub(crate) fn bare() -> Self {
        Self::with(BARE, &[])
    }

    pub(crate) fn with(scenario: &str, more: &[&str]) -> Self {
        let home = TempDir::new().unwrap();
        fs::write(home.path().join("scenario.toml"), scenario).unwrap();
        let (child, said) = serve(home.path(), more);
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let accounts = said["accounts"].as_array().unwrap().iter();
        let keys =
            accounts.map(|account| (word(&account["account_id"]), word(&account["api_key"])));
        Self {
            base_url: word(&said["base_url"]),
            keys: keys.collect(),
            child,
            home,
        }
    }

    /// Of the user of `chal-1`, who trades where nobody else is named.
    pub(crate) fn key(&self) -> &str {
        &self.keys[0].1
    }

    /// What points the program at this exchange.
    pub(crate) fn environment(&self) -> [(&'static str, &str); 3] {
        [
            ("PERPDECK_BASE_URL", &self.base_url),
            ("PERPDECK_ACCOUNT_ID", "chal-1"),
            ("PERPDECK_API_KEY", self.key()),
        ]
    }

    /// The program, pointed at this exchange.
    pub(crate) fn verb(&self, args: &[&str]) -> Command {
        let mut command = perpdeck(self.home.path());
        command.envs(self.environment()).args(args);
        command
    }

    /// Exit code, standard output, standard error.
    pub(crate) fn run(&self, args: &[&str]) -> (i32, String, String) {
        ran(&mut self.verb(args))
    }

    /// What a verb that must succeed prints, as JSON.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{args:?}: {err}");
        serde_json::from_str(&out).unwrap()
    }

    /// Has the journal tell each of its commands otherwise. It is written anew, by the journal itself: what anybody else
    /// changes in its files is damage.
    pub(crate) fn retell(&self, change: impl Fn(&mut IntentRow)) {
        let dir = self.home.path().join(".local/state/perpdeck");
        let was = Journal::open(&dir).unwrap();
        let told = was.recent(u32::MAX).unwrap();
        drop(was);
        for file in ["journal.jsonl", "journal.newest"] {
            fs::remove_file(dir.join(file)).unwrap();
        }
        let mut anew = Journal::open(&dir).unwrap();
        let credential = anew.fingerprint(self.key()).unwrap();
        assert!(!told.is_empty());
        for mut entry in told.into_iter().rev() {
            change(&mut entry);
            entry.intent.credential.clone_from(&credential);
            let check = ClaimCheck {
                given_at: entry.created_at,
                unread: anew.unread(),
                close_all: String::new(),
                waits: false,
                orders_per_second: 0,
            };
            let claim = anew.claim(entry.created_at, &entry.intent, &check);
            let id = entry.id;
            assert!(matches!(claim, Ok(Claim::New(new)) if new == id));
            for _ in &entry.attempts {
                anew.attempt(entry.created_at, id, None).unwrap();
            }
            if let Some(told) = entry.outcome {
                let update = StateUpdate {
                    order_id: told.order_id,
                    request_id: told.request_id,
                    ..StateUpdate::new(entry.state, told.detail)
                };
                anew.record_state(told.at, id, &update).unwrap();
            }
        }
        assert_eq!(anew.damage(), None);
    }

    /// Plants a fault; see `src/exchange/faults.rs`.
    pub(crate) fn plant(&self, fault: &Value) {
        self.call("POST", "/sim/faults", Some(fault));
    }

    pub(crate) fn clear_faults(&self) {
        self.call("DELETE", "/sim/faults", None);
    }

    /// As the user of `chal-1`; what must succeed.
    #[track_caller]
    pub(crate) fn call(&self, method: &str, target: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self.call_as(self.key(), method, target, body);
        assert!(
            status.starts_with("20"),
            "{method} {target}: {status} {answer}"
        );
        answer
    }

    /// The status, and the body.
    pub(crate) fn call_as(
        &self,
        key: &str,
        method: &str,
        target: &str,
        body: Option<&Value>,
    ) -> (String, Value) {
        let address = self.base_url.strip_prefix("http://").unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(address).unwrap();
        let name = uuid::Uuid::new_v4();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
             Idempotency-Key: {name}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap_or_default().to_owned();
        (status, serde_json::from_str(body).unwrap_or_default())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
