//! The commands of an account, already parsed: one closed enum.

use serde::{Deserialize, Serialize};

use super::{
    Bps, Curve, Distribution, ExecutionType, ExitGroup, Lots, MarginMode, MarketIx, Millis, NanoPx,
    OrderId, OrderMode, PositionId, Px, ScaledId, Side, TriggerDirection, TwapId, Usd,
};
use crate::model::ClientOrderId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, derive_more::From)]
pub enum EngineCommand {
    Place(OrderParams),
    Close(CloseParams),
    Cancel(OrderId),
    SetExits(SetAttachedExits),
    SetIsolatedMargin(SetIsolatedMargin),
    #[from]
    PlaceTwap(TwapParams),
    StopTwap(TwapId),
    #[from]
    PlaceScaled(ScaledParams),
    CancelScaled(ScaledId),
    /// One target of close-all: reduce-only market at 250 bps for the whole position.
    ForceClose(PositionId),
    /// As [`EngineCommand::Cancel`], but at the next step even for a resting order.
    QueueCancel(OrderId),
    Modify(OrderChange),
    ChangeExits(ChangeExits),
}

/// Names what a command created or changed; the row is read through the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOutcome {
    Order(OrderId),
    Cancel(Cancellation),
    Position(PositionId),
    Twap(TwapId),
    Scaled(ScaledId),
}

/// The result of `DELETE /v1/orders/{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancellation {
    /// It was resting and is canceled.
    Canceled(OrderId),
    /// It was armed; the next step cancels it.
    Queued(OrderId),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderParams {
    pub market: MarketIx,
    pub side: Side,
    pub size: Lots,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    /// The client's midpoint; recorded, never used.
    pub expected_price: NanoPx,
    pub reduction: Reduction,
    pub tif: Tif,
    /// Cap of a market execution; `None` is 5 % (10 % after a trigger).
    pub slippage: Option<Bps>,
    pub exits: AttachedExits,
    pub overlap: ExitOverlap,
    pub mode: PlaceMode,
    pub client_order_id: Option<ClientOrderId>,
}

/// `replace_overlapping_exits`: what becomes of the position's exits when the order brings exits of its own
/// (docs/engine.md 2.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitOverlap {
    Refused,
    Replaced,
}

/// Whether an order may open, or only reduce (`reduce_only`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    May,
    Only,
}

/// From `reduce_only`.
impl From<bool> for Reduction {
    fn from(reduce_only: bool) -> Self {
        if reduce_only { Self::Only } else { Self::May }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlaceMode {
    Market,
    Limit {
        price: Px,
    },
    Chase {
        offset: Px,
        cap: Option<Px>,
    },
    StopMarket {
        trigger: Px,
    },
    StopLimit {
        trigger: Px,
        price: Px,
    },
    TakeMarket {
        trigger: Px,
    },
    TakeLimit {
        trigger: Px,
        price: Px,
    },
    /// `target` omitted: the market's open position.
    TakeProfit {
        trigger: Px,
        target: Option<PositionId>,
    },
    Conditional {
        market: MarketIx,
        trigger: Px,
        direction: TriggerDirection,
    },
}

impl PlaceMode {
    pub fn mode(self) -> OrderMode {
        match self {
            Self::Market => OrderMode::Market,
            Self::Limit { .. } => OrderMode::Limit,
            Self::Chase { .. } => OrderMode::Chase,
            Self::StopMarket { .. } => OrderMode::StopMarket,
            Self::StopLimit { .. } => OrderMode::StopLimit,
            Self::TakeMarket { .. } => OrderMode::TakeMarket,
            Self::TakeLimit { .. } => OrderMode::TakeLimit,
            Self::TakeProfit { .. } => OrderMode::TakeProfit,
            Self::Conditional { .. } => OrderMode::Conditional,
        }
    }

    pub fn trigger(self) -> Option<Px> {
        match self {
            Self::Market | Self::Limit { .. } | Self::Chase { .. } => None,
            Self::StopMarket { trigger }
            | Self::StopLimit { trigger, .. }
            | Self::TakeMarket { trigger }
            | Self::TakeLimit { trigger, .. }
            | Self::TakeProfit { trigger, .. }
            | Self::Conditional { trigger, .. } => Some(trigger),
        }
    }

    pub fn limit(self) -> Option<Px> {
        match self {
            Self::Limit { price }
            | Self::StopLimit { price, .. }
            | Self::TakeLimit { price, .. } => Some(price),
            Self::Market
            | Self::Chase { .. }
            | Self::StopMarket { .. }
            | Self::TakeMarket { .. }
            | Self::TakeProfit { .. }
            | Self::Conditional { .. } => None,
        }
    }

    /// The market whose mark triggers it, if the order names one.
    pub fn watched(self) -> Option<MarketIx> {
        if let Self::Conditional { market, .. } = self {
            Some(market)
        } else {
            None
        }
    }
}

/// Time in force; omitted in a request is `Gtc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tif {
    Gtc,
    Ioc,
    Fok,
    Gtd { expires_at: Millis },
}

/// One of each group of exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExitLegs<T> {
    pub take_profit: T,
    pub stop_loss: T,
}

/// The prices of the exits that an order brings.
pub type AttachedExits = ExitLegs<Option<Px>>;

impl<T: Copy> ExitLegs<T> {
    pub(crate) fn at(&self, group: ExitGroup) -> T {
        match group {
            ExitGroup::Tp => self.take_profit,
            ExitGroup::Sl => self.stop_loss,
        }
    }

    pub(crate) fn set(&mut self, group: ExitGroup, leg: T) {
        match group {
            ExitGroup::Tp => self.take_profit = leg,
            ExitGroup::Sl => self.stop_loss = leg,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseParams {
    pub position: PositionId,
    /// `None` closes all of it; a larger size is clamped.
    pub size: Option<Lots>,
    /// `None` if the client sent none; then the midpoint is recorded.
    pub expected_price: Option<NanoPx>,
    pub how: CloseHow,
    pub client_order_id: Option<ClientOrderId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CloseHow {
    /// `slippage` `None` means 250 bps.
    Market {
        slippage: Option<Bps>,
    },
    Limit {
        price: Px,
        crossing: Crossing,
    },
    /// `market` `None` means the position's own.
    Conditional {
        market: Option<MarketIx>,
        trigger: Px,
        direction: TriggerDirection,
        slippage: Option<Bps>,
    },
}

/// `marketable_limit_acknowledged`: whether a closing limit may cross the market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Crossing {
    Unacknowledged,
    Acknowledged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAttachedExits {
    pub order: OrderId,
    pub take_profit: ExitChange,
    pub stop_loss: ExitChange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitChange {
    Keep,
    Remove,
    Set(Px),
}

/// Another price, and perhaps another remaining size, for a working order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderChange {
    pub order: OrderId,
    pub price: Px,
    pub size: Option<Lots>,
}

/// Changes of the exits of a position: all of them or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeExits {
    pub position: PositionId,
    pub operations: Vec<ExitBatchStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitBatchStep {
    Cancel(OrderId),
    Modify(OrderChange),
    Place(NewExit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewExit {
    pub group: ExitGroup,
    pub execution: ExecutionType,
    /// The trigger, and the limit of one that executes as a limit order.
    pub price: Px,
    pub size: Lots,
    /// The operation whose order becomes the other of its pair.
    pub pair: Option<usize>,
}

/// The desired total of extra margin, not a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetIsolatedMargin {
    pub position: PositionId,
    pub extra: Usd,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TwapParams {
    pub kind: Curve,
    pub market: MarketIx,
    pub side: Side,
    pub size: Lots,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    pub reduction: Reduction,
    /// 5 minutes to a day.
    pub duration_minutes: u32,
    /// `None`: as short as the value of a slice allows.
    pub slice_interval_seconds: Option<u32>,
    pub pacing: Pacing,
    /// Waits until the mark reaches it, from either side.
    pub trigger_price: Option<Px>,
    /// Ends the order when the mark reaches it.
    pub max_price: Option<Px>,
    pub min_price: Option<Px>,
}

/// `randomize`: whether slices vary by up to 20 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pacing {
    Even,
    Randomized,
}

/// From `randomize`.
impl From<bool> for Pacing {
    fn from(randomize: bool) -> Self {
        if randomize {
            Self::Randomized
        } else {
            Self::Even
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaledParams {
    pub market: MarketIx,
    pub side: Side,
    pub size: Lots,
    pub leverage: u32,
    pub margin_mode: MarginMode,
    pub reduction: Reduction,
    pub start_price: Px,
    pub end_price: Px,
    /// 2 to 10.
    pub rung_count: u32,
    pub distribution: Distribution,
}
