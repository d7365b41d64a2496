//! What a slip of the fingers looks like: said in the form, never held against it.

use crate::{
    app::Model,
    model::{
        Num, Order, OrderStatus, Position, Side,
        draft::{EntryDraft, Field, Seen, Shape},
        estimate::{self, Liquidation},
    },
    view::{format, protection::is_liquidated_before},
};

/// Limits this much worse than the best price are seldom meant, in percent.
const THROUGH: i64 = 2;
/// Sizes this many times the largest recent one are seldom meant.
const TIMES: i64 = 10;
/// As many of the newest orders are looked at for that.
const RECENT: usize = 500;

pub(super) fn slips(draft: &EntryDraft, model: &Model, seen: &Seen) -> Vec<String> {
    let own = [
        through(draft, model, seen),
        large(draft, model, seen),
        beyond(draft, model, seen),
        stop_of(draft, seen),
        dead_trigger(draft, seen),
    ];
    own.into_iter().flatten().collect()
}

/// Where a collar is set, it holds such a price back; without one it is only told.
fn through(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let has_collar = model.options.checks.price_collar_bps.is_some();
    let (what, price) = worst_price(draft)?;
    let (best, worse) = match draft.side {
        Side::Buy => (seen.market?.ask?, 1_i64),
        Side::Sell => (seen.market?.bid?, -1),
    };
    let percent = estimate::distance_percent(best, price)?.times(Num::from(worse))?;
    (!has_collar && percent > Num::from(THROUGH)).then(|| {
        let (percent, best) = (percent.rounded(1), format::price(best, seen.market));
        format!("{what} is {percent} % through the market, {best}: is every digit meant?")
    })
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
pub(super) fn far(what: &str, price: Option<Num>, seen: &Seen) -> Option<String> {
    let (price, mark) = (price?, seen.market?.mark?);
    let twice = |num: Num| num.times(Num::from(2_i64));
    let how = if price > twice(mark)? {
        "more than twice"
    } else if twice(price)? < mark {
        "less than half"
    } else {
        return None;
    };
    let mark = format::price(mark, seen.market);
    Some(format!(
        "{what} is {how} the mark, {mark}: is every digit meant?"
    ))
}

fn stop_of(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    let stop = draft.known(Field::StopLoss)?;
    unreached_stop(draft.liquidation(seen), (draft.side, stop), seen)
}

/// A stop is no protection where the position is gone before it.
pub(super) fn unreached_stop(
    liquidation: Option<Liquidation>,
    (side, stop): (Side, Num),
    seen: &Seen,
) -> Option<String> {
    let price = format::average(liquidation?.before(side, stop)?, seen.market);
    Some(format!(
        "liquidated at est. {price}, before the stop: a nearer stop or less leverage"
    ))
}

fn dead_trigger(draft: &EntryDraft, seen: &Seen) -> Option<String> {
    let trigger = draft.known(Field::TriggerPrice);
    let trigger = trigger.filter(|_| draft.only_reduces() && draft.watched().is_none())?;
    gone_before(trigger, seen)
}

/// Of a new order and of a close alike: that the open position does not live to see its trigger.
pub(super) fn gone_before(trigger: Num, seen: &Seen) -> Option<String> {
    let position = seen.position?;
    let price = format::average(position.liquidation_price?, seen.market);
    is_liquidated_before(position, trigger)
        .then(|| format!("the position is liquidated at {price}, before this can fire"))
}

fn large(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
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
    (largest.is_positive() && size > usual).then(|| {
        let largest = format::size(largest, seen.size_decimals());
        format!("more than {TIMES} times the largest recent size here, {largest}")
    })
}

/// Said where the margin that is left is not known; where it is, that is what it is held against.
fn beyond(draft: &EntryDraft, model: &Model, seen: &Seen) -> Option<String> {
    let facts = model.store.account.value()?;
    let equity = facts.equity.filter(|_| facts.available_margin.is_none())?;
    let (margin, leverage) = (draft.initial_margin(seen)?, draft.leverage().ok()?);
    (margin > equity).then(|| {
        let equity = format::usd(equity);
        format!("worth more than the account's equity, {equity} USD, at {leverage}×")
    })
}
