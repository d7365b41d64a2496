//! Resting orders meeting the market: trades of others, and a refreshed book that crosses them (exchange.md 2.3).
//!
//! A maker fills at its own limit, never better. Margin is checked again; failing there cancels the order.

use super::book::{Slice, lots};
use super::core::Engine;
use super::fill::{Charge, Remainder};
use super::ids::MarketIx;
use super::refusal::Reason;
use super::resting::MakerFill;
use super::spec::{BookLevel, Trade};
use super::trade::Piece;
use super::units::Lots;
use super::words::{LiquidityRole, OrderStatus, Side};

impl Engine {
    pub(super) fn meet_trades(&mut self, market: MarketIx, trades: &[Trade]) {
        for trade in trades {
            let fills = self.markets.at_mut(market).resting.trade(*trade);
            self.markets.at_mut(market).last = Some(trade.px);
            for fill in fills {
                self.fill_maker(fill);
            }
        }
    }

    pub(super) fn meet_book(&mut self, market: MarketIx, bids: &[BookLevel], asks: &[BookLevel]) {
        let at = self.now;
        let state = self.markets.at_mut(market);
        state.book.refresh(bids, asks);
        state.resting.see(&state.book);
        state.updated_at = at;
        for (side, crossed) in state.resting.crossed(&state.book) {
            self.fill_crossed(market, side, crossed);
        }
    }

    fn fill_crossed(&mut self, market: MarketIx, side: Side, crossed: MakerFill) {
        let book = &mut self.markets.at_mut(market).book;
        let slices = book.preview(side, Some(crossed.px), crossed.size);
        if slices.is_empty() {
            return;
        }
        book.consume(side, &slices);
        self.fill_maker(MakerFill {
            size: lots(&slices),
            ..crossed
        });
    }

    fn fill_maker(&mut self, fill: MakerFill) {
        let Some(slice) = self.fillable(fill) else {
            return;
        };
        let row = self.orders.at(fill.order);
        let conflict = self
            .held(row.account, row.market)
            .is_some_and(|held| !row.reduce_only && held.margin_mode != row.margin_mode);
        let left = row.size - slice.1;
        let refused = if conflict {
            Some(Reason::MarginModeConflict)
        } else {
            self.afford(row, &[slice], left, LiquidityRole::Maker)
                .is_err()
                .then_some(Reason::Margin)
        };
        match refused {
            Some(reason) => self.finish(fill.order, OrderStatus::Canceled, Some(reason)),
            None => self.fill(
                fill.order,
                &[Piece::from(&slice)],
                Charge::Maker,
                Remainder::Works,
            ),
        }
    }

    /// The fill as the order can still take it: an earlier fill of the same trade may have changed it.
    fn fillable(&self, fill: MakerFill) -> Option<Slice> {
        let row = self.orders.at(fill.order);
        let most = if row.reduce_only {
            row.size.min(self.reducible(row))
        } else {
            row.size
        };
        let size = fill.size.min(most);
        (row.status == OrderStatus::Resting && size > Lots::ZERO).then_some((fill.px, size))
    }
}
