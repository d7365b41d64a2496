//! The questions before an order is sent: likely typing mistakes, unusual risk, and decisions on old data.
//!
//! Contract: each is asked once; the same key again sends. Its limits are settings (`ask_…` in `[checks]`), for the
//! desk's forms and for `perpdeck place`. A close or reduction at the market is never asked about. A waiting price (a
//! limit, a trigger, an exit) is, whatever its purpose, if it has another order of magnitude than the mark or can never
//! be reached. A new trigger is treated like new risk.

mod risks;

pub(crate) use risks::RiskFacts;
pub use risks::RiskWarning;

use crate::{
    app::{
        account::poll::{LATE, Source},
        core::account::Account,
    },
    model::{
        Interval, Num, Protection, Side,
        draft::{CloseDraft, Draft, DraftShape, EntryDraft, Field, ProtectDraft, Seen},
        estimate,
    },
};
use std::time::Duration;

/// A question, with the figure and the limit that it exceeds.
#[derive(Debug, Clone, PartialEq)]
pub enum OrderWarning {
    /// It can fill at once this many percent worse than the best price.
    Through {
        what: &'static str,
        percent: Num,
        best: Num,
        most: Num,
    },
    /// Its price waits this many percent from the market.
    Away {
        what: &'static str,
        percent: Num,
        best: Num,
        most: Num,
    },
    /// Another order of magnitude than the mark: a digit too many or too few.
    Far {
        what: &'static str,
        how: &'static str,
        mark: Num,
    },
    /// More than `times` the largest recent size in this market.
    Large { largest: Num, times: Num },
    /// The effect of the order on the account.
    Risk(RiskWarning),
    /// No price of its market is known.
    NoPrice,
    /// The open position is liquidated at this price, before the trigger.
    Dead { liquidation: Num },
    /// The position has these exits, and the order replaces them with its own.
    Replaces(Vec<(Protection, Num)>),
    /// A number that was typed at a choice and had no effect.
    Untaken(Field),
    /// A target of its bracket is for less than a lot, which is this much.
    LessThanLot { target: Num, lot: Num },
    /// A target of its bracket is worth less than the account's smallest order.
    SmallTarget { target: Num, worth: Num, least: Num },
    /// The data that it is decided on was read this long ago.
    Late { what: &'static str, age: Duration },
}

impl OrderWarning {
    /// Whether it is about a waiting price: asked even if nothing is opened.
    pub(crate) fn is_of_waiting_price(&self) -> bool {
        matches!(self, Self::Far { .. } | Self::Dead { .. })
    }
}

/// The questions about a form's draft.
pub(crate) fn of_draft(draft: &Draft, seen: &Seen, account: &Account) -> Vec<OrderWarning> {
    match draft {
        Draft::Entry(draft) => {
            let facts = RiskFacts {
                limits: &account.options.checks,
                store: &account.store,
                seen,
                candles: draft
                    .market_id
                    .as_ref()
                    .and_then(|market| account.market_data.candles(market, Interval::Minute1)),
            };
            let late = [
                late(Source::Positions, "positions", account),
                late(Source::Markets, "prices", account).filter(|_| seen.market.is_some()),
            ];
            let of_entry = of_entry(draft, facts).into_iter();
            of_entry.chain(late.into_iter().flatten()).collect()
        }
        Draft::Close(draft) => of_close(draft, seen),
        Draft::Exits(draft) => of_prices([
            far("the take profit", draft.take_profit().ok().flatten(), seen),
            far("the stop loss", draft.stop_loss().ok().flatten(), seen),
        ]),
        Draft::Protect(draft) => of_protection(draft, seen),
        Draft::Margin(_) => vec![],
    }
}

fn of_prices<const N: usize>(found: [Option<OrderWarning>; N]) -> Vec<OrderWarning> {
    found.into_iter().flatten().collect()
}

/// The questions about a new order, on the desk and on the command line.
pub(crate) fn of_entry(draft: &EntryDraft, facts: RiskFacts<'_>) -> Vec<OrderWarning> {
    let seen = facts.seen;
    let trigger = draft.known(Field::TriggerPrice);
    let trigger = trigger.filter(|_| draft.has(Field::TriggerPrice) && draft.watched().is_none());
    let through = through(draft, facts);
    let limit = draft.known(Field::LimitPrice).filter(|_| through.is_none());
    let waits =
        |what, price| far(what, price, seen).or_else(|| away(what, price, (draft.side, facts)));
    let own = of_prices([
        through,
        risks::large(draft, facts),
        waits("the limit", limit),
        far("the take profit", draft.known(Field::TakeProfit), seen),
        far("the stop loss", draft.known(Field::StopLoss), seen),
        waits("the trigger", trigger),
        dead(trigger.filter(|_| draft.only_reduces()), seen),
        replaces(draft, seen),
    ]);
    let risks = risks::of(draft, facts).into_iter();
    let risks = risks.map(OrderWarning::Risk);
    let no_price = risks::no_price(draft, facts);
    own.into_iter().chain(no_price).chain(risks).collect()
}

fn of_protection(draft: &ProtectDraft, seen: &Seen) -> Vec<OrderWarning> {
    let price = |field| draft.price(field).ok().flatten();
    let (target, stop) = (price(Field::TakeProfit), price(Field::StopLoss));
    of_prices([
        far("the take profit", target, seen),
        far("the stop loss", stop, seen),
        dead(stop, seen),
    ])
}

fn replaces(draft: &EntryDraft, seen: &Seen) -> Option<OrderWarning> {
    let position = seen.position?;
    let overlapped = draft.overlapped(seen).into_iter();
    let exits = overlapped
        .filter_map(|order| order.protects(position).zip(order.trigger_price))
        .collect::<Vec<_>>();
    (!exits.is_empty()).then_some(OrderWarning::Replaces(exits))
}

/// A market close is never asked about: it has no waiting price.
fn of_close(draft: &CloseDraft, seen: &Seen) -> Vec<OrderWarning> {
    let limit = draft.limit_price().ok().flatten();
    let limit = limit.filter(|_| draft.has(Field::LimitPrice));
    let is_own = draft.has(Field::TriggerPrice) && draft.watched(seen).is_none();
    let trigger = draft.trigger_price().ok().filter(|_| is_own);
    of_prices([
        far("the limit", limit, seen),
        far("the trigger", trigger, seen),
        dead(trigger, seen),
    ])
}

/// A stop beyond the open position's liquidation price.
fn dead(trigger: Option<Num>, seen: &Seen) -> Option<OrderWarning> {
    let (trigger, position) = (trigger?, seen.position?);
    let liquidation = position.liquidation_price?;
    let is_dead = estimate::is_beyond(position.side()?, liquidation, trigger);
    is_dead.then_some(OrderWarning::Dead { liquidation })
}

/// It fills at once, at a price much worse than the best.
fn through(draft: &EntryDraft, facts: RiskFacts<'_>) -> Option<OrderWarning> {
    let most = facts.limits.ask_through_market?;
    let (what, price) = worst_price(draft)?;
    let (best, percent) = facts.seen.market?.through(draft.side, price)?;
    (percent > most).then_some(OrderWarning::Through {
        what,
        percent,
        best,
        most,
    })
}

/// A waiting price far from the market, on either side, is rarely meant.
fn away(
    what: &'static str,
    price: Option<Num>,
    (side, facts): (Side, RiskFacts<'_>),
) -> Option<OrderWarning> {
    let most = facts.limits.ask_away_from_market?;
    let (best, percent) = facts.seen.market?.through(side, price?)?;
    let percent = percent.abs();
    (percent > most).then_some(OrderWarning::Away {
        what,
        percent,
        best,
        most,
    })
}

/// The worst price of what can fill at once.
fn worst_price(draft: &EntryDraft) -> Option<(&'static str, Num)> {
    if draft.shape == DraftShape::Scaled {
        let ends = [Field::StartPrice, Field::EndPrice].map(|end| draft.known(end));
        let ends = ends.into_iter().flatten();
        let worst = match draft.side {
            Side::Buy => ends.max(),
            Side::Sell => ends.min(),
        };
        return Some(("a rung", worst?));
    }
    let is_plain = draft.has(Field::LimitPrice) && !draft.has(Field::TriggerPrice);
    let limit = draft.known(Field::LimitPrice).filter(|_| is_plain)?;
    Some(("the limit", limit))
}

/// A price of another order of magnitude has a digit too many or too few.
pub fn far(what: &'static str, price: Option<Num>, seen: &Seen) -> Option<OrderWarning> {
    let (price, mark) = (price?, seen.market?.mark?);
    let twice = |num: Num| num.times(Num::from(2_i64));
    let how = if price > twice(mark)? {
        "more than twice"
    } else if twice(price)? < mark {
        "less than half"
    } else {
        return None;
    };
    Some(OrderWarning::Far { what, how, mark })
}

fn late(source: Source, what: &'static str, account: &Account) -> Option<OrderWarning> {
    let (age, interval) = account.age_of(source, account.now)?;
    (age > interval? * LATE).then_some(OrderWarning::Late { what, age })
}

#[cfg(test)]
mod tests;
