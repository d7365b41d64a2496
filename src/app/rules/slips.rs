//! What looks like a slip of the fingers, or is more risk than one order usually takes, and what it would be decided on
//! that is old.
//!
//! Contract: asked about once, and never held against it: the same key again sends. What closes or reduces at the market
//! is never asked about; a price that waits (a limit, a trigger, an exit) is, whatever it is for, where it is far from
//! the mark or can never be reached; a new trigger is guarded like new risk.

use crate::{
    app::{
        account::poll::{LATE, Source},
        desk::model::Model,
        dialogs::overlay::{DEAF, Overlay},
        forms::form::Form,
    },
    model::{
        Command, Num, Order, OrderStatus, Position, Risk, Side, Timestamp,
        draft::{CloseDraft, Draft, DraftShape, EntryDraft, Field, Seen},
        estimate::{self, LiquidationEstimate},
    },
};
use std::time::Duration;

/// Limits this much worse than the best price are seldom meant, in percent.
const THROUGH: i64 = 2;
/// Sizes this many times the largest recent one are seldom meant.
pub const TIMES: i64 = 10;
/// As many of the newest orders are looked at for that.
const RECENT: usize = 500;
/// All that is open, so many times the equity, is seldom meant.
const LEVERAGE: i64 = 5;
/// A liquidation this near the mark, in percent, is seldom meant.
const NEAR: i64 = 3;
/// A loss at the stop of this share of the equity, in percent, is seldom meant.
const LOSS: i64 = 5;

#[derive(Debug, Clone, PartialEq)]
pub enum Slip {
    /// What can fill at once is this many percent worse than the best price.
    Through {
        what: &'static str,
        percent: Num,
        best: Num,
    },
    /// On another scale than the mark: a digit too many or too few.
    Far {
        what: &'static str,
        how: &'static str,
        mark: Num,
    },
    /// More than [`TIMES`] times the largest recent size in this market.
    Large { largest: Num },
    /// The order alone is worth more than the account.
    Worth { notional: Num, equity: Num },
    /// All that would be open is worth so many times the equity.
    Leverage { times: Num },
    /// What would be open is liquidated this many percent from the mark.
    Near { price: Num, percent: Num },
    /// What it loses at its stop, and in percent of the equity.
    Loss { usd: Num, percent: Num },
    /// The open position is liquidated at this price, before it.
    Dead { liquidation: Num },
    /// A number that was typed at a choice, and is nowhere.
    Untaken(Field),
    /// What it is decided on was read this long ago.
    Late { what: &'static str, age: Duration },
}

/// Whether the form must first be answered what it asks; the key that sends is the answer.
pub(crate) fn asks(model: &mut Model, command: &Command) -> bool {
    let now = model.now;
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        return false;
    };
    if form.asked.is_some() {
        return !hears_answer(form, now);
    }
    let raises = command.risk() == Risk::Increasing;
    let mut slips = of(form, model).into_iter();
    let is_asked = slips.any(|slip| raises || slip.is_of_waiting_price());
    if let Some(Overlay::Form(form)) = model.overlays.last_mut() {
        form.asked = is_asked.then_some(now);
    }
    is_asked
}

/// From when on the form listens to the answer: a key pressed before that was pressed before the question could be read.
pub fn hears_from(form: &Form) -> Option<Timestamp> {
    form.asked.map(|at| at.plus(DEAF))
}

pub fn hears_answer(form: &Form, now: Timestamp) -> bool {
    hears_from(form).is_some_and(|from| now >= from)
}

impl Slip {
    /// Whether it is about a price that waits: asked about although nothing is opened.
    fn is_of_waiting_price(&self) -> bool {
        matches!(self, Self::Far { .. } | Self::Dead { .. })
    }
}

pub fn of(form: &Form, model: &Model) -> Vec<Slip> {
    let seen = form.seen(&model.around());
    let own = match &form.draft {
        Draft::Entry(draft) => of_entry((form, draft), model, &seen),
        Draft::Close(draft) => of_close(draft, &seen),
        Draft::Exits(draft) => vec![
            far("the take profit", draft.take_profit().ok().flatten(), &seen),
            far("the stop loss", draft.stop_loss().ok().flatten(), &seen),
        ],
        Draft::Margin(_) => vec![],
    };
    own.into_iter().flatten().collect()
}

fn of_entry((form, draft): (&Form, &EntryDraft), model: &Model, seen: &Seen) -> Vec<Option<Slip>> {
    let trigger = draft.known(Field::TriggerPrice);
    let trigger = trigger.filter(|_| draft.watched().is_none());
    let through = through(draft, model, seen);
    let limit = draft.known(Field::LimitPrice).filter(|_| through.is_none());
    let mut own = vec![
        form.untaken.map(Slip::Untaken),
        through,
        large(draft, model, seen),
        far("the limit", limit, seen),
        far("the take profit", draft.known(Field::TakeProfit), seen),
        far("the stop loss", draft.known(Field::StopLoss), seen),
        far("the trigger", trigger, seen),
        dead(trigger.filter(|_| draft.only_reduces()), seen),
        late(Source::Positions, "positions", model),
        late(Source::Markets, "prices", model).filter(|_| seen.market.is_some()),
    ];
    own.extend(risks(draft, model, seen));
    own
}

/// A close at the market is never asked about: it has no price that waits.
fn of_close(draft: &CloseDraft, seen: &Seen) -> Vec<Option<Slip>> {
    let limit = draft.limit_price().ok().flatten();
    let limit = limit.filter(|_| draft.has(Field::LimitPrice));
    let is_own = draft.has(Field::TriggerPrice) && draft.watched(seen).is_none();
    let trigger = draft.trigger_price().ok().filter(|_| is_own);
    vec![
        far("the limit", limit, seen),
        far("the trigger", trigger, seen),
        dead(trigger, seen),
    ]
}

/// What an order that opens something does to the account.
fn risks(draft: &EntryDraft, model: &Model, seen: &Seen) -> Vec<Option<Slip>> {
    let opens = draft.opens(seen).filter(|size| size.is_positive());
    let Some(size) = opens else { return vec![] };
    let equity = model.store.account.value().and_then(|facts| facts.equity);
    let equity = equity.filter(|equity| equity.is_positive());
    let of_equity = equity.map(|equity| {
        [
            worth((draft, size), equity, seen),
            leverage(draft, equity, (model, seen)),
            loss((draft, size), equity, seen),
        ]
    });
    let of_equity = of_equity.into_iter().flatten();
    of_equity.chain([near(draft, seen)]).collect()
}

fn worth((draft, size): (&EntryDraft, Num), equity: Num, seen: &Seen) -> Option<Slip> {
    let notional = size.times(draft.entry(seen)?)?;
    (notional > equity).then_some(Slip::Worth { notional, equity })
}

/// Over all that is open, at the marks; a position without one counts at its entry.
fn leverage(draft: &EntryDraft, equity: Num, (model, seen): (&Model, &Seen)) -> Option<Slip> {
    let size = draft.resolved_size(seen).ok()?;
    let after = estimate::size_after(seen.position, draft.side, size)?.abs();
    let here = after.times(draft.entry(seen)?)?;
    let store = &model.store;
    let others = store.positions.rows().iter();
    let mut others = others.filter(|held| Some(&held.market_id) != draft.market_id.as_ref());
    let open = others.try_fold(here, |sum, held| {
        let price = store.mark(&held.market_id).or(held.entry_price)?;
        sum.plus(held.quantity().times(price)?)
    })?;
    let times = open.over(equity)?;
    (times > Num::from(LEVERAGE)).then_some(Slip::Leverage { times })
}

fn near(draft: &EntryDraft, seen: &Seen) -> Option<Slip> {
    let LiquidationEstimate::At(price) = draft.liquidation(seen)? else {
        return None;
    };
    let percent = estimate::distance_percent(seen.market?.mark?, price)?.abs();
    (percent < Num::from(NEAR)).then_some(Slip::Near { price, percent })
}

fn loss((draft, size): (&EntryDraft, Num), equity: Num, seen: &Seen) -> Option<Slip> {
    let (entry, stop) = (draft.entry(seen)?, draft.known(Field::StopLoss)?);
    let usd = estimate::gain(draft.side, entry, stop)?
        .times(size)?
        .negated();
    let percent = usd.times(Num::HUNDRED)?.over(equity)?;
    (percent > Num::from(LOSS)).then_some(Slip::Loss { usd, percent })
}

/// A stop that the open position does not live to see.
fn dead(trigger: Option<Num>, seen: &Seen) -> Option<Slip> {
    let (trigger, position) = (trigger?, seen.position?);
    let liquidation = position.liquidation_price?;
    let is_dead = estimate::is_beyond(position.side()?, liquidation, trigger);
    is_dead.then_some(Slip::Dead { liquidation })
}

/// Where a collar is set, it holds such a price back; without one it is only asked about.
fn through(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<Slip> {
    let has_collar = model.options.checks.price_collar_bps.is_some();
    let (what, price) = worst_price(draft)?;
    let (best, worse) = match draft.side {
        Side::Buy => (seen.market?.ask?, 1_i64),
        Side::Sell => (seen.market?.bid?, -1),
    };
    let percent = estimate::distance_percent(best, price)?.times(Num::from(worse))?;
    let slip = Slip::Through {
        what,
        percent,
        best,
    };
    (!has_collar && percent > Num::from(THROUGH)).then_some(slip)
}

/// What is paid or taken at worst by what can fill at once.
fn worst_price(draft: &EntryDraft) -> Option<(&'static str, Num)> {
    if draft.shape == DraftShape::Ladder {
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

/// A price on another scale than the market's has a digit too many or too few.
pub fn far(what: &'static str, price: Option<Num>, seen: &Seen) -> Option<Slip> {
    let (price, mark) = (price?, seen.market?.mark?);
    let twice = |num: Num| num.times(Num::from(2_i64));
    let how = if price > twice(mark)? {
        "more than twice"
    } else if twice(price)? < mark {
        "less than half"
    } else {
        return None;
    };
    Some(Slip::Far { what, how, mark })
}

fn large(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<Slip> {
    let (size, market) = (draft.opens(seen)?, draft.market_id.as_ref()?);
    let store = &model.store;
    let past = store.history.rows().iter().take(RECENT);
    let orders = store.orders.rows().iter().chain(past);
    // What was refused was not a size of anybody's.
    let orders = orders
        .filter(|order| order.market_id == *market && !order.status.is(&OrderStatus::Rejected));
    let held = seen.position.map(Position::quantity);
    let largest = orders.map(Order::asked_size).chain(held).max()?;
    let usual = largest.times(Num::from(TIMES))?;
    (largest.is_positive() && size > usual).then_some(Slip::Large { largest })
}

fn late(source: Source, what: &'static str, model: &Model) -> Option<Slip> {
    let (age, interval) = model.age_of(source, model.now)?;
    (age > interval? * LATE).then_some(Slip::Late { what, age })
}

#[cfg(test)]
mod tests;
