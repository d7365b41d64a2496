//! Candles that no source reported: of intervals without trades, and of the marks seen; and what the rows come to.

use super::CandleSeries;
use crate::model::{Candle, Num, Timestamp};

impl CandleSeries {
    /// How far the market usually goes in an interval, by the newest closed candles.
    pub(crate) fn mean_range(&self, candles: usize) -> Option<Num> {
        let rows = self.rows().iter().rev();
        let newest = rows.filter(|candle| candle.is_closed).take(candles);
        let none = (Num::ZERO, 0_u32);
        let (sum, count) = newest.into_iter().try_fold(none, |(sum, count), candle| {
            let range = candle.high.minus(candle.low)?;
            Some((sum.plus(range)?, count + 1))
        })?;
        sum.over(Num::from(count))
            .filter(|range| range.is_positive())
    }
}

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
