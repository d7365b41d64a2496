//! The rules of an account as facts: the measured value and the limit (docs/engine.md 7).

use super::margin::MarginBalance;
use crate::exchange::engine::core::Engine;
use crate::exchange::engine::state::{
    account::AccountState,
    challenge::target,
    ids::AccountIx,
    records::{RuleMeasure, RuleStatus},
    refusal::RuleId,
    units::{Bps, Millis, Usd},
};

impl Engine {
    pub(crate) fn rule_facts(&self, ix: AccountIx, balance: &MarginBalance) -> Vec<RuleStatus> {
        let account = self.accounts.at(ix);
        let mut facts = limits(account, balance);
        facts.push(self.largest_position(ix));
        facts.push(self.cooldown(account));
        facts.extend(goals(account));
        facts
    }

    fn largest_position(&self, ix: AccountIx) -> RuleStatus {
        let account = self.accounts.at(ix);
        let value = account
            .open
            .values()
            .map(|id| self.positions.at(*id))
            .map(|held| held.notional(self.markets.at(held.market).mark))
            .max()
            .unwrap_or_default();
        let multiple = i64::from(account.spec.rules.max_position_multiple);
        let limit = account.spec.cash.mul_floor(multiple, 1);
        RuleStatus {
            rule: RuleId::MaxPositionNotional,
            value: RuleMeasure::Usd(value),
            limit: RuleMeasure::Usd(limit),
            from: None,
            met: value <= limit,
        }
    }

    fn cooldown(&self, account: &AccountState) -> RuleStatus {
        let left = (account.cooldown_until - self.now).max(Millis::ZERO);
        RuleStatus {
            rule: RuleId::OrderCooldown,
            value: RuleMeasure::Millis(left),
            limit: RuleMeasure::Millis(account.spec.rules.cooldown),
            from: None,
            met: left.is_zero(),
        }
    }
}

fn limits(account: &AccountState, balance: &MarginBalance) -> Vec<RuleStatus> {
    let rules = &account.spec.rules;
    let equity = balance.equity();
    let (challenge, spec) = (&account.challenge, &account.spec);
    let floors = [
        (RuleId::MaxDailyLoss, challenge.daily_floor(rules), None),
        (
            RuleId::MaxDrawdown,
            challenge.drawdown_floor(spec),
            Some(challenge.drawdown_from(spec)),
        ),
    ];
    let mut facts: Vec<RuleStatus> = floors
        .into_iter()
        .map(|(rule, floor, from)| RuleStatus {
            rule,
            value: RuleMeasure::Usd(equity),
            limit: RuleMeasure::Usd(floor),
            from,
            met: equity > floor,
        })
        .collect();
    let used = leverage(balance.open_notional, equity);
    let most = Bps(i64::from(rules.max_account_leverage) * 10_000);
    facts.push(RuleStatus {
        rule: RuleId::MaxLeverage,
        value: RuleMeasure::Bps(used),
        limit: RuleMeasure::Bps(most),
        from: None,
        met: used <= most,
    });
    // Between orders there is nothing to measure; listed for its limit.
    facts.push(RuleStatus {
        rule: RuleId::MinOrderNotional,
        value: RuleMeasure::Usd(rules.min_order_notional),
        limit: RuleMeasure::Usd(rules.min_order_notional),
        from: None,
        met: true,
    });
    facts.push(RuleStatus {
        rule: RuleId::MaxOpenPositions,
        value: RuleMeasure::Count(account.open.len() as u64),
        limit: RuleMeasure::Count(rules.max_open_positions as u64),
        from: None,
        met: account.open.len() <= rules.max_open_positions,
    });
    facts
}

fn goals(account: &AccountState) -> [RuleStatus; 3] {
    let (rules, challenge) = (&account.spec.rules, &account.challenge);
    let goal = target(&account.spec);
    let share = challenge.best_day_share();
    let days = challenge.trading_days();
    [
        RuleStatus {
            rule: RuleId::ProfitTarget,
            value: RuleMeasure::Usd(account.cash),
            limit: RuleMeasure::Usd(goal),
            from: None,
            met: account.cash >= goal,
        },
        RuleStatus {
            rule: RuleId::MinTradingDays,
            value: RuleMeasure::Count(days as u64),
            limit: RuleMeasure::Count(rules.min_trading_days as u64),
            from: None,
            met: days >= rules.min_trading_days,
        },
        RuleStatus {
            rule: RuleId::Consistency,
            value: RuleMeasure::Bps(share.unwrap_or_default()),
            limit: RuleMeasure::Bps(rules.consistency),
            from: None,
            met: share.is_none_or(|share| share <= rules.consistency),
        },
    ]
}

/// Notional over equity; without equity, the largest value.
fn leverage(notional: Usd, equity: Usd) -> Bps {
    let ratio = match (notional.0, equity.0) {
        (0, _) => 0,
        (_, ..=0) => i128::from(i64::MAX),
        (notional, equity) => notional * 10_000 / equity,
    };
    Bps(i64::try_from(ratio).unwrap_or(i64::MAX))
}
