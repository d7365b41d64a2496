//! A desk on the streams of the paper exchange, with the faults that it can plant.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks at one kind of answer"
)]

use super::super::{
    tests::{Desk, btc, trade_ids, wants_one_market},
    *,
};
use crate::{
    api::Request,
    app::{MarketAnswer, StreamNews},
    client::{Attempt, Client, testing::responder::client},
    config::{Connection, StreamUrls},
    exchange::{
        ClockMode, ExchangeHandle, ExchangeOptions, Scenario, SimulatorAccess, Speed, start,
    },
    model::{Command, ModifyOrder, Num, Order, PlaceKind, PlaceOrder, Side, Timestamp},
};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_websockets::{ClientBuilder, MaybeTlsStream, Message, WebSocketStream};

/// Books that have to come after the fault.
const BOOKS: usize = 8;

/// How often an order is moved while its stream is disturbed.
const MOVES: u32 = 8;
/// What comes of a move comes within this, unless the stream is disturbed.
const MOVE_SHOWN: Duration = Duration::from_millis(250);

/// An exchange that plants these faults of its streams, and what ends it.
async fn exchange(faults: &str) -> (u16, ExchangeHandle, DropGuard) {
    exchange_at(Speed::REAL_TIME, faults).await
}

async fn exchange_at(speed: Speed, faults: &str) -> (u16, ExchangeHandle, DropGuard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let bare = include_str!("../../../../../tests/support/bare.toml");
    let stop = CancellationToken::new();
    let options = ExchangeOptions {
        scenario: Scenario::parse(&format!("warm_up_seconds = 0\n{bare}\n{faults}")).unwrap(),
        start: Timestamp(1_790_000_000_000),
        pace: Some(ClockMode::Live(speed)),
        data_dir: None,
        simulator: SimulatorAccess::Served,
    };
    let handle = start(listener, options, stop.clone()).await.unwrap();
    (port, handle, stop.drop_guard())
}

#[tokio::test]
async fn the_first_book_and_chart_reach_the_desk_within_a_second_of_its_start() {
    let (port, _handle, _stop) = exchange("").await;
    let began = Instant::now();
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let (mut levels, mut candles) = (0, 0);
    while levels == 0 || candles == 0 {
        let StreamNews::Markets { answers, .. } = desk.news().await else {
            continue;
        };
        for (market, answer) in answers {
            assert_eq!(market, btc());
            match answer {
                MarketAnswer::Book(Ok(Some(book))) => {
                    levels = book
                        .value
                        .levels(Side::Buy)
                        .len()
                        .min(book.value.levels(Side::Sell).len());
                }
                MarketAnswer::Candles(_, None, Ok(Some(page))) => candles = page.value.rows.len(),
                _ => {}
            }
        }
    }
    let took = began.elapsed();
    assert!(took <= Duration::from_secs(1), "{took:?}");
}

/// Crossed and older books are never shown, and the book is there again within what the fault may take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_stream_of_an_exchange_does_books_go_on_and_none_is_wrong() {
    let (soon, after_renewal) = (Duration::from_secs(8), Duration::from_secs(20));
    let cases = [
        ("close", 2, soon),
        ("duplicate", 3, soon),
        ("reorder", 3, soon),
        ("drop", 3, soon),
        ("wrong_symbol", 3, soon),
        ("crossed_book", 3, soon),
        ("malformed_frame", 3, soon),
        ("draining", 2, soon),
        ("late_ack", 1, after_renewal),
        ("snapshot_missing", 1, after_renewal),
        ("stall", 1, after_renewal),
    ];
    let mut running = JoinSet::new();
    for (kind, count, limit) in cases {
        running.spawn(async move {
            let fault =
                format!("[[faults]]\nkind = \"{kind}\"\nchannel = \"books\"\ncount = {count}");
            let took = timeout(limit, books_go_on(kind, &fault)).await;
            assert!(took.is_ok(), "{kind}: no books within {limit:?}");
        });
    }
    running.join_all().await;
}

/// Returns once so many books have come that are right.
async fn books_go_on(kind: &str, fault: &str) {
    let (port, handle, _stop) = exchange(fault).await;
    let mut desk = Desk::at(Some(port), None);
    wants_one_market(&desk);
    let (mut newest, mut seen) = (None, 0);
    while seen < BOOKS {
        let StreamNews::Markets { answers, .. } = desk.news().await else {
            continue;
        };
        let books = answers
            .into_iter()
            .filter_map(|(market, answer)| match answer {
                MarketAnswer::Book(Ok(Some(book))) => Some((market, book)),
                _ => None,
            });
        for (market, book) in books {
            assert_eq!(market, btc(), "{kind}");
            assert!(!book.value.is_crossed(), "{kind}");
            assert!(book.made_at >= newest, "{kind}: an older book");
            (newest, seen) = (book.made_at, seen + 1);
        }
    }
    assert!(is_spent(&client_of(&handle)).await, "{kind}: no fault");
}

fn connection_to(handle: &ExchangeHandle) -> Connection {
    let owner = &handle.accounts[0];
    let key = owner.api_key.reveal().to_owned();
    let account = Some(format!("ws://{}/v1/stream", handle.addr));
    Connection {
        streams: StreamUrls {
            market: None,
            account,
        },
        ..Connection::paper(handle.base_url(), key.into(), owner.account_id.clone())
    }
}

fn client_of(handle: &ExchangeHandle) -> Client {
    client(connection_to(handle)).0
}

/// Whether every planted fault has happened.
async fn is_spent(client: &Client) -> bool {
    let faults = client.probe("/sim/faults").await.list.unwrap();
    faults.data.is_empty()
}

/// Whatever happens to the account's stream, an order is never shown at a price of before, nor as gone, and ends where it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_the_account_stream_of_an_exchange_does_orders_are_shown_as_they_are() {
    let (soon, after_snapshot) = (Duration::from_secs(8), Duration::from_secs(20));
    let cases = [
        ("close", 2, soon),
        ("duplicate", 3, soon),
        ("reorder", 2, soon),
        ("drop", 2, soon),
        ("malformed_frame", 2, soon),
        ("draining", 2, soon),
        ("stall", 5, after_snapshot),
        ("snapshot_missing", 1, after_snapshot),
    ];
    let mut running = JoinSet::new();
    for (kind, count, limit) in cases {
        running.spawn(async move {
            let fault =
                format!("[[faults]]\nkind = \"{kind}\"\nchannel = \"account\"\ncount = {count}");
            let took = timeout(limit, orders_go_on(kind, &fault)).await;
            assert!(took.is_ok(), "{kind}: not as it is within {limit:?}");
        });
    }
    running.join_all().await;
}

/// Returns once an order is shown where it was moved to last.
async fn orders_go_on(kind: &str, fault: &str) {
    let (_port, handle, _stop) = exchange(fault).await;
    let mut desk = Desk::of(connection_to(&handle));
    let client = client_of(&handle);
    let (mut price, mut shown) = (Num::from(60_000_u32), None);
    let order = placed(&client, price).await;
    for step in 0..MOVES {
        price = Num::from(59_990 - step);
        let command = Command::Modify(ModifyOrder::of(&order, price, None));
        sends(&client, &command, step + 1).await;
        let end = Instant::now() + MOVE_SHOWN;
        while let Ok(news) = timeout_at(end, desk.news()).await {
            see(&mut shown, &news, kind);
        }
    }
    while shown != Some(price) {
        see(&mut shown, &desk.news().await, kind);
    }
    assert!(is_spent(&client).await, "{kind}: no fault");
}

/// Takes in where the order is; it only ever moves down.
fn see(shown: &mut Option<Num>, news: &StreamNews, kind: &str) {
    let StreamNews::Account(rows) = news else {
        return;
    };
    let Some(orders) = &rows.orders else {
        return;
    };
    let price = orders.rows.first().and_then(|order| order.limit_price);
    let goes_back = shown.is_some_and(|before| price.is_none_or(|price| price > before));
    assert!(!goes_back, "{kind}: {price:?} after {shown:?}");
    *shown = price;
}

/// A buy order that rests at this price.
async fn placed(client: &Client, price: Num) -> Order {
    let account = client.connection().account_id.clone();
    let order = PlaceOrder {
        kind: PlaceKind::Limit,
        limit_price: Some(price),
        ..PlaceOrder::market(account.clone(), btc(), Side::Buy, "0.1".parse().unwrap())
    };
    sends(client, &Command::Place(Box::new(order)), 0).await;
    let orders = client.working_orders().await.unwrap();
    orders.rows.into_iter().next().unwrap()
}

async fn sends(client: &Client, command: &Command, number: u32) {
    let key = format!("key-{number}").as_str().into();
    let request = Request::encode(command, key).unwrap();
    let attempt = client.send(&request, command.facts().mutation).await;
    assert!(matches!(attempt, Attempt::Done(_)), "{attempt:?}");
}

/// What a client of the exchange reads of one of its streams.
struct Bot(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Bot {
    /// Of the trades of BTC.
    async fn of_trades(handle: &ExchangeHandle) -> Self {
        let uri = format!("ws://{}/v1/market-data", handle.addr);
        let (mut io, _) = ClientBuilder::new()
            .uri(&uri)
            .unwrap()
            .connect()
            .await
            .unwrap();
        let payload = json!({ "symbols": ["BTC"], "providers": ["paper"] });
        let asked = json!({ "op": "sub", "id": 1, "channel": "trades", "payload": payload });
        io.send(Message::text(asked.to_string())).await.unwrap();
        Self(io)
    }

    async fn trades(&mut self) -> Vec<u64> {
        let message = self.0.next().await.unwrap().unwrap();
        let frame: Value = serde_json::from_str(message.as_text().unwrap()).unwrap();
        let events = frame["events"].as_array().into_iter().flatten();
        let ids = events.filter_map(|event| event["tradeId"].as_str()?.parse().ok());
        ids.collect()
    }
}

/// Trades that each client is to see.
const TRADES: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_desks_and_a_bot_see_one_sequence_of_trades() {
    let (port, handle, _stop) = exchange_at(Speed::from_thousandths(60_000).unwrap(), "").await;
    let mut bot = Bot::of_trades(&handle).await;
    let desks = [Desk::at(Some(port), None), Desk::at(Some(port), None)];
    let mut seen = vec![];
    for mut desk in desks {
        wants_one_market(&desk);
        let (mut ids, mut is_up) = (vec![], false);
        while ids.len() < TRADES || !is_up {
            let news = desk.news().await;
            is_up |= news == StreamNews::Up(StreamKind::Market);
            // Trades are reported with those that they follow.
            for id in trade_ids(&news) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        seen.push(ids);
    }
    let mut ids = vec![];
    while ids.last() < seen.iter().filter_map(|ids| ids.last()).max() {
        ids.extend(bot.trades().await);
    }
    // Each begins with another part of what was before it.
    for desk in seen {
        let at = ids.iter().position(|id| Some(id) == desk.first()).unwrap();
        assert_eq!(desk, ids[at..at + desk.len()]);
    }
}
