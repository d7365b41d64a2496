//! The mark price and the market's recent history (docs/engine.md 6.9).
//!
//! The mark is the median of: oracle + 150 s EMA of (mid − oracle); median(bid, ask, last); oracle. The exchange has no
//! other venues to compare with, so the third value's basis is 0.

use serde::{Deserialize, Serialize};

use super::book::OrderBook;
use crate::exchange::engine::state::{Millis, Px, Side, Usd};

/// exp(−0.25 s / 150 s) in 1 / 2³².
const EMA_DECAY: i128 = 4_287_814_979;
/// Fractional bits the EMA keeps.
const EMA_FRACTION_BITS: u32 = 16;

/// Weighted sums of samples and of weights; both decay by [`EMA_DECAY`] per step.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Ema {
    sum: i128,
    weight: i128,
}

impl Ema {
    /// `twice` is twice the sample, because a midpoint may end on half a unit.
    fn sample(&mut self, twice: i64) {
        self.sum = ((self.sum * EMA_DECAY) >> 32) + (i128::from(twice) << EMA_FRACTION_BITS);
        self.weight = ((self.weight * EMA_DECAY) >> 32) + (1 << EMA_FRACTION_BITS);
    }

    fn value(self) -> Px {
        let twice = self.sum.checked_div(self.weight).unwrap_or(0);
        Px(i64::try_from(twice.div_euclid(2)).unwrap_or(0))
    }
}

/// The mark with this step's book.
pub(crate) fn mark(ema: &mut Ema, oracle: Px, book: &OrderBook, last: Option<Px>) -> Px {
    if let Some(twice) = book.twice_mid() {
        ema.sample(twice - 2 * oracle.0);
    }
    let touch = [book.best(Side::Buy), book.best(Side::Sell), last];
    let traded = median(touch.into_iter().flatten().collect()).unwrap_or(oracle);
    median(vec![oracle + ema.value(), traded, oracle]).unwrap_or(oracle)
}

/// The median; of two prices the lower.
fn median(mut prices: Vec<Px>) -> Option<Px> {
    prices.sort_unstable();
    prices.get(prices.len().saturating_sub(1) / 2).copied()
}

/// Marks and volume of the last 24 hours, by hour.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct DayStats {
    hours: std::collections::VecDeque<HourStats>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct HourStats {
    starts: Millis,
    mark: Px,
    volume: Usd,
}

impl DayStats {
    pub(crate) fn step(&mut self, now: Millis, mark: Px, volume: Usd) {
        let starts = Millis(now.next_hour().0 - Millis::HOUR.0);
        match self.hours.back_mut() {
            Some(hour) if hour.starts == starts => hour.volume += volume,
            Some(_) | None => self.hours.push_back(HourStats {
                starts,
                mark,
                volume,
            }),
        }
        if self.hours.len() > 25 {
            self.hours.pop_front();
        }
    }

    /// Moves every hour in time; each begins where an hour does.
    pub(crate) fn shift(&mut self, by: Millis) {
        for hour in &mut self.hours {
            let within = hour.starts + by;
            hour.starts = Millis(within.next_hour().0 - Millis::HOUR.0);
        }
    }

    /// The mark a day ago, or at the start.
    pub(crate) fn first_mark(&self) -> Option<Px> {
        self.hours.front().map(|hour| hour.mark)
    }

    pub(crate) fn volume(&self) -> Usd {
        self.hours.iter().map(|hour| hour.volume).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::{BookLevel, Lots};

    fn book(bid: i64, ask: i64) -> OrderBook {
        let level = |px| BookLevel {
            px: Px(px),
            size: Lots(1),
        };
        let mut book = OrderBook::default();
        book.refresh(&[level(bid)], &[level(ask)]);
        book
    }

    #[test]
    fn one_odd_print_does_not_move_the_mark_off_the_index() {
        let mut ema = Ema::default();
        let fair = mark(&mut ema, Px(10_000), &book(9_999, 10_001), Some(Px(10_000)));
        assert_eq!(fair, Px(10_000));
        let spiked = mark(&mut ema, Px(10_000), &book(9_999, 10_001), Some(Px(20_000)));
        assert_eq!(spiked, Px(10_000));
    }

    #[test]
    fn a_lasting_premium_of_the_book_carries_the_mark_with_it() {
        let mut ema = Ema::default();
        let rich = book(10_099, 10_101);
        let marks: Vec<Px> = (0..2_400)
            .map(|_| mark(&mut ema, Px(10_000), &rich, None))
            .collect();
        assert_eq!(marks.last(), Some(&Px(10_099)));
    }
}
