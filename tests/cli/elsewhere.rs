//! A service on this machine that speaks the documented API, and is not the paper exchange.

use super::support::{perpdeck, ran};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};
use tempfile::TempDir;

type Lines = Arc<Mutex<Vec<String>>>;

/// The request lines it has seen, and where it listens. Lists are empty, everything else is unknown.
fn documented_only() -> (Lines, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(vec![]));
    let lines = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, lines) = (stream.unwrap(), Arc::clone(&lines));
            thread::spawn(move || answer(stream, &lines));
        }
    });
    (seen, url)
}

fn answer(mut stream: TcpStream, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    loop {
        let line = lines.next()?.ok()?;
        let is_over = |line: &std::io::Result<String>| line.as_ref().is_ok_and(String::is_empty);
        lines.by_ref().find(is_over)?.ok()?;
        let (status, body) = if line.starts_with("GET /v1/") {
            ("200 OK", r#"{"data":[],"has_more":false}"#)
        } else {
            ("404 Not Found", r#"{"detail":"Not Found"}"#)
        };
        seen.lock().ok()?.push(line);
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    }
}

/// Issue 13, item 17.
#[test]
fn a_service_without_the_paper_exchanges_own_lists_is_pictured_whole_and_asked_for_them_once() {
    let (seen, url) = documented_only();
    let home = TempDir::new().unwrap();
    let verb = |args: &[&str]| {
        let mut verb = perpdeck(home.path());
        let place = [
            ("PERPDECK_BASE_URL", url.as_str()),
            ("PERPDECK_ACCOUNT_ID", "chal-1"),
            ("PERPDECK_API_KEY", "key"),
        ];
        ran(verb.envs(place).args(args))
    };
    let (code, frame, err) = verb(&["snapshot", "--keys", "r r"]);
    assert_eq!((code, err.as_str()), (0, ""), "{frame}");
    assert!(frame.contains("Positions"), "{frame}");
    for list in ["/sim/markets", "/sim/accounts"] {
        let asked = seen.lock().unwrap();
        let asked = asked.iter().filter(|line| line.contains(list)).count();
        assert_eq!(asked, 1, "{list}");
    }
    let (code, table, _) = verb(&["doctor", "--output", "table"]);
    assert_eq!(code, 0, "{table}");
    assert!(table.contains("does not offer /sim/markets"), "{table}");
    let (code, rows, err) = verb(&["positions", "--output", "json"]);
    assert_eq!((code, rows.trim(), err.as_str()), (0, "[]", ""));
}
