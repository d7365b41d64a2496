//! The arithmetic of scaled orders (docs/engine.md 5.4): prices evenly between two ends, sizes by the weights of the
//! distribution, both exact.

use crate::{
    exchange::engine::state::{Distribution, Lots, Px, Side},
    model::plan,
};

/// Sizes of the rungs; they sum to `total` exactly.
pub(crate) fn sizes(total: Lots, rungs: i64, distribution: Distribution) -> Vec<Lots> {
    let shares = plan::shares(total.0, rungs, distribution);
    shares.into_iter().map(Lots).collect()
}

/// Prices of the rungs, both ends included, rounded to the passive side.
pub(crate) fn prices((start, end): (Px, Px), rungs: i64, side: Side, decimals: u32) -> Vec<Px> {
    let last = i128::from((rungs - 1).max(1));
    (0..rungs)
        .map(|rung| {
            let exact = i128::from(start.0) * last + i128::from(end.0 - start.0) * i128::from(rung);
            let whole = match side {
                Side::Buy => exact.div_euclid(last),
                Side::Sell => -(-exact).div_euclid(last),
            };
            Px(i64::try_from(whole).unwrap_or(0)).round_passive(side, decimals)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_stand_evenly_between_the_ends_on_valid_prices() {
        let buys = prices((Px(830_000), Px(820_000)), 3, Side::Buy, 5);
        assert_eq!(buys, [Px(830_000), Px(825_000), Px(820_000)]);
        let sells = prices((Px(1_000_000), Px(1_030_000)), 3, Side::Sell, 2);
        assert_eq!(sells, [Px(1_000_000), Px(1_015_000), Px(1_030_000)]);
        let eth = prices((Px(265_715), Px(266_247)), 3, Side::Buy, 4);
        assert_eq!(eth, [Px(265_710), Px(265_980), Px(266_240)]);
    }
}
