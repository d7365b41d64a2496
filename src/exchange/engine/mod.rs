//! The paper exchange's engine: synchronous, deterministic, integers only.
//!
//! Virtual time moves only by [`Engine::advance_to`], in whole steps of 250 ms; reading never moves it. A command
//! ([`Engine::apply`]) is executed against the book as it is, stamped with (virtual ms, sequence). The same
//! configuration and the same commands at the same virtual times give the same [`Engine::log_hash`], however the time
//! between was cut up.
//!
//! Six rooms, each of which names those before it only: `state`, `market`, `risk`, `matching`, `strategies`, `clock`. [`Engine`]
//! itself is `core`, between `market` and `risk`.
//!
//! Known limits: only exogenous liquidity is in the book (no user trades with another), queue position and per-level
//! consumption are modelled, impact beyond the refill of a level is not. Rows are kept in memory for good.

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
pub use clock::checkpoint::{Checkpoint, CheckpointFault, Chunk, Table};
pub use market::feed::Bounds;
pub use state::command::{
    AttachedExits, Cancellation, CloseHow, ClosePosition, Command, Crossing, Leg, Outcome, Pacing,
    PlaceMode, PlaceOrder, PlaceScaled, PlaceTwap, Reduction, SetAttachedExits, SetIsolatedMargin,
    Tif,
};
pub use state::ids::{AccountIx, MarketIx, OrderId, PositionId, ScaledId, TwapId};
pub use state::log::{Event, Logged};
pub use state::refusal::{Reason, Refusal, RefusalKind, RuleId};
pub use state::rows::{
    AccountFacts, MarketFacts, Measure, OrderKey, OrderRow, PositionKey, PositionRow, RuleFact,
    Rung, ScaledRow, Standing, TwapRow,
};
pub use state::spec::{
    AccountSpec, BookLevel, ChallengeRules, DailyBasis, Drawdown, EngineConfig, Feed, Fees, Impact,
    Liquidation, MarginTier, MarketSpec, MarketTick, Trade, Venue,
};
pub use state::tick::FIGURES;
pub use state::units::{Bps, Decimal, Lots, MAX_COUNT, Millis, NanoPx, NanoRate, Px, Usd};
pub use state::words::{
    CompletionReason, Curve, LiquidityRole, MarginMode, OrderMode, OrderStatus, OrderType,
    ScaledStatus, Side, TimeInForce, TriggerDirection, TwapStatus,
};
