//! The order book of a market, as far as a source shows it, and what an order would fill against it.
//!
//! Known limit: a source shows only the nearest levels; nothing is known beyond the last of them.

use super::{Num, Side};
use serde::{Deserialize, Serialize};

/// A size in coin at a price in USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    pub price: Num,
    pub size: Num,
}

/// The nearest levels of each side, best price first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Book {
    bids: Vec<Level>,
    asks: Vec<Level>,
}

/// The simulated fill of an order against the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// The size that fills at once, in coin.
    pub filled: Num,
    /// Its cost in USD.
    pub cost: Num,
    /// Its average price; `None` if nothing fills.
    pub average: Option<Num>,
    /// The size that no level fills.
    pub rest: Num,
}

impl Book {
    /// Sorts the levels and drops those without a size.
    pub fn new(mut bids: Vec<Level>, mut asks: Vec<Level>) -> Self {
        for side in [&mut bids, &mut asks] {
            side.retain(|level| level.size.is_positive());
            side.sort_by_key(|level| level.price);
        }
        bids.reverse();
        Self { bids, asks }
    }

    /// One side, the best price first.
    pub fn levels(&self, side: Side) -> &[Level] {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    /// The best price of a side.
    pub fn best(&self, side: Side) -> Option<Num> {
        self.levels(side).first().map(|level| level.price)
    }

    /// Whether the best bid is above the best ask, or at it: no such market trades.
    pub fn is_crossed(&self) -> bool {
        let best = self.best(Side::Buy).zip(self.best(Side::Sell));
        best.is_some_and(|(bid, ask)| bid >= ask)
    }

    /// Halfway between the best prices; `None` if a side is empty.
    pub fn mid(&self) -> Option<Num> {
        let (bid, ask) = (self.bids.first()?, self.asks.first()?);
        bid.price.plus(ask.price)?.over(Num::from(2_u32))
    }

    /// Fills `quantity` coin at the limit or better. `None` if a number has too many digits.
    pub fn sweep(&self, side: Side, quantity: Num, limit: Option<Num>) -> Option<Sweep> {
        self.clone().take(side, quantity, limit)
    }

    /// The same, and removes what it fills.
    pub fn take(&mut self, side: Side, quantity: Num, limit: Option<Num>) -> Option<Sweep> {
        let levels = match side {
            Side::Buy => &mut self.asks,
            Side::Sell => &mut self.bids,
        };
        let is_within = |price: Num, limit: Num| match side {
            Side::Buy => price <= limit,
            Side::Sell => price >= limit,
        };
        let reached = levels
            .iter_mut()
            .take_while(|level| limit.is_none_or(|limit| is_within(level.price, limit)));
        let (mut rest, mut cost) = (quantity, Num::ZERO);
        for level in reached {
            let taken = level.size.min(rest);
            cost = cost.plus(level.price.times(taken)?)?;
            rest = rest.minus(taken)?;
            level.size = level.size.minus(taken)?;
        }
        let filled = quantity.minus(rest)?;
        Some(Sweep {
            filled,
            cost,
            average: cost.over(filled).filter(|_| filled.is_positive()),
            rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn level(price: &str, size: &str) -> Level {
        Level {
            price: num(price),
            size: num(size),
        }
    }

    fn book() -> Book {
        Book::new(
            vec![level("98", "3"), level("99", "1")],
            vec![level("101", "1"), level("103", "2"), level("102", "0")],
        )
    }

    #[test]
    fn an_order_fills_level_by_level_and_what_the_levels_do_not_hold_is_left() {
        let sweep = |side, size, limit: Option<&str>| {
            let sweep = book().sweep(side, num(size), limit.map(num)).unwrap();
            (sweep.filled, sweep.average, sweep.rest)
        };
        assert_eq!(
            sweep(Side::Buy, "2", None),
            (num("2"), Some(num("102")), num("0"))
        );
        assert_eq!(
            sweep(Side::Buy, "5", Some("102")),
            (num("1"), Some(num("101")), num("4"))
        );
        assert_eq!(
            sweep(Side::Sell, "10", None),
            (num("4"), Some(num("98.25")), num("6"))
        );
        assert_eq!(
            sweep(Side::Sell, "1", Some("99.5")),
            (num("0"), None, num("1"))
        );
        assert_eq!(book().mid(), Some(num("100")));
        assert_eq!(Book::default().mid(), None);
    }
}
