use super::*;
use crate::{
    client::testing::responder::{Responder, ok},
    model::FailureKind,
};

fn market() -> MarketId {
    "paper|BTC".into()
}

fn num(text: &str) -> Num {
    text.parse().unwrap()
}

const CANDLES: &str = r#"{"data":[
    {"open_time":1790000000000,"open":64000.5,"high":64100,"low":63990,"close":64010,"volume":1.5,"turnover":96000,
     "trades":12,"closed":true,"synthetic":true},
    {"open_time":1790000060000,"open":1,"high":0.5,"low":0.4,"close":0.45},
    {"open_time":1790000120000,"open":64010,"high":64010,"low":64010,"close":64010,"volume":null,"closed":false}
  ],"updated_at":1790000130000}"#;

#[tokio::test]
async fn candles_are_read_row_by_row_and_an_unreadable_one_is_counted() {
    let responder = Responder::answering(vec![ok(CANDLES), ok(r#"{"data":[]}"#)]).await;
    let (client, _calls) = responder.client();
    let minute = Interval::Minute1;
    let told = client
        .candles(&market(), minute, None, 500)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(told.made_at, Some(Timestamp(1_790_000_130_000)));
    let first = Candle {
        open_time: Timestamp(1_790_000_000_000),
        open: num("64000.5"),
        high: num("64100"),
        low: num("63990"),
        close: num("64010"),
        volume: Some(num("1.5")),
        turnover: Some(num("96000")),
        trades: Some(12),
        is_closed: true,
        is_synthetic: true,
    };
    assert_eq!(told.value.rows[0], first);
    let last = told.value.rows[1];
    assert_eq!(
        (last.volume, last.trades, last.is_closed),
        (None, None, false)
    );
    let why = "data[1]: open 1 and close 0.45 are not within low 0.4 and high 0.5";
    assert_eq!(told.value.unreadable, [why.into()]);

    let before = Some(Timestamp(1_790_000_000_000));
    let end = client
        .candles(&market(), minute, before, 1_000)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(end.value.rows, []);
    let lines: Vec<_> = responder.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        [
            "GET /sim/markets/paper%7CBTC/candles?interval=1m&limit=500 HTTP/1.1",
            "GET /sim/markets/paper%7CBTC/candles?interval=1m&limit=1000&before=1790000000000 HTTP/1.1",
        ]
    );
}

#[tokio::test]
async fn trades_tell_who_crossed_and_whether_they_are_ones_own() {
    let body = r#"{"data":[
        {"trade_id":8,"price":64001,"size":0.5,"aggressor":"buy","time":1790000000500,"own":true},
        {"trade_id":7,"price":64000,"size":0.1,"aggressor":"sell","time":1790000000000},
        {"trade_id":6,"price":64000,"size":0,"aggressor":"sell","time":1790000000000},
        {"trade_id":5,"price":64000,"size":1,"aggressor":"maybe","time":1790000000000}]}"#;
    let responder = Responder::answering(vec![ok(body)]).await;
    let (client, _calls) = responder.client();
    let told = client.trades(&market(), 100).await.unwrap().unwrap().value;
    let trade = |id, price, size, aggressor, at, is_own| PublicTrade {
        id: Some(id),
        price: num(price),
        size: num(size),
        aggressor,
        at: Timestamp(at),
        is_own,
    };
    let rows = [
        trade(8, "64001", "0.5", Side::Buy, 1_790_000_000_500, Some(true)),
        trade(7, "64000", "0.1", Side::Sell, 1_790_000_000_000, None),
    ];
    assert_eq!(told.rows, rows);
    assert_eq!(told.unreadable.len(), 2);
    let seen = responder.seen().remove(0);
    assert_eq!(
        seen.line,
        "GET /sim/markets/paper%7CBTC/trades?limit=100 HTTP/1.1"
    );
    assert!(
        seen.header("authorization").is_some(),
        "own trades need the key"
    );
}

#[tokio::test]
async fn a_book_has_its_own_time_and_the_depth_that_is_asked_for() {
    let body = r#"{"data":{"bids":[{"price":99,"size":1.5}],"asks":[{"price":101,"size":2}],
        "updated_at":1790000000000}}"#;
    let responder = Responder::answering(vec![ok(body), ok(body)]).await;
    let (client, _calls) = responder.client();
    let told = client.book(&market(), Some(40)).await.unwrap().unwrap();
    let level = |price, size| Level {
        price: num(price),
        size: num(size),
    };
    let book = Book::new(vec![level("99", "1.5")], vec![level("101", "2")]);
    assert_eq!(
        (told.value, told.made_at),
        (book, Some(Timestamp(1_790_000_000_000)))
    );
    client.book(&market(), None).await.unwrap();
    let lines: Vec<_> = responder.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        [
            "GET /sim/markets/paper%7CBTC/book?depth=40 HTTP/1.1",
            "GET /sim/markets/paper%7CBTC/book HTTP/1.1",
        ]
    );
}

#[tokio::test]
async fn a_book_that_is_crossed_or_has_a_hole_is_refused_whole() {
    let book =
        |bid: &str, ask: &str| ok(&format!(r#"{{"data":{{"bids":[{bid}],"asks":[{ask}]}}}}"#));
    let script = vec![
        book(r#"{"price":102,"size":1}"#, r#"{"price":101,"size":1}"#),
        book(r#"{"price":99,"size":1}"#, r#"{"price":101}"#),
        book(r#"{"price":99,"size":-1}"#, r#"{"price":101,"size":1}"#),
        ok(r#"{"data":{}}"#),
    ];
    let responder = Responder::answering(script).await;
    let (client, _calls) = responder.client();
    for words in [
        "the book is crossed: bid 102 is not below ask 101",
        "the answer does not read at `data.asks[0]`: missing field `size` at line 1 column 61",
        "a level of price 99 and size -1 is below 0",
        "the answer does not read at `data`: missing field `bids` at line 1 column 10",
    ] {
        let why = client.book(&market(), None).await.unwrap_err();
        assert_eq!(
            (why.kind, why.message.to_string().as_str()),
            (FailureKind::Unreadable, words)
        );
    }
}

#[tokio::test]
async fn hostile_rows_are_told_in_few_characters() {
    let long = "x".repeat(100_000);
    let body =
        format!(r#"{{"data":[{{"open_time":"{long}"}},{{"open_time":1,"open":"{long}"}}]}}"#);
    let responder = Responder::answering(vec![ok(&body)]).await;
    let (client, _calls) = responder.client();
    let why = client
        .candles(&market(), Interval::Minute1, None, 5)
        .await
        .unwrap_err();
    assert!(why.message.to_string().chars().count() < 120, "{why}");
}
