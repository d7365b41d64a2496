//! Market and account facts: what the desk's price and facts sources read (`config::PriceSource::paper`).

use super::super::{
    api_error::ApiError,
    auth::AuthenticatedUser,
    engine::{
        AccountReport, AccountSpec, Bps, ChallengeStatus, Engine, MarketIx, MarketReport,
        PRICE_FIGURES, RuleMeasure, RuleStatus, Usd,
    },
    message::{ApiRequest, ApiResponse},
    service::ExchangeService,
    state::ExchangeState,
    wire::{self, MarketUnits, nano, rate, usd},
};
use crate::{
    api::Data,
    model::{AccountId, MarketId, Num, Timestamp},
};
use serde::Serialize;

/// Prices in USD; `funding_rate` is a fraction per hour (0.0000125 is 0.00125 %), positive when longs pay.
#[derive(Debug, Serialize)]
struct MarketResource {
    market_id: MarketId,
    provider: String,
    symbol: String,
    coin: String,
    mark_price: Num,
    oracle_price: Num,
    mid_price: Option<Num>,
    bid_price: Option<Num>,
    ask_price: Option<Num>,
    last_price: Option<Num>,
    prev_day_price: Num,
    day_volume: Num,
    funding_rate: Num,
    next_funding_at: Timestamp,
    size_decimals: u32,
    max_leverage: u32,
    /// The price step at the current mark: five significant figures.
    tick_size: Num,
    /// Significant figures that the price of an order may have.
    price_figures: u32,
    lot_size: Num,
    updated_at: Timestamp,
}

/// USD unless said otherwise; `daily_loss_left` is a share of 0 to 1.
#[derive(Debug, Serialize)]
struct AccountResource {
    account_id: AccountId,
    standing: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    breached_rule_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing_since: Option<Timestamp>,
    starting_cash: Num,
    cash: Num,
    insurance_paid: Num,
    insurance_advance: Num,
    unrealized_pnl: Num,
    equity: Num,
    isolated_margin: Num,
    cross_margin: Num,
    maintenance_margin: Num,
    order_holds: Num,
    available_margin: Num,
    open_notional: Num,
    open_positions: usize,
    working_orders: usize,
    day_start_balance: Num,
    day_pnl: Num,
    daily_loss_left: Num,
    trading_days: usize,
    cooldown_until: Timestamp,
    rules: Vec<RuleResource>,
    as_of: Timestamp,
}

/// `value` against `limit`, both in `unit`: `usd`, `fraction` (1 is 100 %, or leverage 1), `count` or `ms`.
#[derive(Debug, Serialize)]
struct RuleResource {
    rule_id: &'static str,
    value: Num,
    limit: Num,
    /// For a drawdown, the value that is 0 % of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Num>,
    unit: &'static str,
    met: bool,
}

pub(super) fn markets(
    service: &ExchangeService,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let rows = |state: &ExchangeState| Ok(market_resources(&state.engine));
    service.read((None, request), rows, |data| Data { data })
}

fn market_resources(engine: &Engine) -> Vec<MarketResource> {
    engine
        .market_ixs()
        .filter_map(|ix| market(engine, ix, &engine.market_facts(ix)?))
        .collect()
}

fn market(engine: &Engine, ix: MarketIx, facts: &MarketReport) -> Option<MarketResource> {
    let spec = engine.market_spec(ix)?;
    let units = MarketUnits::from(spec);
    let px = |px| units.px(px);
    Some(MarketResource {
        market_id: spec.market_id().into(),
        provider: spec.provider.clone(),
        symbol: spec.symbol.clone(),
        coin: spec.coin.clone(),
        mark_price: px(facts.mark),
        oracle_price: px(facts.oracle),
        mid_price: facts.mid.map(nano),
        bid_price: facts.bid.map(px),
        ask_price: facts.ask.map(px),
        last_price: facts.last.map(px),
        prev_day_price: px(facts.prev_day),
        day_volume: usd(facts.day_volume),
        funding_rate: rate(facts.funding_rate),
        next_funding_at: wire::at(facts.next_funding_at),
        size_decimals: spec.size_decimals,
        max_leverage: spec.max_leverage,
        tick_size: px(facts.mark.tick(spec.size_decimals)),
        price_figures: PRICE_FIGURES,
        lot_size: Num::new(1, spec.size_decimals),
        updated_at: wire::at(facts.updated_at),
    })
}

pub(super) fn accounts(
    service: &ExchangeService,
    caller: &AuthenticatedUser,
    request: &ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let rows = |state: &ExchangeState| Ok(account_resources(&state.engine, caller));
    service.read((Some(caller), request), rows, |data| Data { data })
}

fn account_resources(engine: &Engine, caller: &AuthenticatedUser) -> Vec<AccountResource> {
    caller
        .accounts
        .iter()
        .filter_map(|ix| {
            let spec = engine.account_spec(*ix)?;
            Some(account(engine, spec, engine.account_facts(*ix)?))
        })
        .collect()
}

fn account(engine: &Engine, spec: &AccountSpec, facts: AccountReport) -> AccountResource {
    let (standing, breached_rule_id, since) = match facts.standing {
        ChallengeStatus::Active => ("active", None, None),
        ChallengeStatus::Breached { rule, at } => ("breached", Some(rule.into_str()), Some(at)),
        ChallengeStatus::Passed { at } => ("passed", None, Some(at)),
    };
    AccountResource {
        daily_loss_left: daily_loss_left(&facts, spec.rules.max_daily_loss),
        account_id: facts.id.into(),
        standing,
        breached_rule_id,
        standing_since: since.map(wire::at),
        starting_cash: usd(facts.starting_cash),
        cash: usd(facts.cash),
        insurance_paid: usd(facts.insurance_paid),
        insurance_advance: usd(facts.insurance_advance),
        unrealized_pnl: usd(facts.unrealized_pnl),
        equity: usd(facts.equity),
        isolated_margin: usd(facts.isolated_margin),
        cross_margin: usd(facts.cross_margin),
        maintenance_margin: usd(facts.maintenance_margin),
        order_holds: usd(facts.order_holds),
        available_margin: usd(facts.available_margin),
        open_notional: usd(facts.open_notional),
        open_positions: facts.open_positions,
        working_orders: facts.working_orders,
        day_start_balance: usd(facts.day_start_balance),
        day_pnl: usd(facts.day_pnl),
        trading_days: facts.trading_days,
        cooldown_until: wire::at(facts.cooldown_until),
        rules: facts.rules.iter().map(rule).collect(),
        as_of: wire::at(engine.now()),
    }
}

/// How much of the permitted daily loss is left, in ten-thousandths.
fn daily_loss_left(facts: &AccountReport, limit: Bps) -> Num {
    let permitted = facts.day_start_balance.mul_floor(limit.0, 10_000).0;
    let lost = (facts.day_start_balance - facts.equity).0.max(0);
    let left = (permitted - lost).max(0);
    let share = (left * 10_000).checked_div(permitted).unwrap_or(0);
    Num::from_scaled(share, 4).unwrap_or_default().normalized()
}

fn rule(fact: &RuleStatus) -> RuleResource {
    let (value, unit) = measure(fact.value);
    RuleResource {
        rule_id: fact.rule.into_str(),
        value,
        limit: measure(fact.limit).0,
        from: fact.from.map(usd),
        unit,
        met: fact.met,
    }
}

fn measure(measure: RuleMeasure) -> (Num, &'static str) {
    match measure {
        RuleMeasure::Usd(amount) => (usd(amount), "usd"),
        RuleMeasure::Bps(Bps(bps)) => (Num::new(bps, 4).normalized(), "fraction"),
        RuleMeasure::Count(count) => (usd(Usd(i128::from(count) * 1_000_000)), "count"),
        RuleMeasure::Millis(span) => (Num::from(span.0), "ms"),
    }
}
