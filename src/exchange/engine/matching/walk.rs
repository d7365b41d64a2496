//! What an order takes as it enters: the quotes of other traders and the resting orders of other accounts, in
//! price-time order, and never an order of its own account (docs/engine.md 3.1, 3.6).

use crate::exchange::engine::{
    core::Engine,
    market::{
        book::{PriceAndSize, beyond, lots, notional},
        public_book::Offer,
        resting::MakerFill,
    },
    state::{
        FillCause, FillPart, ImpactModel, Lots, OrderId, OrderRecord, OrderStatus, Px, Reason,
        SelfTrade,
    },
};

/// The pieces that one order takes, best first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walk {
    pieces: Vec<Offer>,
    /// Resting orders that it reaches and that cannot trade with it: they end.
    ended: Vec<(OrderId, Reason)>,
    /// The order of its own account that it stops at.
    pub(super) stopped_at: Option<OrderId>,
}

/// What becomes of a resting order that a taker reaches.
enum Reached {
    Fills(Lots),
    Ends(Reason),
    StopsTaker,
}

impl Walk {
    pub(crate) fn slices(&self) -> Vec<PriceAndSize> {
        let pieces = self.pieces.iter();
        pieces.map(|piece| (piece.px, piece.size)).collect()
    }

    /// The pieces of other traders.
    fn quotes(&self) -> Vec<PriceAndSize> {
        let quotes = self.pieces.iter().filter(|piece| piece.order.is_none());
        quotes.map(|piece| (piece.px, piece.size)).collect()
    }

    /// The pieces of accounts.
    fn makers(&self) -> impl Iterator<Item = MakerFill> {
        self.pieces.iter().filter_map(|piece| {
            Some(MakerFill {
                order: piece.order?,
                px: piece.px,
                size: piece.size,
                ahead: None,
            })
        })
    }
}

impl Engine {
    /// What an order gets within `limit` (`None`: at any price), without taking it.
    pub(crate) fn walk(&self, row: &OrderRecord, limit: Option<Px>) -> Walk {
        let mut walk = Walk::default();
        let mut missing = row.size;
        for mut offer in self.public_book(row.market).offers(row.side.opposite()) {
            let is_beyond = limit.is_some_and(|limit| beyond(row.side, offer.px, limit));
            if missing <= Lots::ZERO || is_beyond {
                break;
            }
            offer.size = offer.size.min(missing);
            match self.reach(row, offer, &walk) {
                Reached::Fills(size) => {
                    missing -= size;
                    walk.pieces.push(Offer { size, ..offer });
                }
                Reached::Ends(reason) => walk.ended.extend(offer.order.map(|id| (id, reason))),
                Reached::StopsTaker => {
                    walk.stopped_at = offer.order;
                    break;
                }
            }
        }
        walk
    }

    /// An order that only reduces is never stopped by an order of its own account.
    fn reach(&self, row: &OrderRecord, offer: Offer, walk: &Walk) -> Reached {
        let Some(order) = offer.order else {
            return Reached::Fills(offer.size);
        };
        let maker = self.orders.at(order);
        if maker.account != row.account {
            return self.deliver(maker, offer, walk);
        }
        match self.venue.self_trade {
            SelfTrade::CancelNewest if !row.reduce_only => Reached::StopsTaker,
            SelfTrade::CancelNewest | SelfTrade::CancelOldest => Reached::Ends(Reason::SelfTrade),
        }
    }

    /// What a resting order can deliver after the other orders of its account that the walk has reached.
    fn deliver(&self, maker: &OrderRecord, offer: Offer, walk: &Walk) -> Reached {
        let is_own = |fill: &MakerFill| self.orders.at(fill.order).account == maker.account;
        let mut fills: Vec<MakerFill> = walk.makers().filter(is_own).collect();
        let sibling = self.working_sibling(maker.id);
        if fills.iter().any(|before| Some(before.order) == sibling) {
            return Reached::Ends(Reason::SiblingFilled);
        }
        let mut size = offer.size;
        if maker.reduce_only {
            let closed: Lots = fills.iter().map(|before| before.size).sum();
            size = size.min(self.reducible(maker) - closed);
        }
        if size <= Lots::ZERO {
            return Reached::Ends(Reason::ReduceOnly);
        }
        fills.push(MakerFill {
            order: maker.id,
            px: offer.px,
            size,
            ahead: None,
        });
        match self.refused(&fills) {
            None => Reached::Fills(size),
            Some(reason) => Reached::Ends(reason),
        }
    }

    /// Takes the pieces, fills the resting orders among them, and moves the price where the venue says so
    /// (docs/engine.md 9.4).
    pub(crate) fn take(&mut self, id: OrderId, walk: &Walk) -> Vec<FillPart> {
        let row = self.orders.at(id);
        let (account, market, side) = (row.account, row.market, row.side);
        let quotes = walk.quotes();
        let ground = self.ground(market, side, &quotes, FillCause::Walk);
        self.consume(market, side, &quotes);
        if let Some(ground) = ground {
            self.keep_evidence(id, lots(&quotes), None, ground);
        }
        if let (ImpactModel::Linear, Some(generator)) = (self.venue.impact, &mut self.generator) {
            generator.press(market, side, notional(&quotes));
        }
        self.keep_trades(id, &quotes);
        for fill in walk.makers() {
            self.fill_maker(fill, Some(account));
        }
        walk.slices().iter().map(FillPart::from).collect()
    }

    pub(crate) fn end_reached(&mut self, walk: &Walk) {
        for (order, reason) in &walk.ended {
            self.finish(*order, OrderStatus::Canceled, Some(*reason));
        }
    }
}
