//! Sums over candles that are kept now and then, so that a chart that scrolls to either side adds up only the candles
//! since the last one kept.

use super::scale::PriceUnit;
use crate::{
    app::CandleSeries,
    model::{Candle, Timestamp},
};

/// This many candles from one kept sum to the next.
const APART: usize = 64;

/// What a sum is of: its first instant, the version of the candles that are over, the oldest one known, the unit.
type SumOf = (Timestamp, u64, Timestamp, PriceUnit);

#[derive(Debug, Clone)]
pub(super) struct Checkpoints<Sum> {
    of: Option<SumOf>,
    /// The sums of the candles before these instants, by rising time.
    kept: Vec<(Timestamp, Sum)>,
    /// The last one requested: that before the newest candle is requested with each of its trades.
    last: Option<(Timestamp, Sum)>,
}

impl<Sum> Default for Checkpoints<Sum> {
    fn default() -> Self {
        Self {
            of: None,
            kept: vec![],
            last: None,
        }
    }
}

impl<Sum: Copy> Checkpoints<Sum> {
    /// The sum of the candles from `start` until `first`: `empty` with each of them added.
    pub(super) fn sum(
        &mut self,
        (series, unit): (&CandleSeries, PriceUnit),
        (start, first): (Timestamp, Timestamp),
        empty: Sum,
        add: impl Fn(Sum, &Candle) -> Sum,
    ) -> Sum {
        let oldest = series.oldest().map(|oldest| oldest.open_time);
        let of = oldest.map(|oldest| (start, series.past_version(), oldest, unit));
        if self.of != of {
            *self = Self {
                of,
                ..Self::default()
            };
        }
        while self.kept.pop_if(|(until, _)| *until > first).is_some() {}
        let known = self.last.filter(|(until, _)| *until == first);
        let known = known.or(self.kept.last().copied());
        let (from, mut sum) = known.unwrap_or((start, empty));
        for (number, candle) in (1..).zip(series.within(from..first.max(from))) {
            sum = add(sum, candle);
            if number % APART == 0 {
                let until = Timestamp(candle.open_time.0.saturating_add(1));
                self.kept.push((until, sum));
            }
        }
        self.last = Some((first, sum));
        sum
    }
}
