//! A number for each price of a book's two sides.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use serde::{Deserialize, Serialize};

use crate::exchange::engine::state::{Px, Side};

/// In the order of sides and prices, so that a book is walked and not searched: every step reads forty prices, best
/// first. Stored like a map.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct PerPrice(Vec<PriceNumber>);

type PriceNumber = ((Side, Px), f64);

impl PerPrice {
    /// From the numbers of both sides, each from its best price to its worst.
    pub(super) fn from_sides(bids: &[(Px, f64)], asks: &[(Px, f64)]) -> Self {
        let bids = bids
            .iter()
            .rev()
            .map(|(px, number)| ((Side::Buy, *px), *number));
        let asks = asks.iter().map(|(px, number)| ((Side::Sell, *px), *number));
        Self(bids.chain(asks).collect())
    }

    pub(super) fn add(&mut self, side: Side, px: Px, number: f64) {
        match self.0.binary_search_by_key(&(side, px), |(key, _)| *key) {
            Ok(at) => {
                if let Some((_, known)) = self.0.get_mut(at) {
                    *known += number;
                }
            }
            Err(at) => self.0.insert(at, ((side, px), number)),
        }
    }

    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&mut f64) -> bool) {
        self.0.retain_mut(|(_, number)| keeps(number));
    }

    pub(super) fn walk(&self, side: Side) -> PriceWalk<'_> {
        let asks = self.0.partition_point(|((side, _), _)| *side == Side::Buy);
        let (bids, asks) = self.0.split_at(asks);
        match side {
            Side::Buy => PriceWalk { side, left: bids },
            Side::Sell => PriceWalk { side, left: asks },
        }
    }
}

/// The numbers of one side, from its best price to its worst.
#[derive(Debug)]
pub(super) struct PriceWalk<'a> {
    side: Side,
    left: &'a [PriceNumber],
}

impl PriceWalk<'_> {
    /// The number at `px`, if there is one. Each call has a worse price than the one before.
    pub(super) fn at(&mut self, px: Px) -> Option<f64> {
        loop {
            let (((_, known), number), rest) = match self.side {
                Side::Buy => self.left.split_last()?,
                Side::Sell => self.left.split_first()?,
            };
            let is_behind = match self.side {
                Side::Buy => *known < px,
                Side::Sell => *known > px,
            };
            if is_behind {
                return None;
            }
            self.left = rest;
            if *known == px {
                return Some(*number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_is_walked_from_its_best_price() {
        let mut numbers = PerPrice::from_sides(
            &[(Px(99), 1.0), (Px(97), 2.0), (Px(90), 3.0)],
            &[(Px(101), 4.0), (Px(105), 5.0)],
        );
        numbers.add(Side::Buy, Px(97), 0.5);
        numbers.add(Side::Sell, Px(103), 6.0);
        let walked = |side, prices: &[i64]| {
            let mut walk = numbers.walk(side);
            let numbers = prices.iter().map(|px| walk.at(Px(*px)));
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(
            walked(Side::Buy, &[100, 98, 97, 90, 80]),
            [None, None, Some(2.5), Some(3.0), None]
        );
        assert_eq!(
            walked(Side::Sell, &[101, 102, 103, 105]),
            [Some(4.0), None, Some(6.0), Some(5.0)]
        );
    }
}
