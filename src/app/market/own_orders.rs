//! The account's own orders in a market: what each does at its price, for the chart and the ladder.

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

/// An own order at its price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PricedOrder<'a> {
    pub order: &'a Order,
    /// `None` for a word nobody has heard of.
    pub side: Option<Side>,
    pub kind: OwnOrderKind,
    pub price: Num,
}

/// An own order at a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnOrder<'a> {
    pub order: &'a Order,
    pub side: Side,
    pub kind: OwnOrderKind,
    /// Its own price.
    pub price: Num,
    /// The price of its row.
    pub row: Num,
}

/// Every working order of the account in `market` with a price there. An order that waits for another market's mark has
/// none.
pub fn priced_orders<'a>(
    store: &'a Store,
    market: &MarketId,
) -> impl Iterator<Item = PricedOrder<'a>> {
    let here = store.orders.rows().iter();
    let here = here.filter(move |order| order.market_id == *market && order.is_working());
    let (reported, open) = (store.statuses_by_receipt(), store.positions.rows());
    here.filter(move |order| {
        reported
            .get(&order.id)
            .is_none_or(|status| status.is_working())
    })
    .filter_map(move |order| priced(order, open))
}

/// The same by row of the ladder, where a side is known.
pub fn own_orders<'a>(
    store: &'a Store,
    market: &MarketId,
    spacing: Tick,
) -> impl Iterator<Item = OwnOrder<'a>> {
    priced_orders(store, market).filter_map(move |priced| {
        let side = priced.side?;
        let row = match priced.kind {
            OwnOrderKind::Resting => row_of(priced.price, side, spacing),
            OwnOrderKind::Entry | OwnOrderKind::Protects(_) => spacing.near(priced.price),
        };
        Some(OwnOrder {
            order: priced.order,
            side,
            kind: priced.kind,
            price: priced.price,
            row,
        })
    })
}

fn priced<'a>(order: &'a Order, open: &[Position]) -> Option<PricedOrder<'a>> {
    let (kind, price) = if order.is_armed() {
        let elsewhere = order.trigger_market_id.as_ref();
        if elsewhere.is_some_and(|id| *id != order.market_id) {
            return None;
        }
        let protects = open.iter().find_map(|position| order.protects(position));
        let kind = protects.map_or(OwnOrderKind::Entry, OwnOrderKind::Protects);
        (kind, order.working_price()?)
    } else {
        (OwnOrderKind::Resting, order.working_price()?)
    };
    Some(PricedOrder {
        order,
        side: order.side.known(),
        kind,
        price,
    })
}

/// The open position in `market`.
pub fn own_position<'a>(store: &'a Store, market: &MarketId) -> Option<&'a Position> {
    let mut open = store.positions.rows().iter();
    open.find(|position| position.market_id == *market)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{account::poll::Answer, testing::*},
        model::{Command, Page, Receipt},
    };

    fn order_of(id: &str, more: &str) -> Order {
        let words = format!(r#""side":"sell","size":0.1,"filled_size":0,{more}"#);
        order(id, "BTC", &words)
    }

    #[test]
    fn each_order_stands_at_the_price_that_it_waits_for() {
        let mut model = desk();
        let orders = vec![
            order_of(
                "rests",
                r#""type":"limit","mode":"limit","limit_price":64100,"status":"resting""#,
            ),
            order_of(
                "was-triggered",
                r#""type":"stop_limit","mode":"stop_limit","trigger_price":64200,"limit_price":64190,"triggered_at":1,"status":"resting""#,
            ),
            order_of(
                "waits",
                r#""type":"stop_limit","mode":"stop_limit","trigger_price":63000,"limit_price":62990,"status":"pending""#,
            ),
            order_of(
                "waits-for-ETH",
                r#""type":"stop_market","mode":"stop_market","trigger_price":3000,"trigger_market_id":"paper|ETH","status":"pending""#,
            ),
        ];
        arrive(&mut model, Answer::Orders(Ok(Page::of(orders))));
        let market = "paper|BTC".into();
        let found = priced_orders(&model.account.store, &market);
        let found: Vec<_> = found
            .map(|own| (own.order.id.to_string(), own.kind, own.price))
            .collect();
        let expected = [
            ("rests", OwnOrderKind::Resting, num("64100")),
            ("was-triggered", OwnOrderKind::Resting, num("64190")),
            ("waits", OwnOrderKind::Entry, num("63000")),
        ];
        assert_eq!(
            found,
            expected.map(|(id, kind, price)| (id.to_owned(), kind, price))
        );
    }

    #[test]
    fn a_canceled_order_is_gone_before_the_next_read() {
        let mut model = desk();
        let rests = r#""type":"limit","mode":"limit","limit_price":64100,"status":"resting""#;
        let page = || Answer::Orders(Ok(Page::of(vec![order_of("ord-9", rests)])));
        arrive(&mut model, page());
        let count = |model: &crate::app::Model| {
            priced_orders(&model.account.store, &"paper|BTC".into()).count()
        };
        assert_eq!(count(&model), 1);
        let now = model.account.now;
        let cancel = Command::Cancel("ord-9".into());
        let receipt = Receipt::AlreadySo("canceled".into());
        model.account.store.settle(&cancel, &receipt, now);
        assert_eq!(count(&model), 0);
    }
}
