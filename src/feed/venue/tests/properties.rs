//! What holds whatever a venue sends.

use super::*;
use crate::model::Interval;
use proptest::prelude::*;
use serde_json::json;
use strum::IntoEnumIterator as _;

/// The changes of a Bybit book, whose price is its number; the tenth and every tenth after it is the whole book.
fn changes() -> Vec<String> {
    let frame = |number: u64| {
        let is_whole = number.is_multiple_of(10);
        let (bid, old) = (1_000 + number, 999 + number);
        let removed = if is_whole {
            json!([])
        } else {
            json!([[old.to_string(), "0"]])
        };
        let mut bids = removed.as_array().unwrap().clone();
        bids.push(json!([bid.to_string(), "1"]));
        let asks = json!([["5000", number.to_string()]]);
        json!({"topic": "orderbook.200.BTCUSDT", "type": if is_whole { "snapshot" } else { "delta" },
            "ts": START, "cts": START + number.cast_signed(),
            "data": {"s": "BTCUSDT", "b": bids, "a": asks, "u": number, "seq": 1}})
        .to_string()
    };
    (10..40).map(frame).collect()
}

/// A change of a Binance book, whose price is its number.
fn depth(number: u64) -> String {
    let bids = json!([
        [(999 + number).to_string(), "0"],
        [(1_000 + number).to_string(), "1"]
    ]);
    let at = START + number.cast_signed();
    let data = json!({"e": "depthUpdate", "E": at, "T": at, "s": "BTCUSDT", "U": number, "u": number,
        "pu": number - 1, "b": bids, "a": [["5000", number.to_string()]]});
    json!({"stream": "btcusdt@depth@100ms", "data": data}).to_string()
}

/// The whole of that book.
fn whole_depth(number: u64) -> String {
    let bids = json!([[(1_000 + number).to_string(), "1"]]);
    json!({"lastUpdateId": number, "T": START + number.cast_signed(), "bids": bids,
        "asks": [["5000", number.to_string()]]})
    .to_string()
}

/// A whole Hyperliquid book, whose price is its number.
fn l2_book(number: u64) -> String {
    let level = |price: String, size: String| json!([{"px": price, "sz": size, "n": 1}]);
    let bids = level((1_000 + number).to_string(), "1".to_owned());
    let levels = [bids, level("5000".to_owned(), number.to_string())];
    let at = START + number.cast_signed();
    let data = json!({"coin": "BTC", "time": at, "levels": levels, "fast": true});
    json!({"channel": "l2Book", "data": data}).to_string()
}

/// The number of a book that is as it was at the venue.
fn number_of(book: &Dated<Book>) -> i64 {
    let number = book.made_at.unwrap().0 - START;
    assert!(!book.value.is_crossed());
    let bids = levels(&book.value, Side::Buy);
    assert_eq!(bids, [format!("1x{}", 1_000 + number)]);
    assert_eq!(levels(&book.value, Side::Sell), [format!("{number}x5000")]);
    number
}

/// What happens to the frames on their way.
#[derive(Debug, Clone)]
enum Harm {
    Drop(usize),
    Repeat(usize),
    Swap(usize, usize),
    Cut(usize, usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        (0_usize..30).prop_map(Harm::Drop),
        (0_usize..30).prop_map(Harm::Repeat),
        (0_usize..30, 0_usize..30).prop_map(|(one, other)| Harm::Swap(one, other)),
        (0_usize..30, 0_usize..60).prop_map(|(one, length)| Harm::Cut(one, length)),
    ]
}

fn harmed(mut frames: Vec<String>, harms: &[Harm]) -> Vec<String> {
    for harm in harms {
        let count = frames.len();
        match *harm {
            Harm::Drop(one) if one < count => drop(frames.remove(one)),
            Harm::Repeat(one) if one < count => frames.insert(one, frames[one].clone()),
            Harm::Swap(one, other) if one.max(other) < count => frames.swap(one, other),
            Harm::Cut(one, length) if one < count => frames[one].truncate(length),
            Harm::Drop(_) | Harm::Repeat(_) | Harm::Swap(..) | Harm::Cut(..) => {}
        }
    }
    frames
}

proptest! {
    /// A book is shown only as it was at the venue, never crossed, and the next whole book mends everything.
    #[test]
    fn a_book_is_shown_as_it_was_or_not_at_all(harms in prop::collection::vec(harm(), 0..8)) {
        let mut talk = Talk::of(VenueSocket::Bybit, "bybit|BTCUSDT", &[Channel::Book]);
        for frame in harmed(changes(), &harms) {
            talk.hears(&frame);
            for book in talk.books() {
                number_of(&book);
            }
        }
        talk.hears(&changes()[20]);
        prop_assert_eq!(levels(&talk.books().pop().unwrap().value, Side::Buy), vec!["1x1030"]);
    }

    /// The same of Binance, whose book is read whole beside its changes.
    #[test]
    fn a_book_that_is_read_beside_its_changes_is_shown_as_it_was_or_not_at_all(
        harms in prop::collection::vec(harm(), 0..8),
    ) {
        let mut talk = Talk::of(VenueSocket::BinancePublic, "binance|BTCUSDT", &[Channel::Book]);
        let frames = harmed((10..40).map(depth).collect(), &harms);
        let step = |talk: &mut Talk, frame: &str, now: u64| {
            talk.hears(frame);
            for read in talk.reads() {
                talk.answers(read.subject, &whole_depth(now));
            }
            talk.books().iter().map(number_of).next_back()
        };
        for (frame, now) in frames.iter().zip(10..) {
            step(&mut talk, frame, now);
        }
        if talk.stream.end().is_some() {
            talk.reconnects();
        }
        talk.later(60_000);
        step(&mut talk, &depth(40), 40);
        prop_assert_eq!(step(&mut talk, &depth(41), 41), Some(41));
    }

    /// The same of Hyperliquid, whose books are whole; none goes back in time.
    #[test]
    fn a_whole_book_is_shown_as_it_was_and_never_an_older_one(
        harms in prop::collection::vec(harm(), 0..8),
    ) {
        let mut talk = Talk::of(VenueSocket::Hyperliquid, "hyperliquid|BTC", &[Channel::Book]);
        let mut newest = 0;
        for frame in harmed((10..40).map(l2_book).collect(), &harms) {
            talk.hears(&frame);
            for book in talk.books() {
                let number = number_of(&book);
                prop_assert!(number >= newest, "{} after {}", number, newest);
                newest = number;
            }
        }
        if talk.stream.end().is_some() {
            talk.reconnects();
        }
        talk.hears(&l2_book(41));
        prop_assert_eq!(talk.books().iter().map(number_of).next_back(), Some(41));
    }

    #[test]
    fn no_text_makes_a_stream_panic(texts in prop::collection::vec(".{0,200}", 1..6)) {
        let channels = [Channel::Book, Channel::Trades, Channel::Candles(Interval::Minute1), Channel::Stats];
        for socket in VenueSocket::iter() {
            let mut talk = Talk::of(socket, "x|BTCUSDT", &channels);
            for text in &texts {
                talk.hears(text);
                talk.later(500);
                talk.asks();
                talk.answers(ReadSubject::FundingHours, text);
                talk.answers(ReadSubject::OpenInterest(MarketId::from("x|BTCUSDT")), text);
                talk.answers(ReadSubject::Book(MarketId::from("x|BTCUSDT")), text);
            }
            prop_assert_eq!(talk.stream.events(), vec![]);
        }
    }
}
