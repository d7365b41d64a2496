//! Conversions between the generator's floats and the engine's integers.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use crate::exchange::engine::state::Bps;

/// Length of a step in seconds.
pub(super) const DT: f64 = 0.25;
pub(super) const DAY: f64 = 86_400.0;
pub(super) const YEAR: f64 = 365.0 * DAY;

/// The factor of one step for a value that halves every `half_life` seconds.
pub(super) fn halving(half_life: f64) -> f64 {
    libm::exp(-std::f64::consts::LN_2 * DT / half_life)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "prices, sizes and 53-bit draws fit a double"
)]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

/// Rounded down, within the engine's integers.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub(super) fn whole(value: f64) -> i64 {
    libm::floor(value) as i64
}

pub(super) fn bps(count: Bps) -> f64 {
    let size = real(count.0.unsigned_abs()) / 10_000.0;
    if count.0 < 0 { -size } else { size }
}
