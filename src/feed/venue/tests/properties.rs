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
                let number = book.made_at.unwrap().0 - START;
                prop_assert!(!book.value.is_crossed());
                prop_assert_eq!(levels(&book.value, Side::Buy), vec![format!("1x{}", 1_000 + number)]);
                prop_assert_eq!(levels(&book.value, Side::Sell), vec![format!("{number}x5000")]);
            }
        }
        talk.hears(&changes()[20]);
        prop_assert_eq!(levels(&talk.books().pop().unwrap().value, Side::Buy), vec!["1x1030"]);
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
                talk.answers(ReadSubject::Book(MarketId::from("x|BTCUSDT")), text);
            }
            prop_assert_eq!(talk.stream.events(), vec![]);
        }
    }
}
