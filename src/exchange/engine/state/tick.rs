//! The valid prices and sizes of an order (docs/engine.md 1.3): at most 5 significant figures and `6 - size_decimals`
//! decimals, whole dollars always. Prices that the engine computes are rounded to the passive side.

use super::{MAX_COUNT, Px, Side, price_decimals};

/// Significant figures of an order price.
pub const PRICE_FIGURES: u32 = 5;

impl Px {
    /// The spacing of valid order prices around this one.
    #[must_use]
    pub fn tick(self, size_decimals: u32) -> Self {
        let digits = self.0.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
        let figures = 10_i64.pow(digits.saturating_sub(PRICE_FIGURES));
        Self(figures.min(10_i64.pow(price_decimals(size_decimals))))
    }

    /// Whether an order may have this price.
    #[must_use]
    pub fn is_valid(self, size_decimals: u32) -> bool {
        (1..=MAX_COUNT).contains(&self.0) && self.0 % self.tick(size_decimals).0 == 0
    }

    /// The nearest valid price that is no worse for the owner: down for a buy, up for a sell.
    #[must_use]
    pub fn round_passive(self, side: Side, size_decimals: u32) -> Self {
        let tick = self.tick(size_decimals).0;
        match side {
            Side::Buy => Self(self.0.div_euclid(tick) * tick),
            Side::Sell => Self(-(-self.0).div_euclid(tick) * tick),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The count of `10^-decimals` in `mantissa × 10^-scale`; `None` if there is no such count.
    pub(crate) fn exact(mantissa: i128, scale: u32, decimals: u32) -> Option<i64> {
        let count = if scale <= decimals {
            mantissa * 10_i128.pow(decimals - scale)
        } else {
            let unit = 10_i128.pow(scale - decimals);
            (mantissa % unit == 0).then_some(mantissa / unit)?
        };
        i64::try_from(count).ok()
    }

    /// mantissa, scale, `size_decimals`; whether it is a price there, and one an order may have
    type Case = (i128, u32, u32, Option<bool>);
    const TABLE: [Case; 13] = [
        (65_432, 0, 5, Some(true)),
        (123_456, 0, 5, Some(true)),
        (30_001, 1, 4, Some(true)),
        (212_395, 2, 4, Some(false)),
        (12_345, 1, 0, Some(true)),
        (123_456, 2, 0, Some(false)),
        (1_234, 6, 0, Some(true)),
        (12_345, 7, 0, None),
        (1_234, 5, 1, Some(true)),
        (12_345, 6, 1, None),
        (99_999, 1, 5, Some(true)),
        (25_123, 3, 2, Some(true)),
        (21_734, 5, 0, Some(true)),
    ];

    #[test]
    fn an_order_price_has_five_figures_and_the_decimals_its_size_leaves() {
        for (mantissa, scale, decimals, valid) in TABLE {
            let px = exact(mantissa, scale, 6 - decimals).map(Px);
            assert_eq!(
                px.map(|px| px.is_valid(decimals)),
                valid,
                "{mantissa}e-{scale} with {decimals} size decimals"
            );
        }
    }

    #[test]
    fn the_step_between_prices_follows_the_price_and_what_its_size_leaves() {
        let rows = [
            (Px(654_320), 5, Px(10)),
            (Px(1_234_560), 5, Px(10)),
            (Px(300_010), 4, Px(10)),
            (Px(1_234_500_000), 0, Px(100_000)),
            (Px(1_234), 0, Px(1)),
            (Px(1_234), 1, Px(1)),
        ];
        for (px, decimals, tick) in rows {
            assert_eq!(px.tick(decimals), tick, "{px:?} with {decimals}");
        }
    }

    #[test]
    fn a_price_the_engine_makes_is_rounded_so_that_a_cap_is_never_exceeded() {
        let raw = Px(974_512);
        assert_eq!(raw.round_passive(Side::Sell, 2), Px(974_520), "97.4512 up");
        assert_eq!(raw.round_passive(Side::Buy, 2), Px(974_510), "97.4512 down");
    }
}
