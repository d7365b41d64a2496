//! The arithmetic of scaled orders (exchange.md 3.4): prices evenly between two ends, sizes linear in the skew,
//! both exact.

use super::units::{Lots, Px};
use super::words::Side;

/// Sizes of the rungs: weights run linearly from 1 to `skew_milli / 1000`; what rounding leaves goes to the largest
/// remainders, the lower rung first. They sum to `total` exactly.
pub(super) fn sizes(total: Lots, rungs: i64, skew_milli: i64) -> Vec<Lots> {
    let weight = |rung: i64| i128::from(1_000 * (rungs - 1) + (skew_milli - 1_000) * rung);
    let all: i128 = (0..rungs).map(weight).sum::<i128>().max(1);
    let mut shares: Vec<(i64, i128)> = (0..rungs)
        .map(|rung| {
            let exact = i128::from(total.0) * weight(rung);
            let floor = i64::try_from(exact / all).unwrap_or(0);
            (floor, exact % all)
        })
        .collect();
    let missing = total.0 - shares.iter().map(|(floor, _)| floor).sum::<i64>();
    let mut by_remainder: Vec<&mut (i64, i128)> = shares.iter_mut().collect();
    by_remainder.sort_by_key(|(_, remainder)| std::cmp::Reverse(*remainder));
    let extra = usize::try_from(missing).unwrap_or(0);
    for (floor, _) in by_remainder.into_iter().take(extra) {
        *floor += 1;
    }
    shares.into_iter().map(|(floor, _)| Lots(floor)).collect()
}

/// Prices of the rungs, both ends included, rounded to the passive side.
pub(super) fn prices((start, end): (Px, Px), rungs: i64, side: Side, decimals: u32) -> Vec<Px> {
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

    fn raw(sizes: Vec<Lots>) -> Vec<i64> {
        sizes.into_iter().map(|lots| lots.0).collect()
    }

    #[test]
    fn a_ladder_sums_to_its_total_to_the_lot() {
        assert_eq!(raw(sizes(Lots(300), 3, 1_000)), [100, 100, 100]);
        assert_eq!(raw(sizes(Lots(9), 3, 2_000)), [2, 3, 4]);
        assert_eq!(raw(sizes(Lots(1_000), 4, 3_000)), [125, 208, 292, 375]);
        assert_eq!(raw(sizes(Lots(100), 3, 1_000)), [34, 33, 33]);
    }

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
