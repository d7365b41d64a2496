//! Fills on a received market, each with the frame it rests on (docs/engine.md 12.2 to 12.4).

use crate::exchange::engine::{
    core::Engine,
    market::{
        book::{PriceAndSize, lots},
        received::{Reach, UnfilledWalk},
        resting::{QueueMove, UnknownQueue},
    },
    state::{
        EvidenceLevel, FillCause, FillEvidence, FrameStamp, Lots, MarketIx, OrderId, Px,
        ReceivedTrade, Side,
    },
};

/// What a fill rests on.
#[derive(Debug)]
pub(crate) struct FillGround {
    cause: FillCause,
    frame: FrameStamp,
    levels: Vec<EvidenceLevel>,
    trade_id: Option<u64>,
}

impl Engine {
    /// Joins the queue of its market at the back.
    pub(crate) fn join_queue(&mut self, id: OrderId) {
        let row = self.orders.at(id);
        let (ix, left) = (row.market, row.size);
        let Some(spot) = row.spot() else {
            return;
        };
        let market = self.markets.at_mut(ix);
        if self.received.get(ix).is_none() {
            market.resting.join(&market.book, spot, id, left);
            return;
        }
        let received = self.received.at_mut(ix);
        let book = received.view.queue_book();
        market.resting.join(book, spot, id, left);
        let depth = book.depth(spot.side, spot.px);
        let (effect, venue) = (received.time(self.now), received.view.venue_time());
        received.claims.join(id, effect.max(venue), depth);
    }

    /// A trade at the venue: it fills the orders it reaches, unless it was received before.
    pub(crate) fn match_print(
        &mut self,
        market: MarketIx,
        print: &ReceivedTrade,
        frame: &FrameStamp,
    ) {
        let trade = print.as_market();
        self.count_optimistically(market, print);
        let received = self.received.at(market);
        let state = self.markets.at_mut(market);
        let counts = |order| received.claims.counts(order, print);
        let fills = state
            .resting
            .trade_where(trade, UnknownQueue::Waits, counts);
        let mut of_users = Lots::ZERO;
        for fill in fills {
            if let Some(fill) = self.accepted(fill) {
                of_users += fill.size;
                let cause = if fill.px == print.px {
                    FillCause::Trade
                } else {
                    FillCause::Through
                };
                let ground = FillGround {
                    cause,
                    frame: frame.clone(),
                    levels: Vec::new(),
                    trade_id: Some(print.id),
                };
                self.keep_evidence(fill.order, fill.size, fill.ahead, ground);
                self.fill_maker(fill, None);
            }
        }
        self.keep_trade_of_others(market, trade, trade.size - of_users);
    }

    fn count_optimistically(&mut self, market: MarketIx, print: &ReceivedTrade) {
        let reached = self
            .markets
            .at_mut(market)
            .resting
            .reached(print.as_market());
        for (order, px) in reached {
            let row = self.orders.at(order);
            let whole = row.filled_size + row.size;
            let reach = if px == print.px {
                Reach::Price
            } else {
                Reach::Through
            };
            let claims = &mut self.received.at_mut(market).claims;
            claims.trade(order, whole, print, reach);
        }
    }

    /// A new live book: it moves the queues, and fills the orders that it crosses.
    pub(crate) fn match_received_book(&mut self, market: MarketIx) {
        let received = self.received.at_mut(market);
        let venue_time = received.view.venue_time();
        let state = self.markets.at_mut(market);
        let claims = &mut received.claims;
        let seen = |order, depth, moved| {
            claims.see(order, depth);
            if moved == QueueMove::Set {
                claims.shortened(order, venue_time);
            }
        };
        state.resting.see_with(received.view.queue_book(), seen);
        self.match_crossed(market);
        self.fill_walks_optimistically(market);
    }

    /// After a gap every resting order queues anew.
    pub(crate) fn rejoin_queues(&mut self, market: MarketIx) {
        let received = self.received.at_mut(market);
        let venue_time = received.view.venue_time();
        let (book, claims) = (received.view.queue_book(), &mut received.claims);
        let resting = &mut self.markets.at_mut(market).resting;
        resting.rejoin(book, |order, depth| claims.rejoin(order, venue_time, depth));
    }

    /// An optimistic taker gets the better of its book and the next one.
    fn fill_walks_optimistically(&mut self, market: MarketIx) {
        if self.received.at(market).unfilled.is_empty() {
            return;
        }
        let received = self.received.at_mut(market);
        let book = &self.markets.at(market).book;
        for walk in std::mem::take(&mut received.unfilled) {
            let filled = lots(&book.preview(walk.side, walk.limit, walk.wanted));
            received.claims.fill_to(walk.order, filled);
        }
    }

    /// What a taker wanted, if it does not get all of it and the rest is dropped.
    pub(crate) fn note_unfilled(&mut self, id: OrderId, limit: Option<Px>, taken: Lots) {
        let row = self.orders.at(id);
        let (market, side, wanted) = (row.market, row.side, row.size);
        if taken < wanted && self.received.get(market).is_some() {
            let walk = UnfilledWalk {
                order: id,
                side,
                limit,
                wanted,
            };
            self.received.at_mut(market).unfilled.push(walk);
        }
    }

    /// Takes lots from the book, also from the books that follow.
    pub(crate) fn consume(&mut self, market: MarketIx, side: Side, slices: &[PriceAndSize]) {
        self.markets.at_mut(market).book.consume(side, slices);
        if self.received.get(market).is_some() {
            let received = self.received.at_mut(market);
            let at = received.time(self.now);
            received.view.take(side.opposite(), slices, at);
        } else {
            let resting = &mut self.markets.at_mut(market).resting;
            resting.shorten(side.opposite(), slices);
        }
    }

    /// What an order takes from the book, before it does.
    pub(crate) fn ground(
        &self,
        market: MarketIx,
        side: Side,
        slices: &[PriceAndSize],
        cause: FillCause,
    ) -> Option<FillGround> {
        let view = &self.received.get(market)?.view;
        let level = |&(px, taken): &PriceAndSize| {
            let (shown, consumed) = view.shown(side.opposite(), px);
            EvidenceLevel {
                px,
                shown,
                consumed,
                taken,
            }
        };
        Some(FillGround {
            cause,
            frame: view.live()?.stamp(),
            levels: slices.iter().map(level).collect(),
            trade_id: None,
        })
    }

    /// Of a fill that is about to be booked.
    pub(crate) fn keep_evidence(
        &mut self,
        order: OrderId,
        size: Lots,
        ahead: Option<Lots>,
        ground: FillGround,
    ) {
        let row = self.orders.at(order);
        let (market, filled) = (row.market, row.filled_size + size);
        let optimistic = match ground.cause {
            FillCause::Cross => row.filled_size + row.size,
            FillCause::Walk | FillCause::Trade | FillCause::Through => filled,
        };
        let received = self.received.at_mut(market);
        received.claims.fill_to(order, optimistic);
        let evidence = FillEvidence {
            order,
            at: self.now,
            size,
            cause: ground.cause,
            frame: ground.frame,
            levels: ground.levels,
            trade_id: ground.trade_id,
            ahead,
            after_gap: received.after_gap(),
            optimistic_filled: received.claims.filled(order),
        };
        self.evidence.at_mut(market).push(evidence);
    }
}
