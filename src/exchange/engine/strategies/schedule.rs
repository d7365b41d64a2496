//! The arithmetic of time-sliced orders (docs/engine.md 5.1, 5.2): number, spacing and size of slices.

use crate::{
    exchange::engine::state::{Curve, Lots, Millis},
    model::plan::Schedule,
};

/// The largest catch-up slice, in normal slices.
const MAX_CATCH_UP_SLICES: i64 = 3;

/// Share of the day's volume by UTC hour, in thousandths, of the synthetic markets: highest around 00 and in the
/// American session, and otherwise nearly even.
const VOLUME_BY_HOUR: [i64; 24] = [
    60, 46, 40, 36, 34, 33, 33, 34, 37, 39, 39, 38, 40, 45, 53, 57, 54, 49, 45, 42, 41, 38, 34, 33,
];

/// The cumulative size due after slice `index` (from 0) of `slices`.
pub(crate) fn target(
    kind: Curve,
    total: Lots,
    index: i64,
    schedule: Schedule,
    start: Millis,
) -> Lots {
    if index + 1 >= schedule.slices {
        return total;
    }
    let (done, all) = match kind {
        Curve::Twap => (index + 1, schedule.slices),
        Curve::Vwap => (
            volume(index + 1, schedule, start),
            volume(schedule.slices, schedule, start),
        ),
    };
    share(total, done, all)
}

/// Weights of the first `count` slices.
fn volume(count: i64, schedule: Schedule, start: Millis) -> i64 {
    let hour_of = |slice: i64| {
        let at = start + Millis::seconds(slice * schedule.interval_seconds);
        usize::try_from(at.0.div_euclid(Millis::HOUR.0).rem_euclid(24)).unwrap_or(0)
    };
    (0..count)
        .filter_map(|slice| VOLUME_BY_HOUR.get(hour_of(slice)))
        .sum()
}

/// The size of slice `index`: what is due, varied by `variation` (hundredths of a percent, none on the last slice), at
/// most three normal slices and the rest.
pub(crate) fn wanted(
    total: Lots,
    filled: Lots,
    target: Lots,
    slices: i64,
    variation: Option<i64>,
) -> Lots {
    let due = target - filled;
    let varied = share(due, 10_000 + variation.unwrap_or(0), 10_000);
    let most = share(total, MAX_CATCH_UP_SLICES, slices);
    varied.min(most).min(total - filled)
}

/// `lots × part / whole`, rounded down.
fn share(lots: Lots, part: i64, whole: i64) -> Lots {
    let exact = i128::from(lots.0) * i128::from(part);
    let floor = exact.div_euclid(i128::from(whole.max(1)));
    Lots(i64::try_from(floor).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs 11 slices of 10 coins with 4 size decimals; slices in `dry` fill nothing.
    fn run(dry: std::ops::RangeInclusive<i64>) -> (Vec<i64>, Lots) {
        let total = Lots(100_000);
        let mut filled = Lots::ZERO;
        let schedule = Schedule {
            interval_seconds: 30,
            slices: 11,
        };
        let mut wants = Vec::new();
        for slice in 0..11 {
            let due = target(Curve::Twap, total, slice, schedule, Millis(0));
            let want = wanted(total, filled, due, 11, None);
            wants.push(want.0);
            if !dry.contains(&slice) {
                filled += want;
            }
        }
        (wants, filled)
    }

    #[test]
    fn ten_coins_in_eleven_slices_sum_exactly() {
        let (wants, filled) = run(-1..=-1);
        let mut even = vec![9_090];
        even.extend([9_091; 10]);
        assert_eq!((wants, filled), (even, Lots(100_000)));
    }

    #[test]
    fn missed_slices_are_caught_up_at_most_three_at_a_time() {
        let (wants, filled) = run(2..=5);
        assert_eq!(
            wants,
            [
                9_090, 9_091, 9_091, 18_182, 27_272, 27_272, 27_272, 27_272, 9_093, 9_091, 9_091
            ]
        );
        assert_eq!(filled, Lots(100_000));
        assert_eq!(run(7..=10).1, Lots(63_636), "it may end short");
    }

    #[test]
    fn random_slices_still_end_on_the_total() {
        let total = Lots(1_000);
        let schedule = Schedule {
            interval_seconds: 30,
            slices: 5,
        };
        let variation = [Some(2_000), Some(-2_000), Some(1_000), Some(-1_500), None];
        let mut filled = Lots::ZERO;
        let mut wants = Vec::new();
        for (slice, variation) in (0..).zip(variation) {
            let due = target(Curve::Twap, total, slice, schedule, Millis(0));
            let want = wanted(total, filled, due, 5, variation);
            wants.push(want.0);
            filled += want;
        }
        assert_eq!(wants, [240, 128, 255, 150, 227]);
        assert_eq!(filled, total);
    }

    #[test]
    fn a_vwap_follows_the_hours_of_the_day_and_ends_on_the_total() {
        let schedule = Schedule {
            interval_seconds: 3_600,
            slices: 24,
        };
        let at = |slice| target(Curve::Vwap, Lots(1_000), slice, schedule, Millis(0));
        assert_eq!(at(0), Lots(60));
        assert_eq!(at(1), Lots(106));
        assert_eq!(at(23), Lots(1_000));
    }
}
