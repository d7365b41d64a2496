//! Binance USD-M's frames and answers, in the shapes of its documentation.

use super::*;
use crate::feed::link::LinkEnd;
use crate::{
    feed::venue::rest::{self, CandleSpan},
    model::{Interval, Venue},
};
use serde_json::{Value, json};

fn public(channels: &[Channel]) -> Talk {
    Talk::of(VenueSocket::BinancePublic, "binance|BTCUSDT", channels)
}

fn market(channels: &[Channel]) -> Talk {
    Talk::of(VenueSocket::BinanceMarket, "binance|BTCUSDT", channels)
}

fn frame(stream: &str, data: &Value) -> String {
    json!({ "stream": stream, "data": data }).to_string()
}

/// A change of the book; its numbers are from `first` to `last`, behind `previous`.
fn depth(first: u64, last: u64, previous: u64, bids: &Value, asks: &Value) -> String {
    let data = json!({"e": "depthUpdate", "E": START + 1, "T": START, "s": "BTCUSDT", "U": first, "u": last,
        "pu": previous, "b": bids, "a": asks});
    frame("btcusdt@depth@100ms", &data)
}

fn whole(last: u64) -> String {
    json!({"lastUpdateId": last, "E": START, "T": START, "bids": [["100", "1"], ["99", "2"]],
        "asks": [["101", "1"], ["102", "2"]]})
    .to_string()
}

fn book_of() -> ReadSubject {
    ReadSubject::Book(MarketId::from("binance|BTCUSDT"))
}

#[test]
fn what_is_wanted_stands_in_the_addresses_of_two_sockets_and_changes_are_frames() {
    let channels = [
        Channel::Book,
        Channel::Trades,
        Channel::Candles(Interval::Hour1),
        Channel::Ticks,
        Channel::Stats,
    ];
    let mut public = public(&channels);
    assert_eq!(
        public.query,
        "?streams=btcusdt@depth@100ms/btcusdt@bookTicker"
    );
    assert_eq!(public.asks(), [""; 0]);
    assert!(public.stream.is_live());
    let market = market(&channels);
    assert_eq!(
        market.query,
        "?streams=btcusdt@aggTrade/btcusdt@kline_1h/btcusdt@markPrice@1s/btcusdt@ticker"
    );
    let paths = [VenueSocket::BinancePublic, VenueSocket::BinanceMarket].map(VenueSocket::path);
    assert_eq!(paths, ["/public/stream", "/market/stream"]);
    let eth = StreamedMarket::new(MarketId::from("binance|ETHUSDT"));
    public
        .stream
        .want([Topic::of(Channel::Ticks, eth)].into(), at(1));
    let asked: Vec<Value> = public
        .asks()
        .iter()
        .map(|frame| serde_json::from_str(frame).unwrap())
        .collect();
    assert_eq!(asked[0]["method"], "UNSUBSCRIBE");
    let over = json!(["btcusdt@bookTicker", "btcusdt@depth@100ms"]);
    assert_eq!(asked[0]["params"], over);
    assert_eq!(asked[1]["method"], "SUBSCRIBE");
    assert_eq!(asked[1]["params"], json!(["ethusdt@bookTicker"]));
    assert!(!public.stream.is_live());
    let id = &asked[1]["id"];
    public.hears(&json!({ "result": null, "id": id }).to_string());
    assert!(public.stream.is_live());
    assert_eq!(
        public.stream.ping(),
        None,
        "its pings are those of the protocol"
    );
}

/// The numbers of the reference: 90–95 is known, 96–102 is the first, 103–110 follows, 115–120 is behind a gap.
#[test]
fn a_book_begins_where_its_changes_meet_the_read_one_and_begins_anew_after_a_gap() {
    let mut talk = public(&[Channel::Book]);
    assert_eq!(talk.reads(), [], "before a change has come");
    talk.hears(&depth(90, 95, 89, &json!([["100", "9"]]), &json!([])));
    let reads = talk.reads();
    assert_eq!(reads[0].subject, book_of());
    assert_eq!(
        reads[0].rest.target,
        "/fapi/v1/depth?symbol=BTCUSDT&limit=1000"
    );
    assert_eq!(talk.reads(), [], "one at a time");
    talk.hears(&depth(
        96,
        102,
        95,
        &json!([["99", "0"], ["98", "7"]]),
        &json!([["55", "0"]]),
    ));
    assert_eq!(talk.books(), []);
    talk.answers(book_of(), &whole(100));
    let book = talk.books().pop().unwrap();
    assert_eq!(levels(&book.value, Side::Buy), ["1x100", "7x98"]);
    assert_eq!(book.made_at, Some(at(0)));
    talk.hears(&depth(103, 110, 102, &json!([]), &json!([["101", "3"]])));
    assert_eq!(
        levels(&talk.books()[0].value, Side::Sell),
        ["3x101", "2x102"]
    );

    talk.hears(&depth(115, 120, 112, &json!([]), &json!([["101", "0"]])));
    assert_eq!((talk.books(), talk.stream.refused()), (vec![], 1));
    talk.later(2_000);
    assert_eq!(talk.reads().len(), 1);
    talk.hears(&depth(121, 125, 120, &json!([]), &json!([["101", "4"]])));
    talk.answers(book_of(), &whole(118));
    let book = talk.books().pop().unwrap();
    assert_eq!(levels(&book.value, Side::Sell), ["4x101", "2x102"]);
}

#[test]
fn a_read_book_that_is_too_old_or_fails_is_read_again_less_and_less_often() {
    let mut talk = public(&[Channel::Book]);
    talk.hears(&depth(96, 102, 95, &json!([]), &json!([])));
    let mut waits = vec![];
    for _ in 0..4 {
        let mut waited = 0;
        while talk.reads().is_empty() {
            talk.later(1_000);
            waited += 1;
        }
        waits.push(waited);
        talk.answers(book_of(), &whole(50));
        assert!(talk.stream.due().is_some());
    }
    talk.stream.answer(book_of(), None, at(talk.now));
    assert_eq!(waits, [0, 2, 4, 8]);
    assert_eq!(talk.books(), []);
}

#[test]
fn a_change_that_crosses_the_book_or_has_no_price_is_never_shown() {
    let mut talk = public(&[Channel::Book]);
    talk.hears(&depth(100, 100, 99, &json!([]), &json!([])));
    talk.reads();
    talk.answers(book_of(), &whole(100));
    assert_eq!(talk.books().len(), 1);
    talk.hears(&depth(101, 101, 100, &json!([["-5", "1"]]), &json!([])));
    talk.hears(&depth(101, 101, 100, &json!([["101", "1"]]), &json!([])));
    assert_eq!((talk.books(), talk.stream.refused()), (vec![], 2));
    talk.hears(&depth(102, 102, 101, &json!([]), &json!([])));
    talk.later(2_000);
    assert_eq!(talk.reads().len(), 1, "it begins anew");
}

#[test]
fn trades_are_numbered_and_a_missing_one_is_a_gap() {
    let mut talk = market(&[Channel::Trades]);
    let trade = |id: u64, buyer_waited: bool, millis: i64| {
        let data = json!({"e": "aggTrade", "E": START, "s": "BTCUSDT", "a": id, "p": "100", "q": "0.5", "f": 1, "l": 2,
            "T": START + millis, "m": buyer_waited});
        frame("btcusdt@aggTrade", &data)
    };
    talk.hears(&trade(7, true, 0)).hears(&trade(8, false, 0));
    talk.hears(&trade(8, false, 0)).hears(&trade(12, false, 5));
    assert_eq!(
        talk.trades(),
        ["sell 100 news 0", "buy 100 news 1", "buy 100 news 0"]
    );
}

#[test]
fn a_funding_rate_is_known_once_its_hours_are() {
    let mut talk = market(&[Channel::Stats]);
    let mark = json!({"e": "markPriceUpdate", "E": START, "s": "BTCUSDT", "p": "100.5", "i": "100", "P": "1", "r": "0.0004",
        "T": START + 9});
    talk.hears(&frame("btcusdt@markPrice@1s", &mark));
    let stats = talk.stats().1.unwrap();
    assert_eq!(
        (stats.hourly_funding(), stats.next_funding_at),
        (None, Some(at(9)))
    );
    let read = talk.reads().pop().unwrap();
    assert_eq!(read.rest.target, "/fapi/v1/fundingInfo");
    let rows =
        json!([{"symbol": "BTCUSDT", "fundingIntervalHours": 4, "adjustedFundingRateCap": "0.02"}]);
    talk.answers(ReadSubject::FundingHours, &rows.to_string());
    assert_eq!(talk.reads(), []);
    let day = json!({"e": "24hrTicker", "E": START, "s": "BTCUSDT", "P": "-1.25", "q": "123456.7", "c": "100"});
    talk.hears(&frame("btcusdt@ticker", &day));
    let stats = talk.stats().1.unwrap();
    assert_eq!(
        stats.hourly_funding().unwrap().normalized().to_string(),
        "0.0001"
    );
    assert_eq!(stats.day_change.unwrap().to_string(), "-1.25");
    assert_eq!(stats.mark.unwrap().to_string(), "100.5");
}

#[test]
fn the_open_interest_is_read_once_a_minute_and_worth_what_the_mark_says() {
    let mut talk = market(&[Channel::Stats]);
    let mark = json!({"e": "markPriceUpdate", "E": START, "s": "BTCUSDT", "p": "100.5", "i": "100", "P": "1", "r": "0.0004",
        "T": START + 9});
    talk.hears(&frame("btcusdt@markPrice@1s", &mark));
    assert_eq!(talk.stats().1.unwrap().open_interest, None);
    let of_interest = |talk: &mut Talk| {
        let reads = talk.reads().into_iter();
        let targets = reads.map(|read| read.rest.target);
        targets
            .filter(|target| target.contains("openInterest"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of_interest(&mut talk),
        ["/fapi/v1/openInterest?symbol=BTCUSDT"]
    );
    let subject = ReadSubject::OpenInterest(MarketId::from("binance|BTCUSDT"));
    talk.answers(
        subject,
        r#"{"openInterest":"20","symbol":"BTCUSDT","time":1589437530011}"#,
    );
    let stats = talk.stats().1.unwrap();
    assert_eq!(
        stats.open_interest.unwrap().normalized().to_string(),
        "2010"
    );
    talk.later(59_000);
    assert_eq!(of_interest(&mut talk), [""; 0]);
    talk.later(1_000);
    assert_eq!(of_interest(&mut talk).len(), 1);
}

#[test]
fn prices_and_candles_are_of_the_symbol_of_their_stream() {
    let mut talk = public(&[Channel::Ticks]);
    let best = |symbol: &str| json!({"e": "bookTicker", "u": 1, "E": START, "T": START, "s": symbol, "b": "99", "B": "1", "a": "101", "A": "1"});
    talk.hears(&frame("btcusdt@bookTicker", &best("BTCUSDT")));
    assert_eq!(talk.stats().0.unwrap().price.to_string(), "100");
    talk.hears(&frame("btcusdt@bookTicker", &best("ETHUSDT")));
    assert_eq!((talk.stats().0, talk.stream.refused()), (None, 1));

    let mut talk = market(&[Channel::Candles(Interval::Minute1)]);
    let opens = Interval::Minute1.open_of(at(0)).0;
    let kline = json!({"e": "kline", "E": START, "s": "BTCUSDT", "k": {"t": opens, "T": opens + 59_999, "s": "BTCUSDT",
        "i": "1m", "f": 1, "L": 2, "o": "1", "c": "2", "h": "3", "l": "1", "v": "10", "n": 5, "x": false, "q": "20",
        "V": "1", "Q": "2", "B": "0"}});
    talk.hears(&frame("btcusdt@kline_1m", &kline));
    assert_eq!(talk.candles(), ["1m 2"]);
}

#[test]
fn a_refused_request_is_made_again_after_a_minute() {
    let mut talk = public(&[Channel::Ticks]);
    let eth = StreamedMarket::new(MarketId::from("binance|NONE"));
    talk.stream
        .want([Topic::of(Channel::Ticks, eth)].into(), at(0));
    let asked: Value = serde_json::from_str(&talk.asks()[1]).unwrap();
    let error = json!({"error": {"code": 2, "msg": "Invalid request"}, "id": asked["id"]});
    talk.hears(&error.to_string());
    assert!(talk.stream.is_live(), "nothing is still to come");
    talk.later(59_999);
    assert_eq!(talk.asks(), [""; 0]);
    talk.later(1);
    assert_eq!(talk.asks().len(), 2);
}

#[test]
fn the_first_picture_is_read_by_gets_whose_answers_are_checked() {
    let rest = rest::of(Venue::Binance);
    let minute = Interval::Minute1.open_of(at(0)).0;
    let span = CandleSpan {
        interval: Interval::Minute1,
        before: Timestamp(minute + 60_000),
        limit: 500,
    };
    let read = (rest.candles)("BTCUSDT", span).unwrap();
    let end = minute + 59_999;
    assert_eq!(
        read.target,
        format!("/fapi/v1/klines?symbol=BTCUSDT&interval=1m&endTime={end}&limit=500")
    );
    let body = json!([
        [
            minute, "1", "3", "1", "2", "10", end, "20", 5, "5", "10", "0"
        ],
        [
            minute - 60_000,
            "1",
            "3",
            "2",
            "2",
            "10",
            1,
            "20",
            5,
            "5",
            "10",
            "0"
        ],
        [1]
    ]);
    let page = rest.read_candles(body.to_string().as_bytes(), at(0), span);
    let page = page.unwrap().value;
    assert_eq!((page.rows.len(), page.unreadable.len()), (1, 2));
    assert_eq!(page.rows[0].turnover.unwrap().to_string(), "20");
    let odd = CandleSpan {
        interval: Interval::Second5,
        ..span
    };
    assert_eq!((rest.candles)("BTCUSDT", odd), None);
}

#[test]
fn a_book_is_read_no_deeper_than_is_asked_for_and_trades_at_most_a_thousand() {
    let rest = rest::of(Venue::Binance);
    let targets = [Some(3), Some(21), None, Some(9_999)].map(|depth| (rest.book)("BTCUSDT", depth));
    let ends = targets.map(|read| {
        (
            read.target.rsplit('=').next().unwrap().to_owned(),
            read.weight,
        )
    });
    let wanted = [("5", 2), ("50", 2), ("100", 5), ("1000", 20)];
    assert_eq!(
        ends,
        wanted.map(|(limit, weight)| (limit.to_owned(), weight))
    );
    assert_eq!(
        levels(
            &rest.read_book(whole(1).as_bytes()).unwrap().value,
            Side::Buy
        ),
        ["1x100", "2x99"]
    );

    assert_eq!(
        (rest.trades)("BTCUSDT", 5_000).target,
        "/fapi/v1/aggTrades?symbol=BTCUSDT&limit=1000"
    );
    let body = r#"[{"a":1,"p":"5","q":"1","f":1,"l":1,"T":5,"m":true},{"a":2,"p":"0","q":"1","f":1,"l":1,"T":5,"m":true}]"#;
    let page = rest.read_trades(body.as_bytes()).unwrap().value;
    assert_eq!((page.rows.len(), page.unreadable.len()), (1, 1));
    assert!(
        rest.read_book(br#"{"code":-1121,"msg":"Invalid symbol."}"#)
            .is_err()
    );
}

#[test]
fn another_connection_takes_over_before_the_venue_cuts_this_one_after_a_day() {
    for (socket, market, leaves) in [
        (VenueSocket::BinancePublic, "binance|BTCUSDT", true),
        (VenueSocket::BinanceMarket, "binance|BTCUSDT", true),
        (VenueSocket::Hyperliquid, "hyperliquid|BTC", false),
    ] {
        let mut talk = Talk::of(socket, market, &[Channel::Book, Channel::Trades]);
        talk.later(23 * 3_600_000 - 1);
        assert_eq!(talk.stream.end(), None);
        talk.later(1);
        let end = leaves.then_some(LinkEnd::ServiceRequest);
        assert_eq!(talk.stream.end(), end, "{socket:?}");
    }
}
