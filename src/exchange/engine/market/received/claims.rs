//! What each order of a received market can claim: which trades count for it, and how much an optimistic queue would
//! have filled (docs/engine.md 12.3, 12.4).
//!
//! The optimistic queue is the one of hftbacktest's `PowerProbQueueModel` with exponent 2: a level that shrinks without
//! trades shrinks in front of and behind the order, in proportion to the squares of what is there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::exchange::engine::{
    market::book::PriceDepth,
    state::{Lots, Millis, OrderId, ReceivedTrade},
};

/// Fractional bits of a queue position.
const QUEUE_FRACTION_BITS: u32 = 16;
/// Fractional bits of a probability.
const PROBABILITY_BITS: u32 = 32;
/// Orders whose optimistic fill is remembered after their end.
const MAX_PAST: usize = 16_384;

/// How far a trade went, as seen from a resting order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Price,
    Through,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Claims {
    resting: BTreeMap<OrderId, Claim>,
    /// What the optimistic queue had filled of orders that rest no more, or never did.
    past: BTreeMap<OrderId, Lots>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Claim {
    /// When the order took effect, or the venue's time of the book it joined if that is later.
    joined: Millis,
    /// The venue's time of the book that shortened the queue last: it has the trades before it.
    shortened: Millis,
    queue: OptimisticQueue,
    filled: Lots,
}

impl Claims {
    /// The order joins the queue at its price, behind everything there.
    pub(crate) fn join(&mut self, order: OrderId, joined: Millis, depth: PriceDepth) {
        let claim = Claim {
            joined,
            shortened: Millis::ZERO,
            queue: OptimisticQueue::behind(depth),
            filled: self.filled(order),
        };
        self.past.remove(&order);
        self.resting.insert(order, claim);
    }

    /// The order queues anew behind a book of `venue_time`, which has the trades before it.
    pub(crate) fn rejoin(&mut self, order: OrderId, venue_time: Millis, depth: PriceDepth) {
        let claim = self.resting.get(&order);
        let joined = claim.map_or(venue_time, |claim| claim.joined.max(venue_time));
        self.join(order, joined, depth);
    }

    /// The order rests no more.
    pub(crate) fn leave(&mut self, order: OrderId) {
        if let Some(claim) = self.resting.remove(&order) {
            self.remember(order, claim.filled);
        }
    }

    /// Whether a trade may fill the order, or shorten the queue ahead of it.
    pub(crate) fn counts(&self, order: OrderId, trade: &ReceivedTrade) -> bool {
        let claim = self.resting.get(&order);
        claim.is_some_and(|claim| trade.venue_time > claim.joined.max(claim.shortened))
    }

    /// A book shortened the queue ahead of the order.
    pub(crate) fn shortened(&mut self, order: OrderId, venue_time: Millis) {
        if let Some(claim) = self.resting.get_mut(&order) {
            claim.shortened = venue_time;
        }
    }

    /// A trade at the price of the order, or beyond it, which fills `whole` of it.
    pub(crate) fn trade(&mut self, order: OrderId, whole: Lots, trade: &ReceivedTrade, at: Reach) {
        if let Some(claim) = self.resting.get_mut(&order)
            && trade.venue_time > claim.joined
        {
            claim.filled = match at {
                Reach::Through => whole,
                Reach::Price => whole.min(claim.filled + claim.queue.trade(trade.size)),
            };
        }
    }

    pub(crate) fn see(&mut self, order: OrderId, depth: PriceDepth) {
        if let Some(claim) = self.resting.get_mut(&order) {
            claim.queue.see(depth);
        }
    }

    /// At least `filled` of the order.
    pub(crate) fn fill_to(&mut self, order: OrderId, filled: Lots) {
        match self.resting.get_mut(&order) {
            Some(claim) => claim.filled = claim.filled.max(filled),
            None => self.remember(order, filled.max(self.filled(order))),
        }
    }

    /// How much the optimistic queue has filled of the order.
    pub(crate) fn filled(&self, order: OrderId) -> Lots {
        let resting = self.resting.get(&order).map(|claim| claim.filled);
        let past = || self.past.get(&order).copied();
        resting.or_else(past).unwrap_or_default()
    }

    fn remember(&mut self, order: OrderId, filled: Lots) {
        self.past.insert(order, filled);
        if self.past.len() > MAX_PAST {
            self.past.pop_first();
        }
    }
}

/// The place of an order in the queue of its price, in lots with [`QUEUE_FRACTION_BITS`].
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct OptimisticQueue {
    /// `None` while its price is outside the book.
    front: Option<i64>,
    shown: Lots,
    /// Since the last book.
    traded: Lots,
}

impl OptimisticQueue {
    fn behind(depth: PriceDepth) -> Self {
        let shown = depth.shown();
        Self {
            front: shown.map(fine),
            shown: shown.unwrap_or_default(),
            traded: Lots::ZERO,
        }
    }

    /// What the trade fills.
    fn trade(&mut self, size: Lots) -> Lots {
        self.traded += size;
        let Some(front) = self.front else {
            return Lots::ZERO;
        };
        let left = front.saturating_sub(fine(size));
        self.front = Some(left.max(0));
        let half = 1 << (QUEUE_FRACTION_BITS - 1);
        Lots(((-left).max(0) + half) >> QUEUE_FRACTION_BITS)
    }

    fn see(&mut self, depth: PriceDepth) {
        let Some(shown) = depth.shown() else {
            return;
        };
        let fewer = self.shown - shown - self.traded;
        let moved = |front| moved(front, fine(self.shown), fine(fewer));
        let front = self.front.map_or(fine(shown), moved);
        self.front = Some(front.clamp(0, fine(shown)));
        (self.shown, self.traded) = (shown, Lots::ZERO);
    }
}

/// The place after `fewer` of `before` have gone without a trade.
fn moved(front: i64, before: i64, fewer: i64) -> i64 {
    if fewer < 0 {
        return front;
    }
    let back = before - front;
    let square = |part: i64| i128::from(part >> QUEUE_FRACTION_BITS).pow(2);
    let (ahead, behind) = (square(front), square(back));
    let whole = 1_i128 << PROBABILITY_BITS;
    let is_behind = (behind * whole)
        .checked_div(ahead + behind)
        .unwrap_or(whole);
    let share = |part: i128| {
        let lots = (i128::from(fewer) * part) >> PROBABILITY_BITS;
        i64::try_from(lots).unwrap_or(i64::MAX)
    };
    // More than stood behind cannot have gone from there.
    let excess = (back - share(is_behind)).min(0);
    front - share(whole - is_behind) + excess
}

fn fine(lots: Lots) -> i64 {
    lots.0 << QUEUE_FRACTION_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 of 100 are in front, in lots of 0.00001; 10 trade, and the book shows 70: of the 20 that have gone, `p` went
    /// from behind.
    #[test]
    fn a_level_that_shrinks_by_more_than_traded_shrinks_mostly_where_more_stands() {
        let lots = |coins: i64| Lots(coins * 100_000);
        let mut queue = OptimisticQueue {
            front: Some(fine(lots(40))),
            shown: lots(100),
            traded: Lots::ZERO,
        };
        assert_eq!(queue.trade(lots(10)), Lots::ZERO);
        assert_eq!(queue.front, Some(fine(lots(30))));
        queue.see(PriceDepth::At(lots(70)));
        let front = queue.front.unwrap() >> QUEUE_FRACTION_BITS;
        assert_eq!(front, 2_689_655, "30 − 20 × (1 − 0.84483) = 26.89655");
    }

    #[test]
    fn a_level_that_grows_grows_behind_the_order_and_one_that_goes_frees_it() {
        let mut queue = OptimisticQueue::behind(PriceDepth::At(Lots(100)));
        queue.see(PriceDepth::At(Lots(500)));
        assert_eq!(queue.front, Some(fine(Lots(100))));
        queue.see(PriceDepth::Hidden);
        assert_eq!(queue.front, Some(fine(Lots(100))), "outside: unchanged");
        queue.see(PriceDepth::Empty);
        assert_eq!(queue.trade(Lots(7)), Lots(7));
    }

    #[test]
    fn a_price_that_comes_into_the_book_is_queued_for_from_its_end() {
        let mut queue = OptimisticQueue::behind(PriceDepth::Hidden);
        assert_eq!(queue.trade(Lots(50)), Lots::ZERO);
        queue.see(PriceDepth::At(Lots(30)));
        assert_eq!(queue.trade(Lots(32)), Lots(2));
    }
}
