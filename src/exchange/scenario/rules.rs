//! The rules of an account's challenge, as a scenario writes them.

use super::super::engine::{Bps, ChallengeRules, DailyBasis, Drawdown, Millis, Usd};
use super::fault::{ScenarioResult, within};
use serde::Deserialize;

/// The numbers of docs/engine.md 7; a missing one keeps its default.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioRules {
    max_daily_loss_bps: Option<i64>,
    daily_basis: Option<DailyBasis>,
    day_offset_minutes: Option<u32>,
    max_drawdown_bps: Option<i64>,
    drawdown: Option<Drawdown>,
    max_order_leverage: Option<u32>,
    max_account_leverage: Option<u32>,
    max_position_multiple: Option<u32>,
    max_open_positions: Option<usize>,
    min_order_notional_usd: Option<u32>,
    cooldown_ms: Option<u32>,
    profit_target_bps: Option<i64>,
    min_trading_days: Option<usize>,
    consistency_bps: Option<i64>,
}

/// More than any account can lose or win: the rule never applies.
const MAX_RULE_BPS: i64 = 1_000_000;

impl ScenarioRules {
    fn check(&self) -> ScenarioResult<()> {
        for (entry, given, least) in [
            ("max_daily_loss_bps", self.max_daily_loss_bps, 1),
            ("max_drawdown_bps", self.max_drawdown_bps, 1),
            ("profit_target_bps", self.profit_target_bps, 0),
            ("consistency_bps", self.consistency_bps, 0),
        ] {
            within(entry, given.unwrap_or(least), least..=MAX_RULE_BPS)?;
        }
        for (entry, given) in [
            ("max_order_leverage", self.max_order_leverage),
            ("max_account_leverage", self.max_account_leverage),
            ("max_position_multiple", self.max_position_multiple),
        ] {
            within(entry, given.unwrap_or(1), 1..=u32::MAX)?;
        }
        let offset = self.day_offset_minutes.unwrap_or(0);
        within("day_offset_minutes", offset, 0..=1_439).map(drop)
    }

    pub(super) fn spec(self) -> ScenarioResult<ChallengeRules> {
        self.check()?;
        let usual = ChallengeRules::default();
        let bps = |given: Option<i64>, usual| given.map_or(usual, Bps);
        let minutes = |minutes| Millis::seconds(i64::from(minutes) * 60);
        let dollars = |whole: u32| Usd::dollars(whole.into());
        let millis = |span: u32| Millis(span.into());
        Ok(ChallengeRules {
            max_daily_loss: bps(self.max_daily_loss_bps, usual.max_daily_loss),
            daily_basis: self.daily_basis.unwrap_or(usual.daily_basis),
            day_offset: self.day_offset_minutes.map_or(usual.day_offset, minutes),
            max_drawdown: bps(self.max_drawdown_bps, usual.max_drawdown),
            drawdown: self.drawdown.unwrap_or(usual.drawdown),
            max_order_leverage: self.max_order_leverage.unwrap_or(usual.max_order_leverage),
            max_account_leverage: self
                .max_account_leverage
                .unwrap_or(usual.max_account_leverage),
            max_position_multiple: self
                .max_position_multiple
                .unwrap_or(usual.max_position_multiple),
            max_open_positions: self.max_open_positions.unwrap_or(usual.max_open_positions),
            min_order_notional: self
                .min_order_notional_usd
                .map_or(usual.min_order_notional, dollars),
            cooldown: self.cooldown_ms.map_or(usual.cooldown, millis),
            profit_target: bps(self.profit_target_bps, usual.profit_target),
            min_trading_days: self.min_trading_days.unwrap_or(usual.min_trading_days),
            consistency: bps(self.consistency_bps, usual.consistency),
        })
    }
}
