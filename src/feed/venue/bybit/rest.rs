//! Answers of `/v5/market`.

use super::{BybitBook, Extent, aggressor, interval_word};
use crate::{
    feed::{
        market_frame::{Amount, bare_candle, instant, read, sound_candle, sound_trade},
        rest_read::RestRead,
        venue::rest::CandleSpan,
    },
    model::{Book, Candle, Dated, PublicTrade, Timestamp},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Every read counts alike here; so many of them are far below the venue's limit.
const WEIGHT: u32 = 10;

fn get(path: &str, symbol: &str, rest: &str) -> RestRead {
    let symbol = utf8_percent_encode(symbol, NON_ALPHANUMERIC);
    let target = format!("/v5/market/{path}?category=linear&symbol={symbol}{rest}");
    RestRead::get(target, WEIGHT)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BybitAnswer<'a> {
    ret_code: i64,
    #[serde(borrow)]
    result: &'a RawValue,
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow)]
    list: Vec<&'a RawValue>,
}

fn result(body: &[u8]) -> Option<&str> {
    let answer: BybitAnswer<'_> = serde_json::from_slice(body).ok()?;
    (answer.ret_code == 0).then(|| answer.result.get())
}

pub(in crate::feed::venue) fn candles_read(symbol: &str, span: CandleSpan) -> Option<RestRead> {
    let interval = interval_word(span.interval)?;
    let (limit, end) = (span.limit.clamp(1, 1_000), span.before.0.saturating_sub(1));
    let rest = format!("&interval={interval}&end={end}&limit={limit}");
    Some(get("kline", symbol, &rest))
}

/// The newest first.
pub(in crate::feed::venue) fn candle_rows(body: &[u8]) -> Option<Vec<Option<Candle>>> {
    let rows = read::<List<'_>>(result(body)?)?.list;
    let candles = rows.iter().map(|row| candle_row(row.get()));
    Some(candles.collect())
}

fn candle_row(row: &str) -> Option<Candle> {
    let row: [Amount; 7] = read(row)?;
    let [start, open, high, low, close, volume, turnover] = row;
    sound_candle(Candle {
        volume: Some(volume.0),
        turnover: Some(turnover.0),
        ..bare_candle(Timestamp::from_wire(start.0)?, [open, high, low, close])
    })
}

pub(in crate::feed::venue) fn book_read(symbol: &str, depth: Option<u32>) -> RestRead {
    let limit = depth.unwrap_or(100).clamp(1, 500);
    get("orderbook", symbol, &format!("&limit={limit}"))
}

pub(in crate::feed::venue) fn whole_book(body: &[u8]) -> Option<Dated<Book>> {
    let book: BybitBook<'_> = read(result(body)?)?;
    book.change(Extent::Whole, book.cts.or(book.ts))?.whole()
}

pub(in crate::feed::venue) fn trades_read(symbol: &str, limit: u32) -> RestRead {
    let limit = limit.clamp(1, 1_000);
    get("recent-trade", symbol, &format!("&limit={limit}"))
}

pub(in crate::feed::venue) fn trade_rows(body: &[u8]) -> Option<Vec<Option<PublicTrade>>> {
    #[derive(Deserialize)]
    struct Row<'a> {
        price: Amount,
        size: Amount,
        #[serde(borrow)]
        side: Cow<'a, str>,
        #[serde(default, deserialize_with = "instant")]
        time: Option<Timestamp>,
    }
    let rows = read::<List<'_>>(result(body)?)?.list;
    let checked = |row: &&RawValue| {
        let row: Row<'_> = read(row.get())?;
        sound_trade(row.price.0, row.size.0, aggressor(&row.side)?, row.time?)
    };
    Some(rows.iter().map(checked).collect())
}
