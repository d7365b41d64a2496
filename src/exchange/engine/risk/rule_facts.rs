//! The rules of an account as facts: what is measured, and what is allowed (docs/engine.md 7).

use super::margin::Balance;
use crate::exchange::engine::core::Engine;
use crate::exchange::engine::state::{
    account::Account,
    challenge::target,
    ids::AccountIx,
    refusal::RuleId,
    rows::{Measure, RuleFact},
    units::{Bps, Millis, Usd},
};

impl Engine {
    pub(crate) fn rule_facts(&self, ix: AccountIx, balance: &Balance) -> Vec<RuleFact> {
        let account = self.accounts.at(ix);
        let mut facts = limits(account, balance);
        facts.push(self.largest_position(ix));
        facts.push(self.cooldown(account));
        facts.extend(goals(account));
        facts
    }

    fn largest_position(&self, ix: AccountIx) -> RuleFact {
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
        RuleFact {
            rule: RuleId::MaxPositionNotional,
            value: Measure::Usd(value),
            limit: Measure::Usd(limit),
            from: None,
            met: value <= limit,
        }
    }

    fn cooldown(&self, account: &Account) -> RuleFact {
        let left = (account.cooldown_until - self.now).max(Millis::ZERO);
        RuleFact {
            rule: RuleId::OrderCooldown,
            value: Measure::Millis(left),
            limit: Measure::Millis(account.spec.rules.cooldown),
            from: None,
            met: left.is_zero(),
        }
    }
}

fn limits(account: &Account, balance: &Balance) -> Vec<RuleFact> {
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
    let mut facts: Vec<RuleFact> = floors
        .into_iter()
        .map(|(rule, floor, from)| RuleFact {
            rule,
            value: Measure::Usd(equity),
            limit: Measure::Usd(floor),
            from,
            met: equity > floor,
        })
        .collect();
    let used = leverage(balance.open_notional, equity);
    let most = Bps(i64::from(rules.max_account_leverage) * 10_000);
    facts.push(RuleFact {
        rule: RuleId::MaxLeverage,
        value: Measure::Bps(used),
        limit: Measure::Bps(most),
        from: None,
        met: used <= most,
    });
    // Nothing to measure between orders: told for its limit.
    facts.push(RuleFact {
        rule: RuleId::MinOrderNotional,
        value: Measure::Usd(rules.min_order_notional),
        limit: Measure::Usd(rules.min_order_notional),
        from: None,
        met: true,
    });
    facts.push(RuleFact {
        rule: RuleId::MaxOpenPositions,
        value: Measure::Count(account.open.len() as u64),
        limit: Measure::Count(rules.max_open_positions as u64),
        from: None,
        met: account.open.len() <= rules.max_open_positions,
    });
    facts
}

fn goals(account: &Account) -> [RuleFact; 3] {
    let (rules, challenge) = (&account.spec.rules, &account.challenge);
    let goal = target(&account.spec);
    let share = challenge.best_day_share();
    let days = challenge.trading_days();
    [
        RuleFact {
            rule: RuleId::ProfitTarget,
            value: Measure::Usd(account.cash),
            limit: Measure::Usd(goal),
            from: None,
            met: account.cash >= goal,
        },
        RuleFact {
            rule: RuleId::MinTradingDays,
            value: Measure::Count(days as u64),
            limit: Measure::Count(rules.min_trading_days as u64),
            from: None,
            met: days >= rules.min_trading_days,
        },
        RuleFact {
            rule: RuleId::Consistency,
            value: Measure::Bps(share.unwrap_or_default()),
            limit: Measure::Bps(rules.consistency),
            from: None,
            met: share.is_none_or(|share| share <= rules.consistency),
        },
    ]
}

/// Notional over equity; without equity, as much as can be told.
fn leverage(notional: Usd, equity: Usd) -> Bps {
    let ratio = match (notional.0, equity.0) {
        (0, _) => 0,
        (_, ..=0) => i128::from(i64::MAX),
        (notional, equity) => notional * 10_000 / equity,
    };
    Bps(i64::try_from(ratio).unwrap_or(i64::MAX))
}
