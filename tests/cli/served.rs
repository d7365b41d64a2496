//! What the verbs need of an exchange beyond what all tests with processes share: a start to act on, and a look at it.

pub(crate) use crate::support::{BARE, Served, serve};
use serde_json::{Value, json};

impl Served {
    pub(crate) fn open(scenario: &str) -> Self {
        Self::with(scenario, &[])
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

    /// Begins a TWAP that buys BTC for half an hour; answers its id.
    pub(crate) fn twap(&self) -> String {
        let more = json!({ "expected_price": 64_000, "duration_minutes": 30 });
        self.strategy("/v1/twap-orders", &more)
    }

    /// A ladder of four buys of BTC far below the market; answers its id.
    pub(crate) fn ladder(&self) -> String {
        let more = json!({
            "start_price": 50_000, "end_price": 49_000, "rung_count": 4, "distribution": "flat",
        });
        self.strategy("/v1/scaled-orders", &more)
    }

    fn strategy(&self, target: &str, more: &Value) -> String {
        let mut body = json!({
            "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy", "size": 0.04, "leverage": 5,
            "margin_mode": "cross",
        });
        let fields = body.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let placed = self.post(target, &body);
        placed["data"]["id"].as_str().unwrap().to_owned()
    }

    /// Sells at the market as `chal-2`, more than anybody bids for: then there is no market left to close in.
    pub(crate) fn eat_bids(&self, market: &str, size: f64) {
        let body = json!({
            "type": "market", "account_id": "chal-2", "market_id": market, "side": "sell", "size": size,
            "leverage": 20, "margin_mode": "cross", "slippage_tolerance_bps": 250,
        });
        let (status, answer) = self.call_as(&self.keys[1].1, "POST", "/v1/orders", Some(&body));
        assert_eq!(status, "201", "{answer}");
        let (filled, asked) = (&answer["data"]["filled_size"], json!(size));
        assert!(
            filled.as_f64() < asked.as_f64(),
            "somebody still bids: {answer}"
        );
    }
}

const KEPT: [&str; 2] = ["--data-dir", "kept"];

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
