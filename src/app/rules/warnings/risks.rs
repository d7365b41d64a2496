//! The effect of an opening order on the account.

use super::OrderWarning;
use crate::{
    app::{account::store::Store, market::candles::CandleSeries},
    config::Checks,
    model::{
        Num, Order, OrderStatus, Position,
        draft::{EntryDraft, Field, Seen},
        estimate::{self, LiquidationEstimate},
    },
};

/// How many recent orders are compared.
const RECENT: usize = 500;
/// How many candles the mean range is taken from.
const RANGES: usize = 60;

/// The effect of an opening order on the account, with the figure and the limit that it exceeds.
#[derive(Debug, Clone, PartialEq)]
pub enum RiskWarning {
    /// The order alone is worth this percentage of the equity.
    Worth {
        notional: Num,
        percent: Num,
        most: Num,
    },
    /// And this percentage of the equity times the highest leverage.
    OfCap {
        notional: Num,
        percent: Num,
        cap: Num,
        most: Num,
    },
    /// All open positions would be worth this many times the equity.
    Leverage { times: Num, most: Num },
    /// The resulting position would be liquidated this many percent from the mark.
    Near {
        price: Num,
        percent: Num,
        least: Num,
    },
    /// And this many mean ranges of 1m candles.
    WithinRanges { price: Num, ranges: Num, least: Num },
    /// It is liquidated before its stop is reached.
    LiquidatedFirst { price: Num },
    /// The loss at its stop, also in percent of the equity.
    Loss { usd: Num, percent: Num, most: Num },
}

/// The data that an entry is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RiskFacts<'a> {
    pub(crate) limits: &'a Checks,
    pub(crate) store: &'a Store,
    pub(crate) seen: &'a Seen<'a>,
    /// One-minute candles, if the chart has loaded them.
    pub(crate) candles: Option<&'a CandleSeries>,
}

impl RiskFacts<'_> {
    fn equity(self) -> Option<Num> {
        let facts = self.store.account.value()?;
        facts.equity.filter(|equity| equity.is_positive())
    }

    /// The highest leverage allowed here.
    fn leverage_cap(self) -> Option<Num> {
        let market = self.seen.market.and_then(|market| market.max_leverage);
        let caps = [market.map(Num::from), self.limits.max_leverage];
        caps.into_iter().flatten().min()
    }
}

pub(super) fn of(draft: &EntryDraft, facts: RiskFacts<'_>) -> Vec<RiskWarning> {
    let opens = draft.opens(facts.seen).filter(|size| size.is_positive());
    let Some(size) = opens else { return vec![] };
    let found = [
        worth((draft, size), facts),
        of_cap((draft, size), facts),
        leverage(draft, facts),
        loss((draft, size), facts),
        near(draft, facts),
        within_ranges(draft, facts),
        liquidated_first(draft, facts),
    ];
    found.into_iter().flatten().collect()
}

/// Nothing can be measured without a price.
pub(super) fn no_price(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<OrderWarning> {
    let opens = draft.opens(facts.seen)?;
    let must_ask = facts.limits.ask_without_price && facts.seen.mid().is_none();
    (must_ask && opens.is_positive()).then_some(OrderWarning::NoPrice)
}

/// The order alone.
fn worth((draft, size): (&EntryDraft, Num), facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let (most, equity) = (facts.limits.ask_order_of_equity?, facts.equity()?);
    let notional = size.times(draft.entry(facts.seen)?)?;
    let percent = notional.times(Num::HUNDRED)?.over(equity)?;
    (percent > most).then_some(RiskWarning::Worth {
        notional,
        percent,
        most,
    })
}

/// The order alone, against all that the account could open here.
fn of_cap((draft, size): (&EntryDraft, Num), facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let (most, cap) = (facts.limits.ask_notional?, facts.leverage_cap()?);
    let notional = size.times(draft.entry(facts.seen)?)?;
    let all = facts.equity()?.times(cap)?;
    let percent = notional.times(Num::HUNDRED)?.over(all)?;
    (percent > most).then_some(RiskWarning::OfCap {
        notional,
        percent,
        cap,
        most,
    })
}

/// Over all that is open, at the marks; a position without one counts at its entry.
fn leverage(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let (most, equity, seen) = (facts.limits.ask_leverage?, facts.equity()?, facts.seen);
    let size = draft.resolved_size(seen).ok()?;
    let after = estimate::size_after(seen.position, draft.side, size)?.abs();
    let here = after.times(draft.entry(seen)?)?;
    let others = facts.store.positions.rows().iter();
    let mut others = others.filter(|held| Some(&held.market_id) != draft.market_id.as_ref());
    let open = others.try_fold(here, |sum, held| {
        let price = facts.store.mark(&held.market_id).or(held.entry_price)?;
        sum.plus(held.quantity().times(price)?)
    })?;
    let times = open.over(equity)?;
    (times > most).then_some(RiskWarning::Leverage { times, most })
}

fn liquidation(draft: &EntryDraft, seen: &Seen) -> Option<Num> {
    match draft.liquidation(seen)? {
        LiquidationEstimate::At(price) => Some(price),
        LiquidationEstimate::Never => None,
    }
}

fn near(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let least = facts.limits.ask_liquidation_within?;
    let price = liquidation(draft, facts.seen)?;
    let percent = price.percent_from(facts.seen.market?.mark?)?.abs();
    (percent < least).then_some(RiskWarning::Near {
        price,
        percent,
        least,
    })
}

fn within_ranges(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let least = facts.limits.ask_liquidation_ranges?;
    let range = facts.candles?.mean_range(RANGES)?;
    let price = liquidation(draft, facts.seen)?;
    let distance = facts.seen.market?.mark?.minus(price)?.abs();
    let ranges = distance.over(range)?;
    (ranges < least).then_some(RiskWarning::WithinRanges {
        price,
        ranges,
        least,
    })
}

/// A stop is no protection where the position is gone before it.
fn liquidated_first(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let stop = draft.known(Field::StopLoss)?;
    let price = draft.liquidation(facts.seen)?.before(draft.side, stop)?;
    Some(RiskWarning::LiquidatedFirst { price })
}

fn loss((draft, size): (&EntryDraft, Num), facts: RiskFacts<'_>) -> Option<RiskWarning> {
    let (most, equity) = (facts.limits.ask_loss_at_stop?, facts.equity()?);
    let (entry, stop) = (draft.entry(facts.seen)?, draft.known(Field::StopLoss)?);
    let usd = estimate::gain(draft.side, entry, stop)?
        .times(size)?
        .negated();
    let percent = usd.times(Num::HUNDRED)?.over(equity)?;
    (percent > most).then_some(RiskWarning::Loss { usd, percent, most })
}

pub(super) fn large(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<OrderWarning> {
    let times = facts.limits.ask_size_times?;
    let (size, market) = (draft.opens(facts.seen)?, draft.market_id.as_ref()?);
    let past = facts.store.history.rows().iter().take(RECENT);
    let orders = facts.store.orders.rows().iter().chain(past);
    // What was refused was not a size of anybody's.
    let orders = orders
        .filter(|order| order.market_id == *market && !order.status.is(&OrderStatus::Rejected));
    let held = facts.seen.position.map(Position::quantity);
    let largest = orders.map(Order::requested_size).chain(held).max()?;
    let usual = largest.times(times)?;
    let is_large = largest.is_positive() && size > usual;
    is_large.then_some(OrderWarning::Large { largest, times })
}
