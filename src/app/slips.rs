//! What looks like a slip of the fingers in an order that raises exposure, and what it would be decided on that is old.
//!
//! Contract: asked about once, and never held against it: the same key again sends. What reduces is never asked about
//! (`PRODUCT.md`: what raises risk may ask more).

use super::{
    Model,
    form::Form,
    overlay::{DEAF, Overlay},
    poll::{LATE, Source},
};
use crate::model::{
    Command, Num, Order, OrderStatus, Position, Risk, Side,
    draft::{Draft, EntryDraft, Field, Seen, Shape},
    estimate,
};
use std::time::Duration;

/// Limits this much worse than the best price are seldom meant, in percent.
const THROUGH: i64 = 2;
/// Sizes this many times the largest recent one are seldom meant.
pub const TIMES: i64 = 10;
/// As many of the newest orders are looked at for that.
const RECENT: usize = 500;

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
    /// A number that was typed at a choice, and is nowhere.
    Untaken(Field),
    /// What it is decided on was read this long ago.
    Late { what: &'static str, age: Duration },
}

/// Whether the form must first be answered what it asks; the key that sends is the answer.
pub(super) fn asks(model: &mut Model, command: &Command) -> bool {
    let now = model.now;
    let Some(Overlay::Form(form)) = model.overlays.last() else {
        return false;
    };
    let is_asked = match form.asked {
        Some(at) => return now.since(at) < DEAF,
        None => command.risk() == Risk::Increasing && !of(form, model).is_empty(),
    };
    if let Some(Overlay::Form(form)) = model.overlays.last_mut() {
        form.asked = is_asked.then_some(now);
    }
    is_asked
}

pub fn of(form: &Form, model: &Model) -> Vec<Slip> {
    let Draft::Entry(draft) = &form.draft else {
        return vec![];
    };
    let seen = form.seen(&model.around());
    let trigger = draft.known(Field::TriggerPrice);
    let own = [
        form.untaken.map(Slip::Untaken),
        through(draft, model, &seen),
        large(draft, model, &seen),
        far("the take profit", draft.known(Field::TakeProfit), &seen),
        far("the stop loss", draft.known(Field::StopLoss), &seen),
        far(
            "the trigger",
            trigger.filter(|_| draft.watched().is_none()),
            &seen,
        ),
        late(Source::Positions, "positions", model),
        late(Source::Markets, "prices", model).filter(|_| seen.market.is_some()),
    ];
    own.into_iter().flatten().collect()
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
    if draft.shape == Shape::Ladder {
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
