//! Answers of `/fapi/v1`.

use super::BinanceTrade;
use crate::{
    feed::{
        market_frame::{Amount, bare_candle, instant, read, sound_candle},
        rest_read::RestRead,
        venue::{
            book_change::{BookChange, Follows, LevelPair, changed_levels},
            dialect::usual_interval,
            rest::CandleSpan,
        },
    },
    model::{Book, Candle, Dated, Num, PublicTrade, Timestamp},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

fn get(path: &str, symbol: &str, rest: &str, weight: u32) -> RestRead {
    let symbol = utf8_percent_encode(symbol, NON_ALPHANUMERIC);
    RestRead::get(format!("/fapi/v1/{path}?symbol={symbol}{rest}"), weight)
}

pub(in crate::feed::venue) fn candles_read(symbol: &str, span: CandleSpan) -> Option<RestRead> {
    let interval = usual_interval(span.interval)?;
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
type BinanceRow<'a> = Vec<&'a RawValue>;

pub(in crate::feed::venue) fn candle_rows(body: &[u8]) -> Option<Vec<Option<Candle>>> {
    let rows: Vec<BinanceRow<'_>> = serde_json::from_slice(body).ok()?;
    Some(rows.iter().map(candle_row).collect())
}

fn candle_row(row: &BinanceRow<'_>) -> Option<Candle> {
    let amount = |at: usize| read::<Amount>(row.get(at)?.get());
    let number = |at| amount(at).map(|Amount(number)| number);
    let prices = [amount(1)?, amount(2)?, amount(3)?, amount(4)?];
    sound_candle(Candle {
        volume: Some(number(5)?),
        turnover: Some(number(7)?),
        trades: u64::try_from(number(8)?.to_i64()?).ok(),
        ..bare_candle(Timestamp::from_wire(number(0)?)?, prices)
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

pub(in crate::feed::venue) fn book_read(symbol: &str, depth: Option<u32>) -> RestRead {
    let wanted = depth.unwrap_or(100);
    let offered = DEPTHS.iter().find(|(levels, _)| *levels >= wanted);
    let (limit, weight) = *offered.unwrap_or(&(1_000, 20));
    get("depth", symbol, &format!("&limit={limit}"), weight)
}

#[derive(Deserialize)]
pub(super) struct DepthAnswer {
    #[serde(rename = "lastUpdateId")]
    last: u64,
    #[serde(rename = "T", default, deserialize_with = "instant")]
    at: Option<Timestamp>,
    bids: Vec<LevelPair>,
    asks: Vec<LevelPair>,
}

pub(super) fn read_book(body: &[u8]) -> Option<DepthAnswer> {
    serde_json::from_slice(body).ok()
}

impl DepthAnswer {
    pub(super) fn change(self) -> Option<BookChange> {
        Some(BookChange {
            follows: Follows::WithinStream,
            last: self.last,
            made_at: self.at,
            bids: changed_levels(&self.bids)?,
            asks: changed_levels(&self.asks)?,
        })
    }
}

pub(in crate::feed::venue) fn whole_book(body: &[u8]) -> Option<Dated<Book>> {
    let book = read_book(body)?.change()?;
    book.whole()
}

pub(in crate::feed::venue) fn trades_read(symbol: &str, limit: u32) -> RestRead {
    let limit = limit.clamp(1, 1_000);
    get("aggTrades", symbol, &format!("&limit={limit}"), 20)
}

pub(in crate::feed::venue) fn trade_rows(body: &[u8]) -> Option<Vec<Option<PublicTrade>>> {
    let rows: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let row = |row: &&RawValue| {
        let row: BinanceTrade = serde_json::from_str(row.get()).ok()?;
        row.checked().map(|book| book.trade)
    };
    Some(rows.iter().map(row).collect())
}

pub(super) fn open_interest_read(symbol: &str) -> RestRead {
    get("openInterest", symbol, "", 1)
}

/// In coins.
pub(super) fn open_interest(body: &[u8]) -> Option<Num> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Row {
        open_interest: Amount,
    }
    let row: Row = serde_json::from_slice(body).ok()?;
    Some(row.open_interest.0).filter(|coins| !coins.is_negative())
}

/// Symbols whose funding is not the usual one.
pub(super) fn funding_hours(body: &[u8]) -> Option<BTreeMap<String, Num>> {
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
