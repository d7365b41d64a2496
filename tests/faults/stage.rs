//! The real paper exchange, with an account per run, and a straight line to it past the proxy.

use perpdeck::{
    exchange::{ClockMode, ExchangeOptions, Scenario, SimulatorAccess, Speed, start},
    runtime::Clock,
};
use serde_json::Value;
use std::{
    fmt::Write,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};
use tokio_util::sync::{CancellationToken, DropGuard};

const MARKETS: &str = r#"
[budgets]
per_key = { burst = 100000, per_second = 100000 }
per_address = { burst = 1000000, per_second = 1000000 }
whole = { burst = 1000000, per_second = 1000000 }

[[markets]]
symbol = "BTC"
size_decimals = 5
max_leverage = 40
start_price = "64250"
volatility_bps = 100
depth_usd = 12000000

[[markets]]
symbol = "ETH"
size_decimals = 4
max_leverage = 25
start_price = "3142.5"
volatility_bps = 100
depth_usd = 8000000

"#;

pub(crate) struct Stage {
    addr: SocketAddr,
    /// Accounts and their keys.
    keys: Vec<(String, String)>,
    life: Life,
}

/// Where the exchange lives; gone when this is.
enum Life {
    Here(#[expect(dead_code, reason = "dropping it is the point")] DropGuard),
    Process(Child),
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Self::Process(child) = self {
            // SIGKILL: nothing is put away.
            let _gone = child.kill();
            let _reaped = child.wait();
        }
    }
}

impl Stage {
    /// In memory.
    pub(crate) async fn open(accounts: usize, seed: u64) -> Self {
        Self::start(accounts, seed, None).await
    }

    /// With one account, kept in `dir`, or gone on with from there.
    pub(crate) async fn kept(dir: &Path) -> Self {
        Self::start(1, 0, Some(dir)).await
    }

    async fn start(accounts: usize, seed: u64, dir: Option<&Path>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stop = CancellationToken::new();
        let options = ExchangeOptions {
            scenario: Scenario::parse(&scenario(accounts, seed)).unwrap(),
            // Evidence has instants in it: the ledger's clock is near ours.
            start: Clock::start().now(),
            pace: Some(ClockMode::Live(Speed::REAL_TIME)),
            data_dir: dir.map(Path::to_owned),
            simulator: SimulatorAccess::Served,
        };
        let handle = start(listener, options, stop.clone()).await.unwrap();
        let keys = handle.accounts.iter().map(|entry| {
            (
                entry.account_id.raw().to_owned(),
                entry.api_key.reveal().to_owned(),
            )
        });
        Self {
            addr: handle.addr,
            keys: keys.collect(),
            life: Life::Here(stop.drop_guard()),
        }
    }

    /// `perpdeck serve --data-dir`, with one account; killed when dropped.
    pub(crate) fn served(dir: &Path) -> Self {
        let script = dir.with_extension("toml");
        std::fs::write(&script, scenario(1, 0)).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_perpdeck"))
            .env_clear()
            .env("HOME", dir.parent().unwrap())
            .args(["serve", "--output", "json", "--data-dir"])
            .arg(dir)
            .arg("--scenario")
            .arg(script)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let accounts = said["accounts"].as_array().unwrap().iter();
        Self {
            addr: word(&said["base_url"])
                .trim_start_matches("http://")
                .parse()
                .unwrap(),
            keys: accounts
                .map(|one| (word(&one["account_id"]), word(&one["api_key"])))
                .collect(),
            life: Life::Process(child),
        }
    }

    /// It is gone, as by a power cut.
    pub(crate) fn kill(self) {
        drop(self.life);
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    pub(crate) fn key(&self, n: usize) -> String {
        let account = account(n);
        let found = self.keys.iter().find(|(id, _)| *id == account);
        found.unwrap().1.clone()
    }

    /// One call past the proxy; waits where the exchange asks to. The answer's `data`.
    pub(crate) async fn call(&self, n: usize, method: &str, target: &str, body: &str) -> Value {
        for _ in 0..40 {
            let (status, answer) = self.once(n, method, target, body).await;
            match status {
                200..300 => return answer["data"].clone(),
                429 | 503 => sleep(Duration::from_millis(100)).await,
                _ => panic!("{method} {target} {body}: {status} {answer}"),
            }
        }
        panic!("{method} {target} is never answered");
    }

    async fn once(&self, n: usize, method: &str, target: &str, body: &str) -> (u16, Value) {
        let key = uuid::Uuid::new_v4();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
             idempotency-key: {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.addr,
            self.key(n),
            body.len()
        );
        let _seat = SEATS.acquire().await.unwrap();
        let mut stream = TcpStream::connect(self.addr).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = vec![];
        stream.read_to_end(&mut answer).await.unwrap();
        let text = String::from_utf8(answer).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }
}

/// An exchange takes 128 connections of one address; beyond, the newest makes another go.
pub(crate) static SEATS: Semaphore = Semaphore::const_new(96);

fn scenario(accounts: usize, seed: u64) -> String {
    let mut scenario = format!("seed = {}\n{MARKETS}", seed + 1);
    for n in 0..accounts {
        let account = account(n);
        let _ = write!(
            scenario,
            "[[users]]\nname = \"user-{n}\"\naccounts = [{{ id = \"{account}\", cash_usd = 1000000 }}]\n"
        );
    }
    scenario
}

pub(crate) fn account(n: usize) -> String {
    format!("run-{n}")
}
