//! The REST answers of venues: the first picture, and candles of before.

use super::{binance, bybit, dialect::AnswerReader, hyperliquid};
use crate::{
    feed::rest_read::RestRead,
    model::{
        Book, Candle, Dated, Failure, FailureKind, Interval, Page, PublicTrade, Timestamp, Venue,
    },
};

/// Candles that are to be read: so many, the newest that open before an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CandleSpan {
    pub(crate) interval: Interval,
    pub(crate) before: Timestamp,
    pub(crate) limit: u32,
}

/// What can be read of a venue, and what its answers mean.
pub(crate) struct Rest {
    /// `None` where the venue has no candles of this interval.
    pub(crate) candles: fn(&str, CandleSpan) -> Option<RestRead>,
    candle_rows: AnswerReader<Rows<Candle>>,
    pub(crate) book: fn(&str, Option<u32>) -> RestRead,
    book_of: AnswerReader<Dated<Book>>,
    pub(crate) trades: fn(&str, u32) -> RestRead,
    trade_rows: AnswerReader<Rows<PublicTrade>>,
}

/// Rows of an answer; `None` for one that is not believed.
type Rows<T> = Vec<Option<T>>;

/// The table of a venue.
pub(crate) fn of(venue: Venue) -> &'static Rest {
    match venue {
        Venue::Hyperliquid => &HYPERLIQUID,
        Venue::Binance => &BINANCE,
        Venue::Bybit => &BYBIT,
    }
}

static HYPERLIQUID: Rest = Rest {
    candles: hyperliquid::rest::candles_read,
    candle_rows: hyperliquid::rest::candle_rows,
    book: hyperliquid::rest::book_read,
    book_of: hyperliquid::rest::whole_book,
    trades: hyperliquid::rest::trades_read,
    trade_rows: hyperliquid::rest::trade_rows,
};
static BINANCE: Rest = Rest {
    candles: binance::rest::candles_read,
    candle_rows: binance::rest::candle_rows,
    book: binance::rest::book_read,
    book_of: binance::rest::whole_book,
    trades: binance::rest::trades_read,
    trade_rows: binance::rest::trade_rows,
};
static BYBIT: Rest = Rest {
    candles: bybit::rest::candles_read,
    candle_rows: bybit::rest::candle_rows,
    book: bybit::rest::book_read,
    book_of: bybit::rest::whole_book,
    trades: bybit::rest::trades_read,
    trade_rows: bybit::rest::trade_rows,
};

impl Rest {
    /// Candles, the oldest first; those that are over by `now` are closed.
    pub(crate) fn read_candles(
        &self,
        body: &[u8],
        now: Timestamp,
        span: CandleSpan,
    ) -> Result<Dated<Page<Candle>>, Failure> {
        let rows = (self.candle_rows)(body).ok_or_else(|| unreadable("candles"))?;
        let is_of = |candle: &Candle| {
            let opens = candle.open_time;
            span.interval.open_of(opens) == opens && opens < span.before
        };
        let rows = rows.into_iter().map(|row| row.filter(is_of)).collect();
        let mut page = page(rows, "candle");
        for candle in &mut page.rows {
            candle.is_closed = candle.open_time.plus(span.interval.length()) <= now;
        }
        page.rows.sort_by_key(|candle| candle.open_time);
        Ok(Dated::undated(page))
    }

    pub(crate) fn read_book(&self, body: &[u8]) -> Result<Dated<Book>, Failure> {
        (self.book_of)(body).ok_or_else(|| unreadable("order book"))
    }

    /// The newest trades, in the order that the venue reports.
    pub(crate) fn read_trades(&self, body: &[u8]) -> Result<Dated<Page<PublicTrade>>, Failure> {
        let rows = (self.trade_rows)(body).ok_or_else(|| unreadable("trades"))?;
        Ok(Dated::undated(page(rows, "trade")))
    }
}

fn page<T>(rows: Rows<T>, what: &str) -> Page<T> {
    let total = rows.len();
    let mut page = Page::of(rows.into_iter().flatten().collect());
    let lost = total - page.rows.len();
    let why = format!("a {what} of the venue that cannot be one");
    page.unreadable = vec![why.as_str().into(); lost];
    page
}

fn unreadable(what: &str) -> Failure {
    let words = format!("the venue's answer holds no {what} that can be read");
    Failure::new(FailureKind::Unreadable, words)
}
