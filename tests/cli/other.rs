//! A service with other words: it stands in front of the paper exchange and turns its own into the exchange's.

use super::{served::Served, *};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};

/// How this one takes a parameter it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stranger {
    Refused,
    Ignored,
}

/// What it calls things.
#[derive(Debug, Clone, Copy)]
struct Words {
    /// `None`: it has no such filter.
    working: Option<&'static str>,
    selector: Option<&'static str>,
    twaps_account: Option<&'static str>,
    stranger: Stranger,
}

struct Other {
    served: Served,
    base_url: String,
    /// Every `GET` under `/v1` that came.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Other {
    fn before(served: Served, words: Words) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let behind = served.base_url.strip_prefix("http://").unwrap().to_owned();
        let seen = Arc::new(Mutex::new(vec![]));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for caller in listener.incoming() {
                let (behind, kept) = (behind.clone(), Arc::clone(&kept));
                std::thread::spawn(move || pass(caller.unwrap(), &behind, words, &kept));
            }
        });
        Self {
            served,
            base_url,
            seen,
        }
    }

    fn verb(&self, args: &[&str]) -> Command {
        let mut verb = self.served.verb(args);
        verb.env("PERPDECK_BASE_URL", &self.base_url);
        verb
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let (code, out, err) = ran(&mut self.verb(args));
        assert_eq!(code, 0, "{args:?}: {err}");
        serde_json::from_str(&out).unwrap()
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

/// One request in its words, answered by the exchange in the exchange's.
fn pass(mut caller: TcpStream, behind: &str, words: Words, seen: &Mutex<Vec<String>>) {
    let mut from = BufReader::new(caller.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if from.read_line(&mut head).unwrap() == 0 {
            return;
        }
    }
    let line = head.lines().next().unwrap().to_owned();
    let mut parts = line.split(' ');
    let (method, target) = (parts.next().unwrap(), parts.next().unwrap());
    if method == "GET" && target.starts_with("/v1") {
        seen.lock().unwrap().push(target.to_owned());
    }
    let Some(turned) = turned(target, words) else {
        let body = r#"{"error":{"code":"query","message":"unknown query parameter"}}"#;
        write!(
            caller,
            "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        return;
    };
    let declared = |line: &str| {
        let line = line.to_lowercase();
        line.strip_prefix("content-length: ")?.parse().ok()
    };
    let length = head.lines().find_map(declared).unwrap_or(0);
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    let rest = head.split_once("\r\n").unwrap().1;
    let mut to = TcpStream::connect(behind).unwrap();
    write!(
        to,
        "{method} {turned} HTTP/1.1\r\nconnection: close\r\n{rest}"
    )
    .unwrap();
    to.write_all(&body).unwrap();
    let mut answer = vec![];
    to.read_to_end(&mut answer).unwrap();
    let _gone = caller.write_all(&answer);
}

/// The target as the exchange understands it; `None` where a word is refused.
fn turned(target: &str, words: Words) -> Option<String> {
    let Some((path, query)) = target.split_once('?') else {
        return Some(target.to_owned());
    };
    let own: &[(Option<&str>, &str)] = match path {
        "/v1/orders" => &[(words.working, "status")],
        "/v1/positions" => &[(words.selector, "status")],
        "/v1/twap-orders" => &[(words.twaps_account, "account_id")],
        _ => return Some(target.to_owned()),
    };
    let mut pairs = vec![];
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap();
        let known = own.iter().find(|(word, _)| *word == Some(name));
        match known {
            Some((_, theirs)) => pairs.push(format!("{theirs}={value}")),
            None if name == "limit" || name == "cursor" => pairs.push(pair.to_owned()),
            None if name == "account_id" && path != "/v1/twap-orders" => {
                pairs.push(pair.to_owned());
            }
            None if words.stranger == Stranger::Ignored => {}
            None => return None,
        }
    }
    Some(format!("{path}?{}", pairs.join("&")))
}

/// One order working, one canceled, one position open, one closed.
fn traded() -> Served {
    let served = Served::bare();
    served.waiting("limit");
    let gone = served.waiting("limit");
    assert_eq!(served.run(&["cancel", &gone, "--yes"]).0, 0);
    let closed = served.holding("paper|ETH", 1.0, "cross");
    assert_eq!(served.run(&["close", &closed, "--yes"]).0, 0);
    served.post("/sim/clock", &json!({ "advance_ms": 5_000 }));
    served.holding("paper|BTC", 0.1, "cross");
    served
}

fn count(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

const OTHER_NAMES: Words = Words {
    working: Some("filter"),
    selector: Some("state"),
    twaps_account: None,
    stranger: Stranger::Refused,
};

#[test]
fn a_service_with_other_names_is_understood_and_remembered() {
    let other = Other::before(traded(), OTHER_NAMES);
    assert_eq!(count(&other.json(&["orders"])), 1);
    let asked = other.asked();
    assert_eq!(asked.len(), 2, "one read in vain: {asked:?}");
    assert!(asked[1].contains("filter=working"));
    assert_eq!(count(&other.json(&["positions", "--closed"])), 1);
    assert_eq!(other.json(&["twaps"]), json!([]));
    other.asked();
    // The next time it is spoken to in its own words from the start.
    assert_eq!(count(&other.json(&["orders"])), 1);
    assert_eq!(count(&other.json(&["positions"])), 1);
    assert_eq!(other.json(&["twaps"]), json!([]));
    let asked = other.asked();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked[0].contains("filter=working") && asked[1].contains("state=open"));
    // A position tells what stops it.
    assert!(asked[2].contains("filter=working"), "{asked:?}");
    assert!(!asked[3].contains('?'), "{asked:?}");
}

#[test]
fn what_a_setting_names_is_never_changed() {
    let other = Other::before(traded(), OTHER_NAMES);
    let mut verb = other.verb(&["orders"]);
    let (code, _, err) = ran(verb.env("PERPDECK_DIALECT__WORKING_FILTER__NAME", "status"));
    assert_eq!((code, other.asked().len()), (13, 1), "{err}");
}

#[test]
fn where_nothing_filters_every_page_is_read_and_sorted_out_here() {
    for stranger in [Stranger::Refused, Stranger::Ignored] {
        let words = Words {
            working: None,
            selector: None,
            stranger,
            ..OTHER_NAMES
        };
        let other = Other::before(traded(), words);
        let orders = other.json(&["orders"]);
        assert_eq!(
            (count(&orders), &orders[0]["status"]),
            (1, &json!("resting"))
        );
        assert_eq!(count(&other.json(&["positions"])), 1);
        // Closed ones cannot be asked for, and that none came does not say that there are none.
        let (code, out, err) = ran(&mut other.verb(&["positions", "--closed"]));
        assert_eq!((code, out.as_str()), (15, "[]\n"), "{err}");
        assert!(err.contains("incomplete"), "{err}");
        let (_, frame, _) = ran(&mut other.verb(&["snapshot", "--size", "160x48", "--keys", "5"]));
        assert!(frame.contains("2 Working orders 1"), "{frame}");
        assert!(!frame.contains("no closed positions"), "{frame}");
    }
}

#[test]
fn the_desk_says_what_it_has_learned_and_doctor_tells_how() {
    let other = Other::before(traded(), OTHER_NAMES);
    let (_, frame, _) = ran(&mut other.verb(&["snapshot", "--size", "200x60", "--keys", "7 z"]));
    for said in [
        "learned of the service: ",
        " was refused); dialect.",
        " decides otherwise",
    ] {
        assert!(frame.contains(said), "{frame}");
    }
    let report = other.json(&["doctor"]);
    let assumptions = report["assumptions"].as_array().unwrap();
    let one = |what: &str| assumptions.iter().find(|a| a["what"] == what).unwrap();
    for (what, value) in [
        ("working filter", "filter=working"),
        ("positions", "state=open|closed"),
        ("TWAP account", "no parameter"),
    ] {
        assert_eq!(
            (&one(what)["value"], &one(what)["settled"]),
            (&json!(value), &json!("asked")),
            "{report}"
        );
        assert!(
            one(what)["how"].as_str().unwrap().contains("in place of"),
            "{report}"
        );
    }
}
