//! Fills of resting orders: by trades of others, and by a refreshed book that crosses them (docs/engine.md 3.3).
//!
//! A maker fills at its own limit, never better. Margin is checked again; if that fails, the order is canceled.

use super::enter::ExpectedFill;
use crate::exchange::engine::{
    core::Engine,
    market::{
        book::{PriceAndSize, lots},
        resting::MakerFill,
    },
    state::{
        AccountIx, BookLevel, FeeClass, FillCause, FillPart, LiquidityRole, Lots, MarketIx,
        MarketTrade, OrderId, OrderStatus, Reason, Remainder, Side,
    },
};

impl Engine {
    pub(crate) fn match_trades(&mut self, market: MarketIx, trades: &[MarketTrade]) {
        for trade in trades {
            let fills = self.markets.at_mut(market).resting.trade(*trade);
            self.markets.at_mut(market).last = Some(trade.px);
            let mut of_users = Lots::ZERO;
            for fill in fills {
                if let Some(fill) = self.accepted(fill) {
                    of_users += fill.size;
                    self.fill_maker(fill, None);
                }
            }
            self.keep_trade_of_others(market, *trade, trade.size - of_users);
        }
    }

    pub(crate) fn match_book(&mut self, market: MarketIx, bids: &[BookLevel], asks: &[BookLevel]) {
        let at = self.now;
        let state = self.markets.at_mut(market);
        state.book.refresh(bids, asks);
        state.resting.see(&state.book);
        state.updated_at = at;
        self.match_crossed(market);
    }

    /// Fills the orders that the book crosses.
    pub(crate) fn match_crossed(&mut self, market: MarketIx) {
        let state = self.markets.at_mut(market);
        for (side, fill) in state.resting.crossed(&state.book) {
            self.fill_crossed(market, side, fill);
        }
    }

    /// What an order cannot take, because it shrank or its account lacks margin, stays in the book.
    fn fill_crossed(&mut self, market: MarketIx, side: Side, fill: MakerFill) {
        let offered = |engine: &Self, fill: MakerFill| {
            let book = &engine.markets.at(market).book;
            book.preview(side, Some(fill.px), fill.size)
        };
        let reach = MakerFill {
            size: lots(&offered(self, fill)),
            ..fill
        };
        if let Some(fill) = self.accepted(reach) {
            let slices = offered(self, fill);
            let ground = self.ground(market, side, &slices, FillCause::Cross);
            self.consume(market, side, &slices);
            if let Some(ground) = ground {
                self.keep_evidence(fill.order, fill.size, None, ground);
            }
            self.fill_maker(fill, None);
        }
    }

    /// `taker`: the account whose order it trades with; `None`: another trader.
    pub(super) fn fill_maker(&mut self, fill: MakerFill, taker: Option<AccountIx>) {
        self.keep_trade_of_maker(fill, taker);
        let part = FillPart::from(&(fill.px, fill.size));
        self.fill(fill.order, &[part], FeeClass::Maker, Remainder::Works);
    }

    /// The fill as far as order and account allow; cancels an order that its account can no longer afford.
    pub(super) fn accepted(&mut self, fill: MakerFill) -> Option<MakerFill> {
        let fill = self.fillable(fill)?;
        match self.refused(&[fill]) {
            None => Some(fill),
            Some(reason) => {
                self.finish(fill.order, OrderStatus::Canceled, Some(reason));
                None
            }
        }
    }

    /// An earlier fill of the same trade or book may have changed the order.
    fn fillable(&self, fill: MakerFill) -> Option<MakerFill> {
        let row = self.orders.at(fill.order);
        let most = if row.reduce_only {
            row.size.min(self.reducible(row))
        } else {
            row.size
        };
        let size = fill.size.min(most);
        (row.status == OrderStatus::Resting && size > Lots::ZERO)
            .then_some(MakerFill { size, ..fill })
    }

    /// Why an account cannot afford the last of `fills`, after the others, which are its own on the same side.
    pub(super) fn refused(&self, fills: &[MakerFill]) -> Option<Reason> {
        let (last, before) = fills.split_last()?;
        let row = self.orders.at(last.order);
        let held = self.held(row.account, row.market);
        let modes = before.iter().map(|fill| self.orders.at(fill.order));
        let mut modes = modes
            .filter(|other| !other.reduce_only)
            .map(|other| other.margin_mode)
            .chain(held.map(|held| held.margin_mode));
        if !row.reduce_only && modes.any(|mode| mode != row.margin_mode) {
            return Some(Reason::MarginModeConflict);
        }
        let slices: Vec<PriceAndSize> = fills.iter().map(|fill| (fill.px, fill.size)).collect();
        let orders: Vec<OrderId> = fills.iter().map(|fill| fill.order).collect();
        let fill = ExpectedFill {
            slices: &slices,
            rests: row.size - last.size,
            role: LiquidityRole::Maker,
            orders: &orders,
        };
        self.check_leverage(row, lots(&slices))
            .and_then(|()| self.check_margin(row, fill))
            .is_err()
            .then_some(Reason::Margin)
    }
}
