//! Expands one line of a script: the rounds of a trading day.

use super::super::engine::{AccountIx, Millis};
use super::{
    fault::{ScenarioFault, ScenarioResult},
    play::ScriptPlayer,
    script::{CloseAct, OrderAct, RoundsAct, ScriptAction},
};
use crate::model::{PlaceKind, Side};

/// The delay between a round's entry and its target, so that the entry can fill.
const TARGET_AFTER: Millis = Millis::seconds(3);

impl ScriptPlayer<'_> {
    pub(super) fn enter_rounds(
        &mut self,
        account: AccountIx,
        from: Millis,
        rounds: &RoundsAct,
    ) -> ScenarioResult<()> {
        let turns = rounds
            .sides
            .iter()
            .cycle()
            .zip(rounds.usd.iter().cycle())
            .zip(rounds.hold.iter().cycle());
        let mut at = from;
        let count = usize::try_from(rounds.count).unwrap_or(usize::MAX);
        for ((side, usd), hold) in turns.take(count) {
            if *hold >= rounds.every {
                let wanted = "must be below `every`";
                return Err(ScenarioFault::entry("rounds hold", hold, wanted));
            }
            let label = format!("round {}", self.queue.len());
            let ends = at + Millis::seconds((*hold).into());
            let entry = round(rounds, *side, *usd, label.clone());
            if let Some(target) = rounds.target_bps {
                let exit = target_of(&entry, target);
                self.push(at + TARGET_AFTER, account, ScriptAction::Order(exit));
            }
            self.push(at, account, ScriptAction::Order(entry));
            self.push(ends, account, ScriptAction::Withdraw(label));
            let close = CloseAct {
                market: rounds.market.clone(),
                percent: None,
            };
            self.push(ends, account, ScriptAction::Close(close));
            at += Millis::seconds(rounds.every.into());
        }
        Ok(())
    }
}

/// The entry of a round. Distances are given for a buy; a sell mirrors them.
fn round(rounds: &RoundsAct, side: Side, usd: u32, label: String) -> OrderAct {
    let away = |bps: i64| match side {
        Side::Buy => bps,
        Side::Sell => -bps,
    };
    OrderAct {
        label: Some(label),
        market: rounds.market.clone(),
        kind: rounds.entry_bps.map(|_| PlaceKind::Limit),
        side,
        usd: Some(usd),
        leverage: rounds.leverage,
        margin_mode: rounds.margin_mode,
        reduce_only: false,
        price_bps: rounds.entry_bps.map(|bps| away(-bps)),
        trigger_bps: None,
        trigger_market: None,
        trigger_direction: None,
        take_profit_bps: None,
        stop_loss_bps: rounds.stop_bps.map(|bps| away(-i64::from(bps))),
        time_in_force: None,
        expires_after: None,
    }
}

/// The limit order that takes the profit of a round.
fn target_of(entry: &OrderAct, bps: u32) -> OrderAct {
    let bps = i64::from(bps);
    let (side, price) = match entry.side {
        Side::Buy => (Side::Sell, bps),
        Side::Sell => (Side::Buy, -bps),
    };
    OrderAct {
        label: None,
        kind: Some(PlaceKind::Limit),
        side,
        usd: None,
        reduce_only: true,
        price_bps: Some(price),
        stop_loss_bps: None,
        ..entry.clone()
    }
}
