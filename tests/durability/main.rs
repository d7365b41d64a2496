//! The real `perpdeck serve --data-dir`, killed as nothing survives but the disk, and a disk that takes no more.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a failed helper is a failed test; a child process lives in real time"
)]

mod server;

use serde_json::{Value, json};
use server::{Client, Server};
use std::{collections::BTreeSet, path::Path, thread};
use tempfile::TempDir;

/// A limit buy that rests.
fn order(price: u32) -> String {
    json!({
        "type": "limit", "account_id": "chal-1", "market_id": "paper|BTC", "side": "buy",
        "size": 0.001, "limit_price": price, "leverage": 5, "margin_mode": "cross",
    })
    .to_string()
}

/// What one bot saw: orders it was told are placed, and the one it was told nothing of.
struct Seen {
    placed: Vec<(String, String)>,
    open: Option<String>,
}

/// Places orders until the exchange is gone. Keys begin with `name`.
fn trade_until_dead(client: &Client, name: &str) -> Seen {
    let mut placed = vec![];
    for n in 0.. {
        let key = format!("{name}-{n}");
        match client.keyed("/v1/orders", &key, &order(50_000)) {
            Some((201, body)) => placed.push((key, id(&body))),
            Some((status, body)) => panic!("{status} {body}"),
            None => {
                return Seen {
                    placed,
                    open: Some(key),
                };
            }
        }
    }
    Seen { placed, open: None }
}

fn id(body: &Value) -> String {
    body["data"]["id"].as_str().unwrap().to_owned()
}

/// Ids of every order of the account, page by page.
fn all_orders(client: &Client) -> Vec<String> {
    let mut ids = vec![];
    let mut target = "/v1/orders?account_id=chal-1&limit=100".to_owned();
    loop {
        let page = client.get(&target);
        ids.extend(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["id"].as_str().unwrap().to_owned()),
        );
        match page["next_cursor"].as_str() {
            Some(cursor) => {
                target = format!("/v1/orders?account_id=chal-1&limit=100&cursor={cursor}");
            }
            None => return ids,
        }
    }
}

#[test]
fn after_kill_9_every_order_that_was_answered_is_there_once_and_no_other_twice() {
    let dir = TempDir::new().unwrap();
    let mut keys: Vec<(String, String)> = vec![];
    let mut open: Vec<String> = vec![];
    for round in 0..3 {
        let server = Server::start(dir.path(), &[]);
        let bots: Vec<_> = (0..4)
            .map(|bot| {
                let client = server.client();
                thread::spawn(move || trade_until_dead(&client, &format!("{round}-{bot}")))
            })
            .collect();
        server.wait_for(40 * (round + 1));
        server.kill();
        for bot in bots {
            let seen = bot.join().unwrap();
            keys.extend(seen.placed);
            open.extend(seen.open);
        }
    }
    let server = Server::start(dir.path(), &[]);
    let client = server.client();
    let before: BTreeSet<String> = all_orders(&client).into_iter().collect();
    for (key, id) in &keys {
        assert!(
            before.contains(id),
            "{key} was answered with {id}, which is gone"
        );
        let (status, again) = client.keyed("/v1/orders", key, &order(50_000)).unwrap();
        assert_eq!((status, &self::id(&again)), (200, id));
    }
    for key in &open {
        let (status, row) = client.keyed("/v1/orders", key, &order(50_000)).unwrap();
        // Placed before the kill, or now.
        assert_eq!(status == 200, before.contains(&id(&row)), "{status} {row}");
    }
    assert_eq!(all_orders(&client).len(), keys.len() + open.len());
}

#[test]
fn a_twap_and_a_close_all_go_on_after_kill_9() {
    let dir = TempDir::new().unwrap();
    let server = Server::start(dir.path(), &[]);
    let client = server.client();
    for (key, market, size) in [("a", "BTC", 0.1), ("b", "ETH", 1.0), ("c", "SOL", 20.0)] {
        let market = format!("paper|{market}");
        let body = json!({
            "type": "market", "account_id": "chal-1", "market_id": market, "side": "buy", "size": size,
            "leverage": 5, "margin_mode": "cross",
        });
        assert_eq!(
            client
                .until(&[201], |c| c.keyed("/v1/orders", key, &body.to_string()))
                .0,
            201
        );
    }
    let twap = json!({
        "account_id": "chal-2", "market_id": "paper|BTC", "side": "buy", "size": 0.5, "leverage": 5,
        "margin_mode": "cross", "duration_minutes": 5, "expected_price": 64_000,
    });
    let other = server.client_of("chal-2");
    assert_eq!(
        other.post("/v1/twap-orders", &twap.to_string()).unwrap().0,
        201
    );
    let close_all =
        |client: &Client| client.keyed("/v1/accounts/chal-1/close-all-positions", "panic", "");
    let (_, begun) = client.until(&[202], close_all);
    let speed = client.post("/sim/clock", r#"{"speed":20}"#);
    assert_eq!(speed.unwrap().0, 200);
    let twap_now =
        |client: &Client| client.get("/v1/twap-orders?account_id=chal-2")["data"][0].clone();
    let filled = |twap: &Value| twap["filled_size"].as_f64().unwrap();
    let running = twap_now(&other);
    server.kill();

    let server = Server::start(dir.path(), &[]);
    let (client, other) = (server.client(), server.client_of("chal-2"));
    let resumed = twap_now(&other);
    assert_eq!(
        (&resumed["id"], &resumed["status"]),
        (&running["id"], &json!("active"))
    );
    assert!(filled(&resumed) >= filled(&running), "{resumed}");
    // The speed is kept too: its five minutes are over in a quarter of one.
    let (_, done) = client.until(&[201], close_all);
    assert_eq!(done["data"]["id"], begun["data"]["id"]);
    assert_eq!(done["data"]["total_count"], json!(3));
    assert_eq!(done["data"]["succeeded_count"], json!(3));
    assert_eq!(close_all(&client).unwrap().0, 200);
    assert_eq!(
        client.get("/v1/positions?account_id=chal-1")["data"],
        json!([])
    );
}

#[test]
fn a_full_disk_answers_503_and_loses_nothing_that_was_answered() {
    let dir = TempDir::new().unwrap();
    let server = Server::with_room(dir.path(), 768 * 1024);
    let client = server.client();
    let mut placed = vec![];
    let refused = loop {
        let key = format!("k{}", placed.len());
        match client.keyed("/v1/orders", &key, &order(50_000)).unwrap() {
            (201, body) => placed.push(id(&body)),
            other => break other,
        }
        assert!(placed.len() < 2_000, "the disk was not full");
    };
    let (status, body) = refused;
    assert_eq!(
        (status, &body["error"]["code"]),
        (503, &json!("records_unavailable"))
    );
    assert_eq!(
        client
            .keyed("/v1/orders", "next", &order(50_000))
            .unwrap()
            .0,
        503
    );
    server.kill_once_it_says("the exchange has stopped");

    let server = Server::start(dir.path(), &[]);
    let client = server.client();
    let there: BTreeSet<String> = all_orders(&client).into_iter().collect();
    assert!(placed.iter().all(|id| there.contains(id)));
    // The one in doubt, asked for again with its key, is there once.
    let key = format!("k{}", placed.len());
    let (status, row) = client.keyed("/v1/orders", &key, &order(50_000)).unwrap();
    assert_eq!(status == 200, there.contains(&id(&row)), "{status} {row}");
    assert_eq!(all_orders(&client).len(), placed.len() + 1);
}

#[test]
fn a_directory_that_cannot_be_gone_on_with_is_said_and_left_alone() {
    let dir = TempDir::new().unwrap();
    let server = Server::start(dir.path(), &[]);
    let (code, said) = Server::refused(dir.path(), &[]);
    assert_eq!(code, 1);
    assert!(
        said.contains("another perpdeck keeps its exchange in"),
        "{said}"
    );
    server.kill();
    let (code, said) = Server::refused(dir.path(), &["--seed", "7"]);
    assert_eq!(code, 1);
    assert!(
        said.contains("holds an exchange of seed 42, not 7"),
        "{said}"
    );
    let log = dir.path().join("data/exchange.jsonl");
    assert!(Path::new(&log).exists());
    std::fs::remove_file(&log).unwrap();
    let (code, said) = Server::refused(dir.path(), &[]);
    assert_eq!(code, 1);
    let why = "a new one would execute its used Idempotency-Keys again";
    assert!(said.contains(why), "{said}");
}

/// A page is built and freed between records that stay. Whatever it leaves behind, it leaves behind every time.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_is_read_after_every_order_leaves_no_memory_behind() {
    let dir = TempDir::new().unwrap();
    let server = Server::start(dir.path(), &[]);
    let client = server.client();
    let trade = |rounds: std::ops::Range<u32>| {
        for round in rounds {
            let key = format!("k{round}");
            let (status, placed) = client.keyed("/v1/orders", &key, &order(50_000)).unwrap();
            assert_eq!(status, 201, "{placed}");
            client.delete(&format!("/v1/orders/{}", id(&placed)));
            client.get("/v1/orders?account_id=chal-1&limit=50");
        }
    };
    trade(0..200);
    let before = server.memory_kib();
    trade(200..700);
    let more = server.memory_kib().saturating_sub(before);
    // Two records a round are about a MiB, and 40 KiB a page would be 20.
    assert!(more < 8 * 1024, "{more} KiB more after 500 pages");
}
