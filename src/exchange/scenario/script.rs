//! The words of a script.

use super::super::engine::Curve;
use crate::model::{MarginMode, PlaceKind, Side, TimeInForce, TriggerDirection};
use serde::Deserialize;

/// One thing that happens: when (seconds relative to the start, so below 0), on which account, what.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptEntry {
    pub(super) at: i64,
    pub(super) account: String,
    #[serde(rename = "do")]
    pub(super) action: ScriptAction,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScriptAction {
    Order(OrderAct),
    Close(CloseAct),
    /// By label.
    Cancel(String),
    Margin(MarginAct),
    Twap(TwapAct),
    Ladder(LadderAct),
    Rounds(RoundsAct),
    Drift(DriftAct),
    /// One basis point of a drift.
    #[serde(skip)]
    Nudge(String, i32),
    /// By label; what never was or is over stays as it is.
    #[serde(skip)]
    Withdraw(String),
}

/// Where a market goes, apart from its own moves: the news of the morning.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DriftAct {
    pub(super) market: String,
    pub(super) legs: Vec<DriftLeg>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DriftLeg {
    pub(super) seconds: u32,
    pub(super) bps: i32,
}

/// Every `…_bps` is a distance from the mid at that moment, positive above it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderAct {
    /// What a later `cancel` calls it.
    pub(super) label: Option<String>,
    /// By symbol.
    pub(super) market: String,
    #[serde(rename = "type", default = "market_order")]
    pub(super) kind: PlaceKind,
    pub(super) side: Side,
    /// Absent: as much as the open position of the market.
    pub(super) usd: Option<u32>,
    #[serde(default = "usual_leverage")]
    pub(super) leverage: u32,
    #[serde(default = "cross")]
    pub(super) margin_mode: MarginMode,
    #[serde(default)]
    pub(super) reduce_only: bool,
    pub(super) price_bps: Option<i64>,
    pub(super) trigger_bps: Option<i64>,
    pub(super) trigger_market: Option<String>,
    pub(super) trigger_direction: Option<TriggerDirection>,
    pub(super) take_profit_bps: Option<i64>,
    pub(super) stop_loss_bps: Option<i64>,
    pub(super) time_in_force: Option<TimeInForce>,
    /// Of a gtd order, seconds after it is placed.
    pub(super) expires_after: Option<u32>,
}

fn market_order() -> PlaceKind {
    PlaceKind::Market
}

fn usual_leverage() -> u32 {
    5
}

fn cross() -> MarginMode {
    MarginMode::Cross
}

/// At market.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseAct {
    pub(super) market: String,
    /// Of the position; absent closes all of it.
    pub(super) percent: Option<u32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarginAct {
    pub(super) market: String,
    /// The desired total.
    pub(super) extra_usd: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwapAct {
    pub(super) kind: Curve,
    pub(super) market: String,
    pub(super) side: Side,
    pub(super) usd: u32,
    #[serde(default = "usual_leverage")]
    pub(super) leverage: u32,
    #[serde(default = "cross")]
    pub(super) margin_mode: MarginMode,
    pub(super) minutes: u32,
    #[serde(default)]
    pub(super) randomize: bool,
    pub(super) trigger_bps: Option<i64>,
    pub(super) max_bps: Option<i64>,
    pub(super) min_bps: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LadderAct {
    pub(super) market: String,
    pub(super) side: Side,
    pub(super) usd: u32,
    #[serde(default = "usual_leverage")]
    pub(super) leverage: u32,
    #[serde(default = "cross")]
    pub(super) margin_mode: MarginMode,
    pub(super) start_bps: i64,
    pub(super) end_bps: i64,
    pub(super) rungs: u32,
    /// Size of the last rung in percent of the first.
    #[serde(default = "flat")]
    pub(super) skew_percent: u32,
}

fn flat() -> u32 {
    100
}

/// Positions opened and closed again, one after another: a trading day in one line.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundsAct {
    pub(super) market: String,
    pub(super) count: u32,
    /// Seconds from one opening to the next.
    pub(super) every: u32,
    /// Seconds a position is held; less than `every`. Taken in turn, as are sides and sizes.
    pub(super) hold: Vec<u32>,
    pub(super) sides: Vec<Side>,
    pub(super) usd: Vec<u32>,
    /// Absent: in at market. Else by a limit that much better than the mid; what has not filled when the round ends is
    /// withdrawn.
    pub(super) entry_bps: Option<i64>,
    /// A limit that closes with that much profit; what is still open when the round ends is closed at market.
    pub(super) target_bps: Option<u32>,
    /// The attached stop.
    pub(super) stop_bps: Option<u32>,
    #[serde(default = "usual_leverage")]
    pub(super) leverage: u32,
    #[serde(default = "cross")]
    pub(super) margin_mode: MarginMode,
}
