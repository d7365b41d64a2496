//! The account's own orders in a market, by ladder row.

use super::depth::row_of;
use crate::{
    app::account::store::Store,
    model::{MarketId, Num, Order, Position, Protection, Side, Tick},
};

/// What an own order does at its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnOrderKind {
    /// Rests in the book.
    Resting,
    /// Waits for its trigger, then opens a position.
    Entry,
    /// Waits for its trigger, then closes some of the position.
    Protects(Protection),
}

/// An own order at a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnOrder<'a> {
    pub order: &'a Order,
    pub side: Side,
    pub kind: OwnOrderKind,
    /// The price of its row.
    pub row: Num,
}

/// Every working order of the account in `market` with a price there.
pub fn own_orders<'a>(
    store: &'a Store,
    market: &MarketId,
    spacing: Tick,
) -> impl Iterator<Item = OwnOrder<'a>> {
    let here = store.orders.rows().iter();
    let here = here.filter(move |order| order.market_id == *market && order.is_working());
    let open = store.positions.rows();
    here.filter(|order| !store.is_over(order))
        .filter_map(move |order| own_order(order, open, spacing))
}

fn own_order<'a>(order: &'a Order, open: &[Position], spacing: Tick) -> Option<OwnOrder<'a>> {
    let side = order.side.known()?;
    if !order.is_armed() {
        return Some(OwnOrder {
            order,
            side,
            kind: OwnOrderKind::Resting,
            row: row_of(order.limit_price?, side, spacing),
        });
    }
    let elsewhere = order.trigger_market_id.as_ref();
    if elsewhere.is_some_and(|id| *id != order.market_id) {
        return None;
    }
    let protects = open.iter().find_map(|position| order.protects(position));
    Some(OwnOrder {
        order,
        side,
        kind: protects.map_or(OwnOrderKind::Entry, OwnOrderKind::Protects),
        row: spacing.near(order.trigger_price?),
    })
}

/// The open position in `market`.
pub fn own_position<'a>(store: &'a Store, market: &MarketId) -> Option<&'a Position> {
    let mut open = store.positions.rows().iter();
    open.find(|position| position.market_id == *market)
}
