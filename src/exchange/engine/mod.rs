//! The paper exchange's engine: synchronous, deterministic, integers only.
//!
//! Virtual time moves only by [`Engine::advance_to`], in whole steps of 250 ms; reading never moves it. A command
//! ([`Engine::apply`]) is executed against the book as it is, stamped with (virtual ms, sequence). The same
//! configuration and the same commands at the same virtual times give the same [`Engine::log_hash`], however the time
//! between was cut up.
//!
//! Known limits: only exogenous liquidity is in the book (no user trades with another), queue position and per-level
//! consumption are modelled, impact beyond the refill of a level is not. Rows are kept in memory for good.

mod account;
mod arena;
mod book;
mod cash;
mod chase;
mod checkpoint;
mod checks;
mod close;
mod command;
mod core;
mod enter;
mod exits;
mod feed;
mod fill;
mod funding;
mod house;
mod ids;
mod isolated;
mod ladder;
mod liquidation;
mod log;
mod maker;
mod margin;
mod mark;
mod market;
mod orders;
mod payload;
mod place;
mod position;
mod read;
mod refusal;
mod resting;
mod rows;
mod rule_facts;
mod rules;
mod scaled;
mod schedule;
mod slices;
mod spec;
mod step;
mod tick;
mod trade;
mod triggers;
mod twap;
mod units;
mod words;

#[cfg(test)]
mod tests;

pub use self::core::Engine;
pub use checkpoint::{Checkpoint, CheckpointFault, Chunk, Table};
pub use command::{
    AttachedExits, Cancellation, CloseHow, ClosePosition, Command, Crossing, Leg, Outcome, Pacing,
    PlaceMode, PlaceOrder, PlaceScaled, PlaceTwap, Reduction, SetAttachedExits, SetIsolatedMargin,
    Tif,
};
pub use feed::Bounds;
pub use ids::{AccountIx, MarketIx, OrderId, PositionId, ScaledId, TwapId};
pub use log::{Event, Logged};
pub use refusal::{Reason, Refusal, RefusalKind, RuleId};
pub use rows::{
    AccountFacts, MarketFacts, Measure, OrderKey, OrderRow, PositionKey, PositionRow, RuleFact,
    Rung, ScaledRow, Standing, TwapRow,
};
pub use spec::{
    AccountSpec, BookLevel, ChallengeRules, DailyBasis, Drawdown, EngineConfig, Feed, Fees, Impact,
    Liquidation, MarginTier, MarketSpec, MarketTick, Trade, Venue,
};
pub use tick::FIGURES;
pub use units::{Bps, Decimal, Lots, MAX_COUNT, Millis, NanoPx, NanoRate, Px, Usd};
pub use words::{
    CompletionReason, Curve, LiquidityRole, MarginMode, OrderMode, OrderStatus, OrderType,
    ScaledStatus, Side, TimeInForce, TriggerDirection, TwapStatus,
};
