//! What a sequence reached, in words, and what a thousand of them must reach.

use super::desk::Desk;
use crate::exchange::{engine::*, tests::sequences::Tally};

pub(super) struct Reached {
    pub(super) tally: Tally,
    seen: u64,
}

impl Reached {
    pub(super) fn new(desk: &Desk) -> Self {
        Self {
            tally: Tally::default(),
            seen: desk.engine.log_len(),
        }
    }

    pub(super) fn command(
        &mut self,
        command: &EngineCommand,
        done: &Result<CommandOutcome, CommandRefusal>,
    ) {
        let told = format!("{command:?}");
        let kind = told.split('(').next().unwrap_or_default();
        self.tally.count(format!("asked {kind}"));
        if let Err(refusal) = done {
            self.tally
                .count(format!("refused {}", refusal.code.into_str()));
        }
    }

    pub(super) fn events(&mut self, desk: &Desk) {
        let new = desk
            .engine
            .recent_events()
            .take_while(|(number, _)| *number >= self.seen);
        for (_, event) in new {
            self.tally.count(word(desk, *event));
        }
        self.seen = desk.engine.log_len();
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "an event without a word of its own is told by its name"
)]
fn word(desk: &Desk, event: EngineEvent) -> String {
    match event {
        EngineEvent::Filled { row, role, fee, .. } => {
            let row = desk.row(row);
            let who = match (row.twap, row.scaled, fee.is_zero()) {
                (_, _, true) => "by insurance",
                (Some(_), _, _) => "of a twap",
                (_, Some(_), _) => "of a scaled order",
                (None, None, false) => "",
            };
            match row.mode {
                OrderMode::Limit => format!("filled Limit {role:?} {who}"),
                mode => format!("filled {mode:?} {who}"),
            }
        }
        EngineEvent::Ended { status, reason, .. } => {
            let why = reason.map_or("", |reason| reason.into_str());
            format!("ended {status:?} {why}")
        }
        EngineEvent::Twap { status, reason, .. } => {
            let why = reason.map_or("", |reason| reason.into_str());
            format!("twap {status:?} {why}")
        }
        EngineEvent::Scaled { status, .. } => format!("scaled order {status:?}"),
        EngineEvent::Breached { rule, .. } => format!("breached {}", rule.into_str()),
        other => {
            let told = format!("{other:?}");
            told.split(' ').next().unwrap_or_default().to_owned()
        }
    }
}

/// What a thousand sequences reach so often that chance cannot miss it.
pub(super) const EVERYTHING: &[&str] = &[
    "Armed",
    "CancelQueued",
    "DayStarted",
    "ExitsSet",
    "Modified",
    "Paired",
    "Funding",
    "Insurance",
    "Liquidated",
    "MarginSet",
    "Passed",
    "PositionChanged",
    "PositionClosed",
    "PositionOpened",
    "Requested",
    "Resized",
    "Resting",
    "Slice",
    "Triggered",
    "asked Cancel",
    "asked CancelScaled",
    "asked ChangeExits",
    "asked Close",
    "asked Modify",
    "asked ForceClose",
    "asked Place",
    "asked PlaceScaled",
    "asked PlaceTwap",
    "asked QueueCancel",
    "asked SetExits",
    "asked SetIsolatedMargin",
    "asked StopTwap",
    "breached max_daily_loss",
    "breached max_drawdown",
    "ended Canceled breached",
    "ended Canceled liquidated",
    "ended Canceled parent_canceled",
    "ended Canceled reduce_only",
    "ended Canceled replaced",
    "ended Canceled sibling_filled",
    "ended Canceled user",
    "ended Expired",
    "ended Filled",
    "ended Rejected account_breached",
    "ended Rejected fok_unfillable",
    "ended Rejected insufficient_margin",
    "ended Rejected ioc_no_match",
    "ended Rejected leverage_too_high",
    "ended Rejected margin_mode_conflict",
    "ended Rejected market_unavailable",
    "ended Rejected max_open_positions",
    "ended Rejected max_position",
    "ended Rejected no_liquidity",
    "ended Rejected price_out_of_band",
    "ended Rejected reduce_only_no_position",
    "ended Rejected reduce_only_would_increase",
    "ended Rejected trigger_would_fire",
    "filled Chase",
    "filled CloseOut",
    "filled Conditional",
    "filled Limit Maker",
    "filled Limit Maker of a scaled order",
    "filled Limit Taker",
    "filled Liquidation",
    "filled Liquidation by insurance",
    "filled Market",
    "filled Market of a twap",
    "filled StopLimit",
    "filled StopMarket",
    "filled TakeLimit",
    "filled TakeMarket",
    "filled TakeProfit",
    "scaled order Canceled",
    "scaled order Completed",
    "scaled order Rejected",
    "scaled order Working",
    "refused below_min_notional",
    "refused exit_allocation",
    "refused insufficient_margin",
    "refused invalid_attached_exit",
    "refused marketable_limit_unacknowledged",
    "refused order_cooldown",
    "refused order_not_resting",
    "refused order_not_working",
    "refused position_closed",
    "refused position_not_isolated",
    "twap Active",
    "twap Canceled canceled_by_user",
    "twap Completed duration_elapsed",
    "twap Completed filled",
    "twap Completed max_price_reached",
    "twap Completed min_price_reached",
    "twap Failed insufficient_margin",
    "twap Failed market_unavailable",
    "twap Pending",
];
