//! The session's volume-weighted average price, by candle.
//!
//! Known limit: a session whose first candles are not known, or that has a gap, has none; neither has a service that
//! reports no turnover.

use super::{chart_slot::ChartSlot, checkpoints::Checkpoints, scale::PriceUnit};
use crate::{
    app::{CandleSeries, session_of},
    model::{Candle, Num, Timestamp},
};

/// What traded since the session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Traded {
    volume: Num,
    turnover: Num,
    spread: Spread,
}

/// How far prices lay apart, each candle at its mean price: sums of volumes times distances from the first of them, in
/// units of the chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spread {
    from: i64,
    volume: i128,
    away: i128,
    squared: i128,
}

/// Volumes are counted to this digit, and the mean distance in so many parts of a unit.
const VOLUME_DIGITS: u32 = 6;
const PARTS: i128 = 1 << 8;

impl Spread {
    /// `None` where it is too large for a chart.
    fn and(self, candle: &Candle, unit: PriceUnit) -> Option<Self> {
        let volume = candle.volume?.rounded(VOLUME_DIGITS);
        let volume: i128 = volume.to_scaled(VOLUME_DIGITS)?;
        let Some(mean) = candle.turnover?.over(candle.volume?) else {
            return Some(self);
        };
        let price = unit.count(mean)?;
        let from = if self.volume == 0 { price } else { self.from };
        let away = i128::from(price.checked_sub(from)?);
        let moment = volume.checked_mul(away)?;
        Some(Self {
            from,
            volume: self.volume.checked_add(volume)?,
            away: self.away.checked_add(moment)?,
            squared: self.squared.checked_add(moment.checked_mul(away)?)?,
        })
    }

    fn deviation(self) -> Option<i64> {
        let mean = self.away.checked_mul(PARTS)?.checked_div(self.volume)?;
        let squared = self.squared.checked_mul(PARTS * PARTS)?;
        let squared = squared.checked_div(self.volume)?;
        let variance = squared.checked_sub(mean.checked_mul(mean)?)?;
        let root = variance.max(0).checked_isqrt()?;
        i64::try_from((root + PARTS / 2) / PARTS).ok()
    }
}

impl Traded {
    const NOTHING: Self = Self {
        volume: Num::ZERO,
        turnover: Num::ZERO,
        spread: Spread {
            from: 0,
            volume: 0,
            away: 0,
            squared: 0,
        },
    };

    /// With one candle more; `None` where it does not report what traded.
    fn and(self, candle: &Candle, unit: PriceUnit) -> Option<Self> {
        Some(Self {
            volume: self.volume.plus(candle.volume?)?,
            turnover: self.turnover.plus(candle.turnover?)?,
            spread: self.spread.and(candle, unit)?,
        })
    }
}

/// What traded before the first candle in view, so that a frame adds up only what has come into view.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vwap(Checkpoints<Option<Traded>>);

impl Vwap {
    /// Gives every slot the average until its end.
    pub(crate) fn fill(
        &mut self,
        series: &CandleSeries,
        first: Timestamp,
        unit: PriceUnit,
        slots: &mut [ChartSlot],
    ) {
        let mut traded = self.before(series, first, unit);
        for slot in slots {
            let Some(candle) = slot.candle else {
                traded = None;
                continue;
            };
            if session_of(candle.open_time) == candle.open_time {
                traded = Some(Traded::NOTHING);
            }
            traded = traded.and_then(|traded| traded.and(&candle, unit));
            let average = traded.filter(|traded| traded.volume.is_positive());
            let average = average.and_then(|traded| traded.turnover.over(traded.volume));
            slot.vwap = average.and_then(|average| unit.count(average));
            slot.deviation = traded.and_then(|traded| traded.spread.deviation());
        }
    }

    /// What traded from the start of the session to `first`; `None` where not all of it is known.
    fn before(
        &mut self,
        series: &CandleSeries,
        first: Timestamp,
        unit: PriceUnit,
    ) -> Option<Traded> {
        let session = session_of(first);
        if series.oldest()?.open_time > session {
            return None;
        }
        let known = series.places(session..first).len();
        let whole = first.0.saturating_sub(session.0) / series.interval().millis().max(1);
        if i64::try_from(known) != Ok(whole) {
            return None;
        }
        let nothing = Some(Traded::NOTHING);
        let add = |sum: Option<Traded>, candle: &Candle| sum?.and(candle, unit);
        self.0.sum((series, unit), (session, first), nothing, add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::CandleOrigin,
        model::{Interval, Market},
    };

    const MINUTE: i64 = 60_000;
    const DAY: i64 = 1_440 * MINUTE;

    /// Candles of these minutes after midnight in which one coin traded at 100, or two at 400 from minute 2 on.
    fn series(minutes: impl Iterator<Item = i64>) -> CandleSeries {
        let candle = |minute: i64| {
            let (volume, price) = if minute < 2 {
                (1_i64, 100_i64)
            } else {
                (2, 400)
            };
            Candle {
                open_time: Timestamp(DAY + minute * MINUTE),
                open: price.into(),
                high: price.into(),
                low: price.into(),
                close: price.into(),
                volume: Some(volume.into()),
                turnover: Some((volume * price).into()),
                trades: Some(1),
                is_closed: true,
                is_synthetic: false,
            }
        };
        let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::Source);
        series.count_unreadable(1);
        series.merge(minutes.map(candle).collect(), Timestamp(DAY * 2), None);
        series
    }

    /// The averages of three slots from this minute on.
    fn averages(series: &CandleSeries, first: i64) -> Vec<Option<i64>> {
        let first = Timestamp(DAY + first * MINUTE);
        let slot = |at: i64| ChartSlot {
            candle: series.at(Timestamp(first.0 + at * MINUTE)).copied(),
            ..ChartSlot::default()
        };
        let mut slots: Vec<_> = (0..3).map(slot).collect();
        let unit = PriceUnit::new(None::<&Market>, 100_i64.into());
        Vwap::default().fill(series, first, unit, &mut slots);
        slots.iter().map(|slot| slot.vwap).collect()
    }

    #[test]
    fn the_bands_are_the_deviation_of_the_prices_by_volume() {
        let series = series(0..4);
        let first = Timestamp(DAY);
        let slot = |at: i64| ChartSlot {
            candle: series.at(Timestamp(DAY + at * MINUTE)).copied(),
            ..ChartSlot::default()
        };
        let mut slots: Vec<_> = (0..4).map(slot).collect();
        let unit = PriceUnit::new(None::<&Market>, 100_i64.into());
        Vwap::default().fill(&series, first, unit, &mut slots);
        let deviations: Vec<_> = slots.iter().map(|slot| slot.deviation).collect();
        // Of 1, 1, 2 and 2 coins at 100, 100, 400 and 400: the mean is 300, the variance 120,000 / 6.
        assert_eq!(deviations, [Some(0), Some(0), Some(150), Some(141)]);
    }

    #[test]
    fn a_session_that_is_known_from_its_start_has_an_average() {
        let series = series(0..6);
        let (first, third, fourth) = (Some(100), Some(250), Some(300));
        assert_eq!(averages(&series, 0), [first, first, third]);
        assert_eq!(averages(&series, 1), [first, third, fourth]);
    }

    #[test]
    fn without_the_start_of_the_session_the_average_is_unknown() {
        assert_eq!(averages(&series(1..6), 1), [None; 3]);
        assert_eq!(averages(&series(-2..6), -1), [None, Some(100), Some(100)]);
    }

    #[test]
    fn after_a_gap_the_average_is_unknown() {
        let gap = || series((0..6).filter(|minute| *minute != 1));
        assert_eq!(averages(&gap(), 0), [Some(100), None, None]);
        assert_eq!(averages(&gap(), 2), [None; 3]);
    }
}
