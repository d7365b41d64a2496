//! What an alert is, and what of an order is one.

use crate::{
    app::{
        account::{
            guard::{Gauge, Verdict},
            row_id::RowId,
            store::{Store, ended::Ended},
        },
        activity::user_alerts::AlertFiring,
    },
    config::{AlertChannels, Alerts},
    model::{MarketId, Num, Order, OrderStatus, Page, Position, Side, Twap},
};

#[derive(Debug, Clone, PartialEq)]
pub enum Alert {
    Filled(Box<Order>),
    Partial(Box<Order>),
    Rejected(Box<Order>),
    /// It no longer works, and no read shows why.
    Gone(Box<Order>),
    TwapStalled(Box<Twap>),
    TwapEnded(Box<Ended>),
    /// The mark is this close to the liquidation price, as a share of the mark.
    NearLiquidation(Box<Position>, Num),
    /// A challenge limit is near or reached.
    Guard(Gauge),
    /// The challenge has ended.
    Challenge(Verdict),
    /// One that the trader has set.
    User(Box<AlertFiring>),
    /// The far end does not answer.
    Down,
    Up,
}

impl Alert {
    pub(crate) fn market_id(&self) -> Option<&MarketId> {
        match self {
            Self::Filled(order)
            | Self::Partial(order)
            | Self::Rejected(order)
            | Self::Gone(order) => Some(&order.market_id),
            Self::TwapStalled(twap) => Some(&twap.market_id),
            Self::TwapEnded(ended) => Some(&ended.twap.market_id),
            Self::NearLiquidation(position, _) => Some(&position.market_id),
            Self::User(firing) => firing.alert.subject.market_id(),
            Self::Guard(_) | Self::Challenge(_) | Self::Down | Self::Up => None,
        }
    }

    pub(super) fn order(&self) -> Option<&Order> {
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
            | Self::User(_)
            | Self::Down
            | Self::Up => None,
        }
    }

    /// The row that Enter opens.
    pub(crate) fn row(&self) -> Option<RowId> {
        match self {
            Self::Filled(order)
            | Self::Partial(order)
            | Self::Rejected(order)
            | Self::Gone(order) => Some(RowId::Order(order.id.clone())),
            Self::TwapStalled(twap) => Some(RowId::Twap(twap.id.clone())),
            Self::TwapEnded(ended) => Some(RowId::Twap(ended.twap.id.clone())),
            Self::NearLiquidation(position, _) => Some(RowId::Position(position.id.clone())),
            Self::User(_) | Self::Guard(_) | Self::Challenge(_) | Self::Down | Self::Up => None,
        }
    }

    pub(crate) fn ways<'a>(&self, alerts: &'a Alerts) -> &'a AlertChannels {
        match self {
            Self::Filled(_) | Self::Gone(_) => &alerts.fill,
            Self::Partial(_) => &alerts.partial,
            Self::Rejected(_) => &alerts.reject,
            Self::TwapStalled(_) => &alerts.twap_stalled,
            Self::TwapEnded(_) => &alerts.twap_ended,
            Self::NearLiquidation(..) => &alerts.liquidation,
            Self::Guard(_) | Self::Challenge(_) => &alerts.guard,
            Self::User(_) => &alerts.user_alert,
            Self::Down | Self::Up => &alerts.connection,
        }
    }
}

/// The alert for an ended order, if it is one.
pub(crate) fn ended(store: &Store, order: &Order) -> Option<Alert> {
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

/// Its events are those of its TWAP or parent order.
pub(super) fn is_part(order: &Order) -> bool {
    order.twap_order_id.is_some() || order.partial_of_order_id.is_some()
}

/// Working orders that have filled further.
pub(crate) fn partials(store: &Store, page: &Page<Order>) -> Vec<Alert> {
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

/// How far the mark may still move against the position before it is liquidated, as a share of the mark; negative once it
/// is past that. Where the side is unknown, how far apart the two are.
pub(crate) fn liquidation_distance(store: &Store, position: &Position) -> Option<Num> {
    let mark = store.mark(&position.market_id)?;
    let above = mark.minus(position.liquidation_price?)?;
    let left = match position.side() {
        Some(Side::Buy) => above,
        Some(Side::Sell) => above.negated(),
        None => above.abs(),
    };
    left.over(mark)
}
