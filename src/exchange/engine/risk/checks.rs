//! Checks of an order against the state (409, recorded as rejected): docs/engine.md 2.3, 2.6, 6.1, 7.1.
//!
//! Each rule is one function; lists of them run at placement and again when a trigger fires. Challenge rules never
//! block a reduce-only order.

use crate::exchange::engine::{
    core::Engine,
    market::triggers::reached,
    state::{
        AccountIx, ChallengeStatus, CommandRefusal, CommandResult, Lots, MarketAccess, MarketIx,
        OrderMode, OrderRecord, OrderStatus, Px, Reason, Reduction, RefusalKind, Side, TimeInForce,
        Usd, refuse,
    },
};

/// The largest distance of a limit price from the mark, in basis points.
const PRICE_BAND: i64 = 9_500;
/// Resting chases per account.
const MAX_CHASES: usize = 5;
/// Working orders per account: bounds the complete working set. Immediate executions do not count, so that resting
/// orders never prevent an exit.
pub const MAX_WORKING_ORDERS: usize = 1_000;

type OrderCheck = fn(&Engine, &OrderRecord) -> CommandResult<()>;

/// The checks at placement.
const AT_PLACEMENT: [OrderCheck; 11] = [
    standing,
    tradable_or_waits,
    reduces,
    margin_mode,
    leverage,
    band,
    min_notional,
    exposure,
    trigger,
    exit_allocation,
    counts,
];

/// The checks when a trigger fires. The exit of a small fill may be below the minimum order value and must still work.
const AT_ACTIVATION: [OrderCheck; 6] =
    [standing, tradable, reduces, margin_mode, leverage, exposure];

/// The largest leverage of a position, and what it would be worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeverageLimit {
    most: u32,
    value: Usd,
}

impl LeverageLimit {
    pub(crate) fn check(self, leverage: u32) -> CommandResult<()> {
        let Self { most, value } = self;
        if leverage <= most {
            return Ok(());
        }
        refuse(
            Reason::LeverageTooHigh,
            format!(
                "leverage {leverage} is above {most}, the most for a position worth {value} USD"
            ),
        )
    }
}

impl Engine {
    pub(crate) fn check_placement(&self, row: &OrderRecord) -> CommandResult<()> {
        AT_PLACEMENT.iter().try_for_each(|check| check(self, row))
    }

    pub(crate) fn check_activation(&self, row: &OrderRecord) -> CommandResult<()> {
        AT_ACTIVATION.iter().try_for_each(|check| check(self, row))
    }

    /// For a price that was determined after the placement checks.
    pub(crate) fn check_band(&self, row: &OrderRecord) -> CommandResult<()> {
        band(self, row)
    }

    /// How much of an order of `row`'s side the position would close.
    pub(crate) fn reducible(&self, row: &OrderRecord) -> Lots {
        self.held(row.account, row.market)
            .map_or(Lots::ZERO, |held| held.reducible(row.side))
    }

    /// The working exits of the account's position on a market, if they are of this side.
    pub(crate) fn exits(
        &self,
        account: AccountIx,
        market: MarketIx,
        side: Side,
    ) -> impl Iterator<Item = &OrderRecord> {
        let working = self.accounts.at(account).working.iter();
        let rows = working.map(|id| self.orders.at(*id));
        let is_here = move |row: &&OrderRecord| row.market == market && row.side == side;
        rows.filter(is_here)
            .filter(|row| row.is_exit() && row.cancel_requested_at.is_none())
    }

    /// Whether so many more orders may work.
    pub(crate) fn check_room(&self, account: AccountIx, more: usize) -> CommandResult<()> {
        room_for(more, self.accounts.at(account).working.len())
    }

    /// Whether `size` of an order may be filled at its leverage.
    pub(crate) fn check_leverage(&self, row: &OrderRecord, size: Lots) -> CommandResult<()> {
        if row.reduce_only {
            return Ok(());
        }
        let limit = self.leverage_limit(row.account, row.market, row.side, size);
        limit.check(row.leverage)
    }

    /// The leverage that an order may have: the market's for the position it would leave, and the account's. An order that
    /// opens nothing is bound by no further tier: it makes the position smaller.
    pub(crate) fn leverage_limit(
        &self,
        account: AccountIx,
        market: MarketIx,
        side: Side,
        lots: Lots,
    ) -> LeverageLimit {
        let value = self.value_after(account, market, side, lots);
        let held = self.held(account, market);
        let opens = lots > held.map_or(Lots::ZERO, |held| held.reducible(side));
        let bound = if opens { value } else { Usd::ZERO };
        let rules = &self.accounts.at(account).spec.rules;
        let most = self.markets.at(market).max_leverage(bound);
        LeverageLimit {
            most: most.min(rules.max_order_leverage),
            value,
        }
    }

    /// What the position would be worth after `lots` more on `side`.
    fn value_after(&self, account: AccountIx, market: MarketIx, side: Side, lots: Lots) -> Usd {
        let held = self.held(account, market);
        let before = held.map_or(Lots::ZERO, |held| held.size);
        self.markets.at(market).mark * (before + Lots(side.sign() * lots.0)).abs()
    }

    /// A restricted account, and one that broke a rule, only reduce.
    pub(crate) fn check_opens(&self, account: AccountIx) -> CommandResult<()> {
        let account = self.accounts.at(account);
        if let Some(why) = &account.spec.terms.restriction {
            return refuse(
                Reason::AccountRestricted,
                format!("the account is restricted ({why}): only reduce-only orders are accepted"),
            );
        }
        match account.challenge.standing {
            ChallengeStatus::Breached { rule, .. } => refuse(
                Reason::AccountBreached,
                format!(
                    "the account broke {}: only reduce-only orders are accepted",
                    rule.into_str()
                ),
            ),
            ChallengeStatus::Active | ChallengeStatus::Passed { .. } => Ok(()),
        }
    }

    /// A market may accept no order, or only those that reduce.
    pub(crate) fn check_access(&self, market: MarketIx, reduction: Reduction) -> CommandResult<()> {
        let spec = &self.markets.at(market).spec;
        let words = match (spec.access, reduction) {
            (MarketAccess::Open, _) | (MarketAccess::ReduceOnly, Reduction::Only) => return Ok(()),
            (MarketAccess::ReduceOnly, Reduction::May) => "accepts reduce-only orders only",
            (MarketAccess::Disabled, _) => "accepts no orders now",
        };
        refuse(
            Reason::MarketRestricted,
            format!("{} {words}", spec.market_id()),
        )
    }
}

fn standing(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    if row.reduce_only {
        return Ok(());
    }
    engine.check_opens(row.account)
}

/// An order that waits for its trigger meets the book when it fires.
fn tradable_or_waits(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    engine.check_access(row.market, row.reduce_only.into())?;
    if row.trigger_direction.is_some() {
        return Ok(());
    }
    tradable(engine, row)
}

/// An opening order at the market needs both sides of the book, so that there is a mid to measure its price by. One that
/// reduces needs a counterparty only, so that an empty half of the book prevents no exit. A limit order brings its price.
fn tradable(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    engine.check_access(row.market, row.reduce_only.into())?;
    fed(engine, row)?;
    let book = &engine.markets.at(row.market).book;
    let has_counterparty = || book.best(row.side.opposite()).is_some();
    if row.is_limit() || book.twice_mid().is_some() || (row.reduce_only && has_counterparty()) {
        return Ok(());
    }
    let market = engine.markets.at(row.market);
    refuse(
        Reason::MarketUnavailable,
        format!("{} has no two-sided book now", market.spec.market_id()),
    )
}

/// While nothing is received of a market, an order may only wait in its book.
fn fed(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    if !row.needs_book() || !engine.is_frozen(row.market) {
        return Ok(());
    }
    let market = engine.markets.at(row.market).spec.market_id();
    let message = format!(
        "nothing is received of {market} now: only limit orders and cancels are accepted until data arrives"
    );
    Err(CommandRefusal {
        kind: RefusalKind::Conflict,
        ..CommandRefusal::conflict(Reason::MarketUnavailable, message)
    })
}

fn reduces(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    if !row.reduce_only {
        return Ok(());
    }
    match engine.held(row.account, row.market) {
        None => refuse(
            Reason::ReduceOnlyNoPosition,
            "reduce_only needs an open position on this market",
        ),
        Some(held) if held.closing_side() != row.side => refuse(
            Reason::ReduceOnlyWouldIncrease,
            format!("reduce_only {} would increase the position", row.side),
        ),
        Some(_) => Ok(()),
    }
}

fn margin_mode(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    match engine.held(row.account, row.market) {
        Some(held) if !row.reduce_only && held.margin_mode != row.margin_mode => refuse(
            Reason::MarginModeConflict,
            format!(
                "margin_mode {} differs from the open position's {}",
                row.margin_mode, held.margin_mode
            ),
        ),
        Some(_) | None => Ok(()),
    }
}

fn leverage(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    engine.check_leverage(row, row.size)
}

fn band(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    let market = engine.markets.at(row.market);
    let (mark, decimals) = (market.mark, market.spec.size_decimals);
    let far = |px: &Px| (px.0 - mark.0).abs() * 10_000 > mark.0 * PRICE_BAND;
    match row.limit_price.filter(far) {
        None => Ok(()),
        Some(px) => refuse(
            Reason::PriceOutOfBand,
            format!(
                "limit_price {} is more than 95 % away from the mark {}",
                px.shown(decimals),
                mark.shown(decimals)
            ),
        ),
    }
}

fn min_notional(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    let least = engine
        .accounts
        .at(row.account)
        .spec
        .rules
        .min_order_notional;
    let value = engine.markets.at(row.market).mark * row.size;
    let closes_all = row.reduce_only && row.size >= engine.reducible(row);
    if value < least && !closes_all {
        refuse(
            Reason::BelowMinNotional,
            format!("the order is worth {value} USD, less than the minimum {least}"),
        )
    } else {
        Ok(())
    }
}

/// Open positions, notional of one position, and notional of all over equity.
fn exposure(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    let opening = row.size - row.size.min(engine.reducible(row));
    if row.reduce_only || opening.is_zero() {
        return Ok(());
    }
    let account = engine.accounts.at(row.account);
    let rules = &account.spec.rules;
    let held = engine.held(row.account, row.market);
    if held.is_none() && account.open.len() >= rules.max_open_positions {
        return refuse(
            Reason::MaxOpenPositions,
            format!("{} positions are open already", account.open.len()),
        );
    }
    let mark = engine.markets.at(row.market).mark;
    let after = engine.value_after(row.account, row.market, row.side, row.size);
    let most = account.spec.max_position();
    if after > most {
        return refuse(
            Reason::MaxPosition,
            format!("the position would be worth {after} USD, more than {most}"),
        );
    }
    account_leverage(engine, row, mark * opening)
}

fn account_leverage(engine: &Engine, row: &OrderRecord, opening: Usd) -> CommandResult<()> {
    let balance = engine.balance(row.account);
    let rules = &engine.accounts.at(row.account).spec.rules;
    let notional = balance.open_notional + opening;
    let most = balance
        .equity()
        .mul_floor(i64::from(rules.max_account_leverage), 1);
    if notional > most {
        refuse(
            Reason::LeverageTooHigh,
            format!(
                "open positions would be worth {notional} USD, more than {} times the equity",
                rules.max_account_leverage
            ),
        )
    } else {
        Ok(())
    }
}

fn trigger(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    let waiting = row.trigger_direction.filter(|_| row.waits());
    let Some((direction, px)) = waiting.zip(row.trigger_price) else {
        return Ok(());
    };
    let market = engine.markets.at(row.trigger_market.unwrap_or(row.market));
    if reached(direction, market.mark, px) {
        let decimals = market.spec.size_decimals;
        refuse(
            Reason::TriggerWouldFire,
            format!(
                "the mark {} has already reached trigger_price {}",
                market.mark.shown(decimals),
                px.shown(decimals)
            ),
        )
    } else {
        Ok(())
    }
}

/// The exits that a new order brings do not meet others of the same group, unless it replaces them (docs/engine.md 2.7).
fn exit_allocation(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    let is_new = engine.orders.get(row.id).is_none();
    if !is_new || row.links.replaces_exits {
        return Ok(());
    }
    let brings = |group| row.exits.at(group).is_some();
    let exits = engine.exits(row.account, row.market, row.side.opposite());
    let mut met = exits.filter(|exit| exit.exit_group().is_some_and(brings));
    match met.next() {
        None => Ok(()),
        Some(exit) => refuse(
            Reason::ExitAllocation,
            format!(
                "order {} is an exit of the position already: send replace_overlapping_exits true to replace it",
                exit.id
            ),
        ),
    }
}

fn counts(engine: &Engine, row: &OrderRecord) -> CommandResult<()> {
    if !may_wait(row) {
        return Ok(());
    }
    let working = &engine.accounts.at(row.account).working;
    // One that is modified works already.
    let others = || working.iter().filter(|id| **id != row.id);
    room_for(1, others().count())?;
    let chases = others().filter(|id| {
        let other = engine.orders.at(**id);
        other.mode == OrderMode::Chase && other.status == OrderStatus::Resting
    });
    if row.mode == OrderMode::Chase && chases.count() >= MAX_CHASES {
        refuse(
            Reason::TooManyChaseOrders,
            format!("{MAX_CHASES} chase orders are working already"),
        )
    } else {
        Ok(())
    }
}

fn room_for(more: usize, working: usize) -> CommandResult<()> {
    if working + more <= MAX_WORKING_ORDERS {
        return Ok(());
    }
    refuse(
        Reason::TooManyWorkingOrders,
        format!("{MAX_WORKING_ORDERS} orders are working already"),
    )
}

/// Whether it may rest in the book or wait for its trigger.
fn may_wait(row: &OrderRecord) -> bool {
    let rests = matches!(row.time_in_force, TimeInForce::Gtc | TimeInForce::Gtd);
    row.waits() || (row.is_limit() && rests)
}
