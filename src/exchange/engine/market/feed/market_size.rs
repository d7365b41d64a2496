//! How large a market is: how much stands at a price, and how often others order.
#![expect(clippy::float_arithmetic, reason = "the generator alone uses floats")]

use super::numbers::real;
use crate::exchange::engine::state::MarketSpec;

/// Orders per second of a market with the largest depth.
const ORDERS_PER_SECOND: f64 = 4.0;
/// Base depth of that market, micro-USD.
const LARGEST_DEPTH: f64 = 120_000e6;

/// Typical size of a level, in micro-USD.
pub(super) fn base(spec: &MarketSpec) -> f64 {
    real(u64::try_from(spec.base_depth.0).unwrap_or(u64::MAX))
}

/// Orders of others in a usual second.
pub(super) fn orders_per_second(spec: &MarketSpec) -> f64 {
    ORDERS_PER_SECOND * (base(spec) / LARGEST_DEPTH).min(1.0).sqrt()
}
