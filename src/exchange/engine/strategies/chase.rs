//! Chase orders: a resting limit that follows the best price at a fixed distance in both directions and never crosses
//! (docs/engine.md 2.8).

use crate::exchange::engine::{
    core::Engine,
    market::book::beyond,
    state::{CommandRefusal, CommandResult, MarketIx, OrderId, OrderRecord, Px, Reason, Side},
};

/// How often chases are repriced.
const REPRICE_INTERVAL_MS: i64 = 1_000;

impl Engine {
    /// The first price of a chase.
    pub(crate) fn chase_start(&self, row: &OrderRecord) -> CommandResult<Px> {
        self.chase_price(row).ok_or_else(|| {
            CommandRefusal::conflict(
                Reason::PostOnlyWouldCross,
                "there is no price at this distance from the touch",
            )
        })
    }

    pub(crate) fn reprice_chases(&mut self) {
        if !self.now.reached_multiple_of(REPRICE_INTERVAL_MS) {
            return;
        }
        for market in self.markets.ids() {
            if !self.is_frozen(market) {
                self.reprice_market(market);
            }
        }
    }

    fn reprice_market(&mut self, market: MarketIx) {
        let chasing: Vec<OrderId> = self.markets.at(market).chasing.iter().copied().collect();
        for id in chasing {
            let row = self.orders.at(id);
            match self.chase_price(row) {
                Some(px) if row.limit_price != Some(px) => self.move_chase(id, px),
                Some(_) | None => {}
            }
        }
    }

    /// Moves the order to a new price, last in the queue there.
    fn move_chase(&mut self, id: OrderId, px: Px) {
        self.detach(id);
        self.orders.at_mut(id).limit_price = Some(px);
        self.rest(id);
    }

    /// Follows the best price of everybody but its own account. `None` while there is none: it then keeps its price.
    fn chase_price(&self, row: &OrderRecord) -> Option<Px> {
        let decimals = self.size_decimals(row.market);
        let offset = row.chase_offset?;
        let book = self.public_book(row.market);
        let is_own = |id: OrderId| self.orders.at(id).account == row.account;
        let mut offers = book.offers(row.side);
        let touch = offers.find(|offer| !offer.order.is_some_and(is_own))?.px;
        let wanted = match row.side {
            Side::Buy => row.chase_cap.unwrap_or(touch).min(touch - offset),
            Side::Sell => row.chase_cap.unwrap_or(touch).max(touch + offset),
        };
        let px = wanted.round_passive(row.side, decimals);
        let px = match book.best(row.side.opposite()) {
            Some(other) if !beyond(row.side, other, px) => inside(row.side, other, decimals),
            Some(_) | None => px,
        };
        (px > Px::ZERO).then_some(px)
    }
}

/// One tick on this side of the opposite best price.
fn inside(side: Side, other: Px, decimals: u32) -> Px {
    let tick = other.tick(decimals);
    match side {
        Side::Buy => (other - tick).round_passive(side, decimals),
        Side::Sell => (other + tick).round_passive(side, decimals),
    }
}
