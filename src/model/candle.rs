//! Candles: what traded in a market within equal intervals of time.

use super::{Num, Timestamp};
use std::time::Duration;
use strum::{Display, EnumIter, EnumString, VariantNames};

/// The length of a candle. Candles open at whole multiples of it since 1970-01-01 00:00 UTC.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Display,
    EnumIter,
    EnumString,
    VariantNames,
)]
pub enum Interval {
    #[strum(serialize = "1s")]
    Second1,
    #[strum(serialize = "5s")]
    Second5,
    #[strum(serialize = "15s")]
    Second15,
    #[default]
    #[strum(serialize = "1m")]
    Minute1,
    #[strum(serialize = "5m")]
    Minute5,
    #[strum(serialize = "15m")]
    Minute15,
    #[strum(serialize = "1h")]
    Hour1,
    #[strum(serialize = "4h")]
    Hour4,
    #[strum(serialize = "1d")]
    Day1,
}

impl Interval {
    pub fn length(self) -> Duration {
        Duration::from_millis(self.millis().unsigned_abs())
    }

    /// When the candle opens that `at` lies in: intervals are half-open, `[open, open + length)`.
    pub fn open_of(self, at: Timestamp) -> Timestamp {
        Timestamp(at.0.saturating_sub(at.0.rem_euclid(self.millis())))
    }

    /// Milliseconds.
    pub fn millis(self) -> i64 {
        const SECOND: i64 = 1_000;
        const MINUTE: i64 = 60 * SECOND;
        const HOUR: i64 = 60 * MINUTE;
        match self {
            Self::Second1 => SECOND,
            Self::Second5 => 5 * SECOND,
            Self::Second15 => 15 * SECOND,
            Self::Minute1 => MINUTE,
            Self::Minute5 => 5 * MINUTE,
            Self::Minute15 => 15 * MINUTE,
            Self::Hour1 => HOUR,
            Self::Hour4 => 4 * HOUR,
            Self::Day1 => 24 * HOUR,
        }
    }
}

/// What traded in one interval, prices in USD. A candle without trades has the previous close as all four prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candle {
    pub open_time: Timestamp,
    pub open: Num,
    pub high: Num,
    pub low: Num,
    pub close: Num,
    /// Coin; `None` where the source tells none, as with candles built from marks.
    pub volume: Option<Num>,
    /// Σ price × size, USD; the volume-weighted average price is this by the volume.
    pub turnover: Option<Num>,
    pub trades: Option<u64>,
    /// Whether the interval is over; the last candle usually is not.
    pub is_closed: bool,
    /// Invented by a simulation from before it began.
    pub is_synthetic: bool,
}

impl Candle {
    /// Volume-weighted average price, USD; `None` where nothing traded or no turnover is told.
    pub fn vwap(&self) -> Option<Num> {
        let volume = self.volume.filter(|volume| volume.is_positive())?;
        self.turnover?.over(volume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn candles_open_at_whole_multiples_of_their_length_since_1970() {
        let at = Timestamp(1_767_623_456_789);
        let opens = Interval::iter().map(|interval| interval.open_of(at).to_utc());
        let opens: Vec<_> = opens.collect();
        assert_eq!(
            opens,
            [
                "2026-01-05 14:30:56",
                "2026-01-05 14:30:55",
                "2026-01-05 14:30:45",
                "2026-01-05 14:30:00",
                "2026-01-05 14:30:00",
                "2026-01-05 14:30:00",
                "2026-01-05 14:00:00",
                "2026-01-05 12:00:00",
                "2026-01-05 00:00:00",
            ]
        );
    }

    #[test]
    fn an_interval_is_read_as_it_is_written() {
        for interval in Interval::iter() {
            assert_eq!(interval.to_string().parse(), Ok(interval));
        }
    }
}
