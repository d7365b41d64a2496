//! Converts between wire and engine: exact decimals in JSON, integer counts inside. Names the engine.
//!
//! Nothing is rounded on input: a price with too many decimals, or a size off its lot, is refused with the value and
//! the step. On output every digit is the engine's, without trailing zeros.

mod change;
mod exits;
mod integral;
mod place;
mod rows;
mod strategies;
mod units;

pub(super) use change::{close, exits, isolated_margin};
pub(super) use exits::{exit_batch, modify};
pub(super) use integral::{integral, optional as optional_integral};
pub(super) use place::place;
pub(super) use rows::{ResourceEncoder, at};
pub(super) use strategies::{scaled, twap};
pub(super) use units::{MarketUnits, account_limit, market, nano, rate, usd};
