//! Answers of `POST /info`.

use super::{HyperliquidBook, HyperliquidCandle, HyperliquidTrade};
use crate::{
    feed::{
        rest_read::RestRead,
        venue::{dialect::usual_interval, rest::CandleSpan},
    },
    model::{Book, Candle, Dated, PublicTrade, Timestamp},
};
use serde_json::{Value, json, value::RawValue};

/// Rows of one unit of weight of a candle read.
const CANDLES_A_WEIGHT: u32 = 60;

fn info(body: &Value, weight: u32) -> RestRead {
    RestRead {
        target: "/info".to_owned(),
        body: Some(body.to_string()),
        weight,
    }
}

pub(in crate::feed::venue) fn candles_read(coin: &str, span: CandleSpan) -> Option<RestRead> {
    let interval = usual_interval(span.interval)?;
    let newest = span
        .interval
        .open_of(Timestamp(span.before.0.saturating_sub(1)));
    let length = span.interval.millis();
    let back = i64::from(span.limit.saturating_sub(1)).saturating_mul(length);
    let request = json!({
        "coin": coin,
        "interval": interval,
        "startTime": newest.0.saturating_sub(back),
        "endTime": span.before.0.saturating_sub(1),
    });
    let weight = 20 + span.limit / CANDLES_A_WEIGHT;
    Some(info(
        &json!({ "type": "candleSnapshot", "req": request }),
        weight,
    ))
}

pub(in crate::feed::venue) fn candle_rows(body: &[u8]) -> Option<Vec<Option<Candle>>> {
    let rows: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let read = |row: &&RawValue| {
        let row: HyperliquidCandle<'_> = serde_json::from_str(row.get()).ok()?;
        row.checked()
    };
    Some(rows.iter().map(read).collect())
}

/// The venue reports as many levels as it likes.
pub(in crate::feed::venue) fn book_read(coin: &str, _depth: Option<u32>) -> RestRead {
    info(&json!({ "type": "l2Book", "coin": coin }), 2)
}

pub(in crate::feed::venue) fn whole_book(body: &[u8]) -> Option<Dated<Book>> {
    let frame: HyperliquidBook<'_> = serde_json::from_slice(body).ok()?;
    let book = frame.checked()?;
    Some(Dated {
        value: book.book,
        made_at: Some(book.made_at),
    })
}

/// The venue reports as many as it likes.
pub(in crate::feed::venue) fn trades_read(coin: &str, _limit: u32) -> RestRead {
    info(&json!({ "type": "recentTrades", "coin": coin }), 25)
}

pub(in crate::feed::venue) fn trade_rows(body: &[u8]) -> Option<Vec<Option<PublicTrade>>> {
    let rows: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let read = |row: &&RawValue| {
        let row: HyperliquidTrade<'_> = serde_json::from_str(row.get()).ok()?;
        row.checked().map(|frame| frame.trade)
    };
    Some(rows.iter().map(read).collect())
}
