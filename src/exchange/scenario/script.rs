//! The TOML types of a script.

use super::super::engine::Curve;
use crate::model::{Distribution, MarginMode, PlaceKind, Side, TimeInForce, TriggerDirection};
use serde::Deserialize;

/// One entry: time (seconds relative to the start, so below 0), account, action.
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
    Scaled(ScaledAct),
    Rounds(RoundsAct),
    Nudge(NudgeAct),
    /// By label; has no effect on an order that was never placed or has ended.
    #[serde(skip)]
    Withdraw(String),
}

/// A move of a market on top of its own, in the next step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NudgeAct {
    pub(super) market: String,
    pub(super) bps: i32,
}

/// Every `…_bps` is a distance from the mid at that moment, positive above it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderAct {
    /// The label for a later `cancel`.
    pub(super) label: Option<String>,
    /// By symbol, coin or id.
    pub(super) market: String,
    /// Absent: a market order.
    #[serde(rename = "type")]
    pub(super) kind: Option<PlaceKind>,
    pub(super) side: Side,
    /// Absent: the size of the open position in the market.
    pub(super) usd: Option<u32>,
    pub(super) leverage: Option<u32>,
    pub(super) margin_mode: Option<MarginMode>,
    #[serde(default)]
    pub(super) reduce_only: bool,
    pub(super) price_bps: Option<i64>,
    pub(super) trigger_bps: Option<i64>,
    pub(super) trigger_market: Option<String>,
    pub(super) trigger_direction: Option<TriggerDirection>,
    pub(super) take_profit_bps: Option<i64>,
    pub(super) stop_loss_bps: Option<i64>,
    pub(super) time_in_force: Option<TimeInForce>,
    /// For a gtd order: seconds after it is placed.
    pub(super) expires_after: Option<u32>,
}

/// What a script means without a word.
pub(super) const USUAL_LEVERAGE: u32 = 5;
pub(super) const USUAL_MARGIN: MarginMode = MarginMode::Cross;

/// At the market price.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CloseAct {
    pub(super) market: String,
    /// Percent of the position; absent closes all of it.
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
    pub(super) leverage: Option<u32>,
    pub(super) margin_mode: Option<MarginMode>,
    pub(super) minutes: u32,
    #[serde(default)]
    pub(super) randomize: bool,
    pub(super) trigger_bps: Option<i64>,
    pub(super) max_bps: Option<i64>,
    pub(super) min_bps: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScaledAct {
    pub(super) market: String,
    pub(super) side: Side,
    pub(super) usd: u32,
    pub(super) leverage: Option<u32>,
    pub(super) margin_mode: Option<MarginMode>,
    pub(super) start_bps: i64,
    pub(super) end_bps: i64,
    pub(super) rungs: u32,
    /// Absent: flat.
    pub(super) distribution: Option<Distribution>,
}

/// Positions that are opened and closed again, one after another: a trading day in one line.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoundsAct {
    pub(super) market: String,
    pub(super) count: u32,
    /// Seconds from one opening to the next.
    pub(super) every: u32,
    /// Seconds a position is held; less than `every`. The list is repeated, as are sides and sizes.
    pub(super) hold: Vec<u32>,
    pub(super) sides: Vec<Side>,
    pub(super) usd: Vec<u32>,
    /// Absent: a market entry. Otherwise a limit this much better than the mid; what has not filled when the round ends
    /// is canceled.
    pub(super) entry_bps: Option<i64>,
    /// A limit that closes at this profit; a position that is still open when the round ends is closed at market.
    pub(super) target_bps: Option<u32>,
    /// The attached stop.
    pub(super) stop_bps: Option<u32>,
    pub(super) leverage: Option<u32>,
    pub(super) margin_mode: Option<MarginMode>,
}
