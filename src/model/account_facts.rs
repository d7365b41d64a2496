//! What the desk knows of an account: its figures, the rules of its challenge, and what it may do now.
//!
//! Contract: built in one place, [`AccountFacts::of`], from an account with its risk and from its trading policy. A limit
//! that the service leaves out is not set; it is never 0.

use super::{
    Account, AccountRisk, AccountStage, AccountStatus, Lenient, MarketId, Num, Text, Timestamp,
    TradingLimits, TradingPolicy, trading_policy::EntryLock,
};

/// One rule of a challenge: the measured value and the limit, both in the rule's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFact {
    pub id: Text,
    /// `None` where the service states the limit alone.
    pub value: Option<Num>,
    pub limit: Num,
    /// The value at 0 % of the limit, for rules that have one: for a drawdown the start, or the peak it trails.
    pub from: Option<Num>,
}

/// The account's figures and challenge state, USD unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccountFacts {
    pub name: Option<Text>,
    pub stage: Option<Lenient<AccountStage>>,
    pub equity: Option<Num>,
    pub cash: Option<Num>,
    pub available_margin: Option<Num>,
    /// Profit since the day's start, unrealised included.
    pub day_pnl: Option<Num>,
    /// Share of the permitted daily loss not yet used, 0 to 1.
    pub daily_loss_left: Option<Num>,
    /// What may still be lost today; `None` without a known limit.
    pub daily_loss_room: Option<Num>,
    /// What may still be lost in all.
    pub max_drawdown_room: Option<Num>,
    /// The account's initial cash.
    pub starting_cash: Option<Num>,
    /// The challenge rules.
    pub rules: Vec<RuleFact>,
    /// The challenge state in the service's word: `active`, `failed`, `passed`, `closed`.
    pub standing: Option<Text>,
    /// The rule that ended it.
    pub broken_rule: Option<Text>,
    /// When the service measured it, by its clock.
    pub as_of: Option<Timestamp>,
    /// The service's clock when it answered. Only a simulator measures at that instant.
    pub answered_at: Option<Timestamp>,
    /// `Some(false)`: equity and margin lack the open positions of [`Self::missing_markets`].
    pub marks_complete: Option<bool>,
    /// The markets without a mark.
    pub missing_markets: Vec<MarketId>,
    /// What the account may do now; `None` if that is not known.
    pub policy: Option<Box<TradingPolicy>>,
}

impl AccountFacts {
    /// What an account with its risk and its policy say together.
    pub fn of(account: Account, policy: Option<TradingPolicy>) -> Self {
        let risk = account.risk.unwrap_or_default();
        let figures = Figures {
            risk: &risk,
            start: account.starting_balance,
        };
        let limits = policy.as_ref().and_then(|policy| policy.limits.as_ref());
        let limits = limits.into_iter().flat_map(stated);
        Self {
            name: account.name.filter(|name| !name.is_empty()),
            stage: account.stage,
            equity: risk.equity,
            cash: account.balance,
            available_margin: risk.available_balance,
            day_pnl: figures.day_pnl(),
            daily_loss_left: figures.daily_loss_left(),
            daily_loss_room: risk.daily_loss_room,
            max_drawdown_room: risk.max_drawdown_room,
            starting_cash: account.starting_balance,
            rules: figures.rules().into_iter().chain(limits).collect(),
            standing: account.status.map(|status| status.to_string().into()),
            broken_rule: None,
            as_of: risk.observed_at,
            answered_at: None,
            marks_complete: risk.marks_complete,
            missing_markets: risk.missing_markets.unwrap_or_default(),
            policy: policy.map(Box::new),
        }
    }

    /// Whether the challenge is lost: no opening order is accepted any more.
    pub fn is_breached(&self) -> bool {
        self.broken_rule.is_some() || self.stands(AccountStatus::Failed)
    }

    /// Whether the challenge is won.
    pub fn is_passed(&self) -> bool {
        !self.is_breached() && self.stands(AccountStatus::Passed)
    }

    fn stands(&self, status: AccountStatus) -> bool {
        let standing = self.standing.as_ref().map(Text::raw);
        standing == Some(status.to_string().as_str())
    }

    /// Why nothing may be opened in `market` now, in words; `None` if account and policy allow it.
    pub fn refuses_entries(&self, market: Option<&MarketId>) -> Option<String> {
        if self.stands(AccountStatus::Closed) {
            return self.lock().map(|lock| lock.words);
        }
        self.policy.as_ref()?.refuses_entries(market)
    }

    /// Why nothing may be opened in any market.
    pub fn lock(&self) -> Option<EntryLock> {
        if self.stands(AccountStatus::Closed) {
            return Some(EntryLock::new("ACCOUNT CLOSED", "the account is closed"));
        }
        self.policy.as_ref()?.lock()
    }

    /// The most that one position may be worth, USD, and the value of the largest if the service states it.
    pub fn largest_position(&self) -> Option<(Option<Num>, Num)> {
        let rule = self.rule("max_position_notional")?;
        Some((rule.value, rule.limit))
    }

    /// The minimum order value, USD.
    pub fn smallest_order(&self) -> Option<Num> {
        Some(self.rule("min_order_notional")?.limit)
    }

    /// The rule of this name, if the account has it.
    pub fn rule(&self, id: &str) -> Option<&RuleFact> {
        self.rules.iter().find(|rule| rule.id.raw() == id)
    }
}

/// A percentage that is null or 0 sets no limit: a competition states 0.
fn set(percent: Option<Num>) -> Option<Num> {
    percent.filter(|percent| percent.is_positive())
}

/// The risk of an account, whose percentages are of its starting balance.
struct Figures<'a> {
    risk: &'a AccountRisk,
    start: Option<Num>,
}

impl Figures<'_> {
    /// That percentage of the starting balance, USD.
    fn share(&self, percent: Option<Num>) -> Option<Num> {
        self.start?.times(set(percent)?)?.over(Num::HUNDRED)
    }

    /// What may be lost in a day, USD.
    fn permitted_loss(&self) -> Option<Num> {
        self.share(self.risk.requirements.as_ref()?.daily_loss_pct)
    }

    /// The day began where all of the permitted loss was left.
    fn day_pnl(&self) -> Option<Num> {
        self.risk.daily_loss_room?.minus(self.permitted_loss()?)
    }

    fn daily_loss_left(&self) -> Option<Num> {
        let room = self.risk.daily_loss_room?;
        let left = room.over(self.permitted_loss()?)?;
        Some(left.max(Num::ZERO).min(Num::ONE))
    }

    fn rules(&self) -> Vec<RuleFact> {
        let required = self.risk.requirements.clone().unwrap_or_default();
        let goals = [
            ("consistency", set(required.consistency_pct)),
            ("min_trading_days", set(required.minimum_trading_days)),
        ];
        let goals = goals
            .into_iter()
            .filter_map(|(id, limit)| Some(unmeasured(id, limit?)));
        let drawdown = self.share(required.max_drawdown_pct);
        [
            self.floor(
                "max_daily_loss",
                self.risk.daily_loss_floor,
                self.permitted_loss(),
            ),
            self.floor("max_drawdown", self.risk.max_drawdown_floor, drawdown),
            self.target(required.profit_target_pct),
        ]
        .into_iter()
        .flatten()
        .chain(goals)
        .collect()
    }

    /// A limit that the equity must stay above.
    fn floor(&self, id: &str, floor: Option<Num>, permitted: Option<Num>) -> Option<RuleFact> {
        let limit = floor?;
        Some(RuleFact {
            id: id.into(),
            value: self.risk.equity,
            limit,
            from: permitted.and_then(|permitted| limit.plus(permitted)),
        })
    }

    /// Balances: how far the account is on its way to the target.
    fn target(&self, percent: Option<Num>) -> Option<RuleFact> {
        let limit = self.start?.plus(self.share(percent)?)?;
        let remaining = self.risk.remaining_profit;
        Some(RuleFact {
            id: "profit_target".into(),
            value: remaining.and_then(|remaining| limit.minus(remaining)),
            limit,
            from: self.start,
        })
    }
}

/// The limits of orders and positions that a policy states.
fn stated(limits: &TradingLimits) -> Vec<RuleFact> {
    let limits = [
        ("max_position_notional", limits.max_position_value_usd),
        ("min_order_notional", limits.min_order_notional_usd),
        ("max_open_positions", limits.max_open_positions),
        ("max_resting_orders", limits.max_resting_orders),
        ("order_cooldown", limits.order_cooldown_ms),
        ("trades_per_minute", limits.trades_per_minute),
        ("trades_per_hour", limits.trades_per_hour),
        ("trades_per_day", limits.trades_per_day),
    ];
    let limits = limits.into_iter();
    limits
        .filter_map(|(id, limit)| Some(unmeasured(id, limit?)))
        .collect()
}

fn unmeasured(id: &str, limit: Num) -> RuleFact {
    RuleFact {
        id: id.into(),
        value: None,
        limit,
        from: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(account: &str, policy: Option<&str>) -> AccountFacts {
        let account = serde_json::from_str(account).unwrap();
        AccountFacts::of(
            account,
            policy.map(|json| serde_json::from_str(json).unwrap()),
        )
    }

    fn num(text: &str) -> Num {
        text.parse().unwrap()
    }

    fn rule(facts: &AccountFacts, id: &str) -> (Option<Num>, Num, Option<Num>) {
        let rule = facts.rule(id).unwrap();
        (rule.value, rule.limit, rule.from)
    }

    const EVALUATION: &str = r#"{"id":"a","name":"50k","stage":"evaluation","status":"active",
        "starting_balance":50000,"balance":50400,"risk":{"observed_at":1790000000000,"marks_complete":false,
        "missing_markets":["binance|BTCUSDT"],"equity":50100,"available_balance":40000,"daily_loss_floor":47900,
        "daily_loss_room":2200,"max_drawdown_floor":45000,"max_drawdown_room":5100,"remaining_profit":3600,
        "requirements":{"daily_loss_pct":5,"max_drawdown_pct":10,"profit_target_pct":8,"consistency_pct":40,
        "minimum_trading_days":4}}}"#;

    #[test]
    fn the_rules_of_a_challenge_come_from_its_risk() {
        let facts = facts(EVALUATION, None);
        assert_eq!(
            rule(&facts, "max_daily_loss"),
            (Some(num("50100")), num("47900"), Some(num("50400")))
        );
        assert_eq!(
            rule(&facts, "max_drawdown"),
            (Some(num("50100")), num("45000"), Some(num("50000")))
        );
        assert_eq!(
            rule(&facts, "profit_target"),
            (Some(num("50400")), num("54000"), Some(num("50000")))
        );
        assert_eq!(rule(&facts, "consistency"), (None, num("40"), None));
        assert_eq!(rule(&facts, "min_trading_days"), (None, num("4"), None));
        assert_eq!(facts.daily_loss_left, Some(num("0.88")));
        assert_eq!(facts.day_pnl, Some(num("-300")));
        assert_eq!(facts.as_of, Some(Timestamp(1_790_000_000_000)));
        assert_eq!(facts.marks_complete, Some(false));
        assert_eq!(facts.missing_markets, ["binance|BTCUSDT".into()]);
    }

    #[test]
    fn a_limit_that_is_null_or_zero_is_not_set() {
        let facts = facts(
            r#"{"id":"a","starting_balance":50000,"risk":{"equity":50100,"daily_loss_floor":null,
                "daily_loss_room":null,"remaining_profit":null,"requirements":{"daily_loss_pct":0,
                "max_drawdown_pct":0,"profit_target_pct":null,"consistency_pct":0}}}"#,
            Some(r#"{"limits":{"max_open_positions":null}}"#),
        );
        assert_eq!(facts.rules, []);
        assert_eq!((facts.daily_loss_left, facts.day_pnl), (None, None));
        assert_eq!(facts.equity, Some(num("50100")));
    }

    #[test]
    fn an_account_without_risk_has_its_balances_and_no_limits() {
        let facts = facts(r#"{"id":"a","balance":100,"status":"closed"}"#, None);
        assert_eq!((facts.cash, facts.equity), (Some(num("100")), None));
        assert_eq!(facts.rules, []);
        let why = facts.refuses_entries(None);
        assert_eq!(why.as_deref(), Some("the account is closed"));
    }

    #[test]
    fn the_limits_of_orders_and_what_is_locked_come_from_the_policy() {
        let policy = r#"{"payout_pending":true,"limits":{"max_position_value_usd":250000,
            "min_order_notional_usd":10,"max_open_positions":5,"order_cooldown_ms":500}}"#;
        let facts = facts(EVALUATION, Some(policy));
        assert_eq!(facts.largest_position(), Some((None, num("250000"))));
        assert_eq!(facts.smallest_order(), Some(num("10")));
        assert_eq!(rule(&facts, "max_open_positions").1, num("5"));
        assert_eq!(rule(&facts, "order_cooldown").1, num("500"));
        assert!(facts.refuses_entries(None).is_some());
    }

    #[test]
    fn a_failed_challenge_is_breached_and_a_passed_one_is_passed() {
        let stands = |status: &str| {
            let facts = facts(&format!(r#"{{"id":"a","status":"{status}"}}"#), None);
            (facts.is_breached(), facts.is_passed())
        };
        assert_eq!(stands("active"), (false, false));
        assert_eq!(stands("failed"), (true, false));
        assert_eq!(stands("passed"), (false, true));
    }
}
