//! Lists and their cursors, and that a read is never older than the last change.

use crate::{
    orders::place,
    support::{Paper, Reply},
};
use perpdeck::{
    api::List,
    model::{Order, Position},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Follows the cursors to the end; every page but the last is full.
async fn all<T: DeserializeOwned>(paper: &Paper, target: &str, limit: usize) -> Vec<T> {
    let mut rows = vec![];
    let mut cursor = String::new();
    loop {
        let page = paper.get(&format!("{target}&limit={limit}{cursor}")).await;
        let page: List<T> = serde_json::from_slice(&page.body).unwrap();
        let full = page.data.len() == limit;
        rows.extend(page.data);
        let Some(next) = page.next_cursor else {
            assert_eq!(page.has_more, Some(false));
            return rows;
        };
        assert!(full && page.has_more == Some(true));
        cursor = format!("&cursor={}", next.raw());
    }
}

/// Nine limit orders in one millisecond of virtual time.
async fn nine_at_once(paper: &Paper) {
    let price = paper.price("paper|BTC", -5.0).await;
    for n in 0..9 {
        let limit = json!({"type":"limit","limit_price":price - n,"size":0.01});
        assert_eq!(place(paper, &format!("k{n}"), limit).await.status, 201);
    }
}

#[tokio::test]
async fn orders_of_one_millisecond_are_paged_without_gap_or_repeat() {
    let paper = Paper::bare().await;
    nine_at_once(&paper).await;
    let newest_first: Vec<String> = (1..=9).rev().map(|n| format!("ord_{n:06}")).collect();
    for limit in [1, 2, 3, 4, 9, 100] {
        let orders: Vec<Order> = all(&paper, "/v1/orders?account_id=chal-1", limit).await;
        let ids: Vec<&str> = orders.iter().map(|order| order.id.raw()).collect();
        assert_eq!(ids, newest_first, "limit {limit}");
    }
}

#[tokio::test]
async fn orders_placed_between_two_pages_shift_nothing() {
    let paper = Paper::bare().await;
    nine_at_once(&paper).await;
    let first = paper
        .get("/v1/orders?account_id=chal-1&limit=4")
        .await
        .json();
    place(&paper, "late", json!({})).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let next = format!("/v1/orders?account_id=chal-1&limit=4&cursor={cursor}");
    let next: Vec<Order> = paper.get(&next).await.data();
    let ids: Vec<&str> = next.iter().map(|order| order.id.raw()).collect();
    assert_eq!(
        ids,
        ["ord_000005", "ord_000004", "ord_000003", "ord_000002"]
    );
}

#[tokio::test]
async fn a_cursor_fits_only_its_own_list() {
    let paper = Paper::bare().await;
    nine_at_once(&paper).await;
    let first = paper
        .get("/v1/orders?account_id=chal-1&limit=4")
        .await
        .json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let altered = cursor.replace(&cursor[8..9], if &cursor[8..9] == "0" { "1" } else { "0" });
    let own = format!("/v1/orders?account_id=chal-1&cursor={cursor}");
    assert_eq!(paper.get(&own).await.status, 200);
    for target in [
        format!("/v1/orders?account_id=chal-1&cursor={altered}"),
        format!("/v1/orders?account_id=chal-1&cursor={cursor}0"),
        format!("/v1/orders?account_id=chal-1&status=working&cursor={cursor}"),
        format!("/v1/positions?account_id=chal-1&status=closed&cursor={cursor}"),
        format!("/v1/positions?account_id=chal-1&cursor={cursor}"),
    ] {
        let reply = paper.get(&target).await;
        assert_eq!(reply.status, 400, "{target}");
        assert_eq!(reply.error().code.raw(), "invalid_cursor");
    }
    let theirs = format!("/v1/orders?account_id=chal-2&cursor={cursor}");
    let theirs = paper.call_as("chal-2", "GET", &theirs, "").await;
    assert_eq!(theirs.error().code.raw(), "invalid_cursor");
}

#[tokio::test]
async fn the_working_filter_is_complete_whatever_the_limit() {
    let paper = Paper::bare().await;
    nine_at_once(&paper).await;
    let trigger = paper.price("paper|BTC", 5.0).await;
    let armed = json!({"type":"stop_market","trigger_price":trigger});
    place(&paper, "armed", armed).await;
    place(&paper, "filled", json!({})).await;
    paper.delete("/v1/orders/ord_000003").await;
    let target = "/v1/orders?account_id=chal-1&status=working&limit=2";
    let page: List<Order> = serde_json::from_slice(&paper.get(target).await.body).unwrap();
    assert_eq!(page.data.len(), 9);
    assert!(page.data.iter().all(Order::is_working));
    assert_eq!((page.has_more, page.next_cursor), (Some(false), None));
}

#[tokio::test]
async fn closed_positions_are_paged_the_last_closed_first() {
    let paper = Paper::bare().await;
    for n in 0..5 {
        place(&paper, &format!("open{n}"), json!({})).await;
        paper.advance(500).await;
        let open: Vec<Position> = paper.get("/v1/positions?account_id=chal-1").await.data();
        let close = format!("/v1/positions/{}/close", open[0].id);
        let reply = paper
            .keyed(&close, &format!("close{n}"), r#"{"type":"market"}"#)
            .await;
        assert_eq!(reply.status, 201, "{}", reply.text());
        paper.advance(500).await;
    }
    for limit in [1, 2, 5] {
        let target = "/v1/positions?account_id=chal-1&status=closed";
        let closed: Vec<Position> = all(&paper, target, limit).await;
        let ids: Vec<&str> = closed.iter().map(|position| position.id.raw()).collect();
        assert_eq!(
            ids,
            [
                "pos_000005",
                "pos_000004",
                "pos_000003",
                "pos_000002",
                "pos_000001"
            ]
        );
    }
}

/// A connection of its own that stays open.
struct Poller {
    stream: TcpStream,
    head: String,
}

impl Poller {
    async fn connect(paper: &Paper, account: &str) -> Self {
        let (addr, key) = (paper.handle.addr, paper.key_of(account));
        Self {
            stream: TcpStream::connect(addr).await.unwrap(),
            head: format!("Host: {addr}\r\nAuthorization: Bearer {key}\r\n"),
        }
    }

    async fn get(&mut self, target: &str) -> Reply {
        let request = format!("GET {target} HTTP/1.1\r\n{}\r\n", self.head);
        self.stream.write_all(request.as_bytes()).await.unwrap();
        let mut read = vec![];
        loop {
            if let Some(reply) = Reply::read(&read) {
                assert_eq!(reply.status, 200, "{}", reply.text());
                return reply;
            }
            assert!(self.stream.read_buf(&mut read).await.unwrap() > 0);
        }
    }

    async fn rows(&mut self, target: &str) -> Vec<Value> {
        self.get(target).await.data()
    }
}

const WORKING: &str = "/v1/orders?account_id=chal-1&status=working";

#[tokio::test]
async fn the_next_read_on_another_connection_shows_a_change() {
    let paper = Paper::bare().await;
    let mut poller = Poller::connect(&paper, "chal-1").await;
    let price = paper.price("paper|BTC", -5.0).await;
    let limit = json!({"type":"limit","limit_price":price});
    for n in 1..20 {
        assert_eq!(poller.rows(WORKING).await, poller.rows(WORKING).await);
        let placed = place(&paper, &format!("k{n}"), limit.clone()).await;
        assert_eq!(placed.status, 201);
        assert_eq!(poller.rows(WORKING).await.len(), 1, "placed");
        paper.delete(&format!("/v1/orders/ord_{n:06}")).await;
        assert_eq!(poller.rows(WORKING).await.len(), 0, "canceled");
    }
    let before = poller.get("/v1/accounts/chal-1").await;
    let markets = poller.get("/sim/markets").await;
    paper.advance(250).await;
    assert_ne!(poller.get("/v1/accounts/chal-1").await.body, before.body);
    assert_ne!(poller.get("/sim/markets").await.body, markets.body);
    place(&paper, "last", limit).await;
    assert_eq!(poller.rows(WORKING).await.len(), 1);
    paper.post("/sim/reset", "").await;
    assert_eq!(poller.rows(WORKING).await.len(), 0, "reset");
}

#[tokio::test]
async fn the_same_read_twice_has_the_same_bytes_and_another_request_id() {
    let paper = Paper::bare().await;
    let mut poller = Poller::connect(&paper, "chal-1").await;
    let (first, again) = (poller.get(WORKING).await, poller.get(WORKING).await);
    assert_eq!(first.body, again.body);
    let id = |reply: &Reply| reply.header("x-request-id").unwrap().to_owned();
    assert_ne!(id(&first), id(&again));
}

#[tokio::test]
async fn the_same_target_gives_each_user_its_own_answer() {
    let paper = Paper::bare().await;
    let (mut one, mut other) = (
        Poller::connect(&paper, "chal-1").await,
        Poller::connect(&paper, "chal-2").await,
    );
    for _ in 0..2 {
        let (mine, theirs) = (
            one.rows("/v1/accounts").await,
            other.rows("/v1/accounts").await,
        );
        assert_eq!(mine[0]["id"], "chal-1");
        assert_eq!(theirs[0]["id"], "chal-2");
    }
    one.get(WORKING).await;
    let foreign = paper.call_as("chal-2", "GET", WORKING, "").await;
    assert_eq!(foreign.status, 404);
}
