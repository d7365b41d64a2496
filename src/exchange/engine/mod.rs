//! The paper exchange's engine: synchronous, deterministic, integers only.
//!
//! Virtual time moves only by [`Engine::advance_to`], in whole steps of 250 ms; reading never moves it. A command
//! ([`Engine::apply`]) is executed against the current book and stamped with (virtual ms, sequence). The same
//! configuration and the same commands at the same virtual times give the same [`Engine::log_hash`], however the time
//! between was divided.
//!
//! Six rooms, each of which names only those before it: `state`, `market`, `risk`, `matching`, `strategies`, `clock`.
//! [`Engine`] itself is `core`, between `market` and `risk`.
//!
//! Known limits: the book holds only exogenous liquidity (no user trades with another). Queue position and per-level
//! consumption are modeled, market impact beyond the refill of a level is not. Rows stay in memory
//! for ever, unless [`Engine::keep_for`] bounds that.

pub(crate) mod clock;
pub(crate) mod core;
pub(crate) mod market;
pub(crate) mod matching;
pub(crate) mod risk;
pub(crate) mod state;
pub(crate) mod strategies;
#[cfg(test)]
mod tests;

pub use self::core::Engine;
pub use clock::checkpoint::{Checkpoint, CheckpointChunk, CheckpointFault, CheckpointTable};
pub use market::history::{CandleRange, CandleWindow};
pub use matching::estimate::FillEstimate;
pub use matching::validate::MAX_SLIPPAGE;
pub use risk::checks::MAX_WORKING_ORDERS;
pub use state::*;
