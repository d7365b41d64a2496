//! Liquidation (docs/engine.md 6.5). Strictly below maintenance on mark, the orders in scope are canceled and the
//! position is sold into the book. The insurance account takes the rest at the bankruptcy price, so that an isolated
//! position loses at most its margin and cash does not fall below zero.
//!
//! A venue may liquidate gradually ([`LiquidationMode::Gradual`]): first a fifth of a large position, whose proceeds
//! stay as margin of the rest.

use crate::exchange::engine::{
    core::Engine,
    market::book::{lots, notional},
    state::{
        AccountIx, CompletionReason, EngineEvent, FeeClass, FillPart, LiquidationMode, Lots,
        MarginMode, MarketIx, Millis, OrderId, OrderMode, OrderStatus, PositionId, PositionState,
        Reason, Remainder, TimeInForce, Usd,
    },
};

/// Positions up to this size are liquidated whole.
const MIN_GRADUAL_NOTIONAL: Usd = Usd::dollars(100_000);
/// The part of a large position that is sold first.
const FIRST_CUT_DIVISOR: i64 = 5;
/// A second liquidation within this time sells the whole position.
const FULL_LIQUIDATION_WINDOW: Millis = Millis::seconds(30);

impl Engine {
    pub(crate) fn liquidate_all(&mut self) {
        for account in self.accounts.ids() {
            if !self.accounts.at(account).open.is_empty() {
                self.liquidate_account(account);
            }
        }
    }

    fn liquidate_account(&mut self, account: AccountIx) {
        let open: Vec<PositionId> = self.accounts.at(account).open.values().copied().collect();
        for id in open {
            let position = self.positions.at(id);
            let is_due = position.margin_mode == MarginMode::Isolated
                && !self.is_frozen(position.market)
                && self.is_liquidatable(position);
            if is_due {
                self.liquidate_isolated(id);
            }
        }
        while let Some(id) = self.worst_cross(account) {
            self.liquidate_cross(id);
            if self.positions.at(id).closed_at.is_none() {
                break;
            }
        }
    }

    /// Whether an isolated position has less than its maintenance margin.
    pub(crate) fn is_liquidatable(&self, position: &PositionState) -> bool {
        self.isolated_equity(position) < self.maintenance_of(position)
    }

    fn isolated_equity(&self, position: &PositionState) -> Usd {
        position.isolated_margin() + position.unrealized(self.markets.at(position.market).mark)
    }

    fn maintenance_of(&self, position: &PositionState) -> Usd {
        let market = self.markets.at(position.market);
        market.maintenance(position.notional(market.mark))
    }

    /// The cross position with the largest maintenance, while the account's cross equity is below maintenance. A gap keeps
    /// the positions of its market.
    fn worst_cross(&self, account: AccountIx) -> Option<PositionId> {
        let balance = self.balance(account);
        if balance.cross_equity() >= balance.cross_maintenance {
            return None;
        }
        self.accounts
            .at(account)
            .open
            .values()
            .copied()
            .filter(|id| self.positions.at(*id).margin_mode == MarginMode::Cross)
            .filter(|id| !self.is_frozen(self.positions.at(*id).market))
            .max_by_key(|id| self.maintenance_of(self.positions.at(*id)))
    }

    fn liquidate_isolated(&mut self, id: PositionId) {
        let position = self.positions.at(id);
        let account = position.account;
        let margin = position.isolated_margin();
        let backstop = under_two_thirds(
            self.isolated_equity(position),
            self.maintenance_of(position),
        );
        let cut = self.first_cut(position).filter(|_| !backstop);
        let own = position.market;
        self.clear(account, |market, _| market == own);
        let cash = self.accounts.at(account).cash;
        if let Some(cut) = cut {
            self.sell_part(id, cut);
            self.keep_margin(id, margin + self.accounts.at(account).cash - cash);
            return;
        }
        let order = self.open_liquidation(id);
        if !backstop {
            self.sell_out(order);
        }
        let left = margin + self.accounts.at(account).cash - cash;
        self.keep_margin(id, left);
        let position = self.positions.at(id);
        let take_over = position.cost.0 - i128::from(position.sign()) * left.0.max(0);
        self.take_over(order, Usd(take_over));
    }

    /// Adds what a partial sale left of the margin to the rest of the position.
    fn keep_margin(&mut self, id: PositionId, left: Usd) {
        let position = self.positions.at_mut(id);
        if position.closed_at.is_none() {
            position.margin_funding += left.max(Usd::ZERO) - position.isolated_margin();
        }
    }

    fn liquidate_cross(&mut self, id: PositionId) {
        let account = self.positions.at(id).account;
        let balance = self.balance(account);
        let backstop = under_two_thirds(balance.cross_equity(), balance.cross_maintenance);
        let cut = self.first_cut(self.positions.at(id));
        self.clear(account, |_, mode| mode == MarginMode::Cross);
        if let Some(cut) = cut.filter(|_| !backstop) {
            self.sell_part(id, cut);
            return;
        }
        let order = self.open_liquidation(id);
        if !backstop {
            self.sell_out(order);
        }
        let position = self.positions.at(id);
        let value = position.notional(self.markets.at(position.market).mark);
        let equity = self.balance(account).cross_equity();
        let take_over = value.0 - i128::from(position.sign()) * equity.0;
        self.take_over(order, Usd(take_over));
    }

    /// The part that is sold first; `None` if the whole position is sold.
    fn first_cut(&self, position: &PositionState) -> Option<Lots> {
        let mark = self.markets.at(position.market).mark;
        let again = |at: Millis| self.now - at < FULL_LIQUIDATION_WINDOW;
        let gradual = self.venue.liquidation == LiquidationMode::Gradual
            && position.notional(mark) > MIN_GRADUAL_NOTIONAL
            && !position.cut_at.is_some_and(again);
        let part = Lots(position.size.abs().0 / FIRST_CUT_DIVISOR);
        (gradual && part > Lots::ZERO).then_some(part)
    }

    /// Sells a part into the book at any price; the owner keeps what the book does not take.
    fn sell_part(&mut self, id: PositionId, part: Lots) {
        self.positions.at_mut(id).cut_at = Some(self.now);
        let order = self.open_liquidation(id);
        let row = self.orders.at_mut(order);
        (row.size, row.initial_size) = (part, part);
        self.sell_out(order);
        self.finish(order, OrderStatus::Canceled, Some(Reason::Liquidated));
    }

    fn open_liquidation(&mut self, id: PositionId) -> OrderId {
        let mut row = self.closing_row(self.positions.at(id), OrderMode::Liquidation);
        row.time_in_force = TimeInForce::Ioc;
        self.record(EngineEvent::Liquidated { position: id });
        self.push_order(row)
    }

    /// Sells into the book at any price; what the book does not take stays working.
    fn sell_out(&mut self, order: OrderId) {
        let row = self.orders.at(order);
        let size = row.size;
        let walk = self.walk(row, None);
        self.end_reached(&walk);
        let slices = walk.slices();
        if notional(&slices).is_zero() {
            return;
        }
        let remainder = if lots(&slices) == size {
            Remainder::Drops
        } else {
            Remainder::Works
        };
        let parts = self.take(order, &walk);
        self.fill(order, &parts, FeeClass::Taker, remainder);
    }

    /// The insurance account takes over the rest for `money`, without a fee.
    fn take_over(&mut self, order: OrderId, money: Usd) {
        let row = self.orders.at(order);
        if !row.status.is_working() || row.size <= Lots::ZERO {
            return;
        }
        let part = FillPart {
            lots: row.size,
            money: money.max(Usd::ZERO),
        };
        self.fill(order, &[part], FeeClass::Free, Remainder::Drops);
    }

    /// Ends the orders and strategies of an account that the liquidation concerns.
    fn clear(&mut self, account: AccountIx, concerns: impl Fn(MarketIx, MarginMode) -> bool) {
        let working: Vec<OrderId> = self.accounts.at(account).working.iter().copied().collect();
        for id in working {
            let row = self.orders.at(id);
            if concerns(row.market, row.margin_mode) {
                self.finish(id, OrderStatus::Canceled, Some(Reason::Liquidated));
            }
        }
        for id in self.live_twap_ids(account) {
            let row = self.twaps.at(id);
            if concerns(row.market, row.margin_mode) {
                self.fail_twap(id, CompletionReason::Liquidated);
            }
        }
    }
}

fn under_two_thirds(equity: Usd, maintenance: Usd) -> bool {
    equity.0 * 3 < maintenance.0 * 2
}
