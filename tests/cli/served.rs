//! The real exchange as a process of its own, and raw HTTP to prepare it and to see what it holds.

use super::*;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

/// Three quiet markets and two users with nothing traded yet.
const BARE: &str = include_str!("../support/bare.toml");

/// A running `perpdeck serve` and a home for those who trade on it. Killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) home: TempDir,
    pub(crate) base_url: String,
    pub(crate) key: String,
    /// Of the user of `chal-2`.
    other: String,
}

impl Served {
    pub(crate) fn bare() -> Self {
        Self::open(BARE)
    }

    pub(crate) fn open(scenario: &str) -> Self {
        Self::with(scenario, &[])
    }

    pub(crate) fn with(scenario: &str, more: &[&str]) -> Self {
        let home = TempDir::new().unwrap();
        fs::write(home.path().join("scenario.toml"), scenario).unwrap();
        let (child, said) = serve(home.path(), more);
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            base_url: word(&said["base_url"]),
            key: word(&said["accounts"][0]["api_key"]),
            other: word(&said["accounts"][1]["api_key"]),
            child,
            home,
        }
    }

    /// One with few who trade SOL, and none that come back within seconds, but for what `/sim/clock` adds.
    pub(crate) fn thin() -> Self {
        let thin = BARE.replace("depth_usd = 30000", "depth_usd = 1000");
        Self::with(&thin, &["--speed", "0.1"])
    }

    /// One that can be killed and be there [again](Self::again), at the same address with what it held.
    pub(crate) fn kept() -> Self {
        Self::with(BARE, &KEPT)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn again(&mut self) {
        let address = self.base_url.strip_prefix("http://").unwrap();
        let here = ["--listen", address];
        let (child, _) = serve(self.home.path(), &[&KEPT[..], &here].concat());
        self.child = child;
    }

    /// The program, pointed at this exchange by its environment.
    pub(crate) fn verb(&self, args: &[&str]) -> Command {
        let mut command = perpdeck(self.home.path());
        command
            .env("PERPDECK_BASE_URL", &self.base_url)
            .env("PERPDECK_ACCOUNT_ID", "chal-1")
            .env("PERPDECK_API_KEY", &self.key)
            .args(args);
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

    /// Exit code, and what went wrong, of a verb that must fail without printing anything.
    #[track_caller]
    pub(crate) fn error(&self, args: &[&str]) -> (i32, Value) {
        let (code, out, err) = self.run(args);
        assert_eq!(out, "", "{args:?}");
        (code, last_error(&err))
    }

    pub(crate) fn get(&self, target: &str) -> Value {
        self.call("GET", target, None)["data"].take()
    }

    pub(crate) fn post(&self, target: &str, body: &Value) -> Value {
        self.call("POST", target, Some(body))
    }

    /// Plants a fault; see `src/exchange/chaos.rs`.
    pub(crate) fn plant(&self, fault: &Value) {
        self.post("/sim/faults", fault);
    }

    pub(crate) fn clear_faults(&self) {
        self.call("DELETE", "/sim/faults", None);
    }

    /// Every order there ever was.
    pub(crate) fn orders(&self) -> Vec<Value> {
        let all = self.get("/v1/orders?account_id=chal-1&limit=100");
        all.as_array().unwrap().clone()
    }

    pub(crate) fn positions(&self) -> Vec<Value> {
        let open = self.get("/v1/positions?account_id=chal-1");
        open.as_array().unwrap().clone()
    }

    /// Buys at the market and answers the position's id.
    pub(crate) fn holding(&self, market: &str, size: f64, margin_mode: &str) -> String {
        self.post(
            "/v1/orders",
            &json!({
                "type": "market", "account_id": "chal-1", "market_id": market, "side": "buy", "size": size,
                "leverage": 5, "margin_mode": margin_mode,
            }),
        );
        // The service wants a moment between two orders at the market.
        self.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
        let positions = self.positions();
        let held = positions.iter().find(|p| p["market_id"] == market).unwrap();
        held["id"].as_str().unwrap().to_owned()
    }

    /// A buy that rests far below the market, or waits far above it; answers the order's id.
    pub(crate) fn waiting(&self, kind: &str) -> String {
        let mut body = json!({
            "type": kind, "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.01,
            "leverage": 5, "margin_mode": "cross",
        });
        let price = if kind == "limit" {
            "limit_price"
        } else {
            "trigger_price"
        };
        body[price] = if kind == "limit" {
            50_000.into()
        } else {
            80_000.into()
        };
        let placed = self.post("/v1/orders", &body);
        placed["data"]["id"].as_str().unwrap().to_owned()
    }

    fn call(&self, method: &str, target: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self.call_as(&self.key, method, target, body);
        assert!(
            status.starts_with("20"),
            "{method} {target}: {status} {answer}"
        );
        answer
    }

    /// Sells at the market as `chal-2`, more than anybody bids for: then there is no market left to close in.
    pub(crate) fn eat_bids(&self, market: &str, size: f64) {
        let body = json!({
            "type": "market", "account_id": "chal-2", "market_id": market, "side": "sell", "size": size,
            "leverage": 20, "margin_mode": "cross", "slippage_tolerance_bps": 250,
        });
        let (status, answer) = self.call_as(&self.other, "POST", "/v1/orders", Some(&body));
        assert_eq!(status, "201", "{answer}");
        let (filled, asked) = (&answer["data"]["filled_size"], json!(size));
        assert!(
            filled.as_f64() < asked.as_f64(),
            "somebody still bids: {answer}"
        );
    }

    fn call_as(
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

const KEPT: [&str; 2] = ["--data-dir", "kept"];

fn serve(home: &Path, more: &[&str]) -> (Child, Value) {
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

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The last line of standard error that is an error.
#[track_caller]
pub(crate) fn last_error(err: &str) -> Value {
    let lines = err.lines().rev();
    let mut errors = lines.filter_map(|line| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        line.get("error")?;
        Some(line["error"].take())
    });
    errors
        .next()
        .unwrap_or_else(|| panic!("no error in {err:?}"))
}
