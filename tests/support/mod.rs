//! A paper exchange on a real socket, and raw HTTP to talk to it: what the tests of several binaries share.

use perpdeck::{
    api::{Data, ErrorDetail, ErrorEnvelope},
    exchange::{
        ClockMode, ExchangeHandle, ExchangeOptions, Scenario, SimulatorAccess, StartFault, start,
    },
    model::Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{fmt::Write, path::Path};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// 2026-09-21 14:13:20 UTC: no hour and no midnight within ten minutes.
pub(crate) const START: Timestamp = Timestamp(1_790_000_000_000);

/// A running exchange whose clock stands still until told otherwise. Stops when dropped.
pub(crate) struct Paper {
    pub(crate) handle: ExchangeHandle,
    stop: DropGuard,
}

impl Paper {
    /// Three markets, two users (`chal-1`, `chal-2`), nothing traded yet.
    pub(crate) async fn bare() -> Self {
        Self::open(include_str!("bare.toml")).await
    }

    pub(crate) async fn open(scenario: &str) -> Self {
        Self::play(Scenario::parse(scenario).unwrap()).await
    }

    pub(crate) async fn play(scenario: Scenario) -> Self {
        let options = ExchangeOptions {
            scenario,
            start: START,
            pace: Some(ClockMode::Paused),
            data_dir: None,
            simulator: SimulatorAccess::Served,
        };
        Self::started(options).await.unwrap()
    }

    /// As [`Paper::bare`], kept in a directory; or what the directory holds.
    pub(crate) async fn kept(dir: &Path) -> Self {
        let options = Self::options(dir);
        Self::started(options).await.unwrap()
    }

    pub(crate) fn options(dir: &Path) -> ExchangeOptions {
        ExchangeOptions {
            scenario: Scenario::parse(include_str!("bare.toml")).unwrap(),
            start: START,
            pace: Some(ClockMode::Paused),
            data_dir: Some(dir.to_owned()),
            simulator: SimulatorAccess::Served,
        }
    }

    pub(crate) async fn started(options: ExchangeOptions) -> Result<Self, StartFault> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stop = CancellationToken::new();
        let handle = start(listener, options, stop.clone()).await?;
        Ok(Self {
            handle,
            stop: stop.drop_guard(),
        })
    }

    /// Returns when the exchange has put everything away.
    pub(crate) async fn stop(self) {
        self.stop.disarm().cancel();
        self.handle.stopped().await;
    }

    /// The key of `chal-1`.
    pub(crate) fn key(&self) -> String {
        self.key_of("chal-1")
    }

    pub(crate) fn key_of(&self, account: &str) -> String {
        let mut accounts = self.handle.accounts.iter();
        let found = accounts.find(|entry| entry.account_id.raw() == account);
        found.unwrap().api_key.reveal().to_owned()
    }

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.call("GET", target, &[], "").await
    }

    pub(crate) async fn delete(&self, target: &str) -> Reply {
        self.call("DELETE", target, &[], "").await
    }

    pub(crate) async fn put(&self, target: &str, body: &str) -> Reply {
        self.call("PUT", target, &[], body).await
    }

    pub(crate) async fn post(&self, target: &str, body: &str) -> Reply {
        self.call("POST", target, &[], body).await
    }

    pub(crate) async fn keyed(&self, target: &str, key: &str, body: &str) -> Reply {
        self.call("POST", target, &[("Idempotency-Key", key)], body)
            .await
    }

    /// As the user of `chal-1`.
    pub(crate) async fn call(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let bearer = format!("Bearer {}", self.key());
        let mut headers = headers.to_vec();
        headers.push(("Authorization", &bearer));
        self.bare_call(method, target, &headers, body)
            .await
            .unwrap()
    }

    /// As the user of another account.
    pub(crate) async fn call_as(
        &self,
        account: &str,
        method: &str,
        target: &str,
        body: &str,
    ) -> Reply {
        let bearer = format!("Bearer {}", self.key_of(account));
        let headers = [("Authorization", bearer.as_str()), ("Idempotency-Key", "k")];
        self.bare_call(method, target, &headers, body)
            .await
            .unwrap()
    }

    /// Nothing but what is given, `Host`, the length, and the type of a body; `None` when the connection ends without a whole answer.
    pub(crate) async fn bare_call(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Reply> {
        let mut request = format!("{method} {target} HTTP/1.1\r\nConnection: close\r\n");
        let is_given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        if !is_given("Host") {
            let _ = write!(request, "Host: {}\r\n", self.handle.addr);
        }
        if !body.is_empty() && !is_given("Content-Type") {
            request.push_str("Content-Type: application/json\r\n");
        }
        for (name, value) in headers {
            let _ = write!(request, "{name}: {value}\r\n");
        }
        let _ = write!(request, "Content-Length: {}\r\n\r\n{body}", body.len());
        Reply::read(&self.send(request.as_bytes()).await)
    }

    /// Sends bytes and reads until the connection ends.
    pub(crate) async fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.handle.addr).await.unwrap();
        let mut answer = vec![];
        // A server may answer and close before it has read everything.
        let _ = stream.write_all(bytes).await;
        let _ = stream.read_to_end(&mut answer).await;
        answer
    }

    /// Lets virtual time pass.
    pub(crate) async fn advance(&self, millis: u32) {
        let body = format!(r#"{{"advance_ms":{millis}}}"#);
        let reply = self.post("/sim/clock", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    /// The mid of a market, as text.
    pub(crate) async fn mid(&self, market_id: &str) -> f64 {
        let markets: Vec<Value> = self.get("/sim/markets").await.data();
        let market = markets.iter().find(|m| m["market_id"] == market_id);
        market.unwrap()["mid_price"].as_f64().unwrap()
    }

    /// A whole-dollar price that many percent away from the mid.
    pub(crate) async fn price(&self, market_id: &str, percent: f64) -> i64 {
        let price = self.mid(market_id).await * (1.0 + percent / 100.0);
        price.round() as i64
    }
}

/// An answer, read to its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let split = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..split]).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let reply = Self {
            status,
            headers,
            body: bytes[split + 4..].to_vec(),
        };
        let promised: usize = reply.header("content-length")?.parse().ok()?;
        (promised == reply.body.len()).then_some(reply)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// What `data` holds, as one of our own types.
    #[track_caller]
    pub(crate) fn data<T: DeserializeOwned>(&self) -> T {
        let read: Result<Data<T>, _> = serde_json::from_slice(&self.body);
        read.unwrap_or_else(|why| panic!("{why}: {} {}", self.status, self.text()))
            .data
    }

    #[track_caller]
    pub(crate) fn error(&self) -> ErrorDetail {
        let read: Result<ErrorEnvelope, _> = serde_json::from_slice(&self.body);
        read.unwrap_or_else(|why| panic!("{why}: {} {}", self.status, self.text()))
            .error
    }

    /// Status, code and message of a refusal.
    #[track_caller]
    pub(crate) fn refusal(&self) -> (u16, String, String) {
        let error = self.error();
        (
            self.status,
            error.code.to_string(),
            error.message.to_string(),
        )
    }

    /// The body without its request id.
    pub(crate) fn anonymous(&self) -> Value {
        let mut json = self.json();
        json["error"]["request_id"].take();
        json
    }
}
