//! What a stream may send, in any order and condition, and what is believed of it.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks at one kind of event"
)]

mod unlike_ours;

use super::{
    Stream,
    account::{AccountNews, AccountStream},
    event::{AccountRow, Liveness, MarketEvent},
    link::LinkEnd,
    market::MarketStream,
    picture::AccountPicture,
    topic::{Channel, StreamedMarket, Topic},
};
use crate::model::{AccountId, Interval, MarketId, Side, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const START: i64 = 1_790_000_000_000;

const fn at(millis: i64) -> Timestamp {
    Timestamp(START + millis)
}

fn market() -> StreamedMarket {
    StreamedMarket::new(MarketId::from("paper|BTC"))
}

/// A stream that wants one channel and is connected.
fn opened(channel: Channel) -> MarketStream {
    let mut stream = MarketStream::default();
    stream.want(BTreeSet::from([Topic::of(channel, market())]), at(0));
    stream.opened(at(0));
    stream
}

/// The ids and operations of the requests that are to be sent.
fn requests(stream: &mut MarketStream, now: i64) -> Vec<(String, u64)> {
    let texts = stream.requests(at(now)).into_iter();
    texts
        .map(|text| {
            let request: Value = serde_json::from_str(&text).unwrap();
            let op = request["op"].as_str().unwrap().to_owned();
            (op, request["id"].as_u64().unwrap())
        })
        .collect()
}

fn hears(stream: &mut MarketStream, now: i64, frame: &Value) {
    stream.frame(&frame.to_string(), at(now));
}

/// Acknowledges the newest subscription as `name`.
fn acknowledge(stream: &mut MarketStream, now: i64, name: &str) -> u64 {
    let id = requests(stream, now).pop().unwrap().1;
    let ok = json!({"op": "sub_ok", "id": id, "sub": name, "snapshotBoundary": true});
    hears(stream, now, &ok);
    id
}

fn events(name: &str, events: &[Value]) -> Value {
    json!({"op": "events", "sub": name, "events": events})
}

fn end(id: u64) -> Value {
    json!({"op": "snapshot_end", "id": id})
}

fn subscribed(channel: Channel) -> MarketStream {
    let mut stream = opened(channel);
    let id = acknowledge(&mut stream, 0, "s1");
    hears(&mut stream, 0, &end(id));
    stream
}

fn book(bid: i64, ask: i64, millis: i64) -> Value {
    json!({"type": "book", "provider": "paper", "symbol": "BTC", "time": START + millis,
        "bids": [[bid.to_string(), "1"], [(bid - 1).to_string(), "2"]],
        "asks": [[ask.to_string(), "1"], [(ask + 1).to_string(), "2"]]})
}

fn trade(id: u64, millis: i64) -> Value {
    json!({"type": "trade", "provider": "paper", "symbol": "BTC", "tradeId": id.to_string(),
        "side": "buy", "price": "100", "size": "0.1", "time": START + millis})
}

fn candle(minute: i64, close: &str) -> Value {
    json!({"type": "candle", "provider": "paper", "symbol": "BTC", "interval": "1m",
        "openTime": 60_000 * (29_833_333 + minute), "open": "100", "high": "110", "low": "90",
        "close": close, "volume": "1", "quoteVolume": "100", "trades": 3, "isFinal": false})
}

/// Best bid and time of each book that was reported.
fn books(stream: &mut MarketStream) -> Vec<(i64, i64)> {
    let events = stream.events().into_iter();
    events
        .filter_map(|event| match event {
            MarketEvent::Book { book, .. } => {
                assert!(!book.value.is_crossed());
                Some((
                    book.value.best(Side::Buy)?.to_i64()?,
                    book.made_at?.0 - START,
                ))
            }
            _ => None,
        })
        .collect()
}

/// Number, how many it follows, and whether it is new, of each trade.
fn trades(stream: &mut MarketStream) -> Vec<(u64, usize, Liveness)> {
    let events = stream.events().into_iter();
    events
        .filter_map(|event| match event {
            MarketEvent::Trade {
                follows,
                trade,
                liveness: told,
                ..
            } => Some((trade.id.unwrap(), follows.len(), told)),
            _ => None,
        })
        .collect()
}

#[test]
fn a_book_that_is_crossed_older_unsorted_or_of_another_market_is_not_told() {
    let mut stream = subscribed(Channel::Book);
    let mut other = book(100, 101, 70);
    other["symbol"] = json!("ETH");
    let mut unsorted = book(100, 101, 80);
    unsorted["bids"].as_array_mut().unwrap().reverse();
    let told = [
        book(100, 101, 50),
        book(102, 101, 60),
        other,
        unsorted,
        book(99, 101, 40),
        json!({"type": "book"}),
        book(98, 99, 90),
    ];
    hears(&mut stream, 0, &events("s1", &told));
    assert_eq!(books(&mut stream), [(100, 50), (98, 90)]);
}

#[test]
fn after_five_events_that_cannot_be_believed_the_subscription_is_asked_for_anew() {
    let mut stream = subscribed(Channel::Book);
    hears(&mut stream, 0, &events("s1", &[book(100, 101, 5_000)]));
    assert_eq!(books(&mut stream).len(), 1);
    // The market began anew: its clock went back.
    for _ in 0..5 {
        hears(&mut stream, 10, &events("s1", &[book(90, 91, 10)]));
    }
    assert_eq!(books(&mut stream), []);
    let asked = requests(&mut stream, 10);
    assert_eq!(asked, [("unsub".to_owned(), 1), ("sub".to_owned(), 2)]);
    hears(
        &mut stream,
        10,
        &json!({"op": "sub_ok", "id": 2, "sub": "s2"}),
    );
    hears(&mut stream, 10, &events("s1", &[book(80, 81, 6_000)]));
    hears(&mut stream, 10, &events("s2", &[book(90, 91, 10)]));
    assert_eq!(books(&mut stream), [(90, 10)]);
}

#[test]
fn trades_before_the_boundary_are_history_and_each_is_told_once_with_what_it_follows() {
    let mut stream = opened(Channel::Trades);
    let id = acknowledge(&mut stream, 0, "s1");
    hears(&mut stream, 0, &events("s1", &[trade(7, 10), trade(8, 10)]));
    hears(&mut stream, 0, &end(id));
    let later = [trade(9, 20), trade(9, 20), trade(8, 10), trade(10, 30)];
    hears(&mut stream, 0, &events("s1", &later));
    let told = trades(&mut stream);
    let (old, new) = (Liveness::Backfill, Liveness::Live);
    assert_eq!(told, [(7, 0, old), (8, 1, old), (9, 2, new), (10, 1, new)]);
}

#[test]
fn a_trade_after_a_missing_one_follows_nothing() {
    let mut stream = subscribed(Channel::Trades);
    let told = [
        trade(1, 10),
        trade(2, 20),
        trade(5, 50),
        trade(3, 30),
        trade(6, 60),
    ];
    hears(&mut stream, 0, &events("s1", &told));
    let follows: Vec<_> = trades(&mut stream)
        .iter()
        .map(|(id, n, _)| (*id, *n))
        .collect();
    assert_eq!(follows, [(1, 0), (2, 1), (5, 0), (6, 1)]);
    stream.frame("{\"op\":\"events\",\"su", at(0));
    hears(&mut stream, 0, &events("s1", &[trade(8, 80)]));
    assert_eq!(
        trades(&mut stream),
        [(8, 0, Liveness::Live)],
        "a frame is lost"
    );
}

#[test]
fn candles_must_continue_the_last_one_and_a_history_may_jump() {
    let mut stream = opened(Channel::Candles(Interval::Minute1));
    let id = acknowledge(&mut stream, 0, "s1");
    hears(
        &mut stream,
        0,
        &events("s1", &[candle(0, "100"), candle(5, "101")]),
    );
    hears(&mut stream, 0, &end(id));
    let mut impossible = candle(6, "100");
    impossible["high"] = json!("95");
    let mut off = candle(6, "100");
    off["openTime"] = json!(off["openTime"].as_i64().unwrap() + 1);
    let told = [
        candle(6, "99"),
        candle(9, "1"),
        impossible,
        off,
        candle(3, "98"),
        candle(5, "97"),
    ];
    hears(&mut stream, 0, &events("s1", &told));
    let closes: Vec<_> = stream
        .events()
        .into_iter()
        .map(|event| match event {
            MarketEvent::Candle { candle, .. } => candle.close.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(closes, ["100", "101", "99", "97"]);
}

#[test]
fn statistics_are_patched_and_ticks_are_checked() {
    let mut stream = subscribed(Channel::Stats);
    let patch = |fields: Value| {
        let mut event = json!({"type": "marketStats", "provider": "paper", "symbol": "BTC"});
        event
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        event
    };
    let whole = patch(json!({"markPx": "100", "fundingRate": "0.0008", "fundingIntervalHours": 8}));
    let patches = [
        whole,
        patch(json!({"markPx": 101.5, "gapSince": 1_790_000_000_000_i64})),
        patch(json!({"fundingRate": null, "gapSince": null})),
    ];
    hears(&mut stream, 0, &events("s1", &patches));
    let told: Vec<_> = stream
        .events()
        .into_iter()
        .map(|event| match event {
            MarketEvent::Stats { stats, .. } => {
                let funding = stats.hourly_funding().map(|rate| rate.to_string());
                (stats.mark.unwrap().to_string(), funding, stats.gap_since)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let funding = Some("0.0001".to_owned());
    let expected = [
        ("100".to_owned(), funding.clone(), None),
        (
            "101.5".to_owned(),
            funding,
            Some(Timestamp(1_790_000_000_000)),
        ),
        ("101.5".to_owned(), None, None),
    ];
    assert_eq!(told, expected);

    let mut stream = subscribed(Channel::Ticks);
    let tick = |bid: &str, ask: &str| {
        patch(json!({"type": "tick", "price": "100", "bid": bid, "ask": ask}))
    };
    let told = [tick("99", "101"), tick("101", "99"), tick("0", "101")];
    hears(&mut stream, 0, &events("s1", &told));
    assert_eq!(stream.events().len(), 1);
}

/// The markets that were last said to be refused, if that is news.
fn refused(stream: &mut MarketStream) -> Option<Vec<String>> {
    let mut events = stream.events().into_iter().rev();
    let markets = events.find_map(|event| {
        let MarketEvent::Refused { markets } = event else {
            return None;
        };
        Some(markets)
    })?;
    Some(markets.iter().map(|id| id.raw().to_owned()).collect())
}

fn refuse(stream: &mut MarketStream, now: i64, id: u64) {
    let answer = json!({"op": "sub_err", "id": id, "error": "no such market"});
    hears(stream, now, &answer);
}

#[test]
fn an_interval_that_the_service_does_not_have_refuses_no_market() {
    let mut stream = MarketStream::default();
    let channels = [Channel::Book, Channel::Candles(Interval::Second5)];
    let wanted = channels.map(|channel| Topic::of(channel, market()));
    stream.want(wanted.into(), at(0));
    stream.opened(at(0));
    let ids: Vec<_> = requests(&mut stream, 0)
        .into_iter()
        .map(|(_, id)| id)
        .collect();
    let [book, candles]: [u64; 2] = ids.try_into().unwrap();
    refuse(&mut stream, 0, candles);
    assert_eq!(refused(&mut stream), None);
    refuse(&mut stream, 0, book);
    assert_eq!(refused(&mut stream), Some(vec!["paper|BTC".to_owned()]));
}

#[test]
fn a_market_is_refused_until_its_subscription_is_accepted() {
    let mut stream = opened(Channel::Book);
    let (_, id) = requests(&mut stream, 0).remove(0);
    refuse(&mut stream, 0, id);
    assert_eq!(refused(&mut stream), Some(vec!["paper|BTC".to_owned()]));
    stream.pass(at(60_000));
    let (_, id) = requests(&mut stream, 60_000).pop().unwrap();
    assert!(stream.is_live(), "what is refused is not waited for");
    refuse(&mut stream, 60_000, id);
    assert_eq!(refused(&mut stream), None, "it is no news");
    stream.pass(at(600_000));
    acknowledge(&mut stream, 600_000, "s1");
    assert_eq!(refused(&mut stream), Some(vec![]));
    assert!(!stream.is_live(), "its snapshot is to come");
}

#[test]
fn a_refusal_ends_with_its_connection() {
    let mut stream = opened(Channel::Book);
    let (_, id) = requests(&mut stream, 0).remove(0);
    refuse(&mut stream, 0, id);
    refused(&mut stream);
    stream.lost();
    assert_eq!(refused(&mut stream), Some(vec![]));
}

#[test]
fn each_market_of_a_refused_list_is_refused_unless_the_service_serves_something_of_it() {
    let mut stream = MarketStream::default();
    let markets = ["paper|BTC", "paper|ETH", "paper|SOL"].map(|id| StreamedMarket::new(id.into()));
    let lists = Topic::of_all(Channel::Ticks, markets.to_vec());
    let book = Topic::of(Channel::Book, markets[0].clone());
    stream.want([book].into_iter().chain(lists.clone()).collect(), at(0));
    stream.opened(at(0));
    let asked = requests(&mut stream, 0);
    refuse(&mut stream, 0, asked[1].1);
    let all = markets.map(|market| market.id.raw().to_owned());
    assert_eq!(refused(&mut stream), Some(all.to_vec()));
    let ok = json!({"op": "sub_ok", "id": asked[0].1, "sub": "s1", "snapshotBoundary": false});
    hears(&mut stream, 0, &ok);
    assert_eq!(refused(&mut stream), Some(all[1..].to_vec()));
    // Nobody looks at its book any more.
    stream.want(lists.into_iter().collect(), at(1_000));
    assert_eq!(refused(&mut stream), Some(all.to_vec()));
}

#[test]
fn a_late_acknowledgement_and_a_missing_snapshot_lead_to_a_new_subscription() {
    let mut stream = opened(Channel::Book);
    hears(&mut stream, 0, &events("s1", &[book(100, 101, 1)]));
    acknowledge(&mut stream, 5, "s1");
    assert_eq!(books(&mut stream), [], "nobody knew whose it was");
    assert_eq!(requests(&mut stream, 5).len(), 2);
    assert!(!stream.is_live());
    // Nothing comes for it.
    assert_eq!(stream.due(), Some(at(20_005)), "twice ten seconds by now");
    stream.pass(at(20_005));
    assert_eq!(
        requests(&mut stream, 20_005),
        [("unsub".to_owned(), 2), ("sub".to_owned(), 3)]
    );
}

#[test]
fn a_channel_that_is_silent_while_others_are_not_is_asked_for_anew() {
    let mut stream = MarketStream::default();
    let topics = [Channel::Book, Channel::Trades].map(|channel| Topic::of(channel, market()));
    stream.want(BTreeSet::from(topics), at(0));
    stream.opened(at(0));
    for (id, name) in [(1, "s1"), (2, "s2")] {
        hears(
            &mut stream,
            0,
            &json!({"op": "sub_ok", "id": id, "sub": name}),
        );
    }
    requests(&mut stream, 0);
    for tenth in 0..=100 {
        hears(
            &mut stream,
            tenth * 100,
            &events("s1", &[book(100, 101, tenth * 100)]),
        );
        stream.pass(at(tenth * 100));
    }
    assert_eq!(
        requests(&mut stream, 10_000),
        [("unsub".to_owned(), 2), ("sub".to_owned(), 3)]
    );
    hears(
        &mut stream,
        10_000,
        &json!({"op": "sub_ok", "id": 3, "sub": "s3"}),
    );
    stream.pass(at(19_000));
    assert_eq!(
        requests(&mut stream, 19_000),
        [],
        "a market may rest: the next wait is longer"
    );
}

#[test]
fn subscriptions_keep_within_the_limits_of_the_service() {
    let mut stream = MarketStream::default();
    let topics: BTreeSet<_> = (0..80)
        .map(|n| {
            Topic::of(
                Channel::Book,
                StreamedMarket::new(format!("paper|M{n}").as_str().into()),
            )
        })
        .collect();
    stream.want(topics, at(0));
    stream.opened(at(0));
    let mut sent = vec![];
    for second in 0..8 {
        let now = second * 1_000;
        sent.push(requests(&mut stream, now).len());
    }
    assert_eq!(sent, [10, 10, 10, 10, 10, 10, 4, 0]);
    let markets = (0..70).map(|n| StreamedMarket::new(format!("paper|M{n}").as_str().into()));
    let lists = Topic::of_all(Channel::Ticks, markets.collect());
    let sizes: Vec<_> = lists.iter().map(|topic| topic.markets.len()).collect();
    assert_eq!(sizes, [32, 32, 6]);
}

#[test]
fn a_service_that_drains_or_sends_no_messages_ends_the_connection() {
    let mut stream = subscribed(Channel::Book);
    hears(&mut stream, 0, &json!({"op": "wave"}));
    assert_eq!(stream.end(), None);
    hears(&mut stream, 0, &json!({"op": "draining"}));
    assert_eq!(stream.end(), Some(LinkEnd::ServiceRequest));
    stream.lost();
    assert!(stream.end().is_none() && !stream.is_live());
    stream.opened(at(0));
    for _ in 0..3 {
        stream.frame("<html>", at(0));
    }
    assert!(matches!(stream.end(), Some(LinkEnd::Fault(_))));
}

#[test]
fn what_is_drawn_is_asked_for_at_once_however_many_prices_are_wanted() {
    let mut stream = MarketStream::default();
    let drawn = [
        Channel::Book,
        Channel::Trades,
        Channel::Candles(Interval::Minute1),
    ];
    let drawn = drawn.map(|channel| Topic::of(channel, market()));
    let markets =
        (0..1_000).map(|n| StreamedMarket::new(MarketId::from(format!("paper|M{n}").as_str())));
    let prices = Topic::of_all(Channel::Ticks, markets.collect());
    stream.want(drawn.into_iter().chain(prices).collect(), at(0));
    stream.opened(at(0));
    let first = stream.requests(at(0));
    for channel in ["books", "trades", "candles"] {
        assert!(
            first.iter().any(|text| text.contains(channel)),
            "{channel}: {first:?}"
        );
    }
}

#[test]
fn what_is_no_longer_wanted_is_unsubscribed() {
    let mut stream = subscribed(Channel::Book);
    stream.want(BTreeSet::new(), at(10));
    assert_eq!(requests(&mut stream, 10), [("unsub".to_owned(), 1)]);
    hears(&mut stream, 10, &events("s1", &[book(100, 101, 50)]));
    hears(&mut stream, 10, &json!({"op": "end", "id": 1}));
    assert_eq!(books(&mut stream), []);
}

/// What the way from the service does to a frame.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    None,
    Drop,
    Repeat,
    /// It comes after the next one.
    Swap,
    /// It is cut after so many percent.
    Cut(u8),
    /// One of its bytes is another.
    Flip(u16),
}

fn trouble() -> impl Strategy<Value = Trouble> {
    prop_oneof![
        6 => Just(Trouble::None),
        1 => Just(Trouble::Drop),
        1 => Just(Trouble::Repeat),
        1 => Just(Trouble::Swap),
        1 => (0_u8..100).prop_map(Trouble::Cut),
        1 => any::<u16>().prop_map(Trouble::Flip),
    ]
}

fn troubled(frames: Vec<String>, troubles: &[Trouble]) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    let mut held: Option<String> = None;
    for (frame, trouble) in frames
        .into_iter()
        .zip(troubles.iter().chain(std::iter::repeat(&Trouble::None)))
    {
        let late = held.take();
        match trouble {
            Trouble::None => out.push(frame),
            Trouble::Drop => {}
            Trouble::Repeat => out.extend([frame.clone(), frame]),
            Trouble::Swap => held = Some(frame),
            Trouble::Cut(percent) => {
                out.push(frame[..frame.len() * usize::from(*percent) / 100].to_owned());
            }
            Trouble::Flip(at) => {
                let mut bytes = frame.into_bytes();
                let at = usize::from(*at) % bytes.len();
                bytes[at] = if bytes[at] == b'7' { b'3' } else { b'7' };
                out.push(String::from_utf8(bytes).unwrap());
            }
        }
        out.extend(late);
    }
    out.extend(held);
    out
}

fn order(id: u64, price: u64, status: &str) -> Value {
    json!({"id": format!("ord-{id}"), "account_id": "acc", "market_id": "paper|BTC",
        "provider": "paper", "symbol": "BTC", "coin": "BTC", "type": "limit", "mode": "limit",
        "side": "buy", "size": 1, "expected_price": 100, "limit_price": price, "leverage": 1,
        "margin_mode": "cross", "reduce_only": false, "status": status, "requested_at": START})
}

fn order_event(seq: u64, row: &Value) -> String {
    json!({"event": "order", "account_id": "acc", "order": row, "seq": seq, "time": START})
        .to_string()
}

fn account() -> AccountStream {
    AccountStream::new(AccountId::from("acc"))
}

fn greeting(seq: u64) -> String {
    json!({"event": "hello", "stream_id": "st/1", "resumed": false, "seq": seq}).to_string()
}

fn resumed(seq: u64) -> String {
    json!({"event": "hello", "stream_id": "st/1", "resumed": true, "seq": seq}).to_string()
}

fn snapshot(seq: u64, orders: &[Value]) -> Vec<String> {
    vec![
        greeting(seq),
        json!({"event": "snapshot", "account_id": "other", "account": {"id": "other"}, "positions": [],
            "orders": [], "seq": seq})
        .to_string(),
        json!({"event": "snapshot", "account_id": "acc", "account": {"id": "acc", "balance": 5},
            "positions": [], "orders": orders, "seq": seq})
        .to_string(),
        json!({"event": "snapshot_end", "seq": seq}).to_string(),
    ]
}

fn take(stream: &mut AccountStream, frames: &[String], picture: &mut Option<AccountPicture>) {
    for frame in frames {
        stream.frame(frame, at(0));
    }
    for news in stream.events() {
        match news {
            AccountNews::Snapshot(rows) => {
                let mut fresh = AccountPicture::default();
                for row in rows {
                    fresh.take(row);
                }
                *picture = Some(fresh);
            }
            AccountNews::Event(event) => picture.as_mut().unwrap().take(event),
        }
    }
}

fn prices(picture: Option<&AccountPicture>) -> Vec<(String, String)> {
    let orders = picture.map_or(&[][..], |picture| &picture.orders);
    let rows = orders.iter().map(|order| {
        let price = order.limit_price.unwrap_or_default();
        (order.id.raw().to_owned(), price.to_string())
    });
    rows.collect()
}

#[test]
fn an_account_is_told_whole_then_row_by_row_and_goes_on_where_it_was() {
    let (mut stream, mut picture) = (account(), None);
    assert_eq!(stream.query(at(0)), "");
    stream.opened(at(0));
    take(
        &mut stream,
        &snapshot(4, &[order(1, 100, "resting")]),
        &mut picture,
    );
    assert!(stream.is_live());
    let frames = [
        order_event(5, &order(1, 99, "resting")),
        json!({"event": "order", "account_id": "other", "order": {}, "seq": 6}).to_string(),
        json!({"event": "heartbeat", "seq": 6}).to_string(),
        order_event(7, &order(2, 98, "resting")),
        order_event(7, &order(2, 12, "resting")),
    ];
    take(&mut stream, &frames, &mut picture);
    let known = [("ord-2", "98"), ("ord-1", "99")];
    let known = known.map(|(id, price)| (id.to_owned(), price.to_owned()));
    assert_eq!(prices(picture.as_ref()), known);
    take(
        &mut stream,
        &[order_event(9, &order(1, 1, "resting"))],
        &mut picture,
    );
    assert_eq!(stream.end(), Some(LinkEnd::Fault("events are missing")));
    assert_eq!(
        prices(picture.as_ref()),
        known,
        "nothing behind a gap is told"
    );
    stream.lost();
    let query = format!("?resume=st%2F1&last_seq=7&since={START}");
    assert_eq!(stream.query(at(0)), query);
    stream.opened(at(0));
    let frames = [
        resumed(7),
        order_event(8, &order(2, 98, "canceled")),
        order_event(9, &order(1, 1, "resting")),
    ];
    take(&mut stream, &frames, &mut picture);
    assert_eq!(
        prices(picture.as_ref()),
        [("ord-1".to_owned(), "1".to_owned())]
    );
}

#[test]
fn a_stream_that_goes_on_says_since_when_events_may_be_missing() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    let greeted = snapshot(4, &[order(1, 100, "resting")]);
    take(&mut stream, &greeted, &mut picture);
    let timed = |seq: u64, millis: i64| {
        let mut event: Value =
            serde_json::from_str(&order_event(seq, &order(1, 99, "resting"))).unwrap();
        event["time"] = json!(millis);
        event.to_string()
    };
    let frames = [timed(5, 1_790_000_000_123), timed(7, 1_790_000_000_456)];
    take(&mut stream, &frames, &mut picture);
    stream.lost();
    let query = "?resume=st%2F1&last_seq=5&since=1790000000123";
    assert_eq!(stream.query(at(0)), query, "the last that was told");
}

#[test]
fn a_heartbeat_shows_an_event_that_never_came() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    take(&mut stream, &snapshot(4, &[]), &mut picture);
    take(
        &mut stream,
        &[json!({"event": "heartbeat", "seq": 5}).to_string()],
        &mut picture,
    );
    assert!(matches!(stream.end(), Some(LinkEnd::Fault(_))));
}

#[test]
fn a_snapshot_that_is_missing_cut_or_unreadable_is_not_shown() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    let mut frames = snapshot(4, &[order(1, 100, "resting")]);
    frames.pop();
    take(&mut stream, &frames, &mut picture);
    assert!(picture.is_none() && !stream.is_live());
    assert_eq!(stream.due(), Some(at(10_000)));
    stream.pass(at(10_000));
    assert!(matches!(stream.end(), Some(LinkEnd::Fault(_))));
    stream.lost();
    stream.opened(at(11_000));
    take(
        &mut stream,
        &snapshot(4, &[json!({"id": "ord-1"})]),
        &mut picture,
    );
    assert_eq!(
        stream.end(),
        Some(LinkEnd::Fault("its snapshot cannot be read"))
    );
    assert!(picture.is_none());
}

#[test]
fn a_service_that_wants_its_clients_back_ends_the_connection() {
    let mut stream = account();
    stream.opened(at(0));
    take(&mut stream, &snapshot(0, &[]), &mut None);
    take(
        &mut stream,
        &[json!({"event": "reconnect"}).to_string()],
        &mut None,
    );
    assert_eq!(stream.end(), Some(LinkEnd::ServiceRequest));
}

#[test]
fn a_row_of_another_account_is_never_taken() {
    let (mut stream, mut picture) = (account(), None);
    stream.opened(at(0));
    take(&mut stream, &snapshot(0, &[]), &mut picture);
    let mut foreign = order(1, 100, "resting");
    foreign["account_id"] = json!("other");
    take(&mut stream, &[order_event(1, &foreign)], &mut picture);
    assert!(prices(picture.as_ref()).is_empty());
    assert!(matches!(stream.end(), Some(LinkEnd::Fault(_))));
}

proptest! {
    /// A book is a step further each time; the way loses, repeats, reorders and damages frames.
    #[test]
    fn whatever_happens_to_frames_no_book_is_crossed_or_goes_back_and_a_snapshot_puts_it_right(
        spreads in prop::collection::vec(-3_i64..6, 1..40),
        troubles in prop::collection::vec(trouble(), 0..50),
        cut in 0_usize..50,
    ) {
        let mut stream = opened(Channel::Book);
        let id = requests(&mut stream, 0)[0].1;
        let mut frames = vec![
            json!({"op": "sub_ok", "id": id, "sub": "s1", "snapshotBoundary": true}).to_string(),
        ];
        let steps = spreads.iter().zip(1_i64..);
        frames.extend(steps.map(|(spread, step)| {
            events("s1", &[book(1_000 + step, 1_000 + step + spread, step)]).to_string()
        }));
        frames.insert(2.min(frames.len()), end(id).to_string());
        let mut troubled = troubled(frames, &troubles);
        troubled.truncate(cut);
        for (frame, now) in troubled.iter().zip(0..) {
            stream.frame(frame, at(now));
            stream.pass(at(now));
        }
        let told = books(&mut stream);
        prop_assert!(told.is_sorted_by(|a, b| a.1 <= b.1), "{told:?}");
        // A byte that is another digit is another book, which nobody can tell; a crossed one is refused all the same.
        stream.lost();
        stream.opened(at(100));
        acknowledge(&mut stream, 100, "s9");
        hears(&mut stream, 100, &events("s9", &[book(5, 6, 100)]));
        prop_assert_eq!(books(&mut stream), [(5, 100)]);
    }

    #[test]
    fn trades_are_told_once_in_order_and_say_where_one_may_be_missing(
        troubles in prop::collection::vec(trouble().prop_filter("an id", |t| !matches!(t, Trouble::Flip(_))), 0..40),
    ) {
        let mut stream = subscribed(Channel::Trades);
        let frames = (1_u64..40).map(|id| events("s1", &[trade(id, id.cast_signed())]).to_string());
        for frame in troubled(frames.collect(), &troubles) {
            stream.frame(&frame, at(0));
            if stream.end().is_some() {
                break;
            }
        }
        let told = trades(&mut stream);
        for pair in told.windows(2) {
            prop_assert!(pair[0].0 < pair[1].0);
            let is_next = pair[0].0 + 1 == pair[1].0;
            prop_assert!(is_next || pair[1].1 == 0, "{pair:?}");
        }
    }

    /// Orders that are placed, moved and canceled; after each fault the desk comes back as the service lets it.
    #[test]
    fn whatever_happens_to_events_the_account_ends_as_it_is(
        steps in prop::collection::vec((0_u64..4, 1_u64..50, 0_u8..4), 1..40),
        troubles in prop::collection::vec(trouble().prop_filter("a digit", |t| !matches!(t, Trouble::Flip(_))), 0..60),
        remembers in any::<bool>(),
    ) {
        let (mut truth, mut pictures) = (AccountPicture::default(), vec![]);
        let events: Vec<String> = steps.iter().zip(1_u64..).map(|((id, price, kind), seq)| {
            let status = if *kind == 0 { "canceled" } else { "resting" };
            let row = order(*id, *price, status);
            let parsed = AccountRow::Order(serde_json::from_value(row.clone()).unwrap());
            truth.take(super::event::AccountEvent { seq: None, at: None, row: parsed, liveness: Liveness::Live });
            pictures.push(prices(Some(&truth)));
            order_event(seq, &row)
        }).collect();
        let (mut stream, mut picture) = (account(), None);
        stream.opened(at(0));
        let mut frames = snapshot(0, &[]);
        frames.extend(events.clone());
        take(&mut stream, &troubled(frames, &troubles), &mut picture);
        let known = prices(picture.as_ref());
        prop_assert!(known.is_empty() || pictures.contains(&known), "{known:?}");
        // A last heartbeat shows what is missing.
        let last = events.len() as u64;
        stream.frame(&json!({"event": "heartbeat", "seq": last}).to_string(), at(0));
        if stream.end().is_some() || !stream.is_live() {
            let query = stream.query(at(0));
            let goes_on = query.split('&').find_map(|pair| pair.strip_prefix("last_seq=")?.parse::<usize>().ok());
            stream.lost();
            stream.opened(at(0));
            let frames = if let Some(seq) = goes_on.filter(|_| remembers && picture.is_some()) {
                let missed = events.iter().skip(seq).cloned();
                std::iter::once(resumed(seq as u64)).chain(missed).collect()
            } else {
                let rows: Vec<_> = truth.orders.iter().map(|row| serde_json::to_value(row).unwrap()).collect();
                snapshot(last, &rows)
            };
            take(&mut stream, &frames, &mut picture);
        }
        prop_assert!(stream.is_live());
        let sorted = |mut rows: Vec<(String, String)>| { rows.sort(); rows };
        prop_assert_eq!(sorted(prices(picture.as_ref())), sorted(prices(Some(&truth))));
    }
}

#[test]
fn a_market_source_is_sent_nothing_but_what_is_subscribed_to() {
    let mut stream = opened(Channel::Book);
    let sent = stream.requests(at(0)).concat() + &stream.ping().unwrap();
    assert_eq!(
        sent,
        r#"{"channel":"books","id":1,"op":"sub","payload":{"providers":["paper"],"symbols":["BTC"]}}{"id":2,"method":"ping","op":"req"}"#
    );
    assert_eq!(stream.query(at(0)), "");
}
