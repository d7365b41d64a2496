//! Resting orders of one market in price-time order, with their queue positions (docs/engine.md 3.3).
//!
//! The work depends on how many orders a trade or refresh can reach, not on how many rest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::book::{OrderBook, PriceAndSize, PriceDepth};
use crate::exchange::engine::state::{Lots, MarketTrade, OrderId, Px, QueuePosition, Side};

/// Best price first on each side, then by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct QueueKey {
    distance: i64,
    priority: u64,
}

impl QueueKey {
    fn new(spot: QueuePosition) -> Self {
        Self {
            distance: -spot.side.sign() * spot.px.0,
            priority: spot.priority,
        }
    }

    /// Before every order at this price.
    fn start(side: Side, px: Px) -> Self {
        Self::new(QueuePosition {
            side,
            px,
            priority: 0,
        })
    }

    /// After every order at this price.
    fn end(side: Side, px: Px) -> Self {
        Self::new(QueuePosition {
            side,
            px,
            priority: u64::MAX,
        })
    }

    fn px(self, side: Side) -> Px {
        Px(-side.sign() * self.distance)
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct QueuedOrder {
    order: OrderId,
    left: Lots,
    /// Displayed size ahead of it; `None` while its price is outside the visible book.
    ahead: Option<Lots>,
}

/// A resting order as a taker meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueuedLots {
    pub(super) order: OrderId,
    pub(super) px: Px,
    pub(super) left: Lots,
    /// Of other traders at its price.
    pub(super) ahead: Lots,
}

/// Whether a book set the queue ahead of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueMove {
    Kept,
    Set,
}

/// A fill of a resting order by the market, at the order's own price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MakerFill {
    pub(crate) order: OrderId,
    pub(crate) px: Px,
    pub(crate) size: Lots,
    /// The queue ahead of it before a trade at its price; `None` for any other fill.
    pub(crate) ahead: Option<Lots>,
}

/// What a trade at the price of an order does whose place in the queue is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownQueue {
    /// Fills it, as if nobody were ahead.
    Empty,
    /// Nothing: the trade may have been with anybody ahead of it.
    Waits,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RestingOrders {
    bids: BTreeMap<QueueKey, QueuedOrder>,
    asks: BTreeMap<QueueKey, QueuedOrder>,
}

impl RestingOrders {
    fn side(&mut self, side: Side) -> &mut BTreeMap<QueueKey, QueuedOrder> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Joins the queue behind what `book` shows at its price.
    pub(crate) fn join(
        &mut self,
        book: &OrderBook,
        spot: QueuePosition,
        order: OrderId,
        left: Lots,
    ) {
        let ahead = book.depth(spot.side, spot.px).shown();
        let queued = QueuedOrder { order, left, ahead };
        self.side(spot.side).insert(QueueKey::new(spot), queued);
    }

    pub(crate) fn leave(&mut self, spot: QueuePosition) {
        self.side(spot.side).remove(&QueueKey::new(spot));
    }

    /// Sets the remaining size of an order without changing its queue position.
    pub(crate) fn resize(&mut self, spot: QueuePosition, left: Lots) {
        if let Some(queued) = self.side(spot.side).get_mut(&QueueKey::new(spot)) {
            queued.left = left;
        }
    }

    /// One side in price-time order.
    pub(super) fn queued(&self, side: Side) -> impl Iterator<Item = QueuedLots> {
        let orders = match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        };
        orders.iter().map(move |(place, queued)| QueuedLots {
            order: queued.order,
            px: place.px(side),
            left: queued.left,
            ahead: queued.ahead.unwrap_or_default(),
        })
    }

    /// Takers have taken `lots` of other traders: those were first in the queue.
    pub(crate) fn shorten(&mut self, side: Side, lots: &[PriceAndSize]) {
        for &(px, taken) in lots {
            let level = QueueKey::start(side, px)..=QueueKey::end(side, px);
            for (_, queued) in self.side(side).range_mut(level) {
                queued.ahead = queued.ahead.map(|ahead| (ahead - taken).max(Lots::ZERO));
            }
        }
    }

    /// The known queues ahead.
    #[cfg(test)]
    pub(crate) fn queues(&self) -> BTreeMap<OrderId, Lots> {
        let orders = self.bids.values().chain(self.asks.values());
        orders
            .filter_map(|queued| Some((queued.order, queued.ahead?)))
            .collect()
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.bids.len() + self.asks.len()
    }

    /// The fills of an exogenous trade. Its volume is shared in price-time order and spent once; at the trade's own
    /// price an order waits for the queue ahead of it.
    pub(crate) fn trade(&mut self, trade: MarketTrade) -> Vec<MakerFill> {
        self.trade_where(trade, UnknownQueue::Empty, |_| true)
    }

    /// As [`Self::trade`], for the orders that it counts for.
    pub(crate) fn trade_where(
        &mut self,
        trade: MarketTrade,
        unknown: UnknownQueue,
        counts: impl Fn(OrderId) -> bool,
    ) -> Vec<MakerFill> {
        let side = trade.aggressor.opposite();
        let reach = QueueKey::end(side, trade.px);
        let mut volume = trade.size;
        let mut fills = Vec::new();
        for (place, queued) in self.side(side).range_mut(..=reach) {
            if volume <= Lots::ZERO {
                break;
            }
            let px = place.px(side);
            let queue = match (queued.ahead, unknown) {
                _ if !counts(queued.order) => continue,
                _ if px != trade.px => None,
                (None, UnknownQueue::Waits) => continue,
                (ahead, _) => Some(ahead.unwrap_or(Lots::ZERO)),
            };
            let ahead = queue.unwrap_or(Lots::ZERO);
            if queue.is_some() {
                queued.ahead = Some((ahead - volume).max(Lots::ZERO));
            }
            let got = (volume - ahead).max(Lots::ZERO).min(queued.left);
            if got > Lots::ZERO {
                volume -= got;
                queued.left -= got;
                fills.push(MakerFill {
                    order: queued.order,
                    px,
                    size: got,
                    ahead: queue,
                });
            }
        }
        fills
    }

    /// After a refresh: the queue ahead of an order is at most the size shown at its price.
    pub(crate) fn see(&mut self, book: &OrderBook) {
        self.see_with(book, |_, _, _| {});
    }

    /// As [`Self::see`]; `seen` gets each order with what the book shows at its price.
    pub(crate) fn see_with(
        &mut self,
        book: &OrderBook,
        mut seen: impl FnMut(OrderId, PriceDepth, QueueMove),
    ) {
        for side in [Side::Buy, Side::Sell] {
            let Some(last) = book.levels(side).last() else {
                continue;
            };
            let visible = QueueKey::end(side, last.px);
            for (place, queued) in self.side(side).range_mut(..=visible) {
                let depth = book.depth(side, place.px(side));
                let shown = match depth {
                    PriceDepth::At(size) => size,
                    PriceDepth::Empty | PriceDepth::Hidden => Lots::ZERO,
                };
                let moved = match queued.ahead {
                    Some(ahead) if ahead <= shown => QueueMove::Kept,
                    Some(_) | None => QueueMove::Set,
                };
                seen(queued.order, depth, moved);
                queued.ahead = Some(queued.ahead.map_or(shown, |ahead| ahead.min(shown)));
            }
        }
    }

    /// Every order goes to the back of the queue that `book` shows; `joins` gets each.
    pub(crate) fn rejoin(&mut self, book: &OrderBook, mut joins: impl FnMut(OrderId, PriceDepth)) {
        for side in [Side::Buy, Side::Sell] {
            for (place, queued) in self.side(side) {
                let depth = book.depth(side, place.px(side));
                queued.ahead = depth.shown();
                joins(queued.order, depth);
            }
        }
    }

    /// The orders that a trade reaches, at its price or beyond.
    pub(crate) fn reached(&mut self, trade: MarketTrade) -> Vec<(OrderId, Px)> {
        let side = trade.aggressor.opposite();
        let reach = QueueKey::end(side, trade.px);
        let orders = self.side(side).range(..=reach);
        orders
            .map(|(place, queued)| (queued.order, place.px(side)))
            .collect()
    }

    /// Orders that the refreshed book crosses, best first, with price and remaining size.
    pub(crate) fn crossed(&mut self, book: &OrderBook) -> Vec<(Side, MakerFill)> {
        let mut crossed = Vec::new();
        for side in [Side::Buy, Side::Sell] {
            let Some(touch) = book.best(side.opposite()) else {
                continue;
            };
            let reach = QueueKey::end(side, touch);
            crossed.extend(self.side(side).range(..=reach).map(|(place, queued)| {
                let fill = MakerFill {
                    order: queued.order,
                    px: place.px(side),
                    size: queued.left,
                    ahead: None,
                };
                (side, fill)
            }));
        }
        crossed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::engine::state::BookLevel;

    fn bid_book(size: i64) -> OrderBook {
        let mut book = OrderBook::default();
        let bids = [(10_000, size), (9_990, 50)].map(|(px, size)| BookLevel {
            px: Px(px),
            size: Lots(size),
        });
        book.refresh(&bids, &[]);
        book
    }

    fn sell(px: i64, size: i64) -> MarketTrade {
        MarketTrade {
            aggressor: Side::Sell,
            px: Px(px),
            size: Lots(size),
        }
    }

    fn bid(px: i64, priority: u64) -> QueuePosition {
        QueuePosition {
            side: Side::Buy,
            px: Px(px),
            priority,
        }
    }

    fn id(n: usize) -> OrderId {
        OrderId::from(n)
    }

    fn fill(order: usize, px: i64, size: i64) -> (OrderId, Px, Lots) {
        (id(order), Px(px), Lots(size))
    }

    fn traded(resting: &mut RestingOrders, trade: MarketTrade) -> Vec<(OrderId, Px, Lots)> {
        let fills = resting.trade(trade).into_iter();
        fills.map(|fill| (fill.order, fill.px, fill.size)).collect()
    }

    #[test]
    fn a_bid_behind_a_hundred_lots_waits_for_them_to_trade() {
        let mut resting = RestingOrders::default();
        resting.join(&bid_book(100), bid(10_000, 1), id(0), Lots(50));
        assert_eq!(traded(&mut resting, sell(10_000, 80)), []);
        assert_eq!(
            traded(&mut resting, sell(10_000, 30)),
            [fill(0, 10_000, 10)]
        );
        assert_eq!(
            traded(&mut resting, sell(10_000, 50)),
            [fill(0, 10_000, 40)]
        );
    }

    #[test]
    fn a_trade_through_the_price_fills_at_the_limit_and_its_volume_is_spent_once() {
        let mut resting = RestingOrders::default();
        let book = bid_book(100);
        resting.join(&book, bid(10_005, 1), id(0), Lots(30));
        resting.join(&book, bid(10_005, 2), id(1), Lots(30));
        assert_eq!(
            traded(&mut resting, sell(10_000, 40)),
            [fill(0, 10_005, 30), fill(1, 10_005, 10)]
        );
    }

    #[test]
    fn two_orders_at_one_price_share_what_trades_beyond_the_queue() {
        let mut resting = RestingOrders::default();
        let book = bid_book(20);
        resting.join(&book, bid(10_000, 1), id(0), Lots(10));
        resting.join(&book, bid(10_000, 2), id(1), Lots(10));
        assert_eq!(
            traded(&mut resting, sell(10_000, 30)),
            [fill(0, 10_000, 10)]
        );
        assert_eq!(traded(&mut resting, sell(10_000, 5)), [fill(1, 10_000, 5)]);
    }

    #[test]
    fn a_level_that_shrinks_or_goes_moves_the_queue_forward() {
        let mut resting = RestingOrders::default();
        resting.join(&bid_book(100), bid(10_000, 1), id(0), Lots(50));
        resting.see(&bid_book(15));
        assert_eq!(traded(&mut resting, sell(10_000, 20)), [fill(0, 10_000, 5)]);
        let mut elsewhere = OrderBook::default();
        let level = BookLevel {
            px: Px(9_990),
            size: Lots(50),
        };
        elsewhere.refresh(&[level], &[]);
        resting.join(&bid_book(100), bid(10_000, 2), id(1), Lots(50));
        resting.see(&elsewhere);
        assert_eq!(
            traded(&mut resting, sell(10_000, 60)),
            [fill(0, 10_000, 45), fill(1, 10_000, 15)],
            "the level is gone, and with it who stood there"
        );
    }

    /// 40 of 100 are in front; 10 trade, and the book shows 70: the 20 that have gone without a trade stood behind.
    #[test]
    fn a_level_that_shrinks_without_a_trade_leaves_the_queue_as_long_as_it_still_shows() {
        let mut resting = RestingOrders::default();
        resting.join(&bid_book(40), bid(10_000, 1), id(0), Lots(5));
        resting.see(&bid_book(100));
        assert_eq!(traded(&mut resting, sell(10_000, 10)), []);
        resting.see(&bid_book(70));
        assert_eq!(resting.queues().get(&id(0)), Some(&Lots(30)));
    }

    #[test]
    fn a_trade_at_a_better_price_passes_a_bid_by() {
        let mut resting = RestingOrders::default();
        resting.join(&bid_book(100), bid(10_000, 1), id(0), Lots(50));
        assert_eq!(traded(&mut resting, sell(10_010, 500)), []);
        assert_eq!(
            traded(&mut resting, sell(10_000, 100)),
            [],
            "its queue is whole"
        );
    }

    #[test]
    fn an_order_behind_the_visible_book_queues_once_its_price_is_seen() {
        let mut resting = RestingOrders::default();
        let mut book = OrderBook::default();
        resting.join(&bid_book(10), bid(9_000, 1), id(0), Lots(5));
        let level = BookLevel {
            px: Px(9_000),
            size: Lots(40),
        };
        book.refresh(&[level], &[]);
        resting.see(&book);
        assert_eq!(traded(&mut resting, sell(9_000, 42)), [fill(0, 9_000, 2)]);
    }
}
