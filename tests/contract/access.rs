//! Who is let in, how much, and how refusals look.

use crate::support::Paper;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{Instant, sleep, timeout},
};
use uuid::Uuid;

const EVERY_ENDPOINT: [(&str, &str); 12] = [
    ("POST", "/v1/accounts/chal-1/close-all-positions"),
    ("POST", "/v1/orders"),
    ("GET", "/v1/orders?account_id=chal-1"),
    ("DELETE", "/v1/orders/ord_000001"),
    ("PUT", "/v1/orders/ord_000001/attached-exits"),
    ("GET", "/v1/positions?account_id=chal-1"),
    ("POST", "/v1/positions/pos_000001/close"),
    ("PUT", "/v1/positions/pos_000001/isolated-margin"),
    ("GET", "/v1/twap-orders"),
    ("DELETE", "/v1/twap-orders/twap_000001"),
    ("GET", "/v1/scaled-orders/scl_000001"),
    ("DELETE", "/v1/scaled-orders/scl_000001"),
];

#[tokio::test]
async fn without_a_valid_key_every_endpoint_answers_401_and_nothing_else() {
    let paper = Paper::bare().await;
    let wrong = format!("Bearer {}x", paper.key());
    let basic = format!("Basic {}", paper.key());
    for (method, target) in EVERY_ENDPOINT {
        for authorization in [None, Some(wrong.as_str()), Some("Bearer "), Some(&basic)] {
            let headers: Vec<_> = authorization
                .map(|a| ("Authorization", a))
                .into_iter()
                .collect();
            let reply = paper.bare_call(method, target, &headers, "").await.unwrap();
            assert_eq!(reply.status, 401, "{method} {target}");
            assert_eq!(
                reply.header("www-authenticate"),
                Some("Bearer realm=\"perpdeck\"")
            );
            assert_eq!(reply.error().code.raw(), "unauthorized");
        }
    }
}

/// Method, something of `chal-1`, the like that nobody has, body.
type Asked = (&'static str, &'static str, &'static str, &'static str);

const FOREIGN: [Asked; 14] = [
    (
        "GET",
        "/v1/orders?account_id=chal-1",
        "/v1/orders?account_id=chal-9",
        "",
    ),
    (
        "GET",
        "/v1/positions?account_id=chal-1",
        "/v1/positions?account_id=chal-9",
        "",
    ),
    (
        "GET",
        "/v1/twap-orders?account_id=chal-1",
        "/v1/twap-orders?account_id=chal-9",
        "",
    ),
    (
        "GET",
        "/v1/scaled-orders?account_id=chal-1",
        "/v1/scaled-orders?account_id=chal-9",
        "",
    ),
    (
        "GET",
        "/v1/scaled-orders/scl_000001",
        "/v1/scaled-orders/scl_000009",
        "",
    ),
    ("DELETE", "/v1/orders/ord_000001", "/v1/orders/nothing", ""),
    (
        "DELETE",
        "/v1/twap-orders/twap_000001",
        "/v1/twap-orders/twap_000009",
        "",
    ),
    (
        "DELETE",
        "/v1/scaled-orders/scl_000001",
        "/v1/scaled-orders/scl_000009",
        "",
    ),
    (
        "PUT",
        "/v1/orders/ord_000001/attached-exits",
        "/v1/orders/ord_999999/attached-exits",
        r#"{"stop_loss_price":1}"#,
    ),
    (
        "PUT",
        "/v1/positions/pos_000001/isolated-margin",
        "/v1/positions/x/isolated-margin",
        r#"{"extra_margin":1}"#,
    ),
    (
        "POST",
        "/v1/positions/pos_000001/close",
        "/v1/positions/pos_999999/close",
        r#"{"type":"market"}"#,
    ),
    (
        "POST",
        "/v1/accounts/chal-1/close-all-positions",
        "/v1/accounts/chal-9/close-all-positions",
        "",
    ),
    ("POST", "/v1/orders", "/v1/orders", ORDER),
    ("POST", "/v1/twap-orders", "/v1/twap-orders", TWAP),
];

const ORDER: &str = r#"{"account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.1,"leverage":5,
    "margin_mode":"isolated"}"#;
const TWAP: &str = r#"{"account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.1,"expected_price":64000,
    "leverage":5,"margin_mode":"isolated","duration_minutes":5}"#;
const SCALED: &str = r#"{"account_id":"chal-1","market_id":"paper|BTC","side":"buy","size":0.1,"leverage":5,
    "margin_mode":"isolated","start_price":60000,"end_price":50000,"rung_count":2,"distribution":"flat"}"#;

#[tokio::test]
async fn a_foreign_thing_cannot_be_told_from_a_missing_one() {
    let paper = Paper::bare().await;
    assert_eq!(paper.keyed("/v1/orders", "k", ORDER).await.status, 201);
    for (target, strategy) in [("/v1/twap-orders", TWAP), ("/v1/scaled-orders", SCALED)] {
        assert_eq!(paper.post(target, strategy).await.status, 201);
    }
    for (method, foreign, missing, body) in FOREIGN {
        let nobodys = body.replace("chal-1", "chal-9");
        let foreign = paper.call_as("chal-2", method, foreign, body).await;
        let missing = paper.call_as("chal-2", method, missing, &nobodys).await;
        assert_eq!(foreign.status, 404, "{method} {missing:?}");
        assert_eq!(foreign.anonymous(), missing.anonymous());
        assert_eq!(foreign.body.len(), missing.body.len());
    }
}

#[tokio::test]
async fn a_request_id_is_a_uuid_in_header_and_body_and_never_the_same_twice() {
    let paper = Paper::bare().await;
    let mut seen = vec![];
    for _ in 0..3 {
        let reply = paper.get("/v1/orders?account_id=nobody").await;
        let told = reply.error().request_id.unwrap();
        assert_eq!(reply.header("x-request-id"), Some(told.raw()));
        seen.push(told.raw().parse::<Uuid>().unwrap());
    }
    seen.dedup();
    assert_eq!(seen.len(), 3);
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_told_apart() {
    let paper = Paper::bare().await;
    for target in [
        "/",
        "/v1/candles",
        "/v2/orders",
        "/sim",
        "/sim/moon",
        "/v1/orders/",
    ] {
        let reply = paper.get(target).await;
        assert_eq!(reply.status, 404, "{target}");
        assert_eq!(reply.error().code.raw(), "unknown_endpoint");
    }
    for (method, target, allow) in [
        ("PATCH", "/v1/orders", "GET, HEAD, POST"),
        ("PUT", "/v1/orders/ord_000001", "GET, HEAD, PATCH, DELETE"),
        ("POST", "/v1/scaled-orders/scl_000001", "GET, HEAD, DELETE"),
        ("GET", "/v1/accounts/chal-1/close-all-positions", "POST"),
        ("PUT", "/sim/clock", "GET, HEAD, POST"),
        ("TRACE", "/v1/positions", "GET, HEAD"),
    ] {
        let reply = paper.call(method, target, &[], "").await;
        assert_eq!(reply.status, 405, "{method} {target}");
        assert_eq!(reply.header("allow"), Some(allow), "{method} {target}");
    }
}

#[tokio::test]
async fn every_wrong_parameter_of_a_query_is_named_at_once() {
    let paper = Paper::bare().await;
    let reply = paper
        .get("/v1/positions?limit=0&status=half&colour=red")
        .await;
    let details = reply.json()["error"]["details"].take();
    let mut named: Vec<&str> = details
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["field"].as_str().unwrap())
        .collect();
    named.sort_unstable();
    assert_eq!(named, ["account_id", "colour", "limit", "status"]);
    assert!(details[0]["issue"].is_string());
}

#[tokio::test]
async fn a_wrong_query_is_400_and_names_the_parameter() {
    let paper = Paper::bare().await;
    for (target, named) in [
        ("/v1/orders", "account_id"),
        ("/v1/orders?account_id=chal-1&limit=0", "limit"),
        ("/v1/orders?account_id=chal-1&limit=101", "limit"),
        ("/v1/orders?account_id=chal-1&status=done", "status"),
        ("/v1/orders?account_id=chal-1&colour=red", "colour"),
        ("/v1/positions?account_id=chal-1&status=half", "status"),
        ("/v1/positions?account_id=%FF", "account_id"),
        ("/v1/scaled-orders/scl_000001?colour=red", "colour"),
        ("/v1/scaled-orders", "account_id"),
        ("/v1/scaled-orders?account_id=chal-1&limit=500", "limit"),
        ("/sim/markets?colour=red", "colour"),
        (
            "/v1/positions?account_id=chal-1&cursor=nonsense&status=closed",
            "cursor",
        ),
    ] {
        let reply = paper.get(target).await;
        let (status, _, message) = reply.refusal();
        assert_eq!(status, 400, "{target}");
        assert!(message.contains(named), "{target}: {message}");
        assert_eq!(
            reply.json()["error"]["details"][0]["field"],
            named,
            "{target}"
        );
    }
}

#[tokio::test]
async fn a_page_on_another_host_name_is_not_served() {
    let paper = Paper::bare().await;
    let bearer = format!("Bearer {}", paper.key());
    let headers = [("Host", "evil.example"), ("Authorization", bearer.as_str())];
    let reply = paper
        .bare_call("GET", "/v1/orders?account_id=chal-1", &headers, "")
        .await
        .unwrap();
    assert_eq!(reply.status, 421);
    assert_eq!(reply.error().code.raw(), "host_not_served");
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn an_odd_host_is_not_served_in_header_or_target() {
    let paper = Paper::bare().await;
    let port = paper.handle.addr.port();
    let local = format!("127.0.0.1:{port}");
    for (target, host, status) in [
        ("/sim/markets".to_owned(), local.as_str(), 200),
        (format!("http://127.0.0.1:{port}/sim/markets"), &local, 200),
        (format!("http://[::1]:{port}/sim/markets"), &local, 200),
        ("/sim/markets".to_owned(), "[::1].evil.com", 421),
        ("/sim/markets".to_owned(), "[::1]evil.example", 421),
        ("http://evil.example/sim/markets".to_owned(), &local, 421),
        (format!("http://{local}/sim/markets"), "evil.example", 421),
        (format!("http://x@{local}/sim/markets"), &local, 421),
    ] {
        let headers = [("Host", host)];
        let reply = paper.bare_call("GET", &target, &headers, "").await;
        assert_eq!(reply.unwrap().status, status, "{target} {host}");
    }
}

#[tokio::test]
async fn a_packed_body_is_415_and_names_the_header() {
    let paper = Paper::bare().await;
    for (encoding, status) in [
        ("gzip", 415),
        ("br", 415),
        ("identity", 200),
        ("Identity", 200),
    ] {
        let headers = [("Content-Encoding", encoding)];
        let reply = paper
            .call("POST", "/sim/clock", &headers, r#"{"paused":true}"#)
            .await;
        assert_eq!(reply.status, status, "{encoding}");
        if status == 415 {
            assert_eq!(reply.error().code.raw(), "unsupported_content_encoding");
            let field = &reply.json()["error"]["details"][0]["field"];
            assert_eq!(field, "Content-Encoding");
        }
    }
}

#[tokio::test]
async fn a_body_over_16_kib_is_413() {
    let paper = Paper::bare().await;
    let body = " ".repeat(16 * 1024 + 1);
    let reply = paper.keyed("/v1/orders", "k", &body).await;
    assert_eq!(reply.refusal().0, 413);
    let fits = paper.keyed("/v1/orders", "k", &body[2..]).await;
    assert_eq!(fits.status, 400);
}

/// A public request whose head is of exactly that many bytes.
fn head_of(bytes: usize) -> String {
    let head = "GET /sim/markets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ";
    let filling = "x".repeat(bytes - head.len() - "\r\n\r\n".len());
    format!("{head}{filling}\r\n\r\n")
}

#[tokio::test]
async fn a_head_may_have_32_kib_and_not_a_byte_more() {
    let paper = Paper::bare().await;
    for (bytes, status) in [(32_768, "200"), (32_769, "431"), (60_000, "431")] {
        let answer = paper.send(head_of(bytes).as_bytes()).await;
        let answer = String::from_utf8(answer).unwrap();
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{bytes}: {answer}"
        );
        let told = answer.contains("\"code\":\"head_too_large\"");
        assert_eq!(told, status == "431", "{bytes}: {answer}");
    }
}

#[tokio::test]
async fn what_is_no_http_or_has_endless_headers_ends_the_connection() {
    let paper = Paper::bare().await;
    let endless = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}",
        "x".repeat(100_000)
    );
    let answer = paper.send(endless.as_bytes()).await;
    assert!(answer.starts_with(b"HTTP/1.1 431"), "{answer:?}");
    let answer = paper.send(b"\x16\x03\x01 hello\r\n\r\n").await;
    assert!(answer.starts_with(b"HTTP/1.1 400"), "{answer:?}");
}

#[tokio::test]
async fn each_budget_answers_429_with_whole_seconds_and_names_itself() {
    let paper = Paper::bare().await;
    for (name, words) in [
        ("per_key", "the per-key request budget is spent"),
        ("per_address", "the per-IP request budget is spent"),
        ("whole", "the deployment request budget is spent"),
    ] {
        let body = json!({ (name): { "burst": 2, "per_second": 0 } }).to_string();
        assert_eq!(paper.post("/sim/budgets", &body).await.status, 200);
        let orders = "/v1/orders?account_id=chal-1";
        assert_eq!(paper.get(orders).await.status, 200);
        assert_eq!(paper.get(orders).await.status, 200);
        let reply = paper.get(orders).await;
        let (status, code, message) = reply.refusal();
        assert_eq!((status, code.as_str()), (429, "rate_limited"));
        assert!(message.starts_with(words), "{message}");
        let retry: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!(retry >= 1);
    }
    let reset = paper.post("/sim/budgets", "{}").await;
    assert_eq!(reset.json()["data"]["per_key"]["burst"], Value::from(500));
}

#[tokio::test]
async fn who_has_as_many_keys_as_one_may_have_is_told_when_there_is_room_and_the_old_ones_work() {
    let scenario = format!(
        "keys_per_user = 2\n{}",
        include_str!("../support/bare.toml")
    );
    let paper = Paper::open(&scenario).await;
    let body = |account| {
        json!({
            "type": "limit", "account_id": account, "market_id": "paper|BTC", "side": "buy",
            "size": 0.001, "limit_price": 50000, "leverage": 5, "margin_mode": "cross",
        })
        .to_string()
    };
    for key in ["a", "b"] {
        let placed = paper.keyed("/v1/orders", key, &body("chal-1")).await;
        assert_eq!(placed.status, 201);
    }
    let reply = paper.keyed("/v1/orders", "c", &body("chal-1")).await;
    let (status, code, _) = reply.refusal();
    assert_eq!((status, code.as_str()), (429, "too_many_keys"));
    assert_eq!(reply.header("retry-after"), Some("2592000"), "thirty days");
    let panic = "/v1/accounts/chal-1/close-all-positions";
    assert_eq!(paper.keyed(panic, "d", "").await.refusal().0, 429);
    let again = paper.keyed("/v1/orders", "a", &body("chal-1")).await;
    assert_eq!(again.status, 200, "a repeat needs no room");
    let orders: Vec<Value> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(orders.len(), 2);
    let other = paper
        .call_as("chal-2", "POST", "/v1/orders", &body("chal-2"))
        .await;
    assert_eq!(other.status, 201);
}

/// How long it took until the connection was over, and what was said.
async fn until_let_go(paper: &Paper, bytes: &str) -> (u64, String) {
    let began = Instant::now();
    let answer = paper.send(bytes.as_bytes()).await;
    (
        began.elapsed().as_secs(),
        String::from_utf8(answer).unwrap(),
    )
}

#[tokio::test(start_paused = true)]
async fn a_client_that_dawdles_is_let_go_after_its_time_for_head_body_and_next_request() {
    let paper = Paper::bare().await;
    let (silent, said) = until_let_go(&paper, "").await;
    assert_eq!((silent, said.as_str()), (30, ""));
    let (head, said) = until_let_go(&paper, "GET /sim/markets HTTP/1.1\r\nHost:").await;
    assert_eq!((head, said.as_str()), (10, ""));
    let markets = "GET /sim/markets HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let (next, said) = until_let_go(&paper, markets).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert_eq!(next, 30);
    let slow = r#"{"kind":"latency","route":"markets","count":1,"millis":15000}"#;
    assert_eq!(paper.post("/sim/faults", slow).await.status, 200);
    let (after_a_slow_answer, said) = until_let_go(&paper, markets).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert_eq!(after_a_slow_answer, 45);
    let request = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 9\r\n\r\n{{",
        paper.key()
    );
    let (body, said) = until_let_go(&paper, &request).await;
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
    assert!(said.contains("request_timeout"), "{said}");
    assert_eq!(body, 5, "a body has 5 s, and more as more of it comes");
}

#[tokio::test]
async fn a_budget_is_taken_from_before_the_key_is_looked_at() {
    let paper = Paper::bare().await;
    let one = json!({ "per_address": { "burst": 1, "per_second": 0 } }).to_string();
    assert_eq!(paper.post("/sim/budgets", &one).await.status, 200);
    let guess = [("Authorization", "Bearer paper_live_guess")];
    let orders = "/v1/orders?account_id=chal-1";
    let first = paper.bare_call("GET", orders, &guess, "").await.unwrap();
    let second = paper.bare_call("GET", orders, &guess, "").await.unwrap();
    assert_eq!((first.status, second.status), (401, 429));
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let paper = Paper::bare().await;
    let request =
        |close: &str| format!("GET /sim/markets HTTP/1.1\r\nHost: localhost\r\n{close}\r\n");
    let both = request("") + &request("Connection: close\r\n");
    let answer = String::from_utf8(paper.send(both.as_bytes()).await).unwrap();
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2);
}

/// As many connections as one address may have.
const PLACES: usize = 128;

async fn connected(paper: &Paper, count: usize) -> Vec<TcpStream> {
    let mut held = vec![];
    for _ in 0..count {
        held.push(TcpStream::connect(paper.handle.addr).await.unwrap());
    }
    held
}

#[tokio::test]
async fn a_bot_is_served_at_once_beside_as_many_slow_sockets_as_one_address_may_have() {
    let paper = Paper::bare().await;
    let mut held = connected(&paper, PLACES).await;
    for slow in &mut held {
        slow.write_all(b"GET /sim/markets HTTP/1.1\r\nHost:")
            .await
            .unwrap();
    }
    let began = Instant::now();
    for _ in 0..3 {
        assert_eq!(paper.get("/sim/clock").await.status, 200);
    }
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn who_comes_back_for_another_request_keeps_the_connection_beside_slow_sockets() {
    let paper = Paper::bare().await;
    let mut desk = TcpStream::connect(paper.handle.addr).await.unwrap();
    let mut ask = async || {
        let request = "GET /sim/clock HTTP/1.1\r\nHost: localhost\r\n\r\n";
        desk.write_all(request.as_bytes()).await.unwrap();
        let mut said = vec![];
        while !said.ends_with(b"}}") {
            assert_ne!(desk.read_buf(&mut said).await.unwrap(), 0);
        }
        String::from_utf8(said).unwrap()[..12].to_owned()
    };
    assert_eq!(ask().await, "HTTP/1.1 401");
    let _held = connected(&paper, 2 * PLACES).await;
    assert_eq!(paper.get("/sim/clock").await.status, 200);
    assert_eq!(ask().await, "HTTP/1.1 401");
}

/// A request whose body the exchange waits for, and one byte of it.
async fn slow_body(paper: &Paper) -> TcpStream {
    let mut slow = TcpStream::connect(paper.handle.addr).await.unwrap();
    let head = format!(
        "POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nIdempotency-Key: k\r\n\
         Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 200\r\n\r\n",
        paper.key()
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut said = [0; 12];
    slow.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"HTTP/1.1 100");
    slow.write_all(b"{").await.unwrap();
    slow
}

/// Every connection is either served or told 503, when to come back, and why.
async fn served_or_told(mut held: TcpStream) -> bool {
    let request = "GET /sim/clock HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    // It may have been told and closed already.
    let _ = held.write_all(request.as_bytes()).await;
    let mut said = vec![];
    let _ = held.read_to_end(&mut said).await;
    let said = String::from_utf8(said).unwrap();
    if said.starts_with("HTTP/1.1 401") {
        return true;
    }
    assert!(said.starts_with("HTTP/1.1 503"), "{said:?}");
    assert!(said.contains("\r\nRetry-After: 1\r\n"), "{said}");
    assert!(said.contains("\"code\":\"too_many_connections\""), "{said}");
    false
}

#[tokio::test]
async fn a_client_is_served_and_an_idle_one_stays_beside_hundreds_of_slow_bodies() {
    let paper = Paper::bare().await;
    let mut idle = TcpStream::connect(paper.handle.addr).await.unwrap();
    let mut ask = async || {
        let request = "GET /sim/clock HTTP/1.1\r\nHost: localhost\r\n\r\n";
        idle.write_all(request.as_bytes()).await.unwrap();
        let mut said = vec![];
        while !said.ends_with(b"}}") {
            assert_ne!(idle.read_buf(&mut said).await.unwrap(), 0);
        }
        String::from_utf8(said).unwrap()[..12].to_owned()
    };
    assert_eq!(ask().await, "HTTP/1.1 401");
    let mut held = vec![];
    for count in 1..=3 * PLACES {
        held.push(slow_body(&paper).await);
        if count % 32 == 0 {
            assert_eq!(paper.get("/sim/clock").await.status, 200, "{count}");
        }
    }
    assert_eq!(ask().await, "HTTP/1.1 401", "the idle one");
    let orders: Vec<Value> = paper.get("/v1/orders?account_id=chal-1").await.data();
    assert_eq!(orders, [] as [Value; 0]);
    let mut first = vec![];
    held.remove(0).read_to_end(&mut first).await.unwrap();
    assert!(first.ends_with(b"}}"), "the rest of 100, and a whole 503");
    let first = String::from_utf8(first).unwrap();
    assert!(first.contains("HTTP/1.1 503"), "{first}");
}

#[tokio::test]
async fn of_200_idle_connections_none_is_closed_without_a_word() {
    let paper = Paper::bare().await;
    let held = connected(&paper, 200).await;
    // The last of them is known to the exchange when this is answered.
    assert_eq!(paper.get("/sim/clock").await.status, 200);
    let mut served = 0;
    for connection in held {
        served += usize::from(served_or_told(connection).await);
    }
    assert_eq!(served, PLACES - 1);
}

#[tokio::test(start_paused = true)]
async fn who_asks_and_asks_and_never_reads_is_let_go() {
    let paper = Paper::bare().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut greedy = socket.connect(paper.handle.addr).await.unwrap();
    let request = "GET /sim/openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let asked = 400;
    greedy
        .write_all(request.repeat(asked).as_bytes())
        .await
        .unwrap();
    sleep(Duration::from_secs(90)).await;
    let mut said = vec![];
    let _ = timeout(Duration::from_secs(5), greedy.read_to_end(&mut said))
        .await
        .expect("the connection is over");
    let answers = String::from_utf8_lossy(&said)
        .matches("HTTP/1.1 200")
        .count();
    assert!(answers < asked, "{answers}");
}
