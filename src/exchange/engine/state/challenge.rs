//! The progress of an account in its challenge (docs/engine.md 7.2, 7.3): the day, the peak, the days traded and their
//! profit.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{AccountSpec, Bps, ChallengeRules, ChallengeStatus, Drawdown, Millis, Usd};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChallengeState {
    pub(crate) standing: ChallengeStatus,
    /// The account's day, by its rule's offset.
    pub(crate) day: i64,
    /// The base of the daily limit.
    pub(crate) day_balance: Usd,
    /// Equity when the day began.
    pub(crate) day_equity: Usd,
    /// Highest balance so far.
    pub(crate) peak: Usd,
    /// Profit after fees and funding by day.
    profits: BTreeMap<i64, Usd>,
    traded_days: BTreeSet<i64>,
}

impl ChallengeState {
    pub(crate) fn new(spec: &AccountSpec, now: Millis) -> Self {
        Self {
            standing: ChallengeStatus::Active,
            day: day(now, &spec.rules),
            day_balance: spec.cash,
            day_equity: spec.cash,
            peak: spec.cash,
            profits: BTreeMap::new(),
            traded_days: BTreeSet::new(),
        }
    }

    /// Moves every day with the account's clock, which is `now` then.
    pub(crate) fn shift(&mut self, by: Millis, now: Millis, rules: &ChallengeRules) {
        let days = day(now, rules) - self.day;
        self.day += days;
        let profits = std::mem::take(&mut self.profits).into_iter();
        self.profits = profits.map(|(day, profit)| (day + days, profit)).collect();
        let traded = std::mem::take(&mut self.traded_days).into_iter();
        self.traded_days = traded.map(|day| day + days).collect();
        match &mut self.standing {
            ChallengeStatus::Active => {}
            ChallengeStatus::Breached { at, .. } | ChallengeStatus::Passed { at } => *at += by,
        }
    }

    /// Adds to (or subtracts from) today's profit.
    pub(crate) fn add_profit(&mut self, amount: Usd) {
        *self.profits.entry(self.day).or_default() += amount;
    }

    pub(crate) fn traded(&mut self) {
        self.traded_days.insert(self.day);
    }

    pub(crate) fn trading_days(&self) -> usize {
        self.traded_days.len()
    }

    /// At or below this equity the daily limit is broken.
    pub(crate) fn daily_floor(&self, rules: &ChallengeRules) -> Usd {
        keep(self.day_balance, rules.max_daily_loss)
    }

    /// At or below this equity the account is lost.
    pub(crate) fn drawdown_floor(&self, spec: &AccountSpec) -> Usd {
        match spec.rules.drawdown {
            Drawdown::Static => keep(spec.cash, spec.rules.max_drawdown),
            Drawdown::Trailing => {
                let room = spec.cash.mul_floor(spec.rules.max_drawdown.0, 10_000);
                (self.peak - room).min(spec.cash)
            }
        }
    }

    /// The best day's share of all profitable days; `None` without profit.
    pub(crate) fn best_day_share(&self) -> Option<Bps> {
        let gains = || self.profits.values().filter(|profit| profit.0 > 0);
        let best = gains().max()?;
        let total: Usd = gains().copied().sum();
        let share = best.0 * 10_000 / total.0.max(1);
        i64::try_from(share).ok().map(Bps)
    }
}

pub(crate) fn day(now: Millis, rules: &ChallengeRules) -> i64 {
    (now - rules.day_offset).day()
}

/// `base` less `loss` of it.
fn keep(base: Usd, loss: Bps) -> Usd {
    base.mul_floor(10_000 - loss.0, 10_000)
}

/// The balance that meets the profit target.
pub(crate) fn target(spec: &AccountSpec) -> Usd {
    spec.cash
        .mul_ceil(10_000 + spec.rules.profit_target.0, 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(rules: ChallengeRules) -> AccountSpec {
        AccountSpec {
            id: "me".to_owned(),
            cash: Usd::dollars(100_000),
            rules,
            terms: crate::exchange::engine::AccountTerms::default(),
        }
    }

    #[test]
    fn limits_are_those_the_published_examples_give() {
        let default = spec(ChallengeRules::default());
        let mut challenge = ChallengeState::new(&default, Millis(0));
        challenge.day_balance = Usd::dollars(105_000);
        assert_eq!(challenge.daily_floor(&default.rules), Usd::dollars(100_800));
        assert_eq!(challenge.drawdown_floor(&default), Usd::dollars(94_000));
        assert_eq!(target(&default), Usd::dollars(110_000));
    }

    #[test]
    fn a_trailing_limit_follows_the_peak_and_locks_at_the_start() {
        let trailing = spec(ChallengeRules {
            max_drawdown: Bps(800),
            drawdown: Drawdown::Trailing,
            ..ChallengeRules::default()
        });
        let mut challenge = ChallengeState::new(&trailing, Millis(0));
        let mut floor_at = |peak| {
            challenge.peak = Usd::dollars(peak);
            challenge.drawdown_floor(&trailing)
        };
        assert_eq!(floor_at(104_000), Usd::dollars(96_000));
        assert_eq!(floor_at(108_000), Usd::dollars(100_000));
        assert_eq!(floor_at(200_000), Usd::dollars(100_000));
    }

    #[test]
    fn one_day_may_make_at_most_two_fifths_of_the_profit() {
        let mut challenge = ChallengeState::new(&spec(ChallengeRules::default()), Millis(0));
        let mut earn_on = |day, dollars| {
            challenge.day = day;
            challenge.add_profit(Usd::dollars(dollars));
            challenge.best_day_share()
        };
        earn_on(0, 6_000);
        earn_on(1, 2_000);
        assert_eq!(earn_on(2, 2_000), Some(Bps(6_000)));
        assert_eq!(earn_on(3, 5_000), Some(Bps(4_000)));
    }
}
