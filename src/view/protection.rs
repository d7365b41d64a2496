//! What gets a trader out of a position when nobody watches: the stops and targets that point at it.

use super::{Scene, Span, Tone, format};
use crate::model::{Num, Order, OrderType, Position, Side, TriggerDirection};

/// What an armed order does for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Stop,
    Target,
}

/// The nearest stop of a position, or `NO STOP`; `STOP ?` when an order that could be one cannot be told.
/// Unknown until the working orders have come.
pub(super) fn stop(position: &Position, scene: &Scene<'_>) -> Span {
    let Some(orders) = scene.store.orders.value() else {
        return Span::unknown();
    };
    let unread = orders.incomplete || !orders.unreadable.is_empty();
    match leg(Guard::Stop, position, scene) {
        Some(stop) => Span::plain(format!("SL {stop}")),
        None if unread || orders.rows.iter().any(|order| may_stop(order, position)) => {
            Span::new("STOP ?", Tone::Warn)
        }
        None => Span::new("NO STOP", Tone::Warn),
    }
}

/// An armed order of its market whose words nobody has heard of: a second stop beside it would be one too many.
fn may_stop(order: &Order, position: &Position) -> bool {
    let unheard = order.side.known().is_none() || order.kind.known().is_none();
    unheard && order.is_armed() && order.market_id == position.market_id
}

/// The nearest target of a position, if it has one.
pub(super) fn target(position: &Position, scene: &Scene<'_>) -> Span {
    let target = leg(Guard::Target, position, scene);
    Span::muted(
        target
            .map(|target| format!("TP {target}"))
            .unwrap_or_default(),
    )
}

/// The orders that would close some of `position` when their trigger is reached.
pub(super) fn orders_of<'a>(
    position: &'a Position,
    scene: &Scene<'a>,
) -> impl Iterator<Item = &'a Order> {
    let orders = scene.store.orders.rows().iter();
    orders.filter(move |order| order.is_armed() && order.closes(position))
}

fn guard(order: &Order, position: &Position) -> Option<Guard> {
    match order.kind.known() {
        Some(OrderType::StopMarket | OrderType::StopLimit) => Some(Guard::Stop),
        Some(OrderType::TakeMarket | OrderType::TakeLimit | OrderType::TakeProfit) => {
            Some(Guard::Target)
        }
        Some(
            OrderType::Market | OrderType::Limit | OrderType::Liquidation | OrderType::CloseOut,
        )
        | None => by_direction(order, position),
    }
}

/// A trigger on the losing side of a position stops it; one on another market says nothing of either.
fn by_direction(order: &Order, position: &Position) -> Option<Guard> {
    if order
        .trigger_market_id
        .as_ref()
        .is_some_and(|id| *id != position.market_id)
    {
        return None;
    }
    let direction = order.trigger_direction.as_ref()?.known()?;
    Some(match (position.side()?, direction) {
        (Side::Buy, TriggerDirection::Below) | (Side::Sell, TriggerDirection::Above) => Guard::Stop,
        (Side::Buy, TriggerDirection::Above) | (Side::Sell, TriggerDirection::Below) => {
            Guard::Target
        }
    })
}

/// `62,000`, `62,000 40%` when it covers a part only, `62,000 +1` when more follow.
fn leg(wanted: Guard, position: &Position, scene: &Scene<'_>) -> Option<String> {
    let market = scene.store.market(&position.market_id);
    let mut legs: Vec<_> = orders_of(position, scene)
        .filter(|order| guard(order, position) == Some(wanted))
        .filter_map(|order| Some((order.trigger_price?, order)))
        .collect();
    legs.sort_by_key(|(price, _)| *price);
    let nearest_is_highest = (wanted == Guard::Stop) == (position.side() == Some(Side::Buy));
    let (price, order) = if nearest_is_highest {
        legs.last()
    } else {
        legs.first()
    }?;
    let part = order.size.abs().over(position.quantity());
    let covers = match part.filter(|part| *part < Num::ONE) {
        Some(part) => format!(" {}", format::whole_percent(part)),
        None => String::new(),
    };
    let others = match legs.len() {
        0 | 1 => String::new(),
        n => format!(" +{}", n - 1),
    };
    let price = format::price(*price, market);
    Some(format!("{price}{covers}{others}"))
}
