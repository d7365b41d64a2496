//! The plan of a TWAP or scaled order: number and spacing of slices, sizes and prices of rungs.
//!
//! The paper exchange uses the same arithmetic (`docs/engine.md 5.1, 5.4`); for any other service it is an estimate.

use super::{Book, Distribution, Market, Num, Side};

/// Shortest time between slices, in seconds.
const LEAST_INTERVAL: i64 = 30;
/// The number of slices is limited so that each is worth at least this, USD.
const SLICE_VALUE: i64 = 10;
/// More rungs than any scaled order has.
const MOST_RUNGS: i64 = 1_000;

/// When the slices of a TWAP run: the first at its start, the last at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    pub interval_seconds: i64,
    pub slices: i64,
}

impl Schedule {
    /// `notional` in whole USD.
    pub fn new(duration_seconds: i64, notional: i64) -> Self {
        let affordable = notional / SLICE_VALUE;
        let apart = duration_seconds
            .checked_div(affordable)
            .map_or(duration_seconds, |whole| {
                whole + i64::from(duration_seconds % affordable != 0)
            });
        Self::every(duration_seconds, apart.max(LEAST_INTERVAL))
    }

    /// With an interval above zero that was chosen.
    pub fn every(duration_seconds: i64, interval_seconds: i64) -> Self {
        let whole = duration_seconds.checked_div(interval_seconds);
        Self {
            interval_seconds,
            slices: whole.unwrap_or(0) + 1,
        }
    }
}

/// `total` in `rungs` parts by their weights. The largest remainders get what rounding leaves, the lower rung first. The
/// parts sum to `total` exactly.
pub fn shares(total: i64, rungs: i64, distribution: Distribution) -> Vec<i64> {
    let weight = |rung: i64| i128::from(weight(rung, rungs, distribution));
    let all: i128 = (0..rungs).map(weight).sum::<i128>().max(1);
    let mut shares: Vec<(i64, i128)> = (0..rungs)
        .map(|rung| {
            let exact = i128::from(total) * weight(rung);
            let floor = i64::try_from(exact / all).unwrap_or(0);
            (floor, exact % all)
        })
        .collect();
    let missing = total - shares.iter().map(|(floor, _)| floor).sum::<i64>();
    let mut by_remainder: Vec<&mut (i64, i128)> = shares.iter_mut().collect();
    by_remainder.sort_by_key(|(_, remainder)| std::cmp::Reverse(*remainder));
    let extra = usize::try_from(missing).unwrap_or(0);
    for (floor, _) in by_remainder.into_iter().take(extra) {
        *floor += 1;
    }
    shares.into_iter().map(|(floor, _)| floor).collect()
}

/// The weight of a rung, the first being 0: 1 each, or 1, 2, 3 … from one end. Only its share of the sum matters.
fn weight(rung: i64, rungs: i64, distribution: Distribution) -> i64 {
    match distribution {
        Distribution::Flat => 1,
        Distribution::Ascending => rung + 1,
        Distribution::Descending => rungs - rung,
    }
}

/// The parameters of a scaled order.
#[derive(Debug, Clone, Copy)]
pub struct RungPlan<'a> {
    pub side: Side,
    pub start: Num,
    pub end: Num,
    pub rungs: Num,
    pub distribution: Distribution,
    /// For the price steps; without it prices stay exact.
    pub market: Option<&'a Market>,
}

/// One rung of a scaled order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRung {
    pub price: Num,
    /// In coin.
    pub size: Num,
    /// Its value when it fills, USD.
    pub worth: Num,
}

impl RungPlan<'_> {
    /// The rungs of `total` in order, each at its own price. A rung that crosses the `book` fills against what earlier
    /// rungs left.
    pub fn rungs(
        &self,
        total: Num,
        decimals: u32,
        book: Option<&Book>,
    ) -> Option<Vec<PlannedRung>> {
        let mut book = book.cloned().unwrap_or_default();
        let sizes = self.sizes(total, decimals)?;
        let rungs = self.prices()?.into_iter().zip(sizes);
        rungs
            .map(|(price, size)| {
                let met = book.take(self.side, size, Some(price))?;
                let worth = met.cost.plus(met.rest.times(price)?)?;
                Some(PlannedRung { price, size, worth })
            })
            .collect()
    }

    /// The prices, both ends included, on the grid and rounded to the passive side.
    pub fn prices(&self) -> Option<Vec<Num>> {
        let count = self.count()?;
        let last = Num::from((count - 1).max(1));
        let span = self.end.minus(self.start)?;
        (0..count)
            .map(|rung| {
                let exact = self.start.plus(span.times(Num::from(rung))?.over(last)?)?;
                Some(self.on_grid(exact))
            })
            .collect()
    }

    /// The sizes of `total` in lots of 10^-`decimals`, in the order of the prices.
    pub fn sizes(&self, total: Num, decimals: u32) -> Option<Vec<Num>> {
        let lots: i64 = total.to_scaled(decimals)?;
        let shares = shares(lots, self.count()?, self.distribution).into_iter();
        Some(shares.map(|lots| Num::new(lots, decimals)).collect())
    }

    /// The average price per coin if every rung fills at its own price.
    pub fn average(&self) -> Option<Num> {
        let count = self.count()?;
        let weights = (0..count).map(|rung| Num::from(weight(rung, count, self.distribution)));
        let none = (Num::ZERO, Num::ZERO);
        let (paid, all) = self.prices()?.into_iter().zip(weights).try_fold(
            none,
            |(paid, all), (price, weight)| {
                Some((paid.plus(price.times(weight)?)?, all.plus(weight)?))
            },
        )?;
        paid.over(all)
    }

    fn count(&self) -> Option<i64> {
        let count = self.rungs.to_i64().filter(|_| self.rungs.decimals() == 0)?;
        (2..=MOST_RUNGS).contains(&count).then_some(count)
    }

    fn on_grid(&self, exact: Num) -> Num {
        let tick = self.market.and_then(|market| market.tick(exact));
        tick.map_or(exact, |tick| tick.resting(exact, self.side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn schedule(minutes: i64, dollars: i64) -> (i64, i64) {
        let made = Schedule::new(minutes * 60, dollars);
        (made.interval_seconds, made.slices)
    }

    #[test]
    fn slices_are_half_a_minute_apart_or_as_far_as_ten_dollars_each_needs() {
        assert_eq!(schedule(60, 10_000), (30, 121));
        assert_eq!(schedule(24 * 60, 10_000), (87, 994));
        assert_eq!(schedule(5, 100), (30, 11));
        assert_eq!(schedule(5, 0), (300, 2));
    }

    #[test]
    fn a_scaled_order_sums_to_its_total_to_the_lot() {
        use Distribution::{Ascending, Descending, Flat};
        assert_eq!(shares(300, 3, Flat), [100, 100, 100]);
        assert_eq!(shares(12, 3, Ascending), [2, 4, 6]);
        assert_eq!(shares(1_000, 4, Descending), [400, 300, 200, 100]);
        assert_eq!(shares(100, 3, Flat), [34, 33, 33]);
    }

    #[test]
    fn rungs_stand_evenly_on_valid_prices_on_the_side_that_rests() {
        let eth = Market {
            size_decimals: Some(4),
            ..Market::new("paper|ETH".into())
        };
        let scaled = |side| RungPlan {
            side,
            start: num("2657.15"),
            end: num("2662.47"),
            rungs: num("3"),
            distribution: Distribution::Flat,
            market: Some(&eth),
        };
        let shown = |side| {
            let prices = scaled(side).prices().unwrap();
            prices.iter().map(Num::to_string).collect::<Vec<_>>()
        };
        assert_eq!(shown(Side::Buy), ["2657.1", "2659.8", "2662.4"]);
        assert_eq!(shown(Side::Sell), ["2657.2", "2659.9", "2662.5"]);
        let sizes = scaled(Side::Buy).sizes(num("1"), 4).unwrap();
        assert_eq!(sizes, [num("0.3334"), num("0.3333"), num("0.3333")]);
    }

    #[test]
    fn a_rung_through_the_book_fills_at_what_those_before_it_have_left_there() {
        let level = |price, size| super::super::Level {
            price: num(price),
            size: num(size),
        };
        let book = Book::new(vec![], vec![level("90", "1.5"), level("95", "1")]);
        let scaled = RungPlan {
            side: Side::Buy,
            start: num("100"),
            end: num("80"),
            rungs: num("3"),
            distribution: Distribution::Flat,
            market: None,
        };
        let worths = |book| {
            let rungs = scaled.rungs(num("3"), 0, book).unwrap();
            rungs.iter().map(|rung| rung.worth).collect::<Vec<_>>()
        };
        assert_eq!(worths(None), [num("100"), num("90"), num("80")]);
        assert_eq!(worths(Some(&book)), [num("90"), num("90"), num("80")]);
        // Half a coin is left at 90; the second rung's limit reaches no further.
        let large = scaled.rungs(num("6"), 0, Some(&book)).unwrap();
        assert_eq!(large[0].worth, num("182.5"));
        assert_eq!(large[1].worth, num("180"));
    }

    #[test]
    fn the_average_of_a_scaled_order_leans_to_its_larger_rungs() {
        let scaled = |distribution, rungs| RungPlan {
            side: Side::Buy,
            start: num("100"),
            end: num("90"),
            rungs: num(rungs),
            distribution,
            market: None,
        };
        assert_eq!(
            scaled(Distribution::Flat, "3")
                .average()
                .map(|a| a.rounded(4)),
            Some(num("95.0000"))
        );
        assert_eq!(
            scaled(Distribution::Ascending, "3")
                .average()
                .map(|a| a.rounded(2)),
            Some(num("93.33"))
        );
        for rungs in ["1", "0", "2.5", "5000"] {
            assert_eq!(scaled(Distribution::Flat, rungs).prices(), None, "{rungs}");
        }
    }
}
