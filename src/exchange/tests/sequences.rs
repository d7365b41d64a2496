//! Invariants of the service for any sequence of requests (docs/engine.md 6.10: 14 to 17), at the real endpoints, one
//! step below HTTP.
//!
//! 1 000 sequences each by default; the long run is that of the engine's sequences.

use super::super::{
    ClockMode, ExchangeService, Scenario, SimulatorAccess,
    api_error::ApiResult,
    auth::{AuthenticatedUser, KeyRights},
    engine::{AccountIx, Millis},
    keep::KeepTime,
    message::{ApiRequest, ApiResponse, Execution},
    sim::{self, SimRoute},
    store::LoadedExchange,
    v1,
};
use crate::api::{IDEMPOTENCY_KEY, Route};
use hyper::{HeaderMap, header::HeaderValue};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

const BARE: &str = include_str!("../../../tests/support/bare.toml");

/// How many sequences a property is tried on: `PROPTEST_CASES`, or enough for every run of the tests.
pub(in crate::exchange) fn config() -> ProptestConfig {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if given { default.cases } else { 1_000 },
        failure_persistence: None,
        ..default
    }
}

/// How often what was reached, and in how many sequences.
#[derive(Debug, Default)]
pub(in crate::exchange) struct Tally {
    sequences: u64,
    reached: BTreeMap<String, u64>,
}

impl Tally {
    pub(in crate::exchange) fn count(&mut self, what: String) {
        *self.reached.entry(what).or_default() += 1;
    }

    /// One more sequence, with what it reached.
    pub(in crate::exchange) fn add(&mut self, sequence: Self) {
        self.sequences += 1;
        for (what, times) in sequence.reached {
            *self.reached.entry(what).or_default() += times;
        }
    }

    /// Prints it with `--nocapture`. Sequences that never try something prove nothing about it: from a thousand
    /// sequences on, all of `everything` must be there.
    pub(in crate::exchange) fn tell(&self, proof: &str, everything: &[&str]) {
        let rows = self.reached.iter();
        let rows: Vec<String> = rows
            .map(|(what, times)| format!("{times:>9}  {}", what.trim_end()))
            .collect();
        #[expect(clippy::print_stderr, reason = "a long run tells what it did")]
        {
            eprintln!("{proof}: {} sequences\n{}", self.sequences, rows.join("\n"));
        }
        let missing: Vec<&&str> = everything
            .iter()
            .filter(|what| {
                !self
                    .reached
                    .keys()
                    .any(|reached| reached.trim_end() == **what)
            })
            .collect();
        assert!(
            missing.is_empty() || self.sequences < 1_000,
            "never reached in {} sequences: {missing:?}",
            self.sequences
        );
    }
}

/// One request; `request` gives the numbers their meaning.
#[derive(Debug, Clone, Copy)]
enum Ask {
    Market(usize, &'static str, i64),
    /// This many tenths of a percent from the opening price.
    Limit(usize, &'static str, i64),
    Stop(i64),
    Close(u8),
    CloseAll,
    CancelAll,
    Cancel(u8),
    /// To so many tenths of a percent from the opening.
    Modify(u8, i64),
    Twap,
    Scaled,
    /// Steps of virtual time.
    Wait(u8),
}

fn side() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("buy"), Just("sell")]
}

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        4 => (0..3_usize, side(), 1..9_i64).prop_map(|(m, side, times)| Ask::Market(m, side, times)),
        4 => (0..3_usize, side(), -9..9_i64).prop_map(|(m, side, away)| Ask::Limit(m, side, away)),
        1 => (-9..9_i64).prop_map(Ask::Stop),
        3 => (1..6_u8).prop_map(Ask::Close),
        1 => Just(Ask::CloseAll),
        1 => Just(Ask::CancelAll),
        1 => (1..9_u8).prop_map(Ask::Cancel),
        2 => (1..9_u8, -9..9_i64).prop_map(|(n, away)| Ask::Modify(n, away)),
        1 => Just(Ask::Twap),
        1 => Just(Ask::Scaled),
        4 => (1..9_u8).prop_map(Ask::Wait),
    ]
}

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    prop::collection::vec(ask(), 1..20)
}

const LOOKS: [&str; 6] = [
    "/v1/orders?account_id=chal-1&limit=100",
    "/v1/orders?account_id=chal-1&status=working",
    "/v1/positions?account_id=chal-1",
    "/v1/positions?account_id=chal-1&status=closed&limit=100",
    "/v1/accounts",
    "/sim/clock",
];

/// What a desk polls beside these.
const MORE_LOOKS: [&str; 8] = [
    "/v1/twap-orders?account_id=chal-1",
    "/v1/scaled-orders/scl_000001",
    "/v1/accounts/chal-1",
    "/v1/fills?account_id=chal-1",
    "/sim/markets",
    "/sim/markets/paper%7CBTC/book?depth=5",
    "/sim/markets/paper%7CBTC/candles?interval=1m",
    "/sim/markets/paper%7CBTC/trades",
];

/// Name, a thousandth of the opening price and a usual size, both in hundredths.
const MARKETS: [(&str, i64, i64); 3] = [
    ("paper|BTC", 6_400, 1),
    ("paper|ETH", 310, 20),
    ("paper|SOL", 15, 500),
];

fn hundredths(count: i64) -> Value {
    let text = format!("{}.{:02}", count / 100, count % 100);
    serde_json::from_str(&text).unwrap()
}

/// What goes over the wire.
#[derive(Debug, Clone, PartialEq)]
struct Request {
    method: &'static str,
    target: String,
    body: String,
}

impl Request {
    fn get(target: &str) -> Self {
        Self::new("GET", target, &Value::Null)
    }

    fn new(method: &'static str, target: &str, body: &Value) -> Self {
        Self {
            method,
            target: target.to_owned(),
            body: if body.is_null() {
                String::new()
            } else {
                body.to_string()
            },
        }
    }
}

fn order(market: usize, side: &str, extra: &Value) -> Value {
    let (id, _, usual) = MARKETS[market];
    let mut body = json!({
        "account_id": "chal-1", "market_id": id, "side": side,
        "size": hundredths(usual), "leverage": 5, "margin_mode": "cross",
    });
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// This many tenths of a percent from the opening.
fn price(market: usize, away: i64) -> Value {
    let (_, thousandth, _) = MARKETS[market];
    hundredths(thousandth * (1_000 + away))
}

fn request(ask: Ask) -> Request {
    let post = |target: &str, body: &Value| Request::new("POST", target, body);
    match ask {
        Ask::Market(market, side, times) => {
            let (_, _, usual) = MARKETS[market];
            let terms = json!({"type":"market","size":hundredths(usual * times)});
            post("/v1/orders", &order(market, side, &terms))
        }
        Ask::Limit(market, side, away) => {
            let terms = json!({"type":"limit","limit_price":price(market, away)});
            post("/v1/orders", &order(market, side, &terms))
        }
        Ask::Stop(away) => {
            let terms = json!({"type":"stop_market","trigger_price":price(0, away)});
            post(
                "/v1/orders",
                &order(0, if away > 0 { "buy" } else { "sell" }, &terms),
            )
        }
        Ask::Close(n) => post(
            &format!("/v1/positions/pos_{n:06}/close"),
            &json!({"type":"market"}),
        ),
        Ask::CloseAll => post("/v1/accounts/chal-1/close-all-positions", &Value::Null),
        Ask::CancelAll => post("/v1/accounts/chal-1/cancel-all-orders", &Value::Null),
        Ask::Modify(n, away) => Request::new(
            "PATCH",
            &format!("/v1/orders/ord_{n:06}"),
            &json!({"price":price(0, away)}),
        ),
        Ask::Cancel(n) => Request::new("DELETE", &format!("/v1/orders/ord_{n:06}"), &Value::Null),
        Ask::Twap => post(
            "/v1/twap-orders",
            &order(
                1,
                "buy",
                &json!({"size":1,"expected_price":3_100,"duration_minutes":5}),
            ),
        ),
        Ask::Scaled => post(
            "/v1/scaled-orders",
            &order(
                2,
                "buy",
                &json!({"size":20,"start_price":price(2, -2),"end_price":price(2, -9),"rung_count":4,"distribution":"flat"}),
            ),
        ),
        Ask::Wait(steps) => post("/sim/clock", &json!({"advance_ms":u32::from(steps) * 250})),
    }
}

/// Whether an answer to a keyed request left a record under its key.
fn is_recorded(request: &Request, answer: &Answered) -> bool {
    let keyed = request.target.starts_with("/v1/") && request.method == "POST";
    keyed && (matches!(answer.status, 200 | 201) || answer.rejected)
}

#[derive(Debug, Clone, PartialEq)]
struct Answered {
    status: u16,
    body: String,
    /// A refusal that left a rejected order behind.
    rejected: bool,
}

struct Paper {
    service: ExchangeService,
    caller: AuthenticatedUser,
}

impl Paper {
    fn new() -> Self {
        Self::open(Scenario::parse(BARE).unwrap())
    }

    /// Rows go a day after their end.
    fn keeping() -> Self {
        let day = KeepTime::new(Duration::from_hours(24));
        Self::open(Scenario::parse(BARE).unwrap().with_keep(day))
    }

    /// To the whole hour after two days, when rows go.
    fn pass_days(&self) {
        let mut state = self.service.state().unwrap();
        let hour = (state.engine.now() + Millis(2 * Millis::DAY.0)).next_hour();
        state.engine.skip_until(hour - Millis::STEP);
        drop(state);
        self.ask(&request(Ask::Wait(1)), "");
    }

    fn open(scenario: Scenario) -> Self {
        let start = Millis(1_790_000_000_000);
        let resumed = LoadedExchange::in_memory(scenario, start, Some(ClockMode::Paused)).unwrap();
        let users = resumed.scenario.users(&resumed.engine, &resumed.secret);
        let addr = "127.0.0.1:1".parse().unwrap();
        Self {
            service: ExchangeService::new(
                resumed,
                &users,
                SimulatorAccess::Served,
                addr,
                tokio::time::Instant::now(),
            ),
            caller: AuthenticatedUser {
                user: 0,
                scope: KeyRights::Trade,
                accounts: vec![AccountIx::from(0)],
            },
        }
    }

    fn ask(&self, request: &Request, key: &str) -> Answered {
        match self.answer(request, key) {
            Ok(answer) => Answered {
                status: answer.status.as_u16(),
                body: String::from_utf8(answer.body.to_vec()).unwrap(),
                rejected: false,
            },
            Err(fault) => Answered {
                status: fault.status.as_u16(),
                rejected: fault.order.is_some(),
                body: format!("{fault:?}"),
            },
        }
    }

    fn answer(&self, request: &Request, key: &str) -> ApiResult<ApiResponse> {
        let mut headers = HeaderMap::new();
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_str(key).unwrap());
        let call = ApiRequest {
            uri: request.target.parse().unwrap(),
            headers,
            body: request.body.clone().into_bytes(),
            execution: Execution::Immediate,
        };
        let target = request.target.as_str();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if path.starts_with("/sim") {
            let route = SimRoute::parse(request.method, path, query).unwrap();
            sim::answer(&self.service, Some(&self.caller), route, &call)
        } else {
            let route = Route::parse(request.method, path, query).unwrap();
            v1::answer(&self.service, Some(&self.caller), &route, &call)
        }
    }

    fn get(&self, target: &str) -> String {
        let answer = self.ask(&Request::get(target), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Everything there is to see, encoded now, and the hash of everything that happened.
    fn state(&self) -> [String; 6] {
        self.service.responses.clear();
        LOOKS.map(|target| self.get(target))
    }

    /// Everything that a desk polls, each answer as it is.
    fn looks(&self) -> Vec<(&'static str, ApiResult<ApiResponse>)> {
        let looks = LOOKS.into_iter().chain(MORE_LOOKS);
        looks
            .map(|target| (target, self.answer(&Request::get(target), "")))
            .collect()
    }

    fn page(&self, target: &str) -> (Vec<String>, Option<String>) {
        let page: Value = serde_json::from_str(&self.get(target)).unwrap();
        let rows = page["data"].as_array().unwrap().iter();
        let ids = rows.map(|row| row["id"].as_str().unwrap().to_owned());
        (
            ids.collect(),
            page["next_cursor"].as_str().map(str::to_owned),
        )
    }

    /// The ids of a list page by page; between two pages one more thing happens.
    fn walk(&self, list: &str, limits: &[u32], mut meanwhile: impl FnMut()) -> Vec<String> {
        let mut all = vec![];
        let mut cursor = String::new();
        for limit in limits.iter().cycle() {
            let (ids, next) = self.page(&format!("{list}&limit={limit}{cursor}"));
            all.extend(ids);
            let Some(next) = next else { break };
            cursor = format!("&cursor={next}");
            meanwhile();
        }
        all
    }
}

/// What was asked, and how it was answered.
fn word(ask: Ask, status: u16) -> String {
    let told = format!("{ask:?}");
    let kind = told.split('(').next().unwrap_or_default();
    format!("{kind} {status}")
}

/// What a thousand sequences request and receive so often that chance cannot miss it.
const EVERYTHING: &[&str] = &[
    "Cancel 200",
    "Cancel 404",
    "Cancel 409",
    "CancelAll 200 again",
    "CancelAll 201",
    "CancelAll 409",
    "Close 200 again",
    "Close 201",
    "Close 404",
    "Close 409",
    "Close 429",
    "CloseAll 200 again",
    "CloseAll 201",
    "CloseAll 202",
    "CloseAll 409",
    "Scaled 201",
    "Scaled 409",
    "Limit 200 again",
    "Limit 201",
    "Limit 409",
    "Market 200 again",
    "Market 201",
    "Market 409",
    "Market 429",
    "Modify 200",
    "Modify 404",
    "Modify 409",
    "Modify 422",
    "Stop 200 again",
    "Stop 201",
    "Stop 422",
    "Stop 422 again",
    "Twap 201",
    "Twap 409",
    "Wait 200",
];

/// 14
#[test]
fn a_request_repeated_under_its_key_changes_nothing() {
    let told = RefCell::new(Tally::default());
    let asked = (asks(), prop::collection::vec(0..6_u8, 20));
    let done = TestRunner::new(config()).run(&asked, |(asks, keys)| {
        let paper = Paper::new();
        let mut tally = Tally::default();
        let mut known = vec![];
        for (ask, key) in asks.into_iter().zip(keys) {
            let (request, key) = (request(ask), format!("k{key}"));
            let answer = paper.ask(&request, &key);
            tally.count(word(ask, answer.status));
            if !is_recorded(&request, &answer) {
                continue;
            }
            let state = paper.state();
            let again = paper.ask(&request, &key);
            tally.count(format!("{} again", word(ask, again.status)));
            prop_assert_eq!(&again.body, &answer.body);
            prop_assert_eq!(again.rejected, answer.rejected);
            prop_assert_eq!(paper.state(), state, "14: {:?}", request);
            known.push((request, key));
        }
        let state = paper.state();
        for (request, key) in known {
            let again = paper.ask(&request, &key);
            prop_assert!(again.status == 200 || again.rejected, "14: {:?}", again);
        }
        prop_assert_eq!(paper.state(), state, "14: all of them later");
        told.borrow_mut().add(tally);
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
    told.borrow().tell("a repeat changes nothing", EVERYTHING);
}

proptest! {
    #![proptest_config(config())]

    /// 15
    #[test]
    fn the_same_commands_make_the_same_history_however_often_anybody_looks(asks in asks(), polls in 1..4_u8) {
        let (quiet, watched) = (Paper::new(), Paper::new());
        for (n, ask) in asks.into_iter().enumerate() {
            let key = format!("k{n}");
            let Ask::Wait(steps) = ask else {
                let request = request(ask);
                prop_assert_eq!(quiet.ask(&request, &key), watched.ask(&request, &key), "15");
                continue;
            };
            // As one span, and in steps with reads in between.
            quiet.ask(&request(ask), "");
            for step in 0..steps {
                for poll in 0..polls {
                    watched.get(LOOKS[usize::from(step + poll) % LOOKS.len()]);
                }
                watched.ask(&request(Ask::Wait(1)), "");
            }
        }
        prop_assert_eq!(quiet.state(), watched.state(), "15");
    }

    /// 16
    #[test]
    fn pages_have_no_gap_and_no_row_twice_whatever_happens_between_them(
        asks in asks(),
        meanwhile in prop::collection::vec(ask(), 8),
        limits in prop::collection::vec(1..7_u32, 1..4),
    ) {
        let paper = Paper::new();
        for (n, ask) in asks.into_iter().enumerate() {
            paper.ask(&request(ask), &format!("k{n}"));
        }
        let mut happens = meanwhile.into_iter().enumerate().cycle();
        let mut happen = || {
            let (n, ask) = happens.next().unwrap();
            paper.ask(&request(ask), &format!("late{n}"));
        };
        for list in ["/v1/orders?account_id=chal-1", "/v1/positions?account_id=chal-1&status=closed"] {
            let (before, _) = paper.page(&format!("{list}&limit=100"));
            let walked = paper.walk(list, &limits, &mut happen);
            let distinct: BTreeSet<&String> = walked.iter().collect();
            prop_assert_eq!(distinct.len(), walked.len(), "16: twice in {:?}", walked);
            let seen: Vec<&String> = walked.iter().filter(|id| before.contains(id)).collect();
            prop_assert_eq!(seen, before.iter().collect::<Vec<_>>(), "16: a gap");
        }
    }

}

/// What may happen to an exchange that drops rows.
#[derive(Debug, Clone, Copy)]
enum Event {
    Ask(Ask),
    Days,
    Reset,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        16 => ask().prop_map(Event::Ask),
        3 => Just(Event::Days),
        1 => Just(Event::Reset),
    ]
}

/// 14 and 17, and that the reads work at all when rows are gone. Each sequence reads everything three times after each
/// event.
#[test]
fn with_rows_that_go_every_read_works_and_an_answer_that_was_kept_is_the_one_that_would_be_made_now()
 {
    let cases = config().cases.div_ceil(10);
    let told = RefCell::new(Tally::default());
    let events = prop::collection::vec(event(), 1..24);
    let runner = ProptestConfig { cases, ..config() };
    let done = TestRunner::new(runner).run(&events, |events| {
        let paper = Paper::keeping();
        let mut tally = Tally::default();
        let mut known = vec![];
        for (n, event) in events.into_iter().enumerate() {
            match event {
                Event::Ask(ask) => {
                    let (request, key) = (request(ask), format!("k{n}"));
                    if is_recorded(&request, &paper.ask(&request, &key)) {
                        known.push((request, key));
                    }
                }
                Event::Days => paper.pass_days(),
                Event::Reset => {
                    paper.ask(&Request::new("POST", "/sim/reset", &Value::Null), "");
                    known.clear();
                }
            }
            let first = paper.looks();
            let again = paper.looks();
            paper.service.responses.clear();
            prop_assert_eq!(&first, &paper.looks(), "17: after {:?}", event);
            prop_assert_eq!(&again, &first, "17: after {:?}", event);
        }
        let state = paper.state();
        for (request, key) in &known {
            let again = paper.ask(request, key);
            let is_gone = again.body.contains("no longer kept");
            prop_assert!(
                again.status == 200 || again.rejected || is_gone,
                "14: {:?}",
                again
            );
            tally.count(if is_gone { "gone" } else { "there" }.to_owned());
        }
        prop_assert_eq!(paper.state(), state, "14");
        told.borrow_mut().add(tally);
        Ok(())
    });
    if let Err(why) = done {
        panic!("{why}");
    }
    let reached = told.into_inner().reached;
    assert!(
        ["gone", "there"]
            .iter()
            .all(|what| reached.contains_key(*what)),
        "{reached:?}"
    );
}

/// The same bytes in memory, not only equal ones.
#[test]
fn a_read_is_encoded_once_until_something_changes() {
    let paper = Paper::new();
    paper.ask(&request(Ask::Scaled), "scaled order");
    let everything = || {
        let looks = paper.looks().into_iter();
        let kept = looks.filter(|(target, _)| *target != "/sim/clock");
        kept.map(|(target, answer)| (target, answer.unwrap().body))
            .collect::<Vec<_>>()
    };
    let made = everything();
    for ((target, first), (_, again)) in made.iter().zip(everything()) {
        assert_eq!(first.as_ptr(), again.as_ptr(), "{target}");
    }
    paper.ask(&request(Ask::Market(0, "buy", 1)), "k");
    for ((target, first), (_, again)) in made.iter().zip(everything()) {
        assert_ne!(first.as_ptr(), again.as_ptr(), "{target}");
    }
}
