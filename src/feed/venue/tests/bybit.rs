//! Bybit's frames and answers, in the shapes of its documentation.

use super::*;
use crate::{
    feed::venue::rest::{self, CandleSpan},
    model::{Interval, Venue},
};
use serde_json::{Value, json};

fn talk(channels: &[Channel]) -> Talk {
    Talk::of(VenueSocket::Bybit, "bybit|BTCUSDT", channels)
}

fn book(kind: &str, number: u64, bids: &Value, asks: &Value) -> String {
    json!({"topic": "orderbook.200.BTCUSDT", "type": kind, "ts": START + 2, "cts": START, "data": {"s": "BTCUSDT",
        "b": bids, "a": asks, "u": number, "seq": 7}})
    .to_string()
}

fn begins(number: u64) -> String {
    book(
        "snapshot",
        number,
        &json!([["100", "1"], ["99", "2"]]),
        &json!([["101", "1"]]),
    )
}

fn accepts(talk: &mut Talk) -> Vec<Value> {
    let asked: Vec<Value> = talk
        .asks()
        .iter()
        .map(|frame| serde_json::from_str(frame).unwrap())
        .collect();
    for frame in asked.iter().filter(|frame| frame["op"] == "subscribe") {
        let ok = json!({"success": true, "ret_msg": "", "conn_id": "c", "req_id": frame["req_id"], "op": "subscribe"});
        talk.hears(&ok.to_string());
    }
    asked
}

#[test]
fn topics_are_asked_for_together_and_the_ticker_once() {
    let mut talk = talk(&[
        Channel::Book,
        Channel::Trades,
        Channel::Candles(Interval::Hour4),
        Channel::Ticks,
        Channel::Stats,
    ]);
    assert!(!talk.stream.is_live());
    let asked = accepts(&mut talk);
    let args = [
        "orderbook.200.BTCUSDT",
        "publicTrade.BTCUSDT",
        "kline.240.BTCUSDT",
        "tickers.BTCUSDT",
    ];
    assert_eq!((asked.len(), &asked[0]["args"]), (1, &json!(args)));
    assert!(talk.stream.is_live());
    talk.hears(r#"{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"","op":"ping"}"#);
    assert_eq!((talk.stream.refused(), talk.stream.end()), (0, None));
    assert_eq!(talk.stream.ping().as_deref(), Some(r#"{"op":"ping"}"#));
}

#[test]
fn a_book_is_kept_by_its_changes_and_a_missing_one_brings_the_whole_of_it() {
    let mut talk = talk(&[Channel::Book]);
    accepts(&mut talk);
    talk.hears(&begins(10));
    talk.hears(&book(
        "delta",
        11,
        &json!([["100", "0"], ["98", "3"]]),
        &json!([["101", "5"]]),
    ));
    let last = talk.books().pop().unwrap();
    assert_eq!(levels(&last.value, Side::Buy), ["2x99", "3x98"]);
    assert_eq!(
        (levels(&last.value, Side::Sell), last.made_at),
        (vec!["5x101".to_owned()], Some(at(0)))
    );
    talk.later(5_000);
    talk.hears(&book("delta", 13, &json!([]), &json!([["101", "6"]])));
    talk.hears(&book("delta", 14, &json!([]), &json!([["101", "7"]])));
    assert_eq!((talk.books(), talk.stream.refused()), (vec![], 1));
    talk.later(0);
    let asked = accepts(&mut talk);
    let ops: Vec<_> = asked.iter().map(|frame| &frame["op"]).collect();
    assert_eq!(ops, ["unsubscribe", "subscribe"]);
    talk.hears(&begins(20));
    assert_eq!(talk.books().len(), 1);
    // The venue begins anew by itself, too.
    talk.hears(&book(
        "delta",
        1,
        &json!([["50", "1"]]),
        &json!([["51", "1"]]),
    ));
    assert_eq!(levels(&talk.books()[0].value, Side::Buy), ["1x50"]);
}

#[test]
fn a_book_that_stays_away_is_asked_for_less_and_less_often() {
    let mut talk = talk(&[Channel::Book]);
    let mut asked = vec![];
    for second in 0..60 {
        if accepts(&mut talk)
            .iter()
            .any(|frame| frame["op"] == "subscribe")
        {
            asked.push(second);
        }
        talk.hears(&book("delta", 5, &json!([]), &json!([])));
        talk.later(1_000);
    }
    assert_eq!(asked, [0, 2, 6, 14, 30]);
}

fn trade(id: &str, side: &str, millis: i64) -> Value {
    json!({"T": START + millis, "s": "BTCUSDT", "S": side, "v": "0.001", "p": "16578.50", "L": "PlusTick", "i": id,
        "BT": false, "seq": 1})
}

fn trades(rows: &[Value]) -> String {
    json!({"topic": "publicTrade.BTCUSDT", "type": "snapshot", "ts": START, "data": rows})
        .to_string()
}

#[test]
fn trades_after_a_new_subscription_follow_nothing_since_some_may_be_missing() {
    let mut talk = talk(&[Channel::Book, Channel::Trades]);
    accepts(&mut talk);
    talk.hears(&trades(&[trade("a", "Buy", 0)]));
    for number in 10..=20 {
        talk.later(1_000).hears(&begins(number));
    }
    talk.later(0);
    let names = accepts(&mut talk).pop().unwrap()["args"].clone();
    assert_eq!(names, json!(["publicTrade.BTCUSDT"]));
    talk.stream.events();
    talk.hears(&trades(&[trade("z", "Buy", 11_000)]));
    assert_eq!(talk.trades(), ["buy 16578.50 news 0"]);
}

#[test]
fn trades_of_one_message_are_told_once_each() {
    let mut talk = talk(&[Channel::Trades]);
    talk.hears(&trades(&[trade("a", "Buy", 0), trade("b", "Sell", 0)]));
    talk.hears(&trades(&[trade("b", "Sell", 0), trade("c", "Buy", 1)]));
    assert_eq!(
        talk.trades(),
        [
            "buy 16578.50 news 0",
            "sell 16578.50 news 1",
            "buy 16578.50 news 2"
        ]
    );
    talk.hears(&trades(&[trade("d", "Nobody", 2)]));
    talk.hears(&trades(&[trade("e", "Buy", 3)]));
    assert_eq!(talk.trades(), ["buy 16578.50 news 0"], "one may be missing");
}

#[test]
fn a_ticker_says_what_changed_and_an_empty_text_is_nothing() {
    let mut talk = talk(&[Channel::Ticks, Channel::Stats]);
    let frame = |kind: &str, data: Value| {
        json!({"topic": "tickers.BTCUSDT", "type": kind, "data": data, "cs": 1, "ts": START})
            .to_string()
    };
    let whole = json!({"symbol": "BTCUSDT", "tickDirection": "PlusTick", "price24hPcnt": "0.017103", "lastPrice": "17216.00",
        "markPrice": "17217.33", "indexPrice": "17227.36", "openInterest": "68744.761", "openInterestValue": "1183601235.91",
        "turnover24h": "1570383121.943499", "volume24h": "91705.276", "nextFundingTime": "1673280000000",
        "fundingRate": "-0.000212", "fundingIntervalHour": "8", "bid1Price": "17215.50", "bid1Size": "84.489",
        "ask1Price": "17216.00", "ask1Size": "83.020", "deliveryTime": "", "basisRate": ""});
    talk.hears(&frame("snapshot", whole));
    let (tick, stats) = talk.stats();
    assert_eq!(tick.unwrap().price.to_string(), "17215.75");
    let stats = stats.unwrap();
    assert_eq!(stats.hourly_funding().unwrap().to_string(), "-0.00002650");
    assert_eq!(stats.day_change.unwrap().normalized().to_string(), "1.7103");
    assert_eq!(stats.next_funding_at, Some(Timestamp(1_673_280_000_000)));
    talk.hears(&frame(
        "delta",
        json!({"symbol": "BTCUSDT", "ask1Price": "17218.00", "fundingRate": ""}),
    ));
    let (tick, stats) = talk.stats();
    assert_eq!(tick.unwrap().bid.unwrap().to_string(), "17215.50");
    assert_eq!(stats.unwrap().mark.unwrap().to_string(), "17217.33");
    talk.hears(&frame(
        "delta",
        json!({"symbol": "BTCUSDT", "markPrice": "-1"}),
    ));
    talk.hears(&frame(
        "delta",
        json!({"symbol": "ETHUSDT", "markPrice": "1"}),
    ));
    assert_eq!((talk.stats(), talk.stream.refused()), ((None, None), 2));
}

#[test]
fn the_newest_candle_of_a_message_counts() {
    let mut talk = talk(&[Channel::Candles(Interval::Minute5)]);
    let start = Interval::Minute5.open_of(at(0)).0;
    let data = json!([{"start": start, "end": start + 299_999, "interval": "5", "open": "1", "close": "2", "high": "3",
        "low": "1", "volume": "2.081", "turnover": "34666.4005", "confirm": true, "timestamp": START}]);
    talk.hears(
        &json!({"topic": "kline.5.BTCUSDT", "data": data, "ts": START, "type": "snapshot"})
            .to_string(),
    );
    assert_eq!(talk.candles(), ["5m 2"]);
}

#[test]
fn the_first_picture_is_read_by_gets_whose_answers_are_checked() {
    let rest = rest::of(Venue::Bybit);
    let day = Interval::Day1.open_of(at(0)).0;
    let span = CandleSpan {
        interval: Interval::Day1,
        before: at(1),
        limit: 1_500,
    };
    assert_eq!(
        (rest.candles)("BTCUSDT", span).unwrap().target,
        format!(
            "/v5/market/kline?category=linear&symbol=BTCUSDT&interval=D&end={START}&limit=1000"
        )
    );
    let answer = |result: Value| {
        json!({"retCode": 0, "retMsg": "OK", "result": result, "time": 1}).to_string()
    };
    let row = |opens: i64| json!([opens.to_string(), "2", "3", "1", "2", "10", "20"]);
    let rows = json!([row(day), row(day - 86_400_000)]);
    let body = answer(json!({"symbol": "BTCUSDT", "category": "linear", "list": rows}));
    let page = rest
        .read_candles(body.as_bytes(), at(0), span)
        .unwrap()
        .value;
    let rows: Vec<_> = page
        .rows
        .iter()
        .map(|row| (row.open_time.0 - day, row.is_closed))
        .collect();
    assert_eq!(rows, [(-86_400_000, true), (0, false)]);

    let book = json!({"s": "BTCUSDT", "b": [["99", "1"]], "a": [["101", "1"]], "ts": START + 9, "u": 4, "seq": 1, "cts": START + 8});
    let book = rest.read_book(answer(book).as_bytes()).unwrap();
    assert_eq!(
        (levels(&book.value, Side::Sell), book.made_at),
        (vec!["1x101".to_owned()], Some(at(8)))
    );
    assert_eq!(
        (rest.book)("BTCUSDT", None).target,
        "/v5/market/orderbook?category=linear&symbol=BTCUSDT&limit=100"
    );
    let trade = json!({"execId": "e", "symbol": "BTCUSDT", "price": "100", "size": "1", "side": "Sell", "time": "1672052955758"});
    let page = rest
        .read_trades(answer(json!({"list": [trade, {}]})).as_bytes())
        .unwrap()
        .value;
    assert_eq!((page.rows.len(), page.unreadable.len()), (1, 1));
    let refused = r#"{"retCode":10001,"retMsg":"params error","result":{}}"#;
    assert!(rest.read_trades(refused.as_bytes()).is_err());
}

#[test]
fn a_flood_of_books_that_cannot_be_is_answered_by_one_request_until_that_is_acknowledged() {
    let mut talk = talk(&[Channel::Book]);
    accepts(&mut talk);
    let crossed = json!([["100", "-1"]]);
    for number in 0..5_000 {
        talk.hears(&book("delta", number, &crossed, &json!([])));
    }
    let ops: Vec<_> = accepts(&mut talk)
        .iter()
        .map(|frame| frame["op"].clone())
        .collect();
    assert_eq!(ops, ["unsubscribe", "subscribe"]);
    assert_eq!(talk.asks(), [""; 0]);
}
