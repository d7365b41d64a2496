//! What happens to the account without a key of this desk: noticed in what polls bring, told as the
//! settings say.
//!
//! Contract: pure; each thing is told once. What the desk finds when it opens is no news, and what one of
//! its own commands brought is told as that command's outcome; what may be that is put aside until it is known.
//!
//! Known limits: a fill is told when the newest page of order history shows it, or when an order has left the working
//! ones and is found on an older page; of orders that never were among those, more than a page between two polls leaves
//! out the oldest. What the children of a TWAP do is the TWAP's news, not theirs.

mod awaited;
mod ending;
mod gone;

use super::notice::{Shown, Tone};
use crate::{
    app::{
        account::{
            poll::{Answer, Poll, Source},
            store::{Store, ended::Ended},
        },
        desk::model::Model,
        dialogs::effect::{Effect, TerminalOut},
        rules::guard::{Gauge, Level, Verdict},
        tables::pane::RowId,
    },
    config::{Alerts, Way, Ways},
    model::{
        Command, Failure, MarketId, Num, Order, OrderId, OrderStatus, Page, Position, PositionId,
        Progress, Rate, Receipt, Ticket, Timestamp, Twap, TwapId,
    },
};
use awaited::Awaited;
use ending::Ending;
use gone::Gone;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

#[cfg(test)]
mod tests;

/// A slice this much later than planned is not only late on its way.
const STALLED: Duration = Duration::from_secs(30);
/// Tries in vain before the connection is called down: one is a hiccup.
const DOWN: u32 = 3;
/// Desktop notifications at once: more would bury the desktop.
const AT_ONCE: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub enum Alert {
    Filled(Box<Order>),
    Partial(Box<Order>),
    Rejected(Box<Order>),
    /// It does not work any more, and nothing tells why.
    Gone(Box<Order>),
    TwapStalled(Box<Twap>),
    TwapEnded(Box<Ended>),
    /// The mark has come this near to the liquidation price, as a share of the mark.
    NearLiquidation(Box<Position>, Num),
    /// A limit of the challenge has come near or is reached.
    Guard(Gauge),
    /// The challenge has ended.
    Challenge(Verdict),
    /// The far end does not answer.
    Down,
    Up,
}

impl Alert {
    pub fn tone(&self) -> Tone {
        match self {
            Self::Filled(_) | Self::Up | Self::Challenge(Verdict::Passed) => Tone::Good,
            Self::Partial(_) | Self::TwapEnded(_) => Tone::Plain,
            Self::Guard(gauge) if !gauge.limit.is_loss() => Tone::Good,
            Self::Guard(gauge) if gauge.level() == Level::Reached => Tone::Alert,
            Self::TwapStalled(_) | Self::Guard(_) | Self::Gone(_) => Tone::Warn,
            Self::Challenge(Verdict::Breached(_))
            | Self::Rejected(_)
            | Self::NearLiquidation(..)
            | Self::Down => Tone::Alert,
        }
    }

    pub(crate) fn market_id(&self) -> Option<&MarketId> {
        match self {
            Self::Filled(order)
            | Self::Partial(order)
            | Self::Rejected(order)
            | Self::Gone(order) => Some(&order.market_id),
            Self::TwapStalled(twap) => Some(&twap.market_id),
            Self::TwapEnded(ended) => Some(&ended.twap.market_id),
            Self::NearLiquidation(position, _) => Some(&position.market_id),
            Self::Guard(_) | Self::Challenge(_) | Self::Down | Self::Up => None,
        }
    }

    fn order(&self) -> Option<&Order> {
        match self {
            Self::Filled(order)
            | Self::Partial(order)
            | Self::Rejected(order)
            | Self::Gone(order) => Some(order.as_ref()),
            Self::TwapStalled(_)
            | Self::TwapEnded(_)
            | Self::NearLiquidation(..)
            | Self::Guard(_)
            | Self::Challenge(_)
            | Self::Down
            | Self::Up => None,
        }
    }

    /// The row it is about: Enter leads there.
    pub(crate) fn row(&self) -> Option<RowId> {
        match self {
            Self::Filled(order)
            | Self::Partial(order)
            | Self::Rejected(order)
            | Self::Gone(order) => Some(RowId::Order(order.id.clone())),
            Self::TwapStalled(twap) => Some(RowId::Twap(twap.id.clone())),
            Self::TwapEnded(ended) => Some(RowId::Twap(ended.twap.id.clone())),
            Self::NearLiquidation(position, _) => Some(RowId::Position(position.id.clone())),
            Self::Guard(_) | Self::Challenge(_) | Self::Down | Self::Up => None,
        }
    }

    pub(crate) fn ways<'a>(&self, alerts: &'a Alerts) -> &'a Ways {
        match self {
            Self::Filled(_) | Self::Gone(_) => &alerts.fill,
            Self::Partial(_) => &alerts.partial,
            Self::Rejected(_) => &alerts.reject,
            Self::TwapStalled(_) => &alerts.twap_stalled,
            Self::TwapEnded(_) => &alerts.twap_ended,
            Self::NearLiquidation(..) => &alerts.liquidation,
            Self::Guard(_) | Self::Challenge(_) => &alerts.guard,
            Self::Down | Self::Up => &alerts.connection,
        }
    }
}

/// What has been told already.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    awaited: Awaited,
    ending: Ending,
    gone: Gone,
    /// The slice that each stalled TWAP waits for.
    stalled: BTreeMap<TwapId, Timestamp>,
    near: BTreeSet<PositionId>,
    is_down: bool,
}

/// The orders that an answer tells have left the working ones, and that are to be looked for.
pub(crate) fn lost(model: &mut Model, poll: &Poll) -> Option<Effect> {
    let lost = model.watch.gone.hear(&model.store, poll);
    (!lost.is_empty()).then_some(Effect::Trace(lost))
}

/// What has become of them.
pub(crate) fn traced(model: &mut Model, asked: &[OrderId], found: &[Order]) -> Vec<Effect> {
    let news = gone::sought(&model.store, &mut model.watch, (asked, found));
    raise(model, news)
}

/// What follows from the outcome of a command.
pub(crate) fn settled(
    model: &mut Model,
    command: (Ticket, &Command),
    result: &Result<Receipt, Failure>,
) -> Vec<Alert> {
    let awaited = &mut model.watch.awaited;
    awaited.settled(&model.store, command, result)
}

/// What follows from how a command goes on.
pub(crate) fn advanced(model: &mut Model, ticket: Ticket, progress: &Progress) -> Vec<Alert> {
    model.watch.awaited.advanced(ticket, progress)
}

/// What an answer says that the store does not know yet.
pub(crate) fn arriving(model: &mut Model, poll: &Poll) -> Vec<Alert> {
    let store = &model.store;
    if let Answer::Orders(Ok(page)) = &poll.answer {
        return partials(store, page);
    }
    let Answer::History(Ok(page)) = &poll.answer else {
        return vec![];
    };
    if store.history.head().value().is_none() {
        return vec![];
    }
    let awaited = &mut model.watch.awaited;
    let over = page.rows.iter().rev();
    let news = over.filter_map(|order| awaited.hear(store, order, ended(store, order)?));
    news.collect()
}

/// The news that an order is over, if it is news.
fn ended(store: &Store, order: &Order) -> Option<Alert> {
    let was_over = store.history.find(&order.id).is_some_and(Order::is_over);
    if was_over || is_part(order) {
        return None;
    }
    match order.status.known()? {
        OrderStatus::Filled => Some(Alert::Filled(Box::new(order.clone()))),
        OrderStatus::Rejected => Some(Alert::Rejected(Box::new(order.clone()))),
        OrderStatus::Pending
        | OrderStatus::Resting
        | OrderStatus::Canceled
        | OrderStatus::Expired => None,
    }
}

/// Its news are those of the TWAP or of the order that it is a part of.
fn is_part(order: &Order) -> bool {
    order.twap_order_id.is_some() || order.partial_of_order_id.is_some()
}

/// Working orders of which more is filled than before.
fn partials(store: &Store, page: &Page<Order>) -> Vec<Alert> {
    let grew = |order: &&Order| {
        let before = store
            .orders
            .rows()
            .iter()
            .find(|known| known.id == order.id);
        let before = before.map(|known| known.filled_size.unwrap_or(Num::ZERO));
        order.twap_order_id.is_none()
            && before.is_some_and(|before| order.filled_size > Some(before))
    };
    let grown = page.rows.iter().filter(grew);
    grown
        .map(|order| Alert::Partial(Box::new(order.clone())))
        .collect()
}

/// What follows from the store as it is now; `ended` TWAPs were known before the answer.
pub(crate) fn arrived(model: &mut Model, source: Source, ended: &[TwapId]) -> Vec<Alert> {
    match source {
        Source::Positions | Source::Markets => near(model),
        Source::Twaps => {
            let mut alerts = ending::left(&model.store, &mut model.watch, ended);
            alerts.extend(stalled(model));
            alerts
        }
        Source::History => ending::looked(&model.store, &mut model.watch.ending),
        Source::Orders | Source::Scaled | Source::Closed | Source::Account => vec![],
    }
}

/// Positions that have come near their liquidation; one that has left by a fifth more can come again.
fn near(model: &mut Model) -> Vec<Alert> {
    let Some(within) = model.options.alerts.liquidation_within else {
        return vec![];
    };
    let within = within.over(Num::from(100_u32)).unwrap_or(Num::ZERO);
    let away = within.times(Num::new(12, 1)).unwrap_or(within);
    let (store, known) = (&model.store, &mut model.watch.near);
    let mut alerts = vec![];
    for position in store.positions.rows() {
        let Some(distance) = distance(store, position) else {
            continue;
        };
        if distance < within && known.insert(position.id.clone()) {
            alerts.push(Alert::NearLiquidation(Box::new(position.clone()), distance));
        } else if distance > away {
            known.remove(&position.id);
        }
    }
    alerts
}

fn distance(store: &Store, position: &Position) -> Option<Num> {
    let mark = store.mark(&position.market_id)?;
    position.liquidation_price?.minus(mark)?.abs().over(mark)
}

/// Active TWAPs whose next slice is long overdue by the service's own clock. By one that does not run like ours nothing
/// is overdue: it may stand.
fn stalled(model: &mut Model) -> Vec<Alert> {
    let runs = model.store.clocks.rate() == Rate::Same;
    let Some(seen) = model.store.twaps.at().filter(|_| runs) else {
        return vec![];
    };
    let seen = model.service_at(seen);
    let (store, known) = (&model.store, &mut model.watch.stalled);
    let mut alerts = vec![];
    for twap in store.active_twaps() {
        let Some(due) = twap.next_run_at else {
            continue;
        };
        if seen.since(due) > STALLED && known.insert(twap.id.clone(), due) != Some(due) {
            alerts.push(Alert::TwapStalled(Box::new(twap.clone())));
        }
    }
    alerts
}

/// Whether the connection has gone or come back.
pub(crate) fn called(model: &mut Model) -> Vec<Alert> {
    let tries = model.store.health.tries();
    let is_down = &mut model.watch.is_down;
    let alert = match tries {
        DOWN.. if !*is_down => Alert::Down,
        0 if *is_down => Alert::Up,
        _ => return vec![],
    };
    *is_down = alert == Alert::Down;
    vec![alert]
}

/// Tells them as the settings say: in the activity always.
pub(crate) fn raise(model: &mut Model, alerts: Vec<Alert>) -> Vec<Effect> {
    let (mut notices, mut rings) = (vec![], false);
    for alert in alerts {
        let ways = alert.ways(&model.options.alerts).clone();
        let shown = if ways.has(Way::Toast) {
            Shown::AsToast
        } else {
            Shown::InActivity
        };
        rings |= ways.has(Way::Bell);
        let notice = model.activity.alert(alert, &model.store, model.now, shown);
        if ways.has(Way::Desktop) && notices.len() < AT_ONCE {
            notices.push(Effect::Terminal(TerminalOut::Notify(Box::new(notice))));
        }
    }
    let bell = rings.then_some(Effect::Terminal(TerminalOut::Bell));
    bell.into_iter().chain(notices).collect()
}
