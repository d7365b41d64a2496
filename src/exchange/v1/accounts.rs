//! The accounts of a key, the risk of one, and what it may do now (docs/service-api.md 2.5, 2.6).

use super::super::{
    api_error::ApiResult,
    auth::AuthenticatedUser,
    engine::{
        AccountIx, AccountReport, AccountSpec, Bps, ChallengeRules, ChallengeStatus, Engine,
        MAX_SLIPPAGE, MAX_WORKING_ORDERS, Millis, ReceivedRules, RuleId, Usd,
    },
    state::ExchangeState,
    wire::{self, usd},
};
use crate::model::{
    Account, AccountId, AccountRequirements, AccountRisk, AccountRule, AccountStage, AccountStatus,
    Num, Restriction, SlippageTolerance, TradingHalt, TradingLimits, TradingPolicy,
};
use serde_json::json;

pub(super) fn accounts(state: &ExchangeState, caller: &AuthenticatedUser) -> Vec<Account> {
    let accounts = caller.accounts.iter();
    accounts
        .map(|ix| without_risk(&state.engine, *ix))
        .collect()
}

pub(in crate::exchange) fn without_risk(engine: &Engine, ix: AccountIx) -> Account {
    account(engine.account_spec(ix), &engine.account_facts(ix))
}

/// The same with its risk.
pub(in crate::exchange) fn with_risk(engine: &Engine, ix: AccountIx) -> Account {
    let (spec, facts) = (engine.account_spec(ix), engine.account_facts(ix));
    Account {
        risk: Some(risk(engine.now(), spec, &facts)),
        ..account(spec, &facts)
    }
}

/// One account of the caller, with its risk.
pub(super) fn of_caller(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
) -> ApiResult<Account> {
    let account = state.account(caller, id.raw())?;
    Ok(with_risk(&state.engine, account))
}

fn account(spec: &AccountSpec, facts: &AccountReport) -> Account {
    Account {
        id: spec.id.as_str().into(),
        account_number: Some(spec.terms.number.to_string().into()),
        name: Some(name(spec).into()),
        stage: Some(spec.terms.stage.into()),
        status: Some(status(facts.standing).into()),
        starting_balance: Some(usd(spec.cash)),
        // Below 0 while the profit of open positions covers it, so that it and their PnL make the equity.
        balance: Some(usd(facts.equity - facts.unrealized_pnl)),
        created_at: Some(wire::at(facts.opened_at)),
        risk: None,
    }
}

fn name(spec: &AccountSpec) -> &str {
    if spec.terms.name.is_empty() {
        &spec.id
    } else {
        &spec.terms.name
    }
}

fn status(standing: ChallengeStatus) -> AccountStatus {
    match standing {
        ChallengeStatus::Active => AccountStatus::Active,
        ChallengeStatus::Passed { .. } => AccountStatus::Passed,
        ChallengeStatus::Breached { .. } => AccountStatus::Failed,
    }
}

fn risk(now: Millis, spec: &AccountSpec, facts: &AccountReport) -> AccountRisk {
    let daily = limit(spec.rules.max_daily_loss).map(|_| facts.daily_floor);
    let drawdown = limit(spec.rules.max_drawdown).map(|_| facts.drawdown_floor);
    let room = |floor: Option<Usd>| floor.map(|floor| usd(facts.equity - floor));
    let target = has_goals(spec).then_some(facts.profit_target);
    let balance = facts.equity - facts.unrealized_pnl;
    AccountRisk {
        observed_at: Some(wire::at(now)),
        marks_complete: Some(true),
        missing_markets: Some(vec![]),
        equity: Some(usd(facts.equity)),
        unrealized_pnl: Some(usd(facts.unrealized_pnl)),
        margin_used: Some(usd(facts.isolated_margin + facts.cross_margin)),
        available_balance: Some(usd(facts.available_margin)),
        gross_exposure: Some(usd(facts.open_notional)),
        daily_loss_floor: daily.map(usd),
        daily_loss_room: room(daily),
        max_drawdown_floor: drawdown.map(usd),
        max_drawdown_room: room(drawdown),
        remaining_profit: target.map(|target| usd((target - balance).max(Usd::ZERO))),
        requirements: Some(requirements(spec)),
    }
}

/// A funded account has nothing to reach.
fn has_goals(spec: &AccountSpec) -> bool {
    spec.terms.stage == AccountStage::Evaluation
}

/// `None` for a loss limit of everything or more: the rule never applies.
fn limit(loss: Bps) -> Option<Bps> {
    Some(loss).filter(|loss| *loss < Bps(10_000))
}

fn requirements(spec: &AccountSpec) -> AccountRequirements {
    let rules = &spec.rules;
    let goal = |bps: Bps| has_goals(spec).then(|| percent(bps));
    let days = u32::try_from(rules.min_trading_days).unwrap_or(u32::MAX);
    AccountRequirements {
        daily_loss_pct: limit(rules.max_daily_loss).map(percent),
        max_drawdown_pct: limit(rules.max_drawdown).map(percent),
        profit_target_pct: goal(rules.profit_target),
        consistency_pct: goal(rules.consistency),
        minimum_trading_days: has_goals(spec).then(|| days.into()),
    }
}

fn percent(Bps(bps): Bps) -> Num {
    Num::new(bps, 2).normalized()
}

pub(super) fn trading_policy(
    state: &ExchangeState,
    caller: &AuthenticatedUser,
    id: &AccountId,
) -> ApiResult<TradingPolicy> {
    let engine = &state.engine;
    let account = state.account(caller, id.raw())?;
    let (spec, facts) = (engine.account_spec(account), engine.account_facts(account));
    let is_failed = status(facts.standing) == AccountStatus::Failed;
    let restriction = spec.terms.restriction.as_ref();
    let leverage = i64::from(spec.rules.max_account_leverage);
    Ok(TradingPolicy {
        status: Some(status(facts.standing).into()),
        stage: Some(spec.terms.stage.into()),
        manual_trading_blocked: Some(false),
        opening_exposure_restricted: Some(is_failed || restriction.is_some()),
        payout_pending: Some(false),
        copy_follower_locked: Some(false),
        copy_scope_blocked: Some(false),
        fee_exempt: Some(false),
        restriction: restriction.map(|why| Restriction {
            restriction: "reduce_only".into(),
            reason: Some(why.as_str().into()),
            flagged_at: Some(wire::at(facts.opened_at)),
        }),
        competition: None,
        trading_halt: Some(TradingHalt {
            platform: Some(false),
            categories: Some(vec![]),
        }),
        limits: Some(limits(spec, engine.received_rules())),
        slippage_tolerance_bps: Some(slippage(engine)),
        account_rules: Some(account_rules(&spec.rules)),
        maximum_total_notional_usd: Some(usd(facts.equity.mul_floor(leverage, 1).max(Usd::ZERO))),
    })
}

/// Limits that the engine does not have stay out.
fn limits(spec: &AccountSpec, received: Option<ReceivedRules>) -> TradingLimits {
    let rules = &spec.rules;
    let delay =
        |of: fn(ReceivedRules) -> Millis| received.map_or(Num::ZERO, |rules| of(rules).0.into());
    TradingLimits {
        order_cooldown_ms: Some(rules.cooldown.0.into()),
        max_open_positions: Some(count(rules.max_open_positions)),
        max_position_value_usd: Some(usd(spec.max_position())),
        min_order_notional_usd: Some(usd(rules.min_order_notional)),
        execution_delay_min_ms: Some(delay(|rules| rules.min_delay)),
        execution_delay_max_ms: Some(delay(|rules| rules.max_delay)),
        max_book_staleness_ms: received.map(|rules| rules.max_book_age.0.into()),
        max_resting_orders: Some(count(MAX_WORKING_ORDERS)),
        ..TradingLimits::default()
    }
}

fn count(number: usize) -> Num {
    i64::try_from(number).unwrap_or(i64::MAX).into()
}

fn slippage(engine: &Engine) -> SlippageTolerance {
    let most = Num::from(MAX_SLIPPAGE.0);
    let markets = engine.markets.each();
    let providers = markets.map(|market| (market.spec.provider.clone(), most));
    SlippageTolerance {
        min: Some(Num::ONE),
        max: Some(most),
        market_order_maximum_by_provider: Some(providers.collect()),
    }
}

/// The rules of the challenge that no other field reports.
fn account_rules(rules: &ChallengeRules) -> Vec<AccountRule> {
    let rule = |id: RuleId, parameters| AccountRule {
        id: id.into_str().into(),
        parameters,
    };
    let day_begins_at_minute = rules.day_offset.0 / Millis::MINUTE.0;
    vec![
        rule(
            RuleId::MaxDailyLoss,
            json!({ "basis": rules.daily_basis, "day_begins_at_minute": day_begins_at_minute }),
        ),
        rule(RuleId::MaxDrawdown, json!({ "kind": rules.drawdown })),
        rule(
            RuleId::MaxLeverage,
            json!({ "order": rules.max_order_leverage, "account": rules.max_account_leverage }),
        ),
    ]
}
