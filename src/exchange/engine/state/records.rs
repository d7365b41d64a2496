//! The rows that the service reads: orders, positions, strategies, account and market facts, in engine units.

use serde::{Deserialize, Serialize};

use super::{
    AccountIx, AttachedExits, Bps, CompletionReason, Curve, Distribution, ExitGroup, ExitLegs,
    LiquidityRole, Lots, MarginMode, MarketIx, Millis, NanoPx, NanoRate, OrderId, OrderMode,
    OrderStatus, OrderType, PositionId, Px, Reason, RuleId, ScaledId, ScaledStatus, Side,
    TimeInForce, TriggerDirection, TwapId, TwapStatus, Usd,
};
use crate::model::ClientOrderId;

/// Sort key of a list of rows, newest first; unique, so pages neither skip nor repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowKey<Id> {
    pub at: Millis,
    pub id: Id,
}

/// One order, or one fill of it.
///
/// The row of an order (the root row) has no `partial_of`. Its `filled_size`, `notional`, `fee`, `realized_pnl` and
/// `fill_price` cover all fills so far, whatever its status. An order that fills in several parts also has one slice
/// row per part (`partial_of`, `root`; `filled`, requested and settled at the moment of the fill), whose fields cover
/// that fill alone. So the root rows sum to everything traded and paid, and the slices of an order sum to its root row:
/// a reader sums one or the other, never both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderRecord {
    pub id: OrderId,
    pub account: AccountIx,
    pub market: MarketIx,
    pub order_type: OrderType,
    pub mode: OrderMode,
    pub side: Side,
    /// The remaining size while it works, or when it ended unfilled; `filled_size` once filled.
    pub size: Lots,
    pub initial_size: Lots,
    pub filled_size: Lots,
    pub expected_price: NanoPx,
    /// Exact sum of price × size over `filled_size`.
    pub notional: Usd,
    /// `notional` per coin.
    pub fill_price: Option<NanoPx>,
    pub trigger_price: Option<Px>,
    pub limit_price: Option<Px>,
    pub fee: Usd,
    /// Gross; `None` when the row closed nothing.
    pub realized_pnl: Option<Usd>,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    pub reduce_only: bool,
    pub time_in_force: TimeInForce,
    pub gtd_expires_at: Option<Millis>,
    pub exits: AttachedExits,
    pub chase_offset: Option<Px>,
    pub chase_cap: Option<Px>,
    pub trigger_market: Option<MarketIx>,
    pub trigger_direction: Option<TriggerDirection>,
    pub target_position: Option<PositionId>,
    /// Of all its fills; `None` before the first fill, and if some made and some took.
    pub liquidity_role: Option<LiquidityRole>,
    pub partial_of: Option<OrderId>,
    pub root: Option<OrderId>,
    pub twap: Option<TwapId>,
    pub scaled: Option<ScaledId>,
    /// The client's own name of it; the rows of its parts have none.
    pub client_order_id: Option<ClientOrderId>,
    pub status: OrderStatus,
    /// Why it was rejected or canceled.
    pub reason: Option<Reason>,
    pub rule: Option<RuleId>,
    pub requested_at: Millis,
    pub settled_at: Option<Millis>,
    pub canceled_at: Option<Millis>,
    /// When its trigger was reached.
    pub triggered_at: Option<Millis>,
    /// When its cancel was queued; it may still fill.
    pub cancel_requested_at: Option<Millis>,
    /// The slippage cap of its market execution, if the client set one.
    pub slippage: Option<Bps>,
    pub(crate) links: OrderLinks,
}

/// Links between orders, inside the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct OrderLinks {
    /// The entry this exit protects.
    pub(crate) parent: Option<OrderId>,
    /// The exits of this entry.
    pub(crate) exits: ExitLegs<Option<OrderId>>,
    /// The other exit of its pair: a fill of the one retires the same size of the other.
    pub(crate) oco: Option<OrderId>,
    /// Whether the exits of this entry replace those of the position.
    pub(crate) replaces_exits: bool,
    /// Its place in the queue of its price, while resting.
    pub(crate) priority: Option<u64>,
}

/// A position in the book: side, price, and order in the queue there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueuePosition {
    pub(crate) side: Side,
    pub(crate) px: Px,
    pub(crate) priority: u64,
}

impl OrderRecord {
    /// Whether it rests at its own price.
    pub(crate) fn is_limit(&self) -> bool {
        self.order_type.is_limit()
    }

    /// Whether it cannot wait in the book for its price.
    pub(crate) fn needs_book(&self) -> bool {
        match self.time_in_force {
            TimeInForce::Ioc | TimeInForce::Fok => true,
            TimeInForce::Gtc | TimeInForce::Gtd => {
                !self.is_limit() || self.mode == OrderMode::Chase
            }
        }
    }

    /// Whether it waits for its trigger, or will once it is accepted. It never waits twice.
    pub(crate) fn waits(&self) -> bool {
        self.trigger_direction.is_some() && self.triggered_at.is_none()
    }

    /// Whether it is an exit of a position: it waits for its trigger, and only reduces.
    pub(crate) fn is_exit(&self) -> bool {
        self.reduce_only && self.waits() && self.status.is_working()
    }

    /// What an exit is by the way that its trigger lies; `None` for one that watches another market.
    pub(crate) fn exit_group(&self) -> Option<ExitGroup> {
        let direction = self.trigger_direction?;
        let is_own = self.trigger_market.is_none_or(|ix| ix == self.market);
        let takes_profit = direction == exit_direction(ExitGroup::Tp, self.side.opposite());
        is_own.then_some(if takes_profit {
            ExitGroup::Tp
        } else {
            ExitGroup::Sl
        })
    }

    /// When a conditional limit entered the book.
    #[must_use]
    pub fn stop_triggered_at(&self) -> Option<Millis> {
        self.triggered_at.filter(|_| self.is_limit())
    }

    /// Its queue position while it rests.
    pub(crate) fn spot(&self) -> Option<QueuePosition> {
        Some(QueuePosition {
            side: self.side,
            px: self.limit_price?,
            priority: self.links.priority?,
        })
    }

    /// In the list of orders.
    #[must_use]
    pub fn key(&self) -> RowKey<OrderId> {
        RowKey {
            at: self.requested_at,
            id: self.id,
        }
    }

    /// In the list of executions; `None` before it has one.
    #[must_use]
    pub fn fill_key(&self) -> Option<RowKey<OrderId>> {
        let id = self.id;
        self.settled_at.map(|at| RowKey { at, id })
    }
}

/// In which direction the mark must move for an exit of a position of `side`.
pub(crate) fn exit_direction(group: ExitGroup, side: Side) -> TriggerDirection {
    match (group, side) {
        (ExitGroup::Sl, Side::Sell) | (ExitGroup::Tp, Side::Buy) => TriggerDirection::Above,
        (ExitGroup::Sl, Side::Buy) | (ExitGroup::Tp, Side::Sell) => TriggerDirection::Below,
    }
}

/// An open position, or the record of a closed one.
///
/// Closed: `size` is the total closed size (signed), `entry_price` and `exit_price` are its averages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionRecord {
    pub id: PositionId,
    pub account: AccountIx,
    pub market: MarketIx,
    /// Negative is short.
    pub size: Lots,
    pub entry_price: NanoPx,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    /// `Some` exactly when isolated.
    pub isolated_margin_extra: Option<Usd>,
    pub opened_at: Millis,
    /// `None` when no price above 0 liquidates it, and when closed.
    pub liquidation_price: Option<NanoPx>,
    pub closed_at: Option<Millis>,
    pub exit_price: Option<NanoPx>,
    /// Gross of fees and funding.
    pub realized_pnl: Usd,
    /// Σ closed size × entry / leverage: the margin behind the realized profit.
    pub realized_margin_basis: Usd,
    pub fees: Usd,
    /// Positive is received.
    pub funding: Usd,
}

/// A TWAP or VWAP order. Sizes are signed (negative sells).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwapRecord {
    pub id: TwapId,
    pub account: AccountIx,
    pub market: MarketIx,
    pub kind: Curve,
    pub side: Side,
    pub total_size: Lots,
    pub filled_size: Lots,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    pub reduce_only: bool,
    pub randomize: bool,
    pub average_price: Option<NanoPx>,
    pub trigger_price: Option<Px>,
    pub max_price: Option<Px>,
    pub min_price: Option<Px>,
    pub duration_minutes: u32,
    pub slice_interval_seconds: u32,
    pub slice_count: u32,
    pub slices_attempted: u32,
    pub status: TwapStatus,
    pub completion_reason: Option<CompletionReason>,
    pub current_child_order: Option<OrderId>,
    pub started_at: Millis,
    pub end_at: Option<Millis>,
    pub activated_at: Option<Millis>,
    pub next_run_at: Option<Millis>,
    pub canceled_at: Option<Millis>,
    pub completed_at: Option<Millis>,
    pub(crate) run: TwapProgress,
}

/// The state between slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TwapProgress {
    /// Σ price × size of its fills.
    pub(crate) notional: Usd,
    /// Consecutive rejected slices.
    pub(crate) rejected_in_a_row: u32,
}

/// A scaled order. Sizes are signed (negative sells).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaledRecord {
    pub id: ScaledId,
    pub account: AccountIx,
    pub market: MarketIx,
    pub side: Side,
    pub total_size: Lots,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    pub reduce_only: bool,
    pub start_price: Px,
    pub end_price: Px,
    pub rung_count: u32,
    pub distribution: Distribution,
    pub placed_count: u32,
    pub rejected_count: u32,
    pub status: ScaledStatus,
    pub started_at: Millis,
    pub completed_at: Option<Millis>,
    pub canceled_at: Option<Millis>,
    pub rungs: Vec<ScaledRung>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaledRung {
    pub price: Px,
    /// Signed as the scaled order's.
    pub size: Lots,
    pub order: Option<OrderId>,
    pub reject_reason: Option<Reason>,
}

/// One account now (docs/engine.md 6.1, 7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountReport {
    pub opened_at: Millis,
    pub standing: ChallengeStatus,
    pub unrealized_pnl: Usd,
    /// Cash and `unrealized_pnl`.
    pub equity: Usd,
    /// Allocated to isolated positions.
    pub isolated_margin: Usd,
    /// Initial margin of cross positions at mark.
    pub cross_margin: Usd,
    pub available_margin: Usd,
    pub open_notional: Usd,
    /// At or below this equity the daily limit is broken.
    pub daily_floor: Usd,
    /// At or below this equity the account is lost.
    pub drawdown_floor: Usd,
    /// The balance that meets the profit target.
    pub profit_target: Usd,
}

/// The state of an account's challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChallengeStatus {
    Active,
    Breached { rule: RuleId, at: Millis },
    Passed { at: Millis },
}

/// One market now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarketReport {
    pub market: MarketIx,
    pub mark: Px,
    pub oracle: Px,
    pub bid: Option<Px>,
    pub ask: Option<Px>,
    pub mid: Option<NanoPx>,
    pub last: Option<Px>,
    /// Mark 24 hours ago, or at the start.
    pub prev_day: Px,
    /// Traded in the last 24 hours, or since the start.
    pub day_volume: Usd,
    /// The next hour's funding rate as of now (positive: longs pay).
    pub funding_rate: NanoRate,
    pub next_funding_at: Millis,
    pub updated_at: Millis,
}
