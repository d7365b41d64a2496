//! Orders of a received market that take effect later: after the delay of execution, or after a gap
//! (docs/engine.md 12.2, 12.5).

use crate::exchange::engine::{
    core::Engine,
    market::received::ReceivedMarket,
    state::{MarketIx, Millis, OrderId, OrderMode, OrderRecord, OrderStatus, Reason},
};

/// What becomes of an order whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Enters,
    Waits,
    /// No book in time.
    Ends,
    /// It has ended meanwhile.
    Over,
}

impl Engine {
    /// Whether an order takes effect only some time after it is accepted. One that the exchange itself places does not:
    /// a slice of a TWAP, a close-out.
    pub(super) fn takes_time(&self, id: OrderId) -> bool {
        let row = self.orders.at(id);
        let received = self.received.get(row.market);
        let is_delayed = received.is_some_and(|received| received.rules.max_delay > Millis::ZERO);
        is_delayed && row.twap.is_none() && row.mode != OrderMode::CloseOut
    }

    pub(super) fn delay(&mut self, id: OrderId) {
        let market = self.orders.at(id).market;
        let rules = self.received.at(market).rules;
        let delay = if rules.min_delay == rules.max_delay {
            rules.max_delay
        } else {
            Millis(self.rng.between(rules.min_delay.0, rules.max_delay.0))
        };
        let received = self.received.at_mut(market);
        let at = received.time(self.now) + delay;
        received.delayed.insert((at, id));
    }

    /// Lets every order enter that takes effect before `until`.
    pub(crate) fn enter_delayed(&mut self, market: MarketIx, until: Millis) {
        let delayed = &self.received.at(market).delayed;
        let due = delayed.iter().take_while(|(at, _)| *at < until);
        for (at, id) in due.copied().collect::<Vec<_>>() {
            let row = self.orders.at(id);
            let due = due_at(self.received.at(market), row, at, until);
            if due != Due::Waits {
                self.received.at_mut(market).delayed.remove(&(at, id));
            }
            match due {
                Due::Enters => self.enter(id),
                Due::Ends => {
                    self.finish(id, OrderStatus::Rejected, Some(Reason::MarketUnavailable));
                }
                Due::Waits | Due::Over => {}
            }
        }
    }

    /// A triggered order whose own market has a gap waits for its end.
    pub(super) fn holds_back(&mut self, id: OrderId) -> bool {
        let row = self.orders.at(id);
        let market = row.market;
        if !row.needs_book() || !self.is_frozen(market) {
            return false;
        }
        self.received.at_mut(market).held_back.push(id);
        true
    }
}

/// A market order meets the newest book, or the next one if that is too old.
fn due_at(received: &ReceivedMarket, row: &OrderRecord, at: Millis, until: Millis) -> Due {
    let has_book = !received.is_frozen() && received.stale_since(at).is_none();
    if row.status != OrderStatus::Pending {
        Due::Over
    } else if has_book || !row.needs_book() {
        Due::Enters
    } else if until - at > received.rules.max_book_age {
        Due::Ends
    } else {
        Due::Waits
    }
}
