//! Candles that nobody told: of intervals without trades, and of the marks seen.

use crate::model::{Candle, Num, Timestamp};

pub(super) fn counts_fewer(row: &Candle, known: &Candle) -> bool {
    row.trades
        .zip(known.trades)
        .is_some_and(|(new, old)| new < old)
}

/// What nothing traded in: the previous close, no volume.
pub(super) fn without_trades(previous: Candle, open_time: Timestamp) -> Candle {
    let close = previous.close;
    Candle {
        open_time,
        open: close,
        high: close,
        low: close,
        close,
        volume: Some(Num::ZERO),
        turnover: Some(Num::ZERO),
        trades: Some(0),
        is_closed: true,
        is_synthetic: previous.is_synthetic,
    }
}

pub(super) fn from_mark(open_time: Timestamp, price: Num) -> Candle {
    Candle {
        open_time,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: None,
        turnover: None,
        trades: None,
        is_closed: false,
        is_synthetic: false,
    }
}
