//! Prices as rows of a chart: integers in the market's finest digit, halves of cells counted from above.

use crate::model::{Market, Num};

/// The range is widened by a twentieth of what must be seen at each end, and by so many units at least.
const MARGIN: i64 = 20;
const LEAST_MARGIN: i64 = 4;
/// A range that was drawn is kept until it is so many percent of what is needed.
const LARGEST_KEPT: i64 = 140;
/// From this ratio of the highest to the lowest price on, in percent, equal distances are equal ratios.
const LOGARITHMIC: i64 = 150;

/// How prices are counted: units of `10^-decimals`, with a market's price step in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceUnit {
    pub(crate) decimals: u32,
    pub(crate) tick: i64,
}

impl PriceUnit {
    /// The unit of a market near `price`.
    pub fn new(market: Option<&Market>, price: Num) -> Self {
        let tick = market.and_then(|market| market.tick(price));
        let Some(tick) = tick else {
            return Self {
                decimals: price.normalized().decimals(),
                tick: 1,
            };
        };
        let decimals = tick.decimals();
        let step = tick.step().to_scaled(decimals);
        Self {
            decimals,
            tick: step.unwrap_or(1).max(1),
        }
    }

    /// The nearest count; `None` for a price beyond all counts.
    pub fn count(self, price: Num) -> Option<i64> {
        price.rounded(self.decimals).to_scaled(self.decimals)
    }

    /// The price of a count.
    pub fn price(self, count: i64) -> Num {
        Num::new(count, self.decimals)
    }
}

/// The lowest and the highest price of a chart, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceRange {
    pub low: i64,
    pub high: i64,
}

impl PriceRange {
    /// With room around `needed`, unless the range drawn before still serves: one that moves at every price would make
    /// every candle jump.
    pub fn kept_or_new(needed: Self, drawn: Option<Self>) -> Self {
        let margin = (needed.height() / MARGIN).max(LEAST_MARGIN);
        let wanted = needed.wider(margin);
        let holds = |drawn: &Self| drawn.low <= needed.low && needed.high <= drawn.high;
        let is_fit = |drawn: &Self| {
            drawn.height().saturating_mul(100) <= wanted.height().saturating_mul(LARGEST_KEPT)
        };
        let kept = drawn.filter(|drawn| holds(drawn) && is_fit(drawn));
        kept.unwrap_or(wanted)
    }

    /// Of one price.
    pub fn at(count: i64) -> Self {
        Self {
            low: count,
            high: count,
        }
    }

    /// With so many units more at each end.
    #[must_use]
    pub fn wider(self, units: i64) -> Self {
        Self {
            low: self.low.saturating_sub(units),
            high: self.high.saturating_add(units),
        }
    }

    pub fn height(self) -> i64 {
        self.high.saturating_sub(self.low)
    }

    pub fn contains(self, count: i64) -> bool {
        (self.low..=self.high).contains(&count)
    }

    /// A quarter lower for every step, about the same middle; higher for steps below zero.
    #[must_use]
    pub fn stretched(self, steps: i8) -> Self {
        let one = |range: Self| {
            let by = range.height() / 8;
            range.wider(if steps > 0 { -by } else { by.max(1) })
        };
        (0..steps.unsigned_abs()).fold(self, |range, _| one(range))
    }

    /// Higher by so many thousandths of its height.
    #[must_use]
    pub fn shifted(self, thousandths: i32) -> Self {
        let by = self.height().saturating_mul(i64::from(thousandths)) / 1_000;
        Self {
            low: self.low.saturating_add(by),
            high: self.high.saturating_add(by),
        }
    }

    /// With this price inside.
    #[must_use]
    pub fn and(self, count: i64) -> Self {
        Self {
            low: self.low.min(count),
            high: self.high.max(count),
        }
    }

    /// The lowest and the highest count that lie in this row, of so many. Where none does, the lowest is above the highest.
    pub fn counts_of(self, row: u16, rows: u16) -> (i64, i64) {
        let row = i64::from(row);
        let of = |count| self.half(count, rows).div_euclid(2);
        let first = |is_reached: &dyn Fn(i64) -> bool| {
            let (mut below, mut above) = (self.low.saturating_sub(1), self.high.saturating_add(1));
            while above.saturating_sub(below) > 1 {
                let middle = below.midpoint(above);
                if is_reached(middle) {
                    above = middle;
                } else {
                    below = middle;
                }
            }
            above
        };
        let lowest = first(&|count| of(count) <= row);
        let above = first(&|count| of(count) < row);
        (lowest, above.saturating_sub(1))
    }

    fn is_logarithmic(self) -> bool {
        self.low > 0 && self.high.saturating_mul(100) >= self.low.saturating_mul(LOGARITHMIC)
    }

    /// The half of a cell that a price lies in, from above, on `rows` rows; below 0 or beyond the last where it lies
    /// outside. A range without height is one line in the middle.
    pub fn half(self, count: i64, rows: u16) -> i64 {
        let last = i64::from(rows) * 2 - 1;
        if self.height() <= 0 {
            return last / 2;
        }
        if self.is_logarithmic() && count > 0 {
            return self.logarithmic(count, last);
        }
        let (below, height) = (self.high.saturating_sub(count), self.height());
        let twice = i128::from(below) * i128::from(last) * 2 + i128::from(height);
        i64::try_from(twice.div_euclid(i128::from(height) * 2)).unwrap_or(i64::MAX)
    }

    /// The row of cells of a price; `None` outside.
    pub fn row(self, count: i64, rows: u16) -> Option<u16> {
        let half = self.half(count, rows);
        let row = u16::try_from(half.div_euclid(2)).ok()?;
        (row < rows).then_some(row)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::float_arithmetic,
        reason = "a row of the screen needs no more than an f64 has"
    )]
    fn logarithmic(self, count: i64, last: i64) -> i64 {
        let [low, high, count] = [self.low, self.high, count].map(|count| (count as f64).ln());
        ((high - count) * last as f64 / (high - low)).round() as i64
    }
}

/// Steps of 1, 2 or 5 and zeros, in whole ticks, of which no more than `most` lie in the range; the highest first.
pub fn round_prices(range: PriceRange, unit: PriceUnit, most: i64) -> Vec<i64> {
    let decades = (0..18).map(|zeros| 10_i64.pow(zeros));
    let steps = decades.flat_map(|decade| [1, 2, 5].map(|times| decade.saturating_mul(times)));
    let is_tick = |step: &i64| step % unit.tick == 0;
    let is_few = |step: &i64| range.height() / step < most.max(1);
    let Some(step) = steps.filter(is_tick).find(is_few) else {
        return vec![];
    };
    let highest = range.high.div_euclid(step).saturating_mul(step);
    let prices = std::iter::successors(Some(highest), |price| price.checked_sub(step));
    prices.take_while(|price| *price >= range.low).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_stays_until_a_price_leaves_it_or_it_is_too_large() {
        let needed = |low, high| PriceRange { low, high };
        let first = PriceRange::kept_or_new(needed(1_000, 1_200), None);
        assert_eq!(first, needed(990, 1_210));
        let moved = PriceRange::kept_or_new(needed(1_005, 1_208), Some(first));
        assert_eq!(moved, first);
        let left = PriceRange::kept_or_new(needed(1_005, 1_215), Some(first));
        assert_eq!(left, needed(995, 1_225));
        let small = PriceRange::kept_or_new(needed(1_100, 1_140), Some(first));
        assert_eq!(small, needed(1_096, 1_144));
    }

    #[test]
    fn a_flat_range_has_room_and_one_without_height_has_one_line() {
        let flat = PriceRange::kept_or_new(PriceRange { low: 5, high: 5 }, None);
        assert_eq!((flat.low, flat.high), (1, 9));
        let none = PriceRange { low: 5, high: 5 };
        assert_eq!(none.row(5, 10), Some(4));
    }

    #[test]
    fn a_price_is_in_the_half_that_the_reference_says() {
        let range = PriceRange {
            low: 65_584,
            high: 65_630,
        };
        let halves = [65_612, 65_608, 65_600, 65_594].map(|price| range.half(price, 10));
        assert_eq!(halves, [7, 9, 12, 15]);
        assert_eq!(range.row(65_631, 10), Some(0));
        assert_eq!(range.row(65_640, 10), None);
        assert_eq!(range.row(65_570, 10), None);
    }

    #[test]
    fn each_price_is_in_the_row_that_holds_it() {
        for (low, high, rows) in [(65_584, 65_630, 10), (100, 400, 7), (1, 9, 20), (5, 5, 3)] {
            let range = PriceRange { low, high };
            for count in low..=high {
                let row = range.row(count, rows).unwrap();
                let (lowest, highest) = range.counts_of(row, rows);
                assert!((lowest..=highest).contains(&count), "{count} in {range:?}");
                assert_eq!(range.row(lowest, rows), Some(row), "{range:?}");
                assert_eq!(range.row(highest, rows), Some(row), "{range:?}");
            }
        }
        let sparse = PriceRange { low: 1, high: 9 };
        let counts: i64 = (0..20)
            .map(|row| sparse.counts_of(row, 20))
            .map(|(low, high)| high - low + 1)
            .sum();
        assert_eq!(counts, 9, "no price is in two rows");
    }

    #[test]
    fn a_range_of_half_as_much_again_is_drawn_by_ratios() {
        let range = PriceRange {
            low: 100,
            high: 400,
        };
        assert_eq!(range.row(200, 11), Some(5));
        assert_eq!(range.row(400, 11), Some(0));
        assert_eq!(range.row(100, 11), Some(10));
    }

    #[test]
    fn labels_are_round_prices_that_an_order_can_have() {
        let range = PriceRange {
            low: 65_584,
            high: 65_630,
        };
        let unit = |tick| PriceUnit { decimals: 0, tick };
        assert_eq!(
            round_prices(range, unit(1), 5),
            [65_630, 65_620, 65_610, 65_600, 65_590]
        );
        assert_eq!(round_prices(range, unit(25), 5), [65_600]);
        let narrow = PriceRange { low: 1, high: 9 };
        assert_eq!(round_prices(narrow, unit(1), 5), [8, 6, 4, 2]);
    }
}
