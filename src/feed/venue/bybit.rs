//! Bybit's linear contracts: one socket, and `/v5/market`.
//!
//! The book comes whole at first and then by its changes, which are numbered one by one. Tickers report what changed.

pub(super) mod rest;

use super::{
    book_change::{BookChange, Follows, LevelPair, changed_levels},
    dialect::{AnswerSubject, BookDelivery, Dialect, FirstTrades, Update, VenueMessage},
    trades::VenueTrade,
};
use crate::{
    feed::{
        event::Stats,
        market_frame::{Amount, amount, bare_candle, instant, read, sound_candle, sound_trade},
        topic::Channel,
    },
    model::{Candle, Interval, Num, Side, Timestamp},
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use std::borrow::Cow;
use strum::IntoEnumIterator as _;

pub(super) static SOCKET: Dialect = Dialect {
    names,
    subscribe: |names, id| frames("subscribe", names, id),
    unsubscribe: |names, id| frames("unsubscribe", names, id),
    query: |_| String::new(),
    ping: Some(r#"{"op":"ping"}"#),
    parse,
    books: BookDelivery::Changes,
    funding_hours: None,
    open_interest: None,
    first_trades: FirstTrades::News,
    longest_life: None,
};

/// Topics of one frame.
const MOST_TOPICS: usize = 10;
/// A fraction as percent.
fn percent(fraction: Num) -> Option<Num> {
    fraction.times(Num::HUNDRED)
}

fn names(channel: Channel, symbol: &str) -> Vec<String> {
    match channel {
        Channel::Book => vec![format!("orderbook.200.{symbol}")],
        Channel::Trades => vec![format!("publicTrade.{symbol}")],
        Channel::Candles(interval) => {
            let word = interval_word(interval).into_iter();
            word.map(|word| format!("kline.{word}.{symbol}")).collect()
        }
        Channel::Ticks | Channel::Stats => vec![format!("tickers.{symbol}")],
    }
}

fn interval_word(interval: Interval) -> Option<&'static str> {
    match interval {
        Interval::Second1 | Interval::Second5 | Interval::Second15 => None,
        Interval::Minute1 => Some("1"),
        Interval::Minute5 => Some("5"),
        Interval::Minute15 => Some("15"),
        Interval::Hour1 => Some("60"),
        Interval::Hour4 => Some("240"),
        Interval::Day1 => Some("D"),
    }
}

fn interval_of(word: &str) -> Option<Interval> {
    Interval::iter().find(|interval| interval_word(*interval) == Some(word))
}

fn frames(op: &str, names: &[String], id: u64) -> Vec<String> {
    let frame =
        |names: &[String]| json!({ "op": op, "req_id": id.to_string(), "args": names }).to_string();
    names.chunks(MOST_TOPICS).map(frame).collect()
}

#[serde_with::apply(Option<Cow> => #[serde(borrow)], Option<&RawValue> => #[serde(borrow)])]
#[serde_with::apply(Option<Timestamp> => #[serde(default, deserialize_with = "instant")])]
#[derive(Deserialize)]
struct BybitFrame<'a> {
    topic: Option<Cow<'a, str>>,
    #[serde(rename = "type")]
    kind: Option<Cow<'a, str>>,
    ts: Option<Timestamp>,
    /// When the matching engine made it.
    cts: Option<Timestamp>,
    data: Option<&'a RawValue>,
    op: Option<Cow<'a, str>>,
    req_id: Option<Cow<'a, str>>,
    success: Option<bool>,
}

fn parse(text: &str) -> Option<VenueMessage> {
    let frame: BybitFrame<'_> = serde_json::from_str(text).ok()?;
    if let Some((topic, data)) = frame.topic.as_deref().zip(frame.data) {
        let update = frame.update(topic, data.get());
        return Some(VenueMessage::Data(topic.to_owned(), update));
    }
    let is_answer = frame.op.as_deref()? == "subscribe";
    let subject = frame.req_id.and_then(|id| id.parse().ok());
    Some(
        match subject.map(AnswerSubject::Request).filter(|_| is_answer) {
            Some(subject) if frame.success == Some(true) => VenueMessage::Accepted(subject),
            Some(subject) => VenueMessage::Refused(subject),
            None => VenueMessage::Nothing,
        },
    )
}

impl BybitFrame<'_> {
    /// `None` if it is not of this topic.
    fn update(&self, topic: &str, data: &str) -> Option<Update> {
        let (kind, rest) = topic.split_once('.')?;
        let (middle, symbol) = rest.rsplit_once('.').unwrap_or(("", rest));
        match kind {
            "orderbook" => {
                let book: BybitBook<'_> = read(data)?;
                let is_whole = self.kind.as_deref() == Some("snapshot");
                let at = self.cts.or(self.ts);
                let change = (book.s == symbol).then(|| book.change(is_whole.into(), at))?;
                change.map(Update::Change)
            }
            "publicTrade" => {
                let rows: Vec<BybitTrade<'_>> = read(data)?;
                let of_symbol = |row: &BybitTrade<'_>| (row.s == symbol).then(|| row.checked())?;
                let trades = rows.iter().map(of_symbol).collect::<Option<_>>();
                trades.map(Update::Trades)
            }
            "tickers" => {
                let ticker: BybitTicker<'_> = read(data)?;
                (ticker.symbol == symbol).then(|| ticker.update(self.ts))?
            }
            "kline" => {
                let rows: Vec<BybitCandle> = read(data)?;
                let candle = rows.last()?.checked()?;
                Some(Update::Candle(interval_of(middle)?, candle))
            }
            _ => None,
        }
    }
}

/// Whether a frame has the book or changes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Changes,
}

impl From<bool> for Extent {
    fn from(is_whole: bool) -> Self {
        if is_whole { Self::Whole } else { Self::Changes }
    }
}

#[serde_with::apply(Option<Timestamp> => #[serde(default, deserialize_with = "instant")])]
#[derive(Deserialize)]
struct BybitBook<'a> {
    #[serde(borrow)]
    s: Cow<'a, str>,
    b: Vec<LevelPair>,
    a: Vec<LevelPair>,
    u: u64,
    cts: Option<Timestamp>,
    ts: Option<Timestamp>,
}

impl BybitBook<'_> {
    fn change(&self, extent: Extent, at: Option<Timestamp>) -> Option<BookChange> {
        // The first number is of a book that began anew.
        let is_whole = extent == Extent::Whole || self.u == 1;
        let follows = if is_whole {
            Follows::Nothing
        } else {
            Follows::Book {
                first: self.u,
                previous: self.u.checked_sub(1)?,
            }
        };
        Some(BookChange {
            follows,
            last: self.u,
            made_at: Some(at?),
            bids: changed_levels(&self.b)?,
            asks: changed_levels(&self.a)?,
        })
    }
}

#[serde_with::apply(Cow => #[serde(borrow)])]
#[derive(Deserialize)]
struct BybitTrade<'a> {
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    s: Cow<'a, str>,
    #[serde(rename = "S")]
    side: Cow<'a, str>,
    v: Amount,
    p: Amount,
    i: Cow<'a, str>,
}

fn aggressor(word: &str) -> Option<Side> {
    match word {
        "Buy" => Some(Side::Buy),
        "Sell" => Some(Side::Sell),
        _ => None,
    }
}

impl BybitTrade<'_> {
    fn checked(&self) -> Option<VenueTrade> {
        Some(VenueTrade {
            // Its ids are no numbers.
            identity: self.i.to_string(),
            trade: sound_trade(self.p.0, self.v.0, aggressor(&self.side)?, self.at?)?,
        })
    }
}

#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "number")])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BybitTicker<'a> {
    #[serde(borrow)]
    symbol: Cow<'a, str>,
    mark_price: Option<Num>,
    index_price: Option<Num>,
    /// A fraction.
    price24h_pcnt: Option<Num>,
    open_interest_value: Option<Num>,
    turnover24h: Option<Num>,
    funding_rate: Option<Num>,
    funding_interval_hour: Option<Num>,
    next_funding_time: Option<Num>,
    bid1_price: Option<Num>,
    ask1_price: Option<Num>,
}

/// An empty text is nothing.
fn number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Num>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?;
    if raw.get() == r#""""# {
        return Ok(None);
    }
    amount(raw).map_err(serde::de::Error::custom)
}

impl BybitTicker<'_> {
    fn update(&self, at: Option<Timestamp>) -> Option<Update> {
        let prices = [
            self.mark_price,
            self.index_price,
            self.bid1_price,
            self.ask1_price,
        ];
        let mut prices = prices.into_iter().flatten();
        let next = self.next_funding_time.filter(|next| next.is_positive());
        prices.all(Num::is_positive).then_some(Update::Ticker {
            bid: self.bid1_price,
            ask: self.ask1_price,
            stats: Stats {
                mark: self.mark_price,
                oracle: self.index_price,
                day_change: self.price24h_pcnt.and_then(percent),
                funding_rate: self.funding_rate,
                funding_hours: self.funding_interval_hour,
                next_funding_at: next.and_then(Timestamp::from_wire),
                open_interest: self.open_interest_value,
                day_volume: self.turnover24h,
                gap_since: None,
                at: Some(at?),
            },
        })
    }
}

#[derive(Deserialize)]
struct BybitCandle {
    #[serde(default, deserialize_with = "instant")]
    start: Option<Timestamp>,
    open: Amount,
    close: Amount,
    high: Amount,
    low: Amount,
    volume: Amount,
    turnover: Amount,
    confirm: bool,
}

impl BybitCandle {
    fn checked(&self) -> Option<Candle> {
        sound_candle(Candle {
            volume: Some(self.volume.0),
            turnover: Some(self.turnover.0),
            is_closed: self.confirm,
            ..bare_candle(self.start?, [self.open, self.high, self.low, self.close])
        })
    }
}
