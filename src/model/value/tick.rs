//! The price step of a market's orders.

use crate::model::{Num, Side};

/// The spacing of order prices in a market, as far as its source says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grid {
    /// Unknown. Assumes five significant figures: good enough to step and round by, not to refuse by.
    #[default]
    Guessed,
    /// At most this many significant figures, and the decimals that sizes leave; whole dollars always.
    Figures(u32),
    /// The same step at every price.
    Step(Num),
}

/// One step, above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick(Num);

impl Tick {
    pub fn of(step: Num) -> Option<Self> {
        step.is_positive().then(|| Self(step.normalized()))
    }

    /// `10^-decimals`.
    pub fn fine(decimals: u32) -> Self {
        Self(Num::new(1, decimals))
    }

    pub fn step(self) -> Num {
        self.0
    }

    pub fn decimals(self) -> u32 {
        self.0.decimals()
    }

    /// Whether `price` is a whole number of steps.
    pub fn holds(self, price: Num) -> bool {
        self.beyond(price).is_zero()
    }

    /// The last step not above `price`, which is not negative.
    pub fn below(self, price: Num) -> Num {
        let below = price.minus(self.beyond(price)).unwrap_or(price);
        below.rounded(self.decimals())
    }

    /// The first step not below `price`.
    pub fn above(self, price: Num) -> Num {
        let below = self.below(price);
        if below < price {
            below.plus(self.0).unwrap_or(below)
        } else {
            below
        }
    }

    /// The nearest step; halfway rounds up.
    pub fn near(self, price: Num) -> Num {
        let beyond = self.beyond(price);
        let is_nearer_above = beyond.plus(beyond).is_some_and(|twice| twice >= self.0);
        if is_nearer_above {
            self.above(price)
        } else {
            self.below(price)
        }
    }

    /// Rounded to the passive side of `side`.
    pub fn resting(self, price: Num, side: Side) -> Num {
        match side {
            Side::Buy => self.below(price),
            Side::Sell => self.above(price),
        }
    }

    fn beyond(self, price: Num) -> Num {
        price.modulo(self.0).unwrap_or(Num::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::value::tick::*;

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    #[test]
    fn a_price_between_two_steps_goes_to_the_one_that_is_meant() {
        for (step, price, [below, near, above]) in [
            ("0.1", "3000.17", ["3000.1", "3000.2", "3000.2"]),
            ("0.5", "65810.2", ["65810.0", "65810.0", "65810.5"]),
            ("0.50", "65810.25", ["65810.0", "65810.5", "65810.5"]),
            ("25", "110", ["100", "100", "125"]),
            ("1", "65810.00", ["65810", "65810", "65810"]),
        ] {
            let tick = Tick::of(num(step)).unwrap();
            let price = num(price);
            let found = [tick.below(price), tick.near(price), tick.above(price)];
            assert_eq!(found.map(|price| price.to_string()), [below, near, above]);
            assert_eq!(tick.holds(price), below == above, "{step} {price}");
        }
        assert_eq!(Tick::of(Num::ZERO), None);
    }
}
