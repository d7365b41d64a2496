//! The book of a market as everybody sees it: what other traders quote, and what the accounts of the exchange rest in it
//! (docs/engine.md 3.6). The book of a received market is the venue's, and holds no order of an account.

use std::iter::Peekable;

use super::{
    book::{OrderBook, PriceAndSize, beyond, preview},
    resting::{QueuedLots, RestingOrders},
};
use crate::exchange::engine::state::{BookLevel, Lots, NanoPx, OrderId, Px, Side};

/// Lots that a taker meets, all of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) px: Px,
    pub(crate) size: Lots,
    /// The order of an account; `None`: other traders.
    pub(crate) order: Option<OrderId>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct PublicBook<'a> {
    pub(crate) others: &'a OrderBook,
    /// `None` on a received market.
    pub(crate) accounts: Option<&'a RestingOrders>,
}

impl<'a> PublicBook<'a> {
    /// One side in price-time order. Of the lots of others at the price of an order, those that were there first come
    /// before it.
    pub(crate) fn offers(self, side: Side) -> impl Iterator<Item = Offer> + use<'a> {
        let orders = self.accounts.into_iter();
        Offers {
            side,
            others: self.others.levels(side).peekable(),
            orders: orders
                .flat_map(move |orders| orders.queued(side))
                .peekable(),
            offered: Lots::ZERO,
        }
    }

    /// One side by price, best first.
    pub(crate) fn levels(self, side: Side) -> impl Iterator<Item = BookLevel> + use<'a> {
        let mut offers = self.offers(side).peekable();
        std::iter::from_fn(move || {
            let Offer { px, mut size, .. } = offers.next()?;
            while let Some(more) = offers.next_if(|more| more.px == px) {
                size += more.size;
            }
            Some(BookLevel { px, size })
        })
    }

    pub(crate) fn best(self, side: Side) -> Option<Px> {
        self.offers(side).next().map(|offer| offer.px)
    }

    pub(crate) fn mid(self, size_decimals: u32) -> Option<NanoPx> {
        let (bid, ask) = self.best(Side::Buy).zip(self.best(Side::Sell))?;
        let twice = Px(bid.0.saturating_add(ask.0)).nano(size_decimals);
        Some(NanoPx(twice.0 / 2))
    }

    /// Whether an order of `side` at `limit` would trade at once.
    pub(crate) fn crosses(self, side: Side, limit: Px) -> bool {
        self.best(side.opposite())
            .is_some_and(|best| !beyond(side, best, limit))
    }

    /// What a taker of `side` that owns none of the orders would get within `limit`.
    pub(crate) fn preview(self, side: Side, limit: Px, wanted: Lots) -> Vec<PriceAndSize> {
        preview(self.levels(side.opposite()), side, Some(limit), wanted)
    }
}

struct Offers<I: Iterator<Item = BookLevel>, J: Iterator<Item = QueuedLots>> {
    side: Side,
    others: Peekable<I>,
    orders: Peekable<J>,
    /// Of the first level of others.
    offered: Lots,
}

impl<I: Iterator<Item = BookLevel>, J: Iterator<Item = QueuedLots>> Offers<I, J> {
    /// The lots of others until `upto` of their level are offered.
    fn of_others(&mut self, level: BookLevel, upto: Lots) -> Offer {
        let size = upto - self.offered;
        self.offered = upto;
        if upto == level.size {
            self.others.next();
            self.offered = Lots::ZERO;
        }
        Offer {
            px: level.px,
            size,
            order: None,
        }
    }
}

impl<I: Iterator<Item = BookLevel>, J: Iterator<Item = QueuedLots>> Iterator for Offers<I, J> {
    type Item = Offer;

    fn next(&mut self) -> Option<Offer> {
        let level = self.others.peek().copied();
        let Some(QueuedLots {
            order,
            px,
            left,
            ahead,
        }) = self.orders.peek().copied()
        else {
            return level.map(|level| self.of_others(level, level.size));
        };
        let taker = self.side.opposite();
        let before = level.map_or(Lots::ZERO, |level| {
            if level.px == px {
                ahead.min(level.size)
            } else if beyond(taker, px, level.px) {
                level.size
            } else {
                Lots::ZERO
            }
        });
        if let Some(level) = level.filter(|_| before > self.offered) {
            return Some(self.of_others(level, before));
        }
        self.orders.next();
        Some(Offer {
            px,
            size: left,
            order: Some(order),
        })
    }
}
