//! `perpdeck serve --data-dir` as a child process, and a client that notices when it dies.

use serde_json::Value;
use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Longer than anything here takes on a loaded two-core machine.
const PATIENCE: Duration = Duration::from_secs(30);

const SCENARIO: &str = include_str!("../support/bare.toml");
/// The bots of these tests are faster than any desk.
const BUDGETS: &str = "
[budgets]
per_key = { burst = 100000, per_second = 100000 }
per_address = { burst = 100000, per_second = 100000 }
whole = { burst = 100000, per_second = 100000 }
";

pub(crate) struct Server {
    child: Child,
    address: String,
    keys: Vec<(String, String)>,
    placed: Arc<AtomicU32>,
}

impl Server {
    /// Everything it keeps is in `home`.
    pub(crate) fn start(home: &Path, args: &[&str]) -> Self {
        Self::spawned(serve(home, args))
    }

    /// No file of it grows past `bytes`.
    pub(crate) fn with_room(home: &Path, bytes: u32) -> Self {
        let serve = serve(home, &[]);
        let mut limited = Command::new("sh");
        // A write past the limit fails instead of ending the program.
        let script = format!(
            "trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"",
            bytes / 512
        );
        limited
            .arg("-c")
            .arg(script)
            .arg(serve.get_program())
            .args(serve.get_args());
        limited.env_clear().env("HOME", home).current_dir(home);
        Self::spawned(limited)
    }

    fn spawned(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line.is_empty() {
            let mut said = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut said)
                .unwrap();
            panic!("it did not start: {said}");
        }
        let told: Value = serde_json::from_str(&line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let accounts = told["accounts"].as_array().unwrap();
        Self {
            child,
            address: text(&told["base_url"]).replace("http://", ""),
            keys: accounts
                .iter()
                .map(|a| (text(&a["account_id"]), text(&a["api_key"])))
                .collect(),
            placed: Arc::default(),
        }
    }

    /// Exit code and standard error of a start that is refused.
    pub(crate) fn refused(home: &Path, args: &[&str]) -> (i32, String) {
        let output = serve(home, args).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    pub(crate) fn client(&self) -> Client {
        self.client_of("chal-1")
    }

    pub(crate) fn client_of(&self, account: &str) -> Client {
        let (_, key) = self.keys.iter().find(|(id, _)| id == account).unwrap();
        Client {
            address: self.address.clone(),
            key: key.clone(),
            placed: Arc::clone(&self.placed),
        }
    }

    /// Resident memory.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory_kib(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let mut words = status.split_whitespace();
        words.find(|word| *word == "VmRSS:").unwrap();
        words.next().unwrap().parse().unwrap()
    }

    /// Until its clients have had so many answers of 201.
    pub(crate) fn wait_for(&self, placed: u32) {
        let began = Instant::now();
        while self.placed.load(Ordering::Relaxed) < placed {
            assert!(began.elapsed() < PATIENCE, "too slow");
            thread::yield_now();
        }
    }

    /// SIGKILL, when these words have come from standard error.
    pub(crate) fn kill_once_it_says(mut self, words: &str) {
        let stderr = self.child.stderr.take().unwrap();
        let mut lines = BufReader::new(stderr).lines();
        let said = lines.any(|line| line.unwrap().contains(words));
        assert!(said, "it ended without {words:?}");
        self.kill();
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn serve(home: &Path, args: &[&str]) -> Command {
    let scenario = home.join("scenario.toml");
    std::fs::write(&scenario, format!("{SCENARIO}{BUDGETS}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_perpdeck"));
    command.env_clear().env("HOME", home).current_dir(home);
    command
        .args(["serve", "--output", "json", "--data-dir"])
        .arg(home.join("data"));
    command.arg("--scenario").arg(scenario).args(args);
    command
}

pub(crate) struct Client {
    address: String,
    key: String,
    placed: Arc<AtomicU32>,
}

impl Client {
    #[track_caller]
    pub(crate) fn get(&self, target: &str) -> Value {
        let (status, body) = self.call("GET", target, None, "").unwrap();
        assert_eq!(status, 200, "{body}");
        body
    }

    #[cfg(target_os = "linux")]
    #[track_caller]
    pub(crate) fn delete(&self, target: &str) {
        let (status, body) = self.call("DELETE", target, None, "").unwrap();
        assert_eq!(status, 200, "{body}");
    }

    /// `None` when no whole answer came.
    pub(crate) fn post(&self, target: &str, body: &str) -> Option<(u16, Value)> {
        self.call("POST", target, None, body)
    }

    pub(crate) fn keyed(&self, target: &str, key: &str, body: &str) -> Option<(u16, Value)> {
        self.call("POST", target, Some(key), body)
    }

    /// Asks until one of `wanted` is the status; 202 and 429 say to ask again.
    pub(crate) fn until(
        &self,
        wanted: &[u16],
        ask: impl Fn(&Self) -> Option<(u16, Value)>,
    ) -> (u16, Value) {
        let began = Instant::now();
        loop {
            let (status, body) = ask(self).unwrap();
            if wanted.contains(&status) {
                return (status, body);
            }
            assert!([202, 429].contains(&status), "{status} {body}");
            assert!(began.elapsed() < PATIENCE, "{status} {body}");
        }
    }

    fn call(
        &self,
        method: &str,
        target: &str,
        key: Option<&str>,
        body: &str,
    ) -> Option<(u16, Value)> {
        let mut request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n",
            self.address, self.key
        );
        if let Some(key) = key {
            let _ = write!(request, "Idempotency-Key: {key}\r\n");
        }
        if !body.is_empty() {
            request.push_str("Content-Type: application/json\r\n");
        }
        let _ = write!(request, "Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let body = serde_json::from_str(body).ok()?;
        if status == 201 {
            self.placed.fetch_add(1, Ordering::Relaxed);
        }
        Some((status, body))
    }
}
