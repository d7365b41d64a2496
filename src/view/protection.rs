//! What gets a trader out of a position when nobody watches: the stops and targets that point at it.

use super::{Scene, Span, Tone, format, words};
use crate::model::{Order, OrderType, Position, Side, TriggerDirection};

/// What an armed order does for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Stop,
    Target,
}

/// The nearest stop and target of a position, or `NO STOP`. Unknown until the working orders have come.
pub(super) fn protection(position: &Position, scene: &Scene<'_>) -> Vec<Span> {
    if scene.store.orders.value().is_none() {
        return vec![Span::unknown()];
    }
    let guards: Vec<_> = guards(position, scene).collect();
    let mut spans = match leg("SL", Guard::Stop, &guards, position, scene) {
        Some(stop) => vec![Span::plain(stop)],
        None => vec![Span::new("NO STOP", Tone::Warn)],
    };
    if let Some(target) = leg("TP", Guard::Target, &guards, position, scene) {
        spans.push(Span::muted(format!("  {target}")));
    }
    spans
}

/// The orders that would close some of `position` when their trigger is reached.
pub(super) fn orders_of<'a>(
    position: &'a Position,
    scene: &Scene<'a>,
) -> impl Iterator<Item = &'a Order> {
    let orders = scene.store.orders.rows().iter();
    orders.filter(move |order| order.is_armed() && points_at(order, position))
}

fn guards<'a>(
    position: &'a Position,
    scene: &Scene<'a>,
) -> impl Iterator<Item = (Guard, &'a Order)> {
    orders_of(position, scene).filter_map(move |order| Some((guard(order, position)?, order)))
}

/// By its link; else a reduce-only order of the other side on the same market can only close it.
fn points_at(order: &Order, position: &Position) -> bool {
    match &order.target_position_id {
        Some(id) => *id == position.id,
        None => {
            let closing = position.side().map(Side::opposite);
            order.reduce_only
                && order.market_id == position.market_id
                && closing.is_some_and(|side| order.side.is(&side))
        }
    }
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

/// `SL 62,000`, `SL 62,000 40%` when it covers a part only, `SL 62,000 +1` when more follow.
fn leg(
    name: &str,
    wanted: Guard,
    guards: &[(Guard, &Order)],
    position: &Position,
    scene: &Scene<'_>,
) -> Option<String> {
    let market = scene.store.market(&position.market_id);
    let mut legs: Vec<_> = guards
        .iter()
        .filter(|(guard, _)| *guard == wanted)
        .filter_map(|(_, order)| Some((order.trigger_price?, *order)))
        .collect();
    legs.sort_by_key(|(price, _)| *price);
    let nearest_is_highest = (wanted == Guard::Stop) == (position.side() == Some(Side::Buy));
    let (price, order) = if nearest_is_highest {
        legs.last()
    } else {
        legs.first()
    }?;
    let part = order.size.abs().over(position.quantity());
    let covers = part
        .filter(|part| *part < crate::model::Num::ONE)
        .map_or_else(String::new, |part| {
            format!(" {}", format::whole_percent(part))
        });
    let others = match legs.len() {
        0 | 1 => String::new(),
        n => format!(" +{}", n - 1),
    };
    let price = words::known(Some(format::price(*price, market))).text;
    Some(format!("{name} {price}{covers}{others}"))
}
