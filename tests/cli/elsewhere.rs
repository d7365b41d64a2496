//! A service on this machine that speaks the documented API, and is not the paper exchange.

use super::support::{perpdeck, ran};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};
use tempfile::TempDir;

type Lines = Arc<Mutex<Vec<String>>>;

/// What it answers to a request line, and the head lines beside the usual ones.
type Answers = fn(&str) -> (&'static str, String, String);

/// One account, empty lists beside it; everything else is unknown.
fn empty_lists(line: &str) -> (&'static str, String, String) {
    let account = json!({
        "id": "chal-1", "account_number": "1", "name": "one", "stage": "evaluation", "status": "active",
        "starting_balance": 100_000, "balance": 100_000, "created_at": 1_767_225_600_000_i64,
    });
    let path = line.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match path {
        "/v1" => ("200 OK", json!({ "name": "x", "environment": "test" })),
        "/v1/accounts" => ("200 OK", json!({ "data": [account], "has_more": false })),
        "/v1/accounts/chal-1" => ("200 OK", json!({ "data": account })),
        list if list.starts_with("/v1/") && !list.ends_with("/trading-policy") => {
            ("200 OK", json!({ "data": [], "has_more": false }))
        }
        _ => ("404 Not Found", json!({ "detail": "Not Found" })),
    };
    (status, body.to_string(), String::new())
}

/// The request lines it has seen, and where it listens.
fn documented_only(answers: Answers) -> (Lines, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(vec![]));
    let lines = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, lines) = (stream.unwrap(), Arc::clone(&lines));
            thread::spawn(move || answer(stream, &lines, answers));
        }
    });
    (seen, url)
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let is_end = reader.read_line(&mut line).ok()? == 0;
    (!is_end).then(|| line.trim_end().to_owned())
}

fn answer(mut stream: TcpStream, seen: &Mutex<Vec<String>>, answers: Answers) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let line = read_line(&mut reader)?;
        let mut length = 0;
        loop {
            let head = read_line(&mut reader)?.to_lowercase();
            if head.is_empty() {
                break;
            }
            if let Some(value) = head.strip_prefix("content-length: ") {
                length = value.parse().ok()?;
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        let (status, body, more) = answers(&line);
        seen.lock().ok()?.push(line);
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    }
}

#[test]
fn a_service_that_is_no_simulator_is_pictured_whole_and_asked_for_nothing_that_only_one_has() {
    let (seen, url) = documented_only(empty_lists);
    let home = TempDir::new().unwrap();
    let verb = |args: &[&str]| run(&home, &url, args);
    let (code, frame, err) = verb(&["snapshot", "--keys", "r r"]);
    assert_eq!((code, err.as_str()), (0, ""), "{frame}");
    assert!(frame.contains("Positions"), "{frame}");
    let (code, table, _) = verb(&["doctor", "--output", "table"]);
    assert_eq!(code, 0, "{table}");
    let (code, rows, err) = verb(&["positions", "--output", "json"]);
    assert_eq!((code, rows.trim(), err.as_str()), (0, "[]", ""));
    let asked = seen.lock().unwrap();
    let of_a_simulator: Vec<_> = asked.iter().filter(|line| line.contains("/sim/")).collect();
    assert_eq!(of_a_simulator, Vec::<&String>::new());
}

fn run(home: &TempDir, url: &str, args: &[&str]) -> (i32, String, String) {
    let place = [
        ("PERPDECK_BASE_URL", url),
        ("PERPDECK_ACCOUNT_ID", "chal-1"),
        ("PERPDECK_API_KEY", "key"),
    ];
    ran(perpdeck(home.path()).envs(place).args(args))
}

/// A key with two accounts.
fn two_accounts(line: &str) -> (&'static str, String, String) {
    let account =
        |id: &str, name: &str, status: &str| json!({ "id": id, "name": name, "status": status });
    let (old, new) = (
        account("old", "10k", "failed"),
        account("new", "50k", "active"),
    );
    let body = match line.split(' ').nth(1).unwrap_or_default() {
        "/v1/accounts" => json!({ "data": [old, new], "has_more": false }),
        "/v1/accounts/old" => json!({ "data": old }),
        "/v1/accounts/new" => json!({ "data": new }),
        _ => return empty_lists(line),
    };
    ("200 OK", body.to_string(), String::new())
}

#[test]
fn without_an_account_in_the_settings_the_key_decides_and_of_several_a_verb_asks_for_one() {
    let of_key = |answers: Answers, args: &[&str]| {
        let (seen, url) = documented_only(answers);
        let home = TempDir::new().unwrap();
        let place = [
            ("PERPDECK_BASE_URL", url.as_str()),
            ("PERPDECK_API_KEY", "key"),
        ];
        let (code, out, err) = ran(perpdeck(home.path()).envs(place).args(args));
        let lines = seen.lock().unwrap().join("\n");
        (code, out, err, lines)
    };
    let (code, out, err, lines) = of_key(empty_lists, &["positions", "--output", "json"]);
    assert_eq!((code, out.trim()), (0, "[]"), "{err}");
    assert!(lines.contains("/v1/positions?account_id=chal-1"), "{lines}");
    let (code, _, err, lines) = of_key(two_accounts, &["positions"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("new (50k), old (10k)"), "{err}");
    assert!(!lines.contains("/v1/positions"), "{lines}");
    let (code, frame, err, _) = of_key(two_accounts, &["snapshot"]);
    assert_eq!(code, 0, "{err}");
    let head = frame.lines().next().unwrap();
    assert!(head.contains(" new "), "the active one is shown: {frame}");
}

/// The clock of this service is an hour behind, and its only order is a minute old.
fn an_hour_behind(line: &str) -> (&'static str, String, String) {
    let now = Timestamp::now() - SignedDuration::from_hours(1);
    let date = now
        .strftime("Date: %a, %d %b %Y %H:%M:%S GMT\r\n")
        .to_string();
    if !line.starts_with("GET /v1/orders") {
        let (status, body, _) = empty_lists(line);
        return (status, body, date);
    }
    let order = json!({
        "id": "ord-1", "account_id": "chal-1", "market_id": "paper|BTC", "provider": "paper",
        "symbol": "BTC", "coin": "BTC", "side": "buy", "size": 1,
        "type": "limit", "mode": "limit", "status": "resting", "limit_price": 50_000, "expected_price": 60_000,
        "leverage": 5, "margin_mode": "cross", "reduce_only": false,
        "requested_at": now.as_millisecond() - 60_000,
    });
    let body = json!({ "data": [order], "has_more": false });
    ("200 OK", body.to_string(), date)
}

#[test]
fn ages_and_since_go_by_the_clock_of_the_service() {
    let (_, url) = documented_only(an_hour_behind);
    let home = TempDir::new().unwrap();
    for args in [
        &["orders"][..],
        &["orders", "--since", "5m"],
        &["orders", "--history", "--since", "5m"],
    ] {
        let (code, rows, err) = run(&home, &url, &[args, &["--output", "json"]].concat());
        let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
        assert_eq!(
            (code, rows[0]["id"].as_str()),
            (0, Some("ord-1")),
            "{args:?} {rows} {err}"
        );
        if let Some(age) = rows[0]["age"].as_f64() {
            assert!((55.0..75.0).contains(&age), "{args:?} {age}");
        } else {
            panic!("{args:?} {rows}");
        }
    }
    let (_, rows, _) = run(
        &home,
        &url,
        &["orders", "--since", "50s", "--output", "json"],
    );
    assert_eq!(rows.trim(), "[]");
}

/// Refuses every order for one field.
fn refuses_a_field(line: &str) -> (&'static str, String, String) {
    if !line.starts_with("POST /v1/orders") {
        return empty_lists(line);
    }
    let details = json!([{ "field": "limit_price", "issue": "must be above 0.5" }]);
    let error = json!({ "code": "invalid", "message": "The body is invalid.", "details": details });
    (
        "400 Bad Request",
        json!({ "error": error }).to_string(),
        String::new(),
    )
}

#[test]
fn a_refused_body_is_told_field_by_field() {
    let (_, url) = documented_only(refuses_a_field);
    let home = TempDir::new().unwrap();
    let place = |format: &str| {
        let order = "place --market paper|BTC --side buy --type limit --size 1 --limit-price 0.4 --leverage 1";
        let words = order
            .split(' ')
            .chain(["--margin-mode", "cross", "--yes", "--output", format]);
        let key = format!("key-{format}");
        let args: Vec<_> = words.chain(["--idempotency-key", &key]).collect();
        run(&home, &url, &args)
    };
    let (code, _, told) = place("json");
    assert_eq!(code, 13, "{told}");
    let details = r#""details":[{"field":"limit_price","issue":"must be above 0.5"}]"#;
    assert!(told.contains(details), "{told}");
    let (code, _, told) = place("table");
    assert_eq!(code, 13, "{told}");
    assert!(told.contains("limit_price: must be above 0.5"), "{told}");
}

#[test]
fn a_profile_needs_no_account_id_and_the_desk_has_the_accounts_of_its_key() {
    let (_, url) = documented_only(two_accounts);
    let home = TempDir::new().unwrap();
    let settings = format!("base_url = '{url}'\n[profiles.main]\napi_key_command = 'echo k'\n");
    let file = home.path().join("config.toml");
    std::fs::write(&file, settings).unwrap();
    let verb = |args: &[&str]| {
        let mut command = perpdeck(home.path());
        ran(command
            .args(["--config".as_ref(), file.as_os_str()])
            .args(args))
    };
    let (code, rows, err) = verb(&["accounts", "--output", "csv"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        rows.contains("main,new,") && rows.contains("main,old,"),
        "{rows}"
    );
    let (code, _, err) = verb(&["positions"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("new (50k), old (10k)"), "{err}");
    let (code, frame, err) = verb(&["snapshot", "--keys", "A"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        frame.contains("Accounts") && frame.contains("old"),
        "{frame}"
    );
}

/// The first list of accounts is not answered.
fn answers_the_second_time(line: &str) -> (&'static str, String, String) {
    static ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let is_list = line.starts_with("GET /v1/accounts ");
    if is_list && ASKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
        let busy = json!({ "error": { "code": "busy", "message": "busy" } }).to_string();
        return (
            "503 Service Unavailable",
            busy,
            "Retry-After: 1\r\n".to_owned(),
        );
    }
    empty_lists(line)
}

#[test]
fn a_list_of_accounts_that_is_not_answered_is_asked_for_again() {
    let (_, url) = documented_only(answers_the_second_time);
    let home = TempDir::new().unwrap();
    let place = [
        ("PERPDECK_BASE_URL", url.as_str()),
        ("PERPDECK_API_KEY", "key"),
    ];
    let verb = ["positions", "--output", "json"];
    let (code, out, err) = ran(perpdeck(home.path()).envs(place).args(verb));
    assert_eq!((code, out.trim()), (0, "[]"), "{err}");
}

/// Takes every order for a sale of ten times the size, and every cancel for one of another order.
fn something_else(line: &str) -> (&'static str, String, String) {
    let body = if line.starts_with("POST") {
        let order = json!({
            "id": "ord-1", "account_id": "chal-1", "market_id": "x|BTC", "provider": "x", "symbol": "BTC", "coin": "BTC",
            "side": "sell", "size": 0.1, "type": "limit", "mode": "limit", "status": "filled", "limit_price": 50_000,
            "fill_price": 40_000, "filled_size": 3, "expected_price": 60_000, "leverage": 1, "margin_mode": "cross",
            "reduce_only": false, "requested_at": 1_767_225_600_000_i64,
        });
        json!({ "data": order })
    } else if line.starts_with("DELETE") {
        json!({ "data": { "id": "ord-2", "canceled": true } })
    } else if line.starts_with("GET /v1/markets ") {
        let market = json!({
            "market_id": "x|BTC", "provider": "x", "symbol": "BTC", "coin": "BTC", "size_decimals": 4, "max_leverage": 50,
        });
        json!({ "data": [market] })
    } else {
        return empty_lists(line);
    };
    ("200 OK", body.to_string(), String::new())
}

#[test]
fn an_answer_about_something_else_is_no_success() {
    let (_, url) = documented_only(something_else);
    let home = TempDir::new().unwrap();
    let order =
        "place --market btc --side buy --size 0.01 --leverage 1 --type limit --limit-price 50000";
    let differences = json!([
        "side sell instead of buy",
        "size 0.1 instead of 0.01",
        "filled 3 of 0.01",
        "filled at 40000, beyond its limit 50000"
    ]);
    for (verb, differences) in [
        (order, differences),
        ("cancel ord-1", json!(["order ord-2 instead of ord-1"])),
    ] {
        let args: Vec<_> = verb.split(' ').chain(["--yes", "-o", "json"]).collect();
        let (code, out, err) = run(&home, &url, &args);
        assert_eq!(code, 15, "{verb}: {out} {err}");
        let told: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(told["mismatch"], differences, "{verb}");
        let error = super::served::last_error(&err);
        assert_eq!(error["kind"], "mismatch", "{verb}: {err}");
    }
}

/// Has rows of markets that cannot be read, and would take any order.
fn lists_unreadable_markets(line: &str) -> (&'static str, String, String) {
    if line.starts_with("GET /v1/markets ") {
        let rows = json!({ "data": [null, 1] });
        return ("200 OK", rows.to_string(), String::new());
    }
    something_else(line)
}

#[test]
fn a_symbol_that_no_list_explains_is_never_sent_as_an_id() {
    for service in [empty_lists, lists_unreadable_markets] {
        let (seen, url) = documented_only(service);
        let home = TempDir::new().unwrap();
        let order = "place --market btc --side buy --size 0.01 --leverage 1 --type market --yes";
        let args: Vec<_> = order.split(' ').collect();
        let (code, _, err) = run(&home, &url, &args);
        let words = "--market: the service lists no market, so btc is unknown; write the market id, as in paper|SOL";
        let error = super::served::last_error(&err);
        assert_eq!((code, error["message"].as_str()), (2, Some(words)), "{err}");
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|line| line.starts_with("GET")), "{seen:?}");
    }
}

/// Cancels all orders, and cannot list them.
fn lists_no_orders(line: &str) -> (&'static str, String, String) {
    if line.starts_with("POST /v1/accounts/chal-1/cancel-all-orders") {
        let operation = json!({
            "id": "op-1", "operation": "cancel_all_orders", "account_id": "chal-1", "status": "completed",
            "total_count": 0, "succeeded_count": 0, "failed_count": 0, "results": [], "created_at": 0,
        });
        return (
            "200 OK",
            json!({ "data": operation }).to_string(),
            String::new(),
        );
    }
    if line.starts_with("GET /v1/orders") {
        let error = json!({ "code": "no", "message": "not found" });
        return (
            "404 Not Found",
            json!({ "error": error }).to_string(),
            String::new(),
        );
    }
    empty_lists(line)
}

#[test]
fn all_orders_are_canceled_although_they_cannot_be_listed() {
    let (seen, url) = documented_only(lists_no_orders);
    let home = TempDir::new().unwrap();
    let (code, out, err) = run(&home, &url, &["cancel", "--all", "--yes", "-o", "json"]);
    assert_eq!(code, 15, "{err}");
    assert!(err.contains("some may remain"), "{err}");
    assert!(out.contains("\"cancel_all_orders\""), "{out}");
    let seen = seen.lock().unwrap();
    let sent = seen.iter().filter(|line| line.starts_with("POST"));
    assert_eq!(sent.count(), 1, "{seen:?}");
}
