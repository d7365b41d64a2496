//! Candles of one market, aggregated from its trades as they happen (docs/engine.md 9.5).
//!
//! Four rings are filled directly; every other interval is rolled up from one of them when it is read.

use std::ops::Range;

use crate::exchange::engine::state::{CandleRecord, Interval, Lots, Millis, Px, RowRing};

/// The intervals that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CandleLevel {
    Second,
    Minute,
    Hour,
    Day,
}

impl CandleLevel {
    const ALL: [Self; 4] = [Self::Second, Self::Minute, Self::Hour, Self::Day];

    /// Of one candle, in milliseconds.
    pub(crate) fn length(self) -> i64 {
        let interval = match self {
            Self::Second => Interval::Second1,
            Self::Minute => Interval::Minute1,
            Self::Hour => Interval::Hour1,
            Self::Day => Interval::Day1,
        };
        interval.millis()
    }

    /// Candles kept: an hour of seconds, three days of minutes, 90 days of hours, two years of days.
    pub(crate) const fn capacity(self) -> usize {
        match self {
            Self::Second => 3_600,
            Self::Minute => 4_320,
            Self::Hour => 2_160,
            Self::Day => 730,
        }
    }

    /// The number of the candle an instant is in.
    pub(crate) fn index(self, at: Millis) -> i64 {
        at.0.div_euclid(self.length())
    }

    /// The level an interval is rolled up from, and how many of its candles make one.
    pub(crate) fn under(interval: Interval) -> (Self, i64) {
        let level = match interval {
            Interval::Second1 | Interval::Second5 | Interval::Second15 => Self::Second,
            Interval::Minute1 | Interval::Minute5 | Interval::Minute15 => Self::Minute,
            Interval::Hour1 | Interval::Hour4 => Self::Hour,
            Interval::Day1 => Self::Day,
        };
        (level, interval.millis() / level.length())
    }
}

/// One value for each level, from the finest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PerLevel<T>(pub(crate) [T; 4]);

impl<T> PerLevel<T> {
    pub(crate) fn new(make: impl FnMut(CandleLevel) -> T) -> Self {
        Self(CandleLevel::ALL.map(make))
    }

    pub(crate) fn at(&self, level: CandleLevel) -> &T {
        let [second, minute, hour, day] = &self.0;
        match level {
            CandleLevel::Second => second,
            CandleLevel::Minute => minute,
            CandleLevel::Hour => hour,
            CandleLevel::Day => day,
        }
    }

    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = (CandleLevel, &mut T)> {
        CandleLevel::ALL.into_iter().zip(&mut self.0)
    }
}

/// The candles of one level, without a gap, from where the history began or as many as are kept. Those after the last
/// trade are not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CandleRing {
    level: CandleLevel,
    ring: RowRing<CandleRecord>,
    /// The close before the first candle.
    before: Px,
}

impl CandleRing {
    /// Nothing has traded since `at`, where the price was `px`.
    pub(crate) fn new(level: CandleLevel, at: Millis, px: Px) -> Self {
        Self {
            level,
            ring: RowRing::new(level.capacity(), level.index(at)),
            before: px,
        }
    }

    pub(crate) fn trade(&mut self, at: Millis, px: Px, size: Lots) {
        self.merge(at, CandleRecord::single(px, size));
    }

    /// What traded at that instant, or in an interval that began then.
    fn merge(&mut self, at: Millis, traded: CandleRecord) {
        self.fill_until(self.level.index(at));
        if let Some(last) = self.ring.last_mut() {
            *last = last.followed_by(traded);
        }
    }

    /// The same candles, `by` later: a multiple of their length.
    pub(crate) fn shifted(mut self, by: Millis) -> Self {
        self.ring.renumber(by.0 / self.level.length());
        self
    }

    /// Adds every trade of the candles of a finer level.
    pub(crate) fn merge_all(&mut self, finer: &Self) {
        for (index, candle) in finer.ring.numbered() {
            if candle.trades > 0 {
                self.merge(Millis(index * finer.level.length()), *candle);
            }
        }
    }

    /// Candles without trades up to and with `index`; after a jump of the clock no more than the ring holds.
    fn fill_until(&mut self, index: i64) {
        let close = self.close();
        let oldest = index - i64::try_from(self.level.capacity()).unwrap_or(0) + 1;
        if self.ring.next() < oldest {
            self.ring.restart(oldest);
        }
        while self.ring.next() <= index {
            self.ring.push(CandleRecord::flat(close));
        }
    }

    /// The close of the last candle.
    fn close(&self) -> Px {
        self.ring.last().map_or(self.before, |last| last.close)
    }

    /// The kept candles of those numbers, without a gap, and the number of the first; those after the last trade are
    /// without trades.
    pub(crate) fn part(&self, numbers: Range<i64>) -> (i64, Vec<CandleRecord>) {
        let first = numbers.start.max(self.ring.first());
        let after = CandleRecord::flat(self.close());
        let candle = |index| self.ring.get(index).copied().unwrap_or(after);
        (first, (first..numbers.end).map(candle).collect())
    }

    pub(crate) fn ring_mut(&mut self) -> &mut RowRing<CandleRecord> {
        &mut self.ring
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator as _;

    impl CandleRing {
        fn get(&self, index: i64) -> Option<CandleRecord> {
            let (first, rows) = self.part(index..index + 1);
            rows.first().copied().filter(|_| first == index)
        }
    }

    fn traded(prices: &[(i64, i64)]) -> CandleRing {
        let mut ring = CandleRing::new(CandleLevel::Second, Millis(5_000), Px(100));
        for (at, px) in prices {
            ring.trade(Millis(*at), Px(*px), Lots(2));
        }
        ring
    }

    #[test]
    fn a_candle_is_half_open_and_its_open_is_its_first_trade() {
        let ring = traded(&[(5_000, 103), (5_250, 105), (5_999, 101), (6_000, 99)]);
        let first = CandleRecord {
            open: Px(103),
            high: Px(105),
            low: Px(101),
            close: Px(101),
            volume: Lots(6),
            turnover: Usd(2 * (103 + 105 + 101)),
            trades: 3,
        };
        assert_eq!(ring.get(5), Some(first));
        assert_eq!(ring.get(6), Some(CandleRecord::single(Px(99), Lots(2))));
        assert_eq!(ring.get(4), None);
    }

    #[test]
    fn an_interval_without_trades_is_the_close_before_it() {
        let ring = traded(&[(8_000, 90)]);
        assert_eq!(ring.get(6), Some(CandleRecord::flat(Px(100))));
        assert_eq!(ring.get(9_999), Some(CandleRecord::flat(Px(90))));
    }

    #[test]
    fn a_jump_of_the_clock_costs_no_more_than_a_ring() {
        let year = 365 * Millis::DAY.0;
        let ring = traded(&[(5_000, 90), (year, 80)]);
        assert_eq!(ring.ring.len(), 3_600);
        assert_eq!(
            ring.get(year / 1_000 - 3_599),
            Some(CandleRecord::flat(Px(90)))
        );
        assert_eq!(ring.get(year / 1_000 - 3_600), None);
    }

    #[test]
    fn every_interval_is_a_whole_number_of_candles_of_its_level() {
        for interval in Interval::iter() {
            let (level, parts) = CandleLevel::under(interval);
            assert_eq!(level.length() * parts, interval.millis());
        }
    }

    use crate::exchange::engine::state::Usd;
}
