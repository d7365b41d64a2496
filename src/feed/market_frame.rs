//! Frames of the market stream, read leniently and checked: decimals may be text or numbers, levels pairs or objects.

use super::event::{Stats, Tick};
use crate::model::{Book, Candle, Dated, Level, Num, Patch, PublicTrade, Side, Timestamp};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Levels of one side of a book; a longer one is refused.
const MOST_LEVELS: usize = 5_000;

/// A message of the service. What it has beside this is ignored.
#[serde_with::apply(Cow => #[serde(borrow)], Option<&RawValue> => #[serde(borrow)])]
#[derive(Debug, Deserialize)]
pub(super) struct MarketFrame<'a> {
    pub(super) op: Cow<'a, str>,
    pub(super) id: Option<u64>,
    /// What the service calls a subscription, as text or as a number.
    pub(super) sub: Option<&'a RawValue>,
    #[serde(rename = "snapshotBoundary")]
    pub(super) snapshot_boundary: Option<bool>,
    #[serde(borrow, default)]
    pub(super) events: Vec<&'a RawValue>,
}

/// What every event has.
#[serde_with::apply(Option<Cow> => #[serde(borrow)], Cow => #[serde(borrow)])]
#[derive(Debug, Deserialize)]
pub(super) struct EventHead<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) provider: Cow<'a, str>,
    pub(super) symbol: Cow<'a, str>,
    pub(super) interval: Option<Cow<'a, str>>,
}

/// A decimal, as text or as a number.
#[derive(Clone, Copy)]
pub(super) struct Amount(pub(super) Num);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        raw.trim_matches('"')
            .parse()
            .map(Self)
            .map_err(D::Error::custom)
    }
}

pub(super) fn amount<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Num>, D::Error> {
    Option::<Amount>::deserialize(from).map(|event| event.map(|Amount(number)| number))
}

impl<'de> Deserialize<'de> for Patch {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        amount(from).map(Self::Is)
    }
}

pub(super) fn instant<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    amount(from).map(|number| number.and_then(Timestamp::from_wire))
}

pub(super) fn positive(number: Option<Num>) -> Option<Num> {
    number.filter(|number| number.is_positive())
}

pub(super) fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

#[serde_with::apply(Vec<&RawValue> => #[serde(borrow)])]
#[derive(Deserialize)]
struct WireBook<'a> {
    bids: Vec<&'a RawValue>,
    asks: Vec<&'a RawValue>,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
}

#[derive(Deserialize)]
struct WireLevel {
    #[serde(alias = "px")]
    price: Amount,
    #[serde(alias = "sz")]
    size: Amount,
}

/// A whole book: sorted, every level above 0, not crossed.
pub(super) fn book(event: &RawValue) -> Option<Dated<Book>> {
    let row: WireBook<'_> = read(event.get())?;
    Some(Dated {
        value: sound_book(levels(&row.bids)?, levels(&row.asks)?)?,
        made_at: row.time,
    })
}

/// A book of these sides, the best level first; `None` if one is not sorted or they are crossed.
pub(super) fn sound_book(bids: Vec<Level>, asks: Vec<Level>) -> Option<Book> {
    let falls = bids.is_sorted_by(|near, far| near.price > far.price);
    let rises = asks.is_sorted_by(|near, far| near.price < far.price);
    let book = Book::new(bids, asks);
    (falls && rises && !book.is_crossed()).then_some(book)
}

pub(super) fn levels(side: &[&RawValue]) -> Option<Vec<Level>> {
    if side.len() > MOST_LEVELS {
        return None;
    }
    side.iter().map(|level| checked_level(level)).collect()
}

fn checked_level(level: &RawValue) -> Option<Level> {
    let (price, size) = if level.get().starts_with('[') {
        let pair: Vec<Amount> = read(level.get())?;
        let mut pair = pair.into_iter();
        (pair.next()?, pair.next()?)
    } else {
        let WireLevel { price, size } = read(level.get())?;
        (price, size)
    };
    Some(Level {
        price: positive(Some(price.0))?,
        size: positive(Some(size.0))?,
    })
}

#[serde_with::apply(Option<&RawValue> => #[serde(borrow)], Cow => #[serde(borrow)])]
#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "amount")])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTrade<'a> {
    trade_id: Option<&'a RawValue>,
    side: Cow<'a, str>,
    price: Option<Num>,
    size: Option<Num>,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
}

pub(super) fn trade(event: &RawValue) -> Option<PublicTrade> {
    let row: WireTrade<'_> = read(event.get())?;
    let aggressor = match row.side.to_ascii_lowercase().as_str() {
        "buy" | "b" => Side::Buy,
        "sell" | "s" | "a" => Side::Sell,
        _ => return None,
    };
    let id = row.trade_id.map(|id| id.get().trim_matches('"'));
    Some(PublicTrade {
        id: id.and_then(|digits| digits.parse().ok()),
        ..sound_trade(row.price?, row.size?, aggressor, row.time?)?
    })
}

/// A trade without a number; `None` without a price or a size above 0.
pub(super) fn sound_trade(
    price: Num,
    size: Num,
    aggressor: Side,
    at: Timestamp,
) -> Option<PublicTrade> {
    Some(PublicTrade {
        id: None,
        price: positive(Some(price))?,
        size: positive(Some(size))?,
        aggressor,
        at,
        is_own: None,
    })
}

#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "amount")])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireCandle {
    #[serde(default, deserialize_with = "instant")]
    open_time: Option<Timestamp>,
    open: Amount,
    high: Amount,
    low: Amount,
    close: Amount,
    volume: Option<Num>,
    quote_volume: Option<Num>,
    trades: Option<Num>,
    #[serde(default)]
    is_final: bool,
}

pub(super) fn candle(event: &RawValue) -> Option<Candle> {
    let row: WireCandle = read(event.get())?;
    let trades = row.trades.and_then(Num::to_i64);
    sound_candle(Candle {
        volume: row.volume,
        turnover: row.quote_volume,
        trades: trades.and_then(|count| u64::try_from(count).ok()),
        is_closed: row.is_final,
        ..bare_candle(row.open_time?, [row.open, row.high, row.low, row.close])
    })
}

/// A candle of nothing but its prices: open, high, low and close.
pub(super) fn bare_candle(open_time: Timestamp, prices: [Amount; 4]) -> Candle {
    let [open, high, low, close] = prices.map(|Amount(price)| price);
    Candle {
        open_time,
        open,
        high,
        low,
        close,
        volume: None,
        turnover: None,
        trades: None,
        is_closed: false,
        is_synthetic: false,
    }
}

/// The same candle, if its prices and amounts can be such.
pub(super) fn sound_candle(candle: Candle) -> Option<Candle> {
    let holds = |price| candle.low <= price && price <= candle.high;
    let amounts = [candle.volume, candle.turnover];
    let is_sound = candle.low.is_positive()
        && holds(candle.open)
        && holds(candle.close)
        && !amounts.into_iter().flatten().any(Num::is_negative);
    is_sound.then_some(candle)
}

#[serde_with::apply(Option<Num> => #[serde(default, deserialize_with = "amount")])]
#[derive(Deserialize)]
struct WireTick {
    price: Amount,
    bid: Option<Num>,
    ask: Option<Num>,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
}

/// Prices above 0, the bid below the ask.
pub(super) fn tick(event: &RawValue) -> Option<Tick> {
    let row: WireTick = read(event.get())?;
    let sides = [row.bid, row.ask].into_iter().flatten();
    let mut prices = sides.chain([row.price.0]);
    let is_crossed = row.bid.zip(row.ask).is_some_and(|(bid, ask)| bid >= ask);
    (prices.all(Num::is_positive) && !is_crossed).then_some(Tick {
        price: row.price.0,
        bid: row.bid,
        ask: row.ask,
        at: row.time,
    })
}

#[serde_with::apply(Patch => #[serde(default)])]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireStats {
    mark_px: Patch,
    #[serde(rename = "change24hPct")]
    day_change: Patch,
    funding_rate: Patch,
    funding_interval_hours: Patch,
    next_funding_time: Patch,
    open_interest_usd: Patch,
    day_ntl_vlm: Patch,
    gap_since: Patch,
    #[serde(default, deserialize_with = "instant")]
    time: Option<Timestamp>,
}

/// The statistics after this patch; a mark that can be none is refused.
pub(super) fn patched(event: &RawValue, before: Stats) -> Option<Stats> {
    let row: WireStats = read(event.get())?;
    let stats = Stats {
        mark: row.mark_px.over(before.mark),
        oracle: None,
        day_change: row.day_change.over(before.day_change),
        funding_rate: row.funding_rate.over(before.funding_rate),
        funding_hours: row.funding_interval_hours.over(before.funding_hours),
        next_funding_at: instant_over(row.next_funding_time, before.next_funding_at),
        open_interest: row.open_interest_usd.over(before.open_interest),
        day_volume: row.day_ntl_vlm.over(before.day_volume),
        gap_since: instant_over(row.gap_since, before.gap_since),
        at: row.time.or(before.at),
    };
    let is_price = stats.mark.is_none_or(Num::is_positive);
    is_price.then_some(stats)
}

fn instant_over(patch: Patch, before: Option<Timestamp>) -> Option<Timestamp> {
    match patch {
        Patch::Keep => before,
        Patch::Is(at) => at.and_then(Timestamp::from_wire),
    }
}
