//! Binance USD-M futures: two sockets behind one address, and `/fapi/v1`.
//!
//! What is wanted at first stands in the query of a socket's address; later changes are frames. The book comes by its
//! changes, and the whole of it is read.

use super::{
    book_mirror::{BookChange, Follows},
    dialect::{
        Asked, BookTold, Dialect, FirstTrades, FundingHoursRead, Heard, Update, WholeBookRead,
    },
    rest::CandleSpan,
    trades::VenueTrade,
};
use crate::{
    feed::{
        event::Stats,
        market_frame::{Amount, amount, instant, positive, sound_book, sound_candle},
        rest_read::RestRead,
        topic::Channel,
    },
    model::{Book, Candle, Dated, Interval, Level, Num, PublicTrade, Side, Timestamp},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use std::{borrow::Cow, collections::BTreeMap};

pub(super) static PUBLIC: Dialect = Dialect {
    names: public_names,
    books: BookTold::ChangesOf(WholeBookRead {
        ask: |symbol| book_read(symbol, Some(1_000)),
        answer: |body| read_book(body).map(DepthAnswer::change)?,
    }),
    funding_hours: None,
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
    hear,
    books: BookTold::Whole,
    funding_hours: Some(FundingHoursRead {
        ask: || RestRead::get("/fapi/v1/fundingInfo".to_owned(), 1),
        answer: funding_hours,
        usual: 8,
    }),
    first_trades: FirstTrades::News,
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
            let word = interval_word(interval).into_iter();
            word.map(|word| format!("{symbol}@kline_{word}")).collect()
        }
        Channel::Stats => vec![format!("{symbol}@markPrice@1s"), format!("{symbol}@ticker")],
        Channel::Book | Channel::Ticks => vec![],
    }
}

fn interval_word(interval: Interval) -> Option<&'static str> {
    match interval {
        Interval::Second1 | Interval::Second5 | Interval::Second15 => None,
        Interval::Minute1 => Some("1m"),
        Interval::Minute5 => Some("5m"),
        Interval::Minute15 => Some("15m"),
        Interval::Hour1 => Some("1h"),
        Interval::Hour4 => Some("4h"),
        Interval::Day1 => Some("1d"),
    }
}

fn frame(method: &str, names: &[String], id: u64) -> String {
    json!({ "method": method, "params": names, "id": id }).to_string()
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    stream: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    id: Option<u64>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    code: Option<i64>,
}

fn hear(text: &str) -> Option<Heard> {
    let frame: Frame<'_> = serde_json::from_str(text).ok()?;
    if let Some((stream, data)) = frame.stream.zip(frame.data) {
        return Some(Heard::Data(stream.to_string(), update(&stream, data.get())));
    }
    let asked = Asked::Request(frame.id?);
    let is_refused = frame.error.is_some() || frame.code.is_some();
    Some(if is_refused {
        Heard::Refused(asked)
    } else {
        Heard::Accepted(asked)
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
        ("depthUpdate", "depth") => read::<WireDepth>(data)?.change().map(Update::Change),
        ("bookTicker", "bookTicker") => read::<WireBest>(data)?.update(),
        ("aggTrade", "aggTrade") => {
            let trade = read::<WireTrade>(data)?.checked()?;
            Some(Update::Trades(vec![trade]))
        }
        ("markPriceUpdate", "markPrice") => read::<WireMark>(data)?.stats().map(Update::Stats),
        ("24hrTicker", "ticker") => read::<WireDay>(data)?.stats().map(Update::Stats),
        ("kline", "kline") => read::<WireKline<'_>>(data)?.k.update(),
        _ => None,
    }
}

fn read<'a, T: Deserialize<'a>>(data: &'a str) -> Option<T> {
    serde_json::from_str(data).ok()
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    e: Cow<'a, str>,
    #[serde(borrow)]
    s: Cow<'a, str>,
}

/// Price and size of a level.
type WireLevel = (Amount, Amount);

/// Levels of a change, of which zero is a size too; a longer list is refused.
pub(super) fn changed_levels(side: &[WireLevel]) -> Option<Vec<(Num, Num)>> {
    const MOST: usize = 5_000;
    let checked = |(price, size): &WireLevel| {
        let price = positive(Some(price.0))?;
        (!size.0.is_negative()).then_some((price, size.0))
    };
    let levels = side.iter().map(checked);
    (side.len() <= MOST).then(|| levels.collect())?
}

#[derive(Deserialize)]
struct WireDepth {
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    #[serde(rename = "U")]
    first: u64,
    #[serde(rename = "u")]
    last: u64,
    #[serde(rename = "pu")]
    previous: u64,
    b: Vec<WireLevel>,
    a: Vec<WireLevel>,
}

impl WireDepth {
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
struct WireBest {
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    b: Amount,
    a: Amount,
}

impl WireBest {
    fn update(&self) -> Option<Update> {
        Some(Update::Best {
            bid: Some(positive(Some(self.b.0))?),
            ask: Some(positive(Some(self.a.0))?),
            at: Some(self.at?),
        })
    }
}

#[derive(Deserialize)]
struct WireTrade {
    #[serde(rename = "a")]
    id: u64,
    p: Amount,
    q: Amount,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    /// Whether the buyer waited in the book.
    m: bool,
}

impl WireTrade {
    fn checked(&self) -> Option<VenueTrade> {
        let trade = PublicTrade {
            id: Some(self.id),
            price: positive(Some(self.p.0))?,
            size: positive(Some(self.q.0))?,
            aggressor: if self.m { Side::Sell } else { Side::Buy },
            at: self.at?,
            is_own: None,
        };
        Some(VenueTrade {
            identity: self.id.to_string(),
            trade,
        })
    }
}

#[derive(Deserialize)]
struct WireMark {
    #[serde(rename = "E", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    p: Amount,
    #[serde(default, deserialize_with = "amount")]
    r: Option<Num>,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    next: Option<Timestamp>,
}

impl WireMark {
    fn stats(&self) -> Option<Stats> {
        Some(Stats {
            mark: Some(positive(Some(self.p.0))?),
            funding_rate: self.r,
            next_funding_at: self.next.filter(|next| next.0 > 0),
            at: self.at,
            ..Stats::default()
        })
    }
}

#[derive(Deserialize)]
struct WireDay {
    #[serde(rename = "E", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    /// Percent.
    #[serde(rename = "P", default, deserialize_with = "amount")]
    change: Option<Num>,
    #[serde(default, deserialize_with = "amount")]
    q: Option<Num>,
}

impl WireDay {
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
struct WireKline<'a> {
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
            open_time: self.opens?,
            open: self.o.0,
            high: self.h.0,
            low: self.l.0,
            close: self.c.0,
            volume: Some(self.v.0),
            turnover: Some(self.q.0),
            trades: Some(self.n),
            is_closed: self.x,
            is_synthetic: false,
        })?;
        Some(Update::Candle(self.i.parse().ok()?, candle))
    }
}

fn get(path: &str, symbol: &str, rest: &str, weight: u32) -> RestRead {
    let symbol = utf8_percent_encode(symbol, NON_ALPHANUMERIC);
    RestRead::get(format!("/fapi/v1/{path}?symbol={symbol}{rest}"), weight)
}

pub(super) fn candles_read(symbol: &str, span: CandleSpan) -> Option<RestRead> {
    let interval = interval_word(span.interval)?;
    let (limit, end) = (span.limit.clamp(1, 1_500), span.before.0.saturating_sub(1));
    let weight = match limit {
        ..100 => 1,
        100..500 => 2,
        500..=1_000 => 5,
        1_001.. => 10,
    };
    let rest = format!("&interval={interval}&endTime={end}&limit={limit}");
    Some(get("klines", symbol, &rest, weight))
}

/// Opens, prices, volume, end, turnover and number of trades; what stands behind them is left out.
type WireRow<'a> = Vec<&'a RawValue>;

pub(super) fn candle_rows(body: &[u8]) -> Option<Vec<Option<Candle>>> {
    let rows: Vec<WireRow<'_>> = serde_json::from_slice(body).ok()?;
    Some(rows.iter().map(candle_row).collect())
}

fn candle_row(row: &WireRow<'_>) -> Option<Candle> {
    let number = |at: usize| {
        let raw = row.get(at)?.get();
        raw.trim_matches('"').parse::<Num>().ok()
    };
    let at = |index| number(index).and_then(Timestamp::from_wire);
    sound_candle(Candle {
        open_time: at(0)?,
        open: number(1)?,
        high: number(2)?,
        low: number(3)?,
        close: number(4)?,
        volume: Some(number(5)?),
        is_closed: false,
        turnover: Some(number(7)?),
        trades: u64::try_from(number(8)?.to_i64()?).ok(),
        is_synthetic: false,
    })
}

/// The least that the venue offers with so many levels, and what it costs.
const DEPTHS: [(u32, u32); 7] = [
    (5, 2),
    (10, 2),
    (20, 2),
    (50, 2),
    (100, 5),
    (500, 10),
    (1_000, 20),
];

pub(super) fn book_read(symbol: &str, depth: Option<u32>) -> RestRead {
    let wanted = depth.unwrap_or(100);
    let offered = DEPTHS.iter().find(|(levels, _)| *levels >= wanted);
    let (limit, weight) = *offered.unwrap_or(&(1_000, 20));
    get("depth", symbol, &format!("&limit={limit}"), weight)
}

#[derive(Deserialize)]
struct DepthAnswer {
    #[serde(rename = "lastUpdateId")]
    last: u64,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    bids: Vec<WireLevel>,
    asks: Vec<WireLevel>,
}

fn read_book(body: &[u8]) -> Option<DepthAnswer> {
    serde_json::from_slice(body).ok()
}

impl DepthAnswer {
    fn change(self) -> Option<BookChange> {
        Some(BookChange {
            follows: Follows::WithinStream,
            last: self.last,
            made_at: self.at,
            bids: changed_levels(&self.bids)?,
            asks: changed_levels(&self.asks)?,
        })
    }
}

pub(super) fn whole_book(body: &[u8]) -> Option<Dated<Book>> {
    let told = read_book(body)?.change()?;
    told.whole()
}

impl BookChange {
    /// The book that it is, if it is a whole one.
    pub(super) fn whole(self) -> Option<Dated<Book>> {
        let level = |(price, size): &(Num, Num)| Level {
            price: *price,
            size: *size,
        };
        let side = |levels: &[(Num, Num)]| levels.iter().map(level).collect();
        Some(Dated {
            value: sound_book(side(&self.bids), side(&self.asks))?,
            made_at: self.made_at,
        })
    }
}

pub(super) fn trades_read(symbol: &str, limit: u32) -> RestRead {
    let limit = limit.clamp(1, 1_000);
    get("aggTrades", symbol, &format!("&limit={limit}"), 20)
}

pub(super) fn trade_rows(body: &[u8]) -> Option<Vec<Option<PublicTrade>>> {
    let rows: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let row = |row: &&RawValue| Some(read::<WireTrade>(row.get())?.checked()?.trade);
    Some(rows.iter().map(row).collect())
}

/// Symbols whose funding is not the usual one.
fn funding_hours(body: &[u8]) -> Option<BTreeMap<String, Num>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Row {
        symbol: String,
        funding_interval_hours: u32,
    }
    let rows: Vec<Row> = serde_json::from_slice(body).ok()?;
    let known = rows
        .into_iter()
        .filter(|row| row.funding_interval_hours > 0);
    Some(
        known
            .map(|row| (row.symbol, Num::from(row.funding_interval_hours)))
            .collect(),
    )
}
