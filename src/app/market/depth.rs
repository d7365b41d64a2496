//! The order book in rows of one price step, as the price ladder shows it.
//!
//! Contract: a row's size is the sum of all levels of that side that round to its price: bids down, asks up. Beyond the
//! source's last level the depth is unknown.

use crate::model::{Book, Level, Num, Side, Tick};

/// The depth of one side at one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Beyond the last level of the book: unknown.
    Hidden,
    /// No size.
    Empty,
    /// Coin.
    Size(Num),
}

/// How many ticks lie between two rows: 1, 2, 5, 10, 20, 50 and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct GroupStep(u32);

/// 5 × 10^6 ticks.
const COARSEST: u32 = 20;

impl GroupStep {
    pub fn ticks(self) -> i64 {
        let leading = match self.0 % 3 {
            0 => 1,
            1 => 2,
            _ => 5,
        };
        leading * 10_i64.pow(self.0 / 3)
    }

    #[must_use]
    pub fn finer(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    #[must_use]
    pub fn coarser(self) -> Self {
        Self((self.0 + 1).min(COARSEST))
    }

    /// The distance between two rows, of a market with this tick.
    pub fn spacing(self, tick: Tick) -> Option<Tick> {
        Tick::of(tick.step().times(Num::from(self.ticks()))?)
    }
}

/// The row that a level of this side belongs to.
pub fn row_of(price: Num, side: Side, step: Tick) -> Num {
    step.resting(price, side)
}

/// The rows of both sides that lie between two prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedBook {
    bids: GroupedSide,
    asks: GroupedSide,
}

/// One side: its rows, the best first, and the row of the last level that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupedSide {
    rows: Vec<Level>,
    last: Option<Num>,
}

impl GroupedBook {
    /// Sums only rows from `low` to `high`: a book of a thousand levels costs no more than its visible part.
    pub fn new(book: &Book, step: Tick, (low, high): (Num, Num)) -> Self {
        let beyond = |price: Num, by: i64| {
            let away = step.step().times(Num::from(by));
            away.and_then(|away| price.plus(away)).unwrap_or(price)
        };
        let (low, high) = (beyond(low, -1), beyond(high, 1));
        let side = |side: Side| {
            let levels = book.levels(side);
            let seen = |level: &&Level| (low..=high).contains(&level.price);
            let first = levels.partition_point(|level| match side {
                Side::Buy => level.price > high,
                Side::Sell => level.price < low,
            });
            let levels_seen = levels.get(first..).unwrap_or_default();
            GroupedSide {
                rows: summed(levels_seen.iter().take_while(seen), side, step),
                last: levels.last().map(|level| row_of(level.price, side, step)),
            }
        };
        Self {
            bids: side(Side::Buy),
            asks: side(Side::Sell),
        }
    }

    pub fn depth(&self, side: Side, price: Num) -> Depth {
        let of_side = match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        };
        let is_behind = |last: Num| match side {
            Side::Buy => price < last,
            Side::Sell => price > last,
        };
        if of_side.last.is_none_or(is_behind) {
            return Depth::Hidden;
        }
        let row = of_side.rows.iter().find(|row| row.price == price);
        row.map_or(Depth::Empty, |row| Depth::Size(row.size))
    }

    /// The largest row of both sides: the scale of the bars.
    pub fn largest(&self) -> Option<Num> {
        let rows = self.bids.rows.iter().chain(&self.asks.rows);
        rows.map(|row| row.size).max()
    }
}

fn summed<'a>(levels: impl Iterator<Item = &'a Level>, side: Side, step: Tick) -> Vec<Level> {
    let mut rows: Vec<Level> = vec![];
    for level in levels {
        let price = row_of(level.price, side, step);
        match rows.last_mut() {
            Some(row) if row.price == price => {
                row.size = row.size.plus(level.size).unwrap_or(row.size);
            }
            Some(_) | None => rows.push(Level {
                price,
                size: level.size,
            }),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn levels(levels: &[(&str, &str)]) -> Vec<Level> {
        let level = |(price, size): &(&str, &str)| Level {
            price: num(price),
            size: num(size),
        };
        levels.iter().map(level).collect()
    }

    fn tick(step: &str) -> Tick {
        Tick::of(num(step)).unwrap()
    }

    #[test]
    fn the_steps_are_one_two_five_and_their_tens() {
        let mut step = GroupStep::default();
        let mut ticks = vec![];
        for _ in 0..8 {
            ticks.push(step.ticks());
            step = step.coarser();
        }
        assert_eq!(ticks, [1, 2, 5, 10, 20, 50, 100, 200]);
        assert_eq!(GroupStep::default().finer(), GroupStep::default());
    }

    // 9395.5 by 100 is 9300 as a bid and 9400 as an ask.
    #[test]
    fn bids_round_down_and_asks_round_up() {
        let of = |side| row_of(num("9395.5"), side, tick("100"));
        assert_eq!(of(Side::Buy), num("9300"));
        assert_eq!(of(Side::Sell), num("9400"));
        assert_eq!(row_of(num("9400"), Side::Buy, tick("100")), num("9400"));
    }

    #[test]
    fn behind_the_last_level_is_hidden_and_between_levels_is_empty() {
        let book = Book::new(
            levels(&[("100", "1"), ("98", "2")]),
            levels(&[("101", "3"), ("103", "4")]),
        );
        let grouped = GroupedBook::new(&book, tick("1"), (num("95"), num("106")));
        let depths = |side, prices: [&str; 4]| prices.map(|p| grouped.depth(side, num(p)));
        let (size, none) = (|text: &str| Depth::Size(num(text)), Depth::Empty);
        let bids = depths(Side::Buy, ["100", "99", "98", "97"]);
        assert_eq!(bids, [size("1"), none, size("2"), Depth::Hidden]);
        let asks = depths(Side::Sell, ["101", "102", "103", "104"]);
        assert_eq!(asks, [size("3"), none, size("4"), Depth::Hidden]);
        assert_eq!(grouped.largest(), Some(num("4")));
        let none = GroupedBook::new(&Book::default(), tick("1"), (num("95"), num("106")));
        assert_eq!(none.depth(Side::Buy, num("100")), Depth::Hidden);
        assert_eq!(none.largest(), None);
    }

    proptest! {
        #[test]
        fn what_is_grouped_comes_to_what_was_told(
            sizes in proptest::collection::vec((1_i64..500, 1_i64..1_000), 1..60),
            ticks in 0_u32..6,
        ) {
            let step = (0..ticks).fold(GroupStep::default(), |step, _| step.coarser());
            let step = step.spacing(tick("0.5")).unwrap();
            let side = |away: i64| sizes.iter().map(move |(ticks, size)| Level {
                price: num("500").plus(Num::new(away * ticks * 5, 1)).unwrap(),
                size: Num::new(*size, 2),
            });
            let book = Book::new(side(-1).collect(), side(1).collect());
            let grouped = GroupedBook::new(&book, step, (num("0"), num("1000")));
            let total = |rows: &mut dyn Iterator<Item = Num>| {
                rows.fold(Num::ZERO, |sum, size| sum.plus(size).unwrap())
            };
            for (side, of_side) in [(Side::Buy, &grouped.bids), (Side::Sell, &grouped.asks)] {
                let raw = total(&mut book.levels(side).iter().map(|level| level.size));
                prop_assert_eq!(total(&mut of_side.rows.iter().map(|row| row.size)), raw);
                for row in &of_side.rows {
                    prop_assert!(step.holds(row.price), "{} is no row", row.price);
                    prop_assert_eq!(grouped.depth(side, row.price), Depth::Size(row.size));
                }
            }
        }
    }
}
