//! The venues' public data on a desk, against venues of the test's own on loopback.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks at one kind of news"
)]

use super::super::{
    tests::{Desk, Socket},
    *,
};
use crate::{
    app::{MarketAnswer, ShownMarkets, StreamNews},
    client::{
        Client,
        testing::responder::{Reply, Responder, Seen, client, connection, json as reply, ok},
    },
    config::{Connection, ServiceKind, StreamUrls, VenueUrls, Venues},
    feed::topic::StreamedMarket,
    model::{FailureKind, Interval, Market, MarketId, Side, Timestamp},
    runtime::{
        base::clock::Clock,
        polling::market_reads::{self, MarketReads, WantedCandles},
    },
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{net::TcpListener, time::timeout};

/// The key that no venue may see.
const KEY: &str = "pd_live_secret";

/// A listener on loopback.
async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// Every venue at these addresses.
fn venues(rest_url: &str, stream_url: &str) -> Venues {
    let urls = |end: &str| VenueUrls {
        rest_url: rest_url.to_owned(),
        stream_url: format!("{stream_url}{end}"),
    };
    Venues {
        hyperliquid: urls("/ws"),
        binance: urls(""),
        bybit: urls("/v5/public/linear"),
    }
}

/// A service without market data of its own, whose person uses the venues.
fn with_venues(rest_url: &str, stream: &str) -> Connection {
    Connection {
        venues: Some(venues(rest_url, &format!("ws://{stream}"))),
        kind: ServiceKind::Unknown,
        ..connection("http://127.0.0.1:1")
    }
}

/// A service that is no simulator, and a client of it.
async fn served(rest_url: &str) -> (Responder, Client) {
    let service = Responder::playing(|_: &Seen| ok("{}"), || ()).await;
    let connection = Connection {
        base_url: service.url.clone(),
        ..with_venues(rest_url, "127.0.0.1:1")
    };
    let client = client(connection).0;
    (service, client)
}

impl Desk {
    /// The chart, the ladder and the prices of one market, which the service calls by its id.
    fn looks_at(&self, market: &str) {
        let market = MarketId::from(market);
        self.context.wanted.send_modify(|wanted| {
            wanted.list(&[Market::new(market.clone())]);
            wanted.held = [market.clone()].into();
            wanted.shown = ShownMarkets {
                books: [market.clone()].into(),
                trades: Some(market.clone()),
                candles: [(market, Interval::Minute1)].into(),
            };
        });
    }

    /// The best bid of the next book.
    async fn bid(&mut self) -> String {
        loop {
            let StreamNews::Markets { answers, .. } = self.news().await else {
                continue;
            };
            let bid = answers.iter().find_map(|(_, answer)| match answer {
                MarketAnswer::Book(Ok(Some(book))) => book.value.best(Side::Buy),
                _ => None,
            });
            if let Some(bid) = bid {
                return bid.to_string();
            }
        }
    }

    async fn is_told(&mut self, wanted: &StreamNews) {
        while self.news().await != *wanted {}
    }
}

fn now() -> i64 {
    Clock::start().now().0
}

fn is_keyless(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !lower.contains(KEY) && !lower.contains("authorization") && !lower.contains("chal-1")
}

fn market(id: &str) -> StreamedMarket {
    StreamedMarket::new(MarketId::from(id))
}

fn l2_book(bid: &str, fast: Option<bool>) -> Value {
    let level = |price: &str| json!([{ "px": price, "sz": "1", "n": 1 }]);
    json!({"channel": "l2Book", "data": {"coin": "BTC", "time": now(), "levels": [level(bid), level("900")], "fast": fast}})
}

#[tokio::test]
async fn hyperliquid_tells_a_market_at_ws_without_seeing_the_key_and_comes_back_after_a_cut() {
    let (listener, address) = listener().await;
    let mut desk = Desk::of(with_venues("http://127.0.0.1:1", &address));
    desk.looks_at("hyperliquid|BTC");
    let mut socket = Socket::accepted(&listener).await;
    assert_eq!(socket.path(), "/ws");
    for _ in 0..6 {
        let asked = socket.hears().await;
        let ack = json!({"channel": "subscriptionResponse", "data": asked});
        socket.says(ack).await;
    }
    socket.says(l2_book("100", Some(true))).await;
    desk.is_told(&StreamNews::Up(StreamKind::Market)).await;
    assert_eq!(desk.bid().await, "100");
    assert!(is_keyless(&socket.seen), "{}", socket.seen);
    drop(socket);
    desk.is_told(&StreamNews::Down(StreamKind::Market)).await;
    let mut again = Socket::accepted(&listener).await;
    assert_eq!(again.hears().await["subscription"]["type"], "l2Book");
    again.says(l2_book("101", None)).await;
    assert_eq!(desk.bid().await, "101");
}

#[tokio::test]
async fn binance_tells_a_market_on_two_sockets_and_reads_the_book_that_its_changes_are_of() {
    let rest = Responder::playing(
        |seen: &Seen| {
            if seen.line.contains("/fapi/v1/depth") {
                ok(r#"{"lastUpdateId":100,"bids":[["100","1"]],"asks":[["900","1"]]}"#)
            } else {
                ok("[]")
            }
        },
        || (),
    )
    .await;
    let (listener, address) = listener().await;
    let mut desk = Desk::of(with_venues(&rest.url, &address));
    desk.looks_at("binance|BTCUSDT");
    let mut sockets = [
        Socket::accepted(&listener).await,
        Socket::accepted(&listener).await,
    ];
    sockets.sort_by_key(|socket| socket.path().to_owned());
    let [market, mut public] = sockets;
    assert_eq!(
        market.path(),
        "/market/stream?streams=btcusdt@aggTrade/btcusdt@kline_1m/btcusdt@markPrice@1s/btcusdt@ticker"
    );
    assert_eq!(
        public.path(),
        "/public/stream?streams=btcusdt@depth@100ms/btcusdt@bookTicker"
    );
    desk.is_told(&StreamNews::Up(StreamKind::Market)).await;
    let depth = |first: u64, previous: u64, bid: &str| {
        let data = json!({"e": "depthUpdate", "E": now(), "T": now(), "s": "BTCUSDT", "U": first, "u": first + 4,
            "pu": previous, "b": [[bid, "2"]], "a": []});
        json!({"stream": "btcusdt@depth@100ms", "data": data})
    };
    public.says(depth(97, 96, "101")).await;
    assert_eq!(desk.bid().await, "101");
    public.says(depth(102, 101, "102")).await;
    assert_eq!(desk.bid().await, "102");
    let read = rest.seen();
    let lines: Vec<_> = read.iter().map(|seen| seen.line.as_str()).collect();
    assert!(
        lines.contains(&"GET /fapi/v1/depth?symbol=BTCUSDT&limit=1000 HTTP/1.1"),
        "{lines:?}"
    );
    assert!(
        lines.contains(&"GET /fapi/v1/fundingInfo HTTP/1.1"),
        "{lines:?}"
    );
    let seen = format!("{}{}{read:?}", market.seen, public.seen);
    assert!(is_keyless(&seen), "{seen}");
    drop(market);
    desk.is_told(&StreamNews::Down(StreamKind::Market)).await;
}

#[tokio::test]
async fn bybit_tells_a_market_at_its_linear_path_and_a_gap_brings_the_whole_book() {
    let (listener, address) = listener().await;
    let mut desk = Desk::of(with_venues("http://127.0.0.1:1", &address));
    desk.looks_at("bybit|BTCUSDT");
    let mut socket = Socket::accepted(&listener).await;
    assert_eq!(socket.path(), "/v5/public/linear");
    let asked = socket.hears().await;
    assert_eq!(asked["args"].as_array().unwrap().len(), 4);
    let ok = json!({"success": true, "ret_msg": "", "op": "subscribe", "req_id": asked["req_id"], "conn_id": "c"});
    socket.says(ok).await;
    desk.is_told(&StreamNews::Up(StreamKind::Market)).await;
    let book = |kind: &str, number: u64, bid: &str| {
        json!({"topic": "orderbook.200.BTCUSDT", "type": kind, "ts": now(), "cts": now(), "data": {"s": "BTCUSDT",
            "b": [[bid, "1"]], "a": [["900", "1"]], "u": number, "seq": number}})
    };
    socket.says(book("snapshot", 5, "100")).await;
    assert_eq!(desk.bid().await, "100");
    socket.says(book("delta", 6, "101")).await;
    assert_eq!(desk.bid().await, "101");
    socket.says(book("delta", 8, "102")).await;
    assert_eq!(socket.hears().await["op"], "unsubscribe");
    assert_eq!(
        socket.hears().await["args"],
        json!(["orderbook.200.BTCUSDT"])
    );
    socket.says(book("snapshot", 9, "103")).await;
    assert_eq!(desk.bid().await, "103");
    assert!(is_keyless(&socket.seen), "{}", socket.seen);
}

#[tokio::test]
async fn no_venue_is_asked_where_the_settings_or_the_markets_name_none() {
    let (listener, address) = listener().await;
    let off = Desk::of(Connection {
        venues: None,
        ..with_venues("http://127.0.0.1:1", &address)
    });
    off.looks_at("hyperliquid|BTC");
    let elsewhere = Desk::of(with_venues("http://127.0.0.1:1", &address));
    elsewhere.looks_at("lighter|BTC");
    let hidden = Desk::of(with_venues("http://127.0.0.1:1", &address));
    hidden
        .context
        .wanted
        .send_modify(|wanted| wanted.is_hidden = true);
    hidden.looks_at("hyperliquid|BTC");
    let own = StreamUrls {
        market: Some("ws://127.0.0.1:1/v1/market-data".to_owned()),
        account: None,
    };
    let streams = Desk::of(Connection {
        streams: own,
        ..with_venues("http://127.0.0.1:1", &address)
    });
    streams.looks_at("hyperliquid|BTC");
    let accepted = timeout(Duration::from_millis(200), listener.accept()).await;
    assert!(accepted.is_err(), "nobody connects");
}

#[tokio::test]
async fn a_venue_that_closes_every_connection_is_not_stormed() {
    let (listener, address) = listener().await;
    let desk = Desk::of(with_venues("http://127.0.0.1:1", &address));
    desk.looks_at("hyperliquid|BTC");
    let mut count = 0;
    let counting = async {
        loop {
            drop(Socket::accepted(&listener).await);
            count += 1;
        }
    };
    assert!(timeout(Duration::from_secs(2), counting).await.is_err());
    assert!((1..=20).contains(&count), "{count} connections");
}

/// What is read of a venue for a market's first picture.
#[tokio::test]
async fn the_first_picture_of_a_market_is_read_of_its_venue_without_the_key() {
    let minute = Interval::Minute1.open_of(Timestamp(now())).0;
    let row = json!({"t": minute, "T": minute + 59_999, "s": "BTC", "i": "1m", "o": "1", "c": "2", "h": "2", "l": "1",
        "v": "3", "n": 4});
    let book = l2_book("100", None)["data"].to_string();
    let rest = Responder::playing(
        move |seen: &Seen| {
            let body = String::from_utf8_lossy(&seen.body).into_owned();
            if body.contains("l2Book") {
                ok(&book)
            } else if body.contains("candleSnapshot") {
                ok(&json!([row]).to_string())
            } else {
                ok("[]")
            }
        },
        || (),
    )
    .await;
    let (service, client) = served(&rest.url).await;
    let btc = market("hyperliquid|BTC");
    let book = market_reads::book(MarketReads::of(&client), &btc, None)
        .await
        .unwrap();
    assert!(book.unwrap().value.best(Side::Buy).is_some());
    let wanted = |interval| WantedCandles {
        interval,
        before: None,
        limit: 500,
    };
    let minutes = wanted(Interval::Minute1);
    let candles =
        market_reads::candles(MarketReads::of(&client), &btc, minutes, Timestamp(now())).await;
    assert_eq!(candles.unwrap().unwrap().value.rows.len(), 1);
    let trades = market_reads::trades(MarketReads::of(&client), &btc, 100)
        .await
        .unwrap();
    assert_eq!(trades.unwrap().value.rows, []);
    let seconds = wanted(Interval::Second1);
    let none =
        market_reads::candles(MarketReads::of(&client), &btc, seconds, Timestamp(now())).await;
    assert_eq!(none, Ok(None), "the venue has none of this interval");
    let twin = market_reads::book(MarketReads::of(&client), &market("lighter|BTC"), None).await;
    assert_eq!(twin, Ok(None), "never a twin of another venue");
    let seen = rest.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|seen| seen.line == "POST /info HTTP/1.1"));
    let seen = format!("{seen:?}");
    assert!(is_keyless(&seen), "{seen}");
    let asked = service.seen();
    assert!(
        asked.iter().all(|seen| seen.line.starts_with("GET /v1 ")),
        "the service is asked what it is: {asked:?}"
    );
}

#[tokio::test]
async fn a_venue_that_is_asked_too_often_or_refuses_this_address_is_left_alone() {
    for status in ["429 Too Many Requests", "451 Unavailable For Legal Reasons"] {
        let refusing = move |_: &Seen| -> Reply { reply(status, "retry-after: 30\r\n", "{}") };
        let rest = Responder::playing(refusing, || ()).await;
        let (_service, client) = served(&rest.url).await;
        let btc = market("bybit|BTCUSDT");
        for _ in 0..3 {
            let why = market_reads::book(MarketReads::of(&client), &btc, None)
                .await
                .unwrap_err();
            assert_eq!(why.kind, FailureKind::Limited, "{why}");
        }
        assert_eq!(rest.seen().len(), 1, "{status}");
    }
}
