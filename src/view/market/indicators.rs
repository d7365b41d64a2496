//! Indicators of the candles in view: moving averages, the average true range, Heikin-Ashi candles.
//!
//! An average is unknown until as many candles without a gap are known as it is an average of.

use super::{
    chart_slot::{ChartSlot, Indicators},
    checkpoints::Checkpoints,
    scale::PriceUnit,
};
use crate::{
    app::CandleSeries,
    model::{Candle, Num, Timestamp},
    view::text::Tone,
};

/// An exponential moving average and how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Average {
    /// Of how many closes it is.
    pub closes: u16,
    /// Distinguishes it without a color.
    pub sign: char,
    pub tone: Tone,
}

pub const AVERAGES: [Average; 3] = [
    Average {
        closes: 9,
        sign: '.',
        tone: Tone::Accent,
    },
    Average {
        closes: 21,
        sign: ':',
        tone: Tone::Warn,
    },
    Average {
        closes: 200,
        sign: '~',
        tone: Tone::Muted,
    },
];
/// Of how many candles the average true range is, as its author smooths it (Wilder, 1978).
const RANGE_PERIOD: u16 = 14;
/// Averages are kept in so many parts of the chart's unit.
const PARTS: i128 = 1 << 16;
/// What an average owes to the candle so many before is less than a part: so many before the first in view, or up to
/// twice as many, are enough.
const REACH: i64 = 2_000;
/// What a Heikin-Ashi candle opens with is halved by every candle: so many before the first in view are enough.
const LED_IN: i64 = 60;

/// A mean of the first candles, and from then on of itself and each new value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Smoothed {
    seen: u16,
    /// The sum of what was seen until it is an average.
    value: i128,
}

impl Smoothed {
    /// With one value more, which counts `weight` of `of`.
    fn add(&mut self, value: i64, period: u16, (weight, of): (i128, i128)) {
        let value = i128::from(value).saturating_mul(PARTS);
        if self.seen < period {
            self.seen += 1;
            self.value = self.value.saturating_add(value);
            if self.seen == period {
                self.value /= i128::from(period.max(1));
            }
        } else {
            let apart = value.saturating_sub(self.value).saturating_mul(weight);
            self.value = self.value.saturating_add(apart / of.max(1));
        }
    }

    fn rounded(self, period: u16) -> Option<i64> {
        let whole = (self.value.saturating_add(PARTS / 2)).div_euclid(PARTS);
        i64::try_from(whole).ok().filter(|_| self.seen >= period)
    }
}

/// The indicators after one candle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    at: Timestamp,
    close: i64,
    averages: [Smoothed; 3],
    range: Smoothed,
}

impl Run {
    /// After the next candle; begun anew where candles are missing before it.
    fn and(run: Option<Self>, candle: &Candle, step: i64, unit: PriceUnit) -> Option<Self> {
        let [high, low, close] =
            [candle.high, candle.low, candle.close].map(|price| unit.count(price));
        let (high, low, close) = (high?, low?, close?);
        let before = run.filter(|run| run.at.0.saturating_add(step) == candle.open_time.0);
        let mut run = before.unwrap_or(Self {
            at: candle.open_time,
            close,
            averages: [Smoothed::default(); 3],
            range: Smoothed::default(),
        });
        let reach = before.map_or(high.saturating_sub(low), |before| {
            high.max(before.close).saturating_sub(low.min(before.close))
        });
        for (average, Average { closes, .. }) in run.averages.iter_mut().zip(AVERAGES) {
            average.add(close, closes, (2, i128::from(closes) + 1));
        }
        run.range
            .add(reach, RANGE_PERIOD, (1, i128::from(RANGE_PERIOD)));
        (run.at, run.close) = (candle.open_time, close);
        Some(run)
    }

    fn indicators(&self) -> Indicators {
        let [short, middle, long] = self.averages;
        let [of_short, of_middle, of_long] = AVERAGES.map(|average| average.closes);
        Indicators {
            averages: [
                short.rounded(of_short),
                middle.rounded(of_middle),
                long.rounded(of_long),
            ],
            range: self.range.rounded(RANGE_PERIOD),
        }
    }
}

/// The indicators before the first candle in view, so that a frame computes only what has come into view.
#[derive(Debug, Clone, Default)]
pub(crate) struct IndicatorMemory(Checkpoints<Option<Run>>);

impl IndicatorMemory {
    /// Gives every slot its indicators.
    pub(crate) fn fill(
        &mut self,
        series: &CandleSeries,
        first: Timestamp,
        unit: PriceUnit,
        slots: &mut [ChartSlot],
    ) {
        let step = series.interval().millis();
        let mut run = self.before(series, first, unit);
        for slot in slots {
            let next = slot.candle.as_ref();
            run = next.and_then(|candle| Run::and(run, candle, step, unit));
            slot.indicators = run.as_ref().map(Run::indicators).unwrap_or_default();
        }
    }

    /// After the last candle before `first`.
    fn before(&mut self, series: &CandleSeries, first: Timestamp, unit: PriceUnit) -> Option<Run> {
        let step = series.interval().millis();
        let first_bar = first_bar(first, step).max(series.oldest()?.open_time);
        let add = |run, candle: &Candle| Run::and(run, candle, step, unit);
        self.0.sum((series, unit), (first_bar, first), None, add)
    }
}

/// Where the averages of candles from `first` on begin: the same instant for many of them, so that what is known serves on.
fn first_bar(first: Timestamp, step: i64) -> Timestamp {
    let reach = step.saturating_mul(REACH).max(1);
    let back = first.0.saturating_sub(reach);
    Timestamp(back.saturating_sub(back.rem_euclid(reach)))
}

/// Makes the candles in view Heikin-Ashi candles; volume and times stay theirs.
pub(crate) fn heikin_ashi(series: &CandleSeries, first: Timestamp, slots: &mut [ChartSlot]) {
    let reach = series.interval().millis().saturating_mul(LED_IN);
    let from = Timestamp(first.0.saturating_sub(reach));
    let mut before = None;
    for candle in series.within(from..first) {
        before = averaged(before, candle).or(before);
    }
    for candle in slots.iter_mut().filter_map(|slot| slot.candle.as_mut()) {
        if let Some(drawn) = averaged(before, candle) {
            *candle = drawn;
            before = Some(drawn);
        }
    }
}

/// Closes at the mean of its four prices and opens in the middle of the one `before`.
fn averaged(before: Option<Candle>, candle: &Candle) -> Option<Candle> {
    let middle = |one: Num, other: Num| one.plus(other)?.over(Num::from(2_u32));
    let close = middle(
        middle(candle.open, candle.close)?,
        middle(candle.high, candle.low)?,
    )?;
    let open = match before {
        Some(before) => middle(before.open, before.close)?,
        None => middle(candle.open, candle.close)?,
    };
    Some(Candle {
        open,
        close,
        high: candle.high.max(open).max(close),
        low: candle.low.min(open).min(close),
        ..*candle
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::CandleOrigin,
        model::{Interval, Market},
    };

    const MINUTE: i64 = 60_000;

    fn candle(minute: i64, close: i64) -> Candle {
        Candle {
            open_time: Timestamp(minute * MINUTE),
            open: (close - 1).into(),
            high: (close + 3).into(),
            low: (close - 5).into(),
            close: close.into(),
            volume: None,
            turnover: None,
            trades: Some(1),
            is_closed: true,
            is_synthetic: false,
        }
    }

    fn series(closes: impl Iterator<Item = (i64, i64)>) -> CandleSeries {
        let rows: Vec<_> = closes
            .map(|(minute, close)| candle(minute, close))
            .collect();
        let until = rows.last().map_or(0, |row| row.open_time.0) + MINUTE;
        let mut series = CandleSeries::new(Interval::Minute1, CandleOrigin::Source);
        // A candle that could not be read is missing, and is not filled in.
        series.count_unreadable(1);
        series.merge(rows, Timestamp(until), None);
        series
    }

    fn at(series: &CandleSeries, minute: i64) -> Indicators {
        let first = Timestamp(minute * MINUTE);
        let mut slots = [ChartSlot {
            candle: series.at(first).copied(),
            ..ChartSlot::default()
        }];
        let unit = PriceUnit::new(None::<&Market>, 100_i64.into());
        IndicatorMemory::default().fill(series, first, unit, &mut slots);
        slots.map(|slot| slot.indicators)[0]
    }

    #[test]
    fn an_average_of_nine_begins_with_their_mean_and_follows_by_a_fifth() {
        let rising = series((0..12).map(|minute| (minute, 100 + minute * 10)));
        assert_eq!(at(&rising, 7).averages, [None; 3]);
        assert_eq!(at(&rising, 8).averages, [Some(140), None, None]);
        // 140 + (190 - 140) / 5.
        assert_eq!(at(&rising, 9).averages, [Some(150), None, None]);
    }

    #[test]
    fn the_true_range_reaches_to_the_close_before() {
        let flat = series((0..20).map(|minute| (minute, 100)));
        assert_eq!(at(&flat, 12).range, None);
        assert_eq!(at(&flat, 13).range, Some(8));
        let leap = series((0..15).map(|minute| (minute, if minute < 14 { 100 } else { 239 })));
        // (8 * 13 + (242 - 100)) / 14, to the nearest.
        assert_eq!(at(&leap, 14).range, Some(18));
    }

    #[test]
    fn averages_begin_anew_after_a_gap() {
        let gap = series(
            (0..30)
                .filter(|minute| *minute != 15)
                .map(|minute| (minute, 100)),
        );
        assert_eq!(at(&gap, 14).averages, [Some(100), None, None]);
        assert_eq!(at(&gap, 20).averages, [None; 3]);
        assert_eq!(at(&gap, 24).averages, [Some(100), None, None]);
    }

    #[test]
    fn what_was_computed_before_gives_the_same_as_computing_it_all() {
        let series = series((0..300).map(|minute| (minute, 100 + minute * minute % 17)));
        let unit = PriceUnit::new(None::<&Market>, 100_i64.into());
        let mut memory = IndicatorMemory::default();
        for minute in [30, 31, 64, 65, 290, 210, 129, 128, 25, 299] {
            let first = Timestamp(minute * MINUTE);
            let mut slots = [ChartSlot {
                candle: series.at(first).copied(),
                ..ChartSlot::default()
            }];
            memory.fill(&series, first, unit, &mut slots);
            assert_eq!(slots[0].indicators, at(&series, minute), "{minute}");
        }
    }

    #[test]
    fn scrolling_back_reads_a_few_thousand_candles_of_a_long_series() {
        let long = series((0..12_000).map(|minute| (minute, 100 + minute % 17)));
        let whole = |first: i64| {
            let rows = long.within(Timestamp(0)..Timestamp(first * MINUTE + 1));
            let unit = PriceUnit::new(None::<&Market>, 100_i64.into());
            let run = rows.fold(None, |run, candle| Run::and(run, candle, MINUTE, unit));
            run.unwrap().indicators()
        };
        for first in [11_999, 9_000, 8_999, 4_001] {
            assert_eq!(at(&long, first), whole(first), "{first}");
            let first_bar = first_bar(Timestamp(first * MINUTE), MINUTE).0 / MINUTE;
            assert!(first - first_bar <= 2 * REACH, "{first} from {first_bar}");
        }
    }

    #[test]
    fn a_heikin_ashi_candle_opens_in_the_middle_of_the_one_before() {
        let series = series([(0, 100), (1, 110)].into_iter());
        let mut slots = [0, 1].map(|minute| ChartSlot {
            candle: series.at(Timestamp(minute * MINUTE)).copied(),
            ..ChartSlot::default()
        });
        heikin_ashi(&series, Timestamp(0), &mut slots);
        let [first, second] = slots.map(|slot| slot.candle.unwrap());
        let num = |text: &str| text.parse::<Num>().unwrap();
        assert_eq!((first.open, first.close), (num("99.5"), num("99.25")));
        assert_eq!((second.open, second.close), (num("99.375"), num("109.25")));
        assert_eq!((second.high, second.low), (num("113"), num("99.375")));
    }
}
