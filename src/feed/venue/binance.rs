//! Binance USD-M futures: two sockets behind one address, and `/fapi/v1`.
//!
//! What is wanted at first stands in the query of a socket's address; later changes are frames. The book comes by its
//! changes, and the whole of it is read.

pub(super) mod rest;

use super::{
    book_change::{BookChange, Follows, LevelPair, changed_levels},
    dialect::{
        AnswerSubject, BookDelivery, Dialect, FirstTrades, FundingHoursRead, OpenInterestRead,
        Update, VenueMessage, WholeBookRead, usual_interval,
    },
    trades::VenueTrade,
};
use crate::{
    feed::{
        event::Stats,
        market_frame::{
            Amount, amount, bare_candle, instant, positive, read, sound_candle, sound_trade,
        },
        rest_read::RestRead,
        topic::Channel,
    },
    model::{Candle, Num, PublicTrade, Side, Timestamp},
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use std::{borrow::Cow, time::Duration};

/// Binance cuts a connection after a day.
const LONGEST_LIFE: Duration = Duration::from_hours(23);

pub(super) static PUBLIC: Dialect = Dialect {
    names: public_names,
    books: BookDelivery::ChangesOf(WholeBookRead {
        ask: |symbol| rest::book_read(symbol, Some(1_000)),
        answer: |body| rest::read_book(body)?.change(),
    }),
    funding_hours: None,
    open_interest: None,
    ..MARKET
};

pub(super) const MARKET: Dialect = Dialect {
    names: market_names,
    subscribe: |names, id| vec![frame("SUBSCRIBE", names, id)],
    unsubscribe: |names, id| vec![frame("UNSUBSCRIBE", names, id)],
    query: |names| {
        if names.is_empty() {
            String::new()
        } else {
            format!("?streams={}", names.join("/"))
        }
    },
    ping: None,
    parse,
    books: BookDelivery::Whole,
    funding_hours: Some(FundingHoursRead {
        ask: || RestRead::get("/fapi/v1/fundingInfo".to_owned(), 1),
        answer: rest::funding_hours,
        usual: 8,
    }),
    open_interest: Some(OpenInterestRead {
        ask: rest::open_interest_read,
        answer: rest::open_interest,
    }),
    first_trades: FirstTrades::News,
    longest_life: Some(LONGEST_LIFE),
};

fn public_names(channel: Channel, symbol: &str) -> Vec<String> {
    let symbol = symbol.to_ascii_lowercase();
    match channel {
        Channel::Book => vec![format!("{symbol}@depth@100ms")],
        Channel::Ticks => vec![format!("{symbol}@bookTicker")],
        Channel::Trades | Channel::Candles(_) | Channel::Stats => vec![],
    }
}

fn market_names(channel: Channel, symbol: &str) -> Vec<String> {
    let symbol = symbol.to_ascii_lowercase();
    match channel {
        Channel::Trades => vec![format!("{symbol}@aggTrade")],
        Channel::Candles(interval) => {
            let word = usual_interval(interval).into_iter();
            word.map(|word| format!("{symbol}@kline_{word}")).collect()
        }
        Channel::Stats => vec![format!("{symbol}@markPrice@1s"), format!("{symbol}@ticker")],
        Channel::Book | Channel::Ticks => vec![],
    }
}

fn frame(method: &str, names: &[String], id: u64) -> String {
    json!({ "method": method, "params": names, "id": id }).to_string()
}

#[serde_with::apply(Option<Cow> => #[serde(borrow)], Option<&RawValue> => #[serde(borrow)])]
#[derive(Deserialize)]
struct BinanceFrame<'a> {
    stream: Option<Cow<'a, str>>,
    data: Option<&'a RawValue>,
    id: Option<u64>,
    error: Option<&'a RawValue>,
    code: Option<i64>,
}

fn parse(text: &str) -> Option<VenueMessage> {
    let frame: BinanceFrame<'_> = serde_json::from_str(text).ok()?;
    if let Some((stream, data)) = frame.stream.zip(frame.data) {
        return Some(VenueMessage::Data(
            stream.to_string(),
            update(&stream, data.get()),
        ));
    }
    let subject = AnswerSubject::Request(frame.id?);
    let is_refused = frame.error.is_some() || frame.code.is_some();
    Some(if is_refused {
        VenueMessage::Refused(subject)
    } else {
        VenueMessage::Accepted(subject)
    })
}

/// `None` if it is not of this stream.
fn update(stream: &str, data: &str) -> Option<Update> {
    let (symbol, kind) = stream.split_once('@')?;
    let head: Head<'_> = serde_json::from_str(data).ok()?;
    if !head.s.eq_ignore_ascii_case(symbol) {
        return None;
    }
    match (&*head.e, kind.split(['@', '_']).next()?) {
        ("depthUpdate", "depth") => read::<BinanceDepth>(data)?.change().map(Update::Change),
        ("bookTicker", "bookTicker") => read::<BinanceBest>(data)?.update(),
        ("aggTrade", "aggTrade") => {
            let trade = read::<BinanceTrade>(data)?.checked()?;
            Some(Update::Trades(vec![trade]))
        }
        ("markPriceUpdate", "markPrice") => read::<BinanceMark>(data)?.stats().map(Update::Stats),
        ("24hrTicker", "ticker") => read::<BinanceDay>(data)?.stats().map(Update::Stats),
        ("kline", "kline") => read::<BinanceKline<'_>>(data)?.k.update(),
        _ => None,
    }
}

#[serde_with::apply(Cow => #[serde(borrow)])]
#[derive(Deserialize)]
struct Head<'a> {
    e: Cow<'a, str>,
    s: Cow<'a, str>,
}

#[derive(Deserialize)]
struct BinanceDepth {
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    #[serde(rename = "U")]
    first: u64,
    #[serde(rename = "u")]
    last: u64,
    #[serde(rename = "pu")]
    previous: u64,
    b: Vec<LevelPair>,
    a: Vec<LevelPair>,
}

impl BinanceDepth {
    fn change(&self) -> Option<BookChange> {
        Some(BookChange {
            follows: Follows::Book {
                first: self.first,
                previous: self.previous,
            },
            last: self.last,
            made_at: Some(self.at?),
            bids: changed_levels(&self.b)?,
            asks: changed_levels(&self.a)?,
        })
    }
}

#[derive(Deserialize)]
struct BinanceBest {
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    b: Amount,
    a: Amount,
}

impl BinanceBest {
    fn update(&self) -> Option<Update> {
        Some(Update::Best {
            bid: Some(positive(Some(self.b.0))?),
            ask: Some(positive(Some(self.a.0))?),
            at: Some(self.at?),
        })
    }
}

#[derive(Deserialize)]
struct BinanceTrade {
    #[serde(rename = "a")]
    id: u64,
    p: Amount,
    q: Amount,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    /// Whether the buyer waited in the book.
    m: bool,
}

impl BinanceTrade {
    fn checked(&self) -> Option<VenueTrade> {
        let aggressor = if self.m { Side::Sell } else { Side::Buy };
        let trade = PublicTrade {
            id: Some(self.id),
            ..sound_trade(self.p.0, self.q.0, aggressor, self.at?)?
        };
        Some(VenueTrade {
            identity: self.id.to_string(),
            trade,
        })
    }
}

#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "amount")])]
#[derive(Deserialize)]
struct BinanceMark {
    #[serde(rename = "E", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    p: Amount,
    i: Option<Num>,
    r: Option<Num>,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    next: Option<Timestamp>,
}

impl BinanceMark {
    fn stats(&self) -> Option<Stats> {
        Some(Stats {
            mark: Some(positive(Some(self.p.0))?),
            oracle: positive(self.i),
            funding_rate: self.r,
            next_funding_at: self.next.filter(|next| next.0 > 0),
            at: self.at,
            ..Stats::default()
        })
    }
}

#[derive(Deserialize)]
struct BinanceDay {
    #[serde(rename = "E", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    /// Percent.
    #[serde(rename = "P", default, deserialize_with = "amount")]
    change: Option<Num>,
    #[serde(default, deserialize_with = "amount")]
    q: Option<Num>,
}

impl BinanceDay {
    fn stats(&self) -> Option<Stats> {
        let is_volume = !self.q.is_some_and(Num::is_negative);
        is_volume.then_some(Stats {
            day_change: self.change,
            day_volume: self.q,
            at: self.at,
            ..Stats::default()
        })
    }
}

#[derive(Deserialize)]
struct BinanceKline<'a> {
    #[serde(borrow)]
    k: Kline<'a>,
}

#[derive(Deserialize)]
struct Kline<'a> {
    #[serde(rename = "t", default, deserialize_with = "instant")]
    opens: Option<Timestamp>,
    #[serde(borrow)]
    i: Cow<'a, str>,
    o: Amount,
    c: Amount,
    h: Amount,
    l: Amount,
    v: Amount,
    q: Amount,
    n: u64,
    /// Whether it is over.
    x: bool,
}

impl Kline<'_> {
    fn update(&self) -> Option<Update> {
        let candle = sound_candle(Candle {
            volume: Some(self.v.0),
            turnover: Some(self.q.0),
            trades: Some(self.n),
            is_closed: self.x,
            ..bare_candle(self.opens?, [self.o, self.h, self.l, self.c])
        })?;
        Some(Update::Candle(self.i.parse().ok()?, candle))
    }
}
