//! A sparkline: a number over time in a few cells with eight heights; a blank where it is unknown.

use crate::model::{Num, Timestamp};
use std::time::Duration;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The last value in each part of `span` before `now`, scaled from lowest to highest; `None` with fewer than two
/// values.
pub(crate) fn spark(
    points: impl Iterator<Item = (Timestamp, Num)>,
    (now, span): (Timestamp, Duration),
    cells: usize,
) -> Option<String> {
    let span = i64::try_from(span.as_millis()).ok()?;
    let count = i64::try_from(cells).ok()?;
    let mut values: Vec<Option<Num>> = vec![None; cells];
    for (at, value) in points {
        let since = at.0.checked_sub(now.0 - span)?;
        let part = since.checked_mul(count)?.checked_div(span)?;
        let part = usize::try_from(part.min(count - 1)).ok();
        if let Some(slot) = part.and_then(|part| values.get_mut(part)) {
            *slot = Some(value);
        }
    }
    let known = || values.iter().flatten().copied();
    let (low, high) = (known().min()?, known().max()?);
    let height = |value: Num| {
        let share = value.minus(low)?.over(high.minus(low)?)?;
        let steps = share.times(Num::from(7_u32))?.rounded(0).to_i64()?;
        HEIGHTS.get(usize::try_from(steps).ok()?).copied()
    };
    // A constant is drawn in the middle.
    let shown = values.iter().map(|value| match value {
        Some(value) => height(*value).unwrap_or(HEIGHTS[3]),
        None => ' ',
    });
    (known().count() > 1).then(|| shown.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[(i64, i64)]) -> Option<String> {
        let points = points.iter();
        let points = points.map(|(second, value)| (Timestamp(second * 1_000), Num::from(*value)));
        spark(points, (Timestamp(10_000), Duration::from_secs(10)), 5)
    }

    #[test]
    fn a_spark_rises_with_the_number_and_a_gap_stays_a_gap() {
        let points = [(0, 100), (1, 107), (5, 114), (7, 100), (10, 104)];
        assert_eq!(drawn(&points).as_deref(), Some("▅ █▁▃"));
        assert_eq!(drawn(&[(1, 5), (9, 5)]).as_deref(), Some("▄   ▄"));
        assert_eq!(drawn(&[(1, 5)]), None);
        assert_eq!(drawn(&[(-30, 5), (-20, 6)]), None, "longer ago");
    }
}
