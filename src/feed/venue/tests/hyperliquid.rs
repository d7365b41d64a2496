//! Hyperliquid's frames, in the shapes of its documentation and of a recording.

use super::*;
use crate::{
    feed::venue::rest::{self, CandleSpan},
    model::{Interval, Venue},
};
use serde_json::{Value, json};

const ALL: [Channel; 5] = [
    Channel::Book,
    Channel::Trades,
    Channel::Candles(Interval::Minute1),
    Channel::Ticks,
    Channel::Stats,
];

fn talk(channels: &[Channel]) -> Talk {
    Talk::of(VenueSocket::Hyperliquid, "hyperliquid|BTC", channels)
}

fn level(price: &str, size: &str) -> Value {
    json!({ "px": price, "sz": size, "n": 3 })
}

fn book(bids: &[Value], asks: &[Value], millis: i64) -> String {
    json!({"channel": "l2Book", "data": {"coin": "BTC", "time": START + millis, "levels": [bids, asks]}})
        .to_string()
}

fn fast(bids: &[Value], asks: &[Value], millis: i64) -> String {
    let data = json!({"coin": "BTC", "time": START + millis, "levels": [bids, asks], "fast": true});
    json!({"channel": "l2Book", "data": data}).to_string()
}

fn trade(side: &str, price: &str, millis: i64, tid: u64) -> Value {
    json!({"coin": "BTC", "side": side, "px": price, "sz": "0.1", "hash": "0x00", "time": START + millis,
        "tid": tid, "users": ["0xa", "0xb"]})
}

fn trades(rows: &[Value]) -> String {
    json!({"channel": "trades", "data": rows}).to_string()
}

#[test]
fn a_market_is_asked_for_in_the_venues_words_with_its_best_levels_often_and_the_others_seldom() {
    let mut talk = Talk::of(VenueSocket::Hyperliquid, "hyperliquid|xyz:TSLA", &ALL);
    assert_eq!(talk.query, "");
    let asked = talk.asks().into_iter();
    let asked: Vec<Value> = asked
        .map(|frame| serde_json::from_str(&frame).unwrap())
        .collect();
    let subscription =
        |subscription: Value| json!({"method": "subscribe", "subscription": subscription});
    assert_eq!(
        asked,
        [
            subscription(json!({"type": "l2Book", "coin": "xyz:TSLA", "fast": true})),
            subscription(json!({"type": "l2Book", "coin": "xyz:TSLA"})),
            subscription(json!({"type": "trades", "coin": "xyz:TSLA"})),
            subscription(json!({"type": "candle", "coin": "xyz:TSLA", "interval": "1m"})),
            subscription(json!({"type": "bbo", "coin": "xyz:TSLA"})),
            subscription(json!({"type": "activeAssetCtx", "coin": "xyz:TSLA"})),
        ]
    );
    assert_eq!(talk.stream.ping().as_deref(), Some(r#"{"method":"ping"}"#));
}

/// The venue adds keys to what it acknowledges, and data comes between.
#[test]
fn the_stream_is_live_once_everything_is_acknowledged_or_told() {
    let mut talk = talk(&[Channel::Book, Channel::Trades]);
    talk.hears("Websocket connection established.");
    let ack = |extra: Value| {
        let mut subscription = json!({"nSigFigs": null, "mantissa": null});
        let known = subscription.as_object_mut().unwrap();
        known.extend(extra.as_object().unwrap().clone());
        json!({"channel": "subscriptionResponse", "data": {"method": "subscribe", "subscription": subscription}})
            .to_string()
    };
    talk.hears(&ack(json!({"type": "l2Book", "coin": "BTC", "fast": true})));
    talk.hears(&book(&[level("9", "1")], &[level("11", "1")], 0));
    assert!(!talk.stream.is_live(), "trades are neither");
    talk.hears(&ack(json!({"type": "trades", "coin": "BTC"})));
    assert!(talk.stream.is_live());
    talk.hears(r#"{"channel":"pong"}"#);
    assert_eq!((talk.stream.end(), talk.stream.refused()), (None, 0));
}

#[test]
fn behind_the_fast_levels_stand_those_of_the_slow_book_while_it_is_young() {
    let mut talk = talk(&[Channel::Book]);
    let slow = book(
        &[level("100", "5"), level("99", "6"), level("98", "7")],
        &[level("101", "5"), level("102", "6"), level("103", "7")],
        0,
    );
    talk.hears(&slow);
    assert_eq!(
        levels(&talk.books()[0].value, Side::Buy),
        ["5x100", "6x99", "7x98"]
    );
    let near = |millis| {
        fast(
            &[level("100", "1"), level("99", "2")],
            &[level("101", "3")],
            millis,
        )
    };
    talk.hears(&near(6_000));
    let merged = talk.books().pop().unwrap();
    assert_eq!(levels(&merged.value, Side::Buy), ["1x100", "2x99", "7x98"]);
    assert_eq!(
        levels(&merged.value, Side::Sell),
        ["3x101", "6x102", "7x103"]
    );
    assert_eq!(merged.made_at, Some(at(6_000)));
    talk.hears(&near(6_500));
    let alone = talk.books().pop().unwrap();
    assert_eq!(levels(&alone.value, Side::Buy), ["1x100", "2x99"]);
}

#[test]
fn a_book_that_is_older_crossed_unsorted_or_of_the_future_is_counted_and_not_shown() {
    let mut talk = talk(&[Channel::Book]);
    talk.hears(&fast(&[level("100", "1")], &[level("101", "1")], 500));
    assert_eq!(talk.books().len(), 1);
    let refused = [
        fast(&[level("100", "1")], &[level("101", "1")], 499),
        fast(&[level("101", "1")], &[level("101", "1")], 600),
        fast(
            &[level("99", "1"), level("100", "1")],
            &[level("101", "1")],
            600,
        ),
        fast(&[level("100", "0")], &[level("101", "1")], 600),
        fast(&[level("100", "1")], &[level("-1", "1")], 600),
        fast(&[level("100", "1")], &[level("101", "1")], 60_001 + 1),
        fast(&[level("x", "1")], &[level("101", "1")], 600),
    ];
    for frame in &refused[..4] {
        talk.hears(frame);
    }
    assert_eq!((talk.books(), talk.stream.refused()), (vec![], 4));
    talk.hears(&fast(&[level("100", "1")], &[level("101", "1")], 500));
    assert_eq!(talk.books().len(), 1, "the same again is no harm");
    for frame in &refused[4..] {
        talk.hears(frame);
    }
    assert_eq!((talk.books(), talk.stream.refused()), (vec![], 3));
}

#[test]
fn the_first_trades_are_history_and_no_trade_comes_twice() {
    let mut talk = talk(&[Channel::Trades]);
    let history = [trade("B", "1", -400, 900), trade("A", "2", -300, 100)];
    talk.hears(&trades(&history));
    assert_eq!(talk.trades(), ["buy 1 history 0", "sell 2 history 1"]);
    talk.hears(&trades(&[trade("B", "3", 10, 55), trade("B", "4", 10, 54)]));
    assert_eq!(talk.trades(), ["buy 3 news 1", "buy 4 news 1"]);
    talk.hears(&trades(&[trade("B", "4", 10, 54)]));
    assert_eq!(talk.trades(), [""; 0]);
    // A new connection reports what was missed, with what was known before it.
    talk.later(1_000).reconnects();
    talk.hears(&trades(&[trade("B", "4", 10, 54), trade("A", "5", 900, 1)]));
    assert_eq!(talk.trades(), ["sell 5 history 2"]);
    // Or only what is known of later: some may be missing between.
    talk.later(1_000).reconnects();
    talk.hears(&trades(&[trade("A", "6", 1_900, 2)]));
    assert_eq!(talk.trades(), ["sell 6 history 0"]);
}

#[test]
fn prices_and_statistics_are_told_with_what_the_venue_leaves_out_unknown() {
    let mut talk = talk(&[Channel::Ticks, Channel::Stats]);
    talk.hears(&json!({"channel": "bbo", "data": {"coin": "BTC", "time": START, "bbo": [level("99", "1"), null]}}).to_string());
    assert_eq!(talk.stats(), (None, None), "one side is no price");
    talk.hears(&json!({"channel": "bbo", "data": {"coin": "BTC", "time": START + 1, "bbo": [null, level("101", "1")]}}).to_string());
    let ctx = json!({"markPx": "110.0", "oraclePx": "109", "funding": "0.0000125", "openInterest": "20", "premium": null,
        "prevDayPx": "100", "dayNtlVlm": "5000.5", "midPx": null, "impactPxs": null});
    talk.hears(
        &json!({"channel": "activeAssetCtx", "data": {"coin": "BTC", "ctx": ctx}}).to_string(),
    );
    let (tick, stats) = talk.stats();
    assert_eq!(tick.unwrap().price.to_string(), "100");
    let stats = stats.unwrap();
    let hour = Interval::Hour1;
    let next = hour.open_of(at(0)).plus(hour.length());
    assert_eq!(
        stats.next_funding_at,
        Some(next),
        "it pays at each full hour"
    );
    let text =
        |number: Option<crate::model::Num>| number.map(|number| number.normalized().to_string());
    assert_eq!(
        [
            stats.mark,
            stats.day_change,
            stats.hourly_funding(),
            stats.open_interest,
            stats.day_volume
        ]
        .map(text),
        ["110", "10", "0.0000125", "2200", "5000.5"].map(|text| Some(text.to_owned()))
    );
}

#[test]
fn candles_go_on_after_intervals_in_which_nothing_traded() {
    let mut talk = talk(&[Channel::Candles(Interval::Minute1)]);
    talk.asks();
    talk.hears(&candle(0, "11")).hears(&candle(7, "12"));
    assert_eq!(talk.candles(), ["1m 11"], "a read fills the gap");
    for _ in 0..4 {
        talk.hears(&candle(7, "12"));
    }
    assert_eq!(talk.asks().len(), 2, "subscribed to anew");
    talk.hears(&candle(7, "13")).hears(&candle(8, "14"));
    assert_eq!(talk.candles(), ["1m 13", "1m 14"]);
}

/// A frame of the candle that opens so many minutes after the first.
fn candle(minute: i64, close: &str) -> String {
    let opens = START - START % 60_000 + minute * 60_000 - 600_000;
    json!({"channel": "candle", "data": {"t": opens, "T": opens + 59_999, "s": "BTC", "i": "1m",
        "o": "10", "h": "20", "l": "9", "c": close, "v": "1", "n": 3}})
    .to_string()
}

#[test]
fn a_candle_comes_alone_or_in_a_list_and_of_the_interval_that_was_asked_for() {
    let mut talk = talk(&[Channel::Candles(Interval::Minute1)]);
    let opens = Interval::Minute1.open_of(at(0)).0;
    let row = |close: &str, opens: i64| {
        json!({"t": opens, "T": opens + 59_999, "s": "BTC", "i": "1m", "o": "10", "c": close, "h": "12",
            "l": "9", "v": "1.5", "n": 7})
    };
    let frame = |data: Value| json!({"channel": "candle", "data": data}).to_string();
    talk.hears(&frame(row("11", opens)));
    talk.hears(&frame(json!([row("12", opens)])));
    assert_eq!(talk.candles(), ["1m 11", "1m 12"]);
    talk.hears(&frame(row("13", opens)));
    talk.hears(&frame(row("11", opens + 1)));
    talk.hears(&frame(row("11", opens - 120_000)));
    assert_eq!((talk.candles(), talk.stream.refused()), (vec![], 3));
    assert!(!VenueSocket::Hyperliquid.carries(Channel::Candles(Interval::Second1)));
}

#[test]
fn what_the_venue_refuses_is_asked_for_a_minute_later_and_the_rest_goes_on() {
    let mut talk = talk(&[Channel::Book, Channel::Trades]);
    assert_eq!(talk.asks().len(), 3);
    let refusal = r#"Invalid subscription {"coin":"BTC","type":"trades","user":null}"#;
    talk.hears(&json!({"channel": "error", "data": refusal}).to_string());
    let known = r#"Already subscribed: {"fast":true,"type":"l2Book","coin":"BTC"}"#;
    talk.hears(&json!({"channel": "error", "data": known}).to_string());
    talk.hears(&book(&[level("9", "1")], &[level("11", "1")], 0));
    assert!(talk.stream.is_live());
    for second in 1..60 {
        talk.later(1_000);
        talk.hears(&book(
            &[level("9", "1")],
            &[level("11", "1")],
            second * 1_000,
        ));
        talk.hears(&fast(
            &[level("9", "1")],
            &[level("11", "1")],
            second * 1_000,
        ));
        assert_eq!(talk.asks(), [""; 0], "after {second} s");
    }
    talk.later(1_000);
    assert_eq!(talk.asks().len(), 2, "an end and a new beginning");
}

#[test]
fn a_silent_channel_is_asked_for_anew_while_another_one_is_heard() {
    let mut talk = talk(&[Channel::Trades, Channel::Ticks]);
    talk.asks();
    talk.hears(&trades(&[trade("B", "1", 0, 1)]));
    for second in 1..=10 {
        assert_eq!(talk.asks(), [""; 0]);
        let bbo = json!({"coin": "BTC", "time": START + second, "bbo": [level("9", "1"), level("11", "1")]});
        talk.later(1_000);
        talk.hears(&json!({"channel": "bbo", "data": bbo}).to_string());
    }
    talk.later(0);
    let asked = talk.asks();
    assert_eq!(asked.len(), 2);
    assert!(
        asked[0].contains("unsubscribe") && asked[1].contains("trades"),
        "{asked:?}"
    );
}

#[test]
fn what_is_wanted_no_more_is_ended_and_what_is_wanted_anew_is_asked_for() {
    let mut talk = talk(&[Channel::Trades]);
    talk.asks();
    let eth = StreamedMarket::new(MarketId::from("hyperliquid|ETH"));
    talk.stream
        .want([Topic::of(Channel::Trades, eth)].into(), at(1));
    let asked = talk.asks();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].contains("unsubscribe") && asked[0].contains("BTC"));
    assert!(asked[1].contains("ETH"));
    talk.hears(&trades(&[trade("B", "1", 0, 1)]));
    assert_eq!(talk.trades(), [""; 0], "nobody wants it any more");
}

#[test]
fn frames_that_are_no_messages_end_the_connection() {
    let mut talk = talk(&[Channel::Trades]);
    talk.hears("{").hears("");
    assert_eq!(talk.stream.end(), None);
    talk.hears("[1]");
    assert!(talk.stream.end().is_some());
    talk.reconnects();
    assert_eq!(talk.stream.end(), None);
}

#[test]
fn the_first_picture_is_read_by_posts_whose_answers_are_checked() {
    let rest = rest::of(Venue::Hyperliquid);
    let minute = Interval::Minute1.open_of(at(0)).0;
    let span = CandleSpan {
        interval: Interval::Minute1,
        before: Timestamp(minute + 1),
        limit: 3,
    };
    let read = (rest.candles)("BTC", span).unwrap();
    let asked: Value = serde_json::from_str(&read.body.unwrap()).unwrap();
    let request =
        json!({"coin": "BTC", "interval": "1m", "startTime": minute - 120_000, "endTime": minute});
    let wanted = json!({"type": "candleSnapshot", "req": request});
    assert_eq!((read.target.as_str(), asked), ("/info", wanted));
    let row = |opens: i64, close: &str| {
        json!({"t": opens, "T": opens + 59_999, "s": "BTC", "i": "1m", "o": "1", "c": close, "h": "2", "l": "1",
            "v": "3", "n": 4})
    };
    let (before, long_before) = (minute - 60_000, minute - 120_000);
    let body = json!([row(before, "2"), row(minute, "1"), row(long_before, "9"), {"t": 1}]);
    let page = rest.read_candles(body.to_string().as_bytes(), Timestamp(minute), span);
    let page = page.unwrap().value;
    let closed: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.open_time.0, row.is_closed))
        .collect();
    assert_eq!(closed, [(before, true), (minute, false)]);
    assert_eq!(page.unreadable.len(), 2);

    let read = (rest.book)("BTC", Some(5));
    assert_eq!(
        read.body.as_deref(),
        Some(r#"{"coin":"BTC","type":"l2Book"}"#)
    );
    let told =
        json!({"coin": "BTC", "time": START, "levels": [[level("9", "1")], [level("11", "1")]]});
    let book = rest.read_book(told.to_string().as_bytes()).unwrap();
    assert_eq!(book.made_at, Some(at(0)));
    let crossed =
        json!({"coin": "BTC", "time": START, "levels": [[level("9", "1")], [level("9", "1")]]});
    assert!(rest.read_book(crossed.to_string().as_bytes()).is_err());

    let rows = json!([trade("B", "2", 1, 1), trade("X", "2", 1, 1)]);
    let page = rest.read_trades(rows.to_string().as_bytes()).unwrap().value;
    assert_eq!((page.rows.len(), page.unreadable.len()), (1, 1));
    assert!(rest.read_trades(b"null").is_err());
}
