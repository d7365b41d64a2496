//! The streams of a desk against a service of its own on loopback.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::needless_pass_by_value,
    reason = "a test looks at one kind of news, and is short"
)]

mod fall_back;
mod fault;
mod venue;

use super::*;
use crate::{
    app::{
        MarketAnswer, Msg, ShownMarkets, StreamNews, StreamedRows,
        account::poll::{FULL_READ_EVERY, Source},
    },
    client::testing::responder::{client, connection},
    config::{Connection, StreamUrls},
    model::{Interval, Market, MarketId, Side, Timestamp},
    runtime::{
        base::{clock::Clock, in_flight::InFlight},
        polling::cover::StreamCover,
    },
};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc::Receiver,
    time::timeout,
};
use tokio_websockets::{Message, ServerBuilder, WebSocketStream};

/// A test that waits for longer has failed.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// One connection to a fake service or venue, and everything that came on it.
pub(super) struct Socket {
    pub(super) io: WebSocketStream<TcpStream>,
    pub(super) seen: String,
}

impl Socket {
    pub(super) async fn accepted(listener: &TcpListener) -> Self {
        let accepting = async {
            let (stream, _) = listener.accept().await.unwrap();
            let (request, io) = ServerBuilder::new().accept(stream).await.unwrap();
            let seen = format!("{} {:?}", request.uri(), request.headers());
            Self { io, seen }
        };
        timeout(PATIENCE, accepting).await.expect("a desk connects")
    }

    pub(super) async fn says(&mut self, message: Value) {
        let message = Message::text(message.to_string());
        self.io.send(message).await.unwrap();
    }

    pub(super) async fn hears(&mut self) -> Value {
        let heard = timeout(PATIENCE, self.io.next())
            .await
            .expect("a desk asks");
        let text = heard.unwrap().unwrap().as_text().unwrap().to_owned();
        self.seen += &text;
        serde_json::from_str(&text).unwrap()
    }

    pub(super) fn path(&self) -> &str {
        self.seen.split(' ').next().unwrap()
    }

    /// Accepts a subscription with these events as its snapshot; returns what was requested.
    async fn subscribes(&mut self, events: Value) -> Value {
        let asked = self.hears().await;
        let name = format!("s{}", asked["id"]);
        self.says(
            json!({"op": "sub_ok", "id": asked["id"], "sub": name, "snapshotBoundary": true}),
        )
        .await;
        self.says(json!({"op": "events", "sub": name, "events": events}))
            .await;
        self.says(json!({"op": "snapshot_end", "id": asked["id"]}))
            .await;
        asked
    }
}

/// The streams of an account at a service on loopback.
pub(super) struct Desk {
    mail: Receiver<Msg>,
    pub(super) context: StreamContext,
    _tasks: JoinSet<()>,
}

impl Desk {
    /// `streams` are the ports of the market's and the account's.
    pub(super) fn at(market: Option<u16>, account: Option<u16>) -> Self {
        let url = |port, path| format!("ws://127.0.0.1:{port}{path}");
        Self::of(Connection {
            streams: StreamUrls {
                market: market.map(|port| url(port, "/v1/market-data")),
                account: account.map(|port| url(port, "/v1/stream")),
            },
            ..connection("http://127.0.0.1:1")
        })
    }

    pub(super) fn of(connection: Connection) -> Self {
        let (context, mail) = context(connection);
        let mut tasks = JoinSet::new();
        spawn(&context, &mut tasks);
        Self {
            mail,
            context,
            _tasks: tasks,
        }
    }

    async fn hears(&mut self) -> StreamNews {
        let heard = timeout(PATIENCE, self.mail.recv()).await;
        match heard.expect("news").unwrap() {
            Msg::Streamed(_, news) => *news,
            other => panic!("{other:?}"),
        }
    }

    /// The next news that are no sign of life.
    pub(super) async fn news(&mut self) -> StreamNews {
        loop {
            match self.hears().await {
                StreamNews::Alive(_) => {}
                news => return news,
            }
        }
    }

    fn interval(&self, source: Source) -> Duration {
        let set = BTreeMap::from([(source, Duration::from_secs(1))]);
        self.context.cover.slowed(set)[&source]
    }
}

/// What the streams of an account share, and what they report.
pub(super) fn context(connection: Connection) -> (StreamContext, Receiver<Msg>) {
    let (events, mail) = tokio::sync::mpsc::channel(64);
    let context = StreamContext {
        client: client(connection).0,
        clock: Clock::start(),
        events,
        cover: StreamCover::default(),
        nudges: vec![Arc::default()],
        wanted: watch::Sender::default(),
        seed: 7,
        in_flight: InFlight::default(),
        gathering: GatherTime::default(),
    };
    (context, mail)
}

async fn service() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

pub(super) fn btc() -> MarketId {
    MarketId::from("paper|BTC")
}

/// The chart, the ladder and the prices of one market.
pub(super) fn wants_one_market(desk: &Desk) {
    desk.context.wanted.send_modify(|wanted| {
        wanted.list(&[Market::new(btc())]);
        wanted.shown = ShownMarkets {
            books: [btc()].into(),
            trades: Some(btc()),
            candles: [(btc(), Interval::Minute1)].into(),
        };
    });
}

fn of_btc(kind: &str, fields: Value) -> Value {
    let mut event = json!({"type": kind, "provider": "paper", "symbol": "BTC"});
    event
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    event
}

fn order(price: u32) -> Value {
    json!({"id": "ord-1", "account_id": "chal-1", "market_id": "paper|BTC", "provider": "paper",
        "symbol": "BTC", "coin": "BTC", "type": "limit", "mode": "limit", "side": "buy", "size": 1,
        "expected_price": 100, "limit_price": price, "leverage": 1, "margin_mode": "cross",
        "reduce_only": false, "status": "resting", "requested_at": 1_790_000_000_000_i64})
}

/// A new account of the stream, with one order.
async fn greets(service: &mut Socket, price: u32) {
    service
        .says(json!({"event": "hello", "stream_id": "st", "resumed": false, "seq": 3}))
        .await;
    let account = json!({"id": "chal-1", "balance": 10_000});
    let snapshot = json!({"event": "snapshot", "account_id": "chal-1", "account": account,
        "positions": [], "orders": [order(price)], "seq": 3});
    service.says(snapshot).await;
    service
        .says(json!({"event": "snapshot_end", "seq": 3}))
        .await;
}

fn prices(rows: &StreamedRows) -> Vec<String> {
    let orders = rows.orders.as_ref().unwrap().rows.iter();
    orders
        .map(|order| order.limit_price.unwrap().to_string())
        .collect()
}

/// What each subscription begins with, in the order of the channels.
fn snapshots() -> [Value; 5] {
    let at = 1_790_000_000_000_i64;
    let book = json!({"bids": [["99", "1"]], "asks": [["101", "2"]], "time": at});
    let trade = json!({"tradeId": "5", "side": "sell", "price": "99", "size": "1", "time": at});
    let candle = json!({"interval": "1m", "openTime": at - 20_000, "open": "1", "high": "2", "low": "1", "close": "2"});
    [
        of_btc("book", book),
        of_btc("trade", trade),
        of_btc("candle", candle),
        of_btc("tick", json!({"price": "100", "bid": "99", "ask": "101"})),
        of_btc(
            "marketStats",
            json!({"markPx": "100.5", "fundingRate": "0.0001"}),
        ),
    ]
}

#[tokio::test]
async fn a_market_source_is_asked_for_what_is_shown_and_never_sees_the_key() {
    let (listener, port) = service().await;
    let desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let mut source = Socket::accepted(&listener).await;
    let key = desk.context.client.api_key();
    let key = secrecy::ExposeSecret::expose_secret(&key).to_owned();
    assert!(!key.is_empty());
    let mut channels = vec![];
    for snapshot in snapshots() {
        let asked = source.subscribes(json!([snapshot])).await;
        channels.push(asked["channel"].as_str().unwrap().to_owned());
    }
    let wanted = ["books", "trades", "candles", "ticks", "marketStats"];
    assert_eq!(channels, wanted);
    let seen = source.seen;
    let has_header = seen.to_ascii_lowercase().contains("authorization");
    assert!(!seen.contains(&key) && !has_header, "{seen}");
}

#[tokio::test]
async fn a_market_is_told_in_the_words_of_the_polls() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let mut source = Socket::accepted(&listener).await;
    for snapshot in snapshots() {
        source.subscribes(json!([snapshot])).await;
    }
    let (mut rows, mut mark, mut is_up) = (vec![], None, false);
    while rows.len() < 3 || !is_up || mark != Some("100.5".to_owned()) {
        match desk.news().await {
            StreamNews::Up(StreamKind::Market) => is_up = true,
            StreamNews::Markets { answers, prices } => {
                for (market, answer) in answers {
                    assert_eq!(market, btc());
                    rows.push(match answer {
                        MarketAnswer::Book(Ok(Some(book))) => book.value.levels(Side::Buy).len(),
                        MarketAnswer::Trades(Ok(Some(page))) => page.value.rows.len(),
                        MarketAnswer::Candles(_, None, Ok(Some(page))) => page.value.rows.len(),
                        other => panic!("{other:?}"),
                    });
                }
                // The mark of the statistics, not the price of the tick.
                let told = prices.last().and_then(|price| price.mark.over(None));
                mark = told.map(|mark| mark.to_string()).or(mark);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rows, [1, 1, 1]);
    assert_eq!(desk.interval(Source::Markets), FULL_READ_EVERY);
}

#[tokio::test]
async fn an_account_is_told_as_a_read_tells_it_and_polled_at_once_when_its_stream_is_gone() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(None, Some(port));
    let mut source = Socket::accepted(&listener).await;
    assert!(source.seen.starts_with("/v1/stream "), "{}", source.seen);
    assert!(source.seen.contains("authorization"), "{}", source.seen);
    greets(&mut source, 100).await;
    let mut told = vec![];
    while told.len() < 2 {
        told.push(desk.news().await);
    }
    assert!(told.contains(&StreamNews::Up(StreamKind::Account)));
    let rows = told.iter().find_map(|news| match news {
        StreamNews::Account(rows) => Some(rows),
        _ => None,
    });
    assert_eq!(prices(rows.unwrap()), ["100"]);
    assert_eq!(desk.interval(Source::Orders), FULL_READ_EVERY);

    let moved = json!({"event": "order", "account_id": "chal-1", "order": order(98), "seq": 4});
    source.says(moved).await;
    let StreamNews::Account(rows) = desk.news().await else {
        panic!()
    };
    assert_eq!(
        (prices(&rows), rows.positions, rows.account),
        (vec!["98".to_owned()], None, None)
    );
    assert_eq!(
        desk.interval(Source::History),
        Duration::from_secs(1),
        "the order is part of it"
    );

    // An event is missing: the stream goes on where it was.
    let later = json!({"event": "order", "account_id": "chal-1", "order": order(1), "seq": 6});
    source.says(later.clone()).await;
    assert_eq!(desk.news().await, StreamNews::Down(StreamKind::Account));
    assert_eq!(desk.interval(Source::Orders), Duration::from_secs(1));
    timeout(PATIENCE, desk.context.nudges[0].notified())
        .await
        .expect("a read at once");
    let mut again = Socket::accepted(&listener).await;
    assert!(
        again.seen.starts_with("/v1/stream?resume=st&last_seq=4 "),
        "{}",
        again.seen
    );
    again
        .says(json!({"event": "hello", "stream_id": "st", "resumed": true, "seq": 4}))
        .await;
    again
        .says(json!({"event": "order", "account_id": "chal-1", "order": order(2), "seq": 5}))
        .await;
    again.says(later).await;
    loop {
        if let StreamNews::Account(rows) = desk.news().await
            && prices(&rows) == ["1"]
        {
            break;
        }
    }
    assert_eq!(desk.interval(Source::Orders), FULL_READ_EVERY);
}

#[tokio::test]
async fn a_thousand_events_a_second_reach_the_desk_ten_times_a_second() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let mut source = Socket::accepted(&listener).await;
    for _ in 0..5 {
        source.subscribes(json!([])).await;
    }
    let began = tokio::time::Instant::now();
    let writer = async {
        for step in 0..1_000_i64 {
            let book = of_btc(
                "book",
                json!({"bids": [[(1_000 + step).to_string(), "1"]], "asks": [["9999", "1"]], "time": 1_790_000_000_000 + step}),
            );
            source
                .says(json!({"op": "events", "sub": "s1", "events": [book]}))
                .await;
        }
    };
    let reader = async {
        let mut messages = 0_u32;
        loop {
            if let StreamNews::Markets { answers, .. } = desk.news().await {
                messages += 1;
                let Some((_, MarketAnswer::Book(Ok(Some(book))))) = answers.first() else {
                    continue;
                };
                if book.made_at == Some(Timestamp(1_790_000_000_999)) {
                    return messages;
                }
            }
        }
    };
    let ((), messages) = tokio::join!(writer, reader);
    let tenths = u32::try_from(began.elapsed().as_millis() / 100).unwrap();
    assert!(
        messages <= tenths + 2,
        "{messages} messages in {tenths} tenths of a second"
    );
}

#[tokio::test]
async fn the_account_stream_of_another_host_gets_no_request_and_no_key() {
    let (listener, port) = service().await;
    let connection = Connection {
        streams: StreamUrls {
            market: None,
            account: Some(format!("ws://localhost:{port}/v1/stream")),
        },
        ..connection("http://127.0.0.1:1")
    };
    let (client, _calls) = client(connection);
    let refused = client
        .open_stream(StreamKind::Account, "")
        .await
        .err()
        .unwrap();
    assert!(
        refused.message.to_string().contains("another host"),
        "{refused:?}"
    );
    let accepted = timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(accepted.is_err(), "nobody connects");
}

#[tokio::test]
async fn a_service_that_closes_every_connection_is_not_stormed() {
    let (listener, port) = service().await;
    let desk = Desk::at(None, Some(port));
    let mut count = 0;
    let counting = async {
        loop {
            drop(Socket::accepted(&listener).await);
            count += 1;
        }
    };
    assert!(timeout(Duration::from_secs(2), counting).await.is_err());
    assert!((1..=20).contains(&count), "{count} connections");
    drop(desk);
}

#[tokio::test]
async fn an_account_stream_that_never_opens_brings_no_reads_beside_the_polls() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(None, Some(port));
    for _ in 0..2 {
        drop(Socket::accepted(&listener).await);
        assert_eq!(desk.news().await, StreamNews::Down(StreamKind::Account));
    }
    let nudged = timeout(Duration::ZERO, desk.context.nudges[0].notified()).await;
    assert!(nudged.is_err(), "nothing was lost");
}

#[tokio::test]
async fn a_pong_does_not_make_the_account_younger() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(None, Some(port));
    let mut source = Socket::accepted(&listener).await;
    greets(&mut source, 100).await;
    // It is up, and its account.
    for _ in 0..2 {
        desk.news().await;
    }
    source.io.send(Message::pong("")).await.unwrap();
    let moved = json!({"event": "order", "account_id": "chal-1", "order": order(98), "seq": 4});
    source.says(moved).await;
    assert!(matches!(desk.hears().await, StreamNews::Account(_)));
}

#[tokio::test]
async fn what_is_on_the_screen_no_more_is_not_streamed_and_an_account_in_the_background_has_no_prices()
 {
    let (listener, port) = service().await;
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let mut source = Socket::accepted(&listener).await;
    for _ in 0..5 {
        source.subscribes(json!([])).await;
    }
    desk.context
        .wanted
        .send_modify(|wanted| wanted.shown = ShownMarkets::default());
    for _ in 0..3 {
        assert_eq!(source.hears().await["op"], "unsub");
    }
    desk.context
        .wanted
        .send_modify(|wanted| wanted.is_hidden = true);
    while desk.news().await != StreamNews::Down(StreamKind::Market) {}
    let accepted = timeout(Duration::from_millis(100), listener.accept()).await;
    assert!(accepted.is_err(), "nobody connects");
}

/// The ids of the trades in these news.
fn trade_ids(news: &StreamNews) -> Vec<u64> {
    let StreamNews::Markets { answers, .. } = news else {
        return vec![];
    };
    let pages = answers.iter().filter_map(|(_, answer)| match answer {
        MarketAnswer::Trades(Ok(Some(page))) => Some(&page.value.rows),
        _ => None,
    });
    pages.flatten().filter_map(|trade| trade.id).collect()
}

fn trade(id: u64) -> Value {
    let fields = json!({"tradeId": id.to_string(), "side": "sell", "price": "99", "size": "1",
        "time": 1_790_000_000_000 + id});
    of_btc("trade", fields)
}

fn told_trade(id: u64) -> Value {
    json!({"op": "events", "sub": "s2", "events": [trade(id)]})
}

fn told_book(bid: u32, time: i64) -> Value {
    let fields = json!({"bids": [[bid.to_string(), "1"]], "asks": [["101", "2"]], "time": time});
    json!({"op": "events", "sub": "s1", "events": [of_btc("book", fields)]})
}

fn has_book(news: &StreamNews) -> bool {
    let is_book = |answer: &MarketAnswer| matches!(answer, MarketAnswer::Book(_));
    match news {
        StreamNews::Markets { answers, .. } => answers.iter().any(|(_, answer)| is_book(answer)),
        _ => false,
    }
}

#[tokio::test]
async fn a_second_connection_takes_over_before_the_one_that_drains_is_closed() {
    let (listener, port) = service().await;
    let mut desk = Desk::at(Some(port), None);
    desk.context.wanted.send_modify(|wanted| {
        wanted.shown = ShownMarkets {
            books: [btc()].into(),
            trades: Some(btc()),
            candles: [].into(),
        };
    });
    let mut old = Socket::accepted(&listener).await;
    old.subscribes(json!([])).await;
    old.subscribes(json!([trade(5)])).await;
    while trade_ids(&desk.news().await) != [5] {}
    old.says(json!({"op": "draining"})).await;
    let mut new = Socket::accepted(&listener).await;
    let asked = new.hears().await;
    new.subscribes(json!([trade(5)])).await;
    new.says(json!({"op": "sub_ok", "id": asked["id"], "sub": "s1", "snapshotBoundary": true}))
        .await;
    new.says(told_book(97, 1)).await;
    // Both report it; the old connection is still the one that counts.
    new.says(told_trade(6)).await;
    // The new connection answers pings only after all of this.
    new.io.send(Message::ping("")).await.unwrap();
    while !new.io.next().await.unwrap().unwrap().is_pong() {}
    old.says(told_book(98, 2)).await;
    old.says(told_trade(6)).await;
    let mut seen = vec![];
    while seen != [6] {
        let news = desk.news().await;
        assert_ne!(news, StreamNews::Down(StreamKind::Market));
        seen.extend(trade_ids(&news).into_iter().filter(|id| *id > 5));
    }
    new.says(json!({"op": "snapshot_end", "id": asked["id"]}))
        .await;
    let closed = timeout(PATIENCE, async {
        while old.io.next().await.is_some_and(|io| io.is_ok()) {}
    });
    closed
        .await
        .expect("the old connection is closed once the new one is up");
    new.says(told_trade(7)).await;
    while seen != [6, 7] {
        let news = desk.news().await;
        assert_ne!(news, StreamNews::Down(StreamKind::Market));
        assert!(!has_book(&news), "an older book");
        seen.extend(trade_ids(&news).into_iter().filter(|id| *id > 5));
        assert!(seen.len() <= 2, "each trade is told once: {seen:?}");
    }
}

/// The desk draws it within 8 ms more (`terminal/frame.rs`), and `serve` sends it within 20 ms.
#[tokio::test(start_paused = true)]
async fn an_order_that_moved_reaches_the_desk_within_50_ms_of_its_event_however_soon_after_another()
{
    use crate::feed::{
        account::AccountNews,
        event::{AccountEvent, AccountRow, Liveness},
    };
    let (context, mut mail) = context(connection("http://127.0.0.1:1"));
    let (signals, told) = channel(SIGNALS);
    let mut task = JoinSet::new();
    task.spawn(account::tell(context, told));
    let moved = |price: u32| {
        let row = serde_json::from_value(order(price)).unwrap();
        Signal::Events(vec![AccountNews::Event(AccountEvent {
            seq: None,
            at: None,
            row: AccountRow::Order(row),
            liveness: Liveness::Live,
        })])
    };
    for price in 100..110 {
        let sent = tokio::time::Instant::now();
        signals.send(moved(price)).await.unwrap();
        let Some(Msg::Streamed(_, news)) = mail.recv().await else {
            panic!("the desk is told");
        };
        let StreamNews::Account(rows) = *news else {
            panic!("{news:?}");
        };
        assert_eq!(prices(&rows), [price.to_string()]);
        assert!(
            sent.elapsed() <= Duration::from_millis(50),
            "{:?}",
            sent.elapsed()
        );
    }
}
