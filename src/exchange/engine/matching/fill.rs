//! Applies a fill to the ledger and the rows: position, cash, fee, then everything that depends on them. The tape
//! of the market records it: this makes no event, and no later step depends on it.

use super::trade::{PositionChange, trade};
use crate::exchange::engine::{
    core::Engine,
    market::{book::PriceAndSize, resting::MakerFill},
    state::{
        AccountIx, CashFlows, EngineEvent, FeeClass, FillPart, LiquidityRole, Lots, MarketIx,
        MarketTrade, NewPosition, OrderId, OrderLinks, OrderRecord, OrderStatus, PositionId,
        PositionState, Remainder, TapeRecord, Usd,
    },
};

/// The money side of one fill.
#[derive(Debug, Clone, Copy)]
struct FillSettlement {
    lots: Lots,
    notional: Usd,
    fee: Usd,
    realized: Option<Usd>,
    role: LiquidityRole,
}

impl Engine {
    /// Fills a part of an order; `parts` sum to no more than what is left of it.
    pub(crate) fn fill(
        &mut self,
        id: OrderId,
        parts: &[FillPart],
        fee_class: FeeClass,
        remainder: Remainder,
    ) {
        let row = self.orders.at(id);
        let (account, market, side) = (row.account, row.market, row.side);
        let traded = self.traded(row, parts);
        let notional: Usd = parts.iter().map(|part| part.money).sum();
        let settlement = FillSettlement {
            lots: parts.iter().map(|part| part.lots).sum(),
            notional,
            fee: match fee_class {
                FeeClass::Free => Usd::ZERO,
                FeeClass::Maker | FeeClass::Taker => self.fee(notional, fee_class.role()),
            },
            realized: (traded.closed > Lots::ZERO).then_some(traded.realized),
            role: fee_class.role(),
        };
        let opened = traded.opened;
        let filled = FillPart {
            lots: settlement.lots,
            money: notional,
        };
        self.counterparty.trade(fee_class, market, side, filled);
        self.settle(account, market, traded, settlement.fee);
        self.write_fill(id, settlement, remainder);
        self.after_fill(id, settlement.lots, opened);
    }

    /// The position after filling `parts` of an order.
    pub(crate) fn traded(&self, row: &OrderRecord, parts: &[FillPart]) -> PositionChange {
        let opening = NewPosition {
            id: self.positions.next_id(),
            account: row.account,
            market: row.market,
            leverage: row.leverage,
            margin_mode: row.margin_mode,
            at: self.now,
        };
        trade(self.held(row.account, row.market), opening, row.side, parts)
    }

    /// Positions first, then cash: what insurance pays depends on what stays open.
    fn settle(
        &mut self,
        account: AccountIx,
        market: MarketIx,
        mut traded: PositionChange,
        fee: Usd,
    ) {
        let flows = CashFlows {
            realized: traded.realized,
            fees: fee,
            insurance: traded.excess(fee),
            ..CashFlows::default()
        };
        let closing_fee = traded.closing_fee(fee);
        if let Some(held) = traded.held.as_mut() {
            held.fees += closing_fee;
        }
        if let Some(opened) = traded.fresh.as_mut().or(traded.held.as_mut()) {
            opened.fees += fee - closing_fee;
        }
        if let Some(held) = traded.held {
            self.store_held(account, market, held, traded.realized);
        }
        if let Some(fresh) = traded.fresh {
            let id = self.positions.push(fresh);
            self.accounts.at_mut(account).open.insert(market, id);
            self.record(EngineEvent::PositionOpened { position: id });
        }
        self.pay(account, flows);
        self.accounts.at_mut(account).challenge.traded();
    }

    fn store_held(
        &mut self,
        account: AccountIx,
        market: MarketIx,
        mut held: PositionState,
        realized: Usd,
    ) {
        let position = held.id;
        if held.size.is_zero() {
            held.closed_at = Some(self.now);
            self.accounts.at_mut(account).open.remove(&market);
            self.list_closed(account, position);
            self.record(EngineEvent::PositionClosed {
                position,
                realized: held.realized,
            });
        } else {
            self.record(EngineEvent::PositionChanged {
                position,
                size: held.size,
                realized,
            });
        }
        *self.positions.at_mut(position) = held;
    }

    /// Keeps the list sorted by (`closed_at`, id): several positions may close in one step, in any order.
    fn list_closed(&mut self, account: AccountIx, id: PositionId) {
        let now = self.now;
        let positions = &self.positions;
        let closed = &mut self.accounts.at_mut(account).closed;
        let at = closed
            .partition_point(|other| positions.at(*other).closed_at < Some(now) || *other < id);
        closed.insert(at, id);
    }

    /// Adds the fill to the order's own row. A partial fill also gets a row of its own.
    fn write_fill(&mut self, id: OrderId, settlement: FillSettlement, remainder: Remainder) {
        let row = self.orders.at(id);
        let (before, left) = (row.filled_size, row.size - settlement.lots);
        let ends = left.is_zero() || remainder == Remainder::Drops;
        let slice = (!ends || !before.is_zero()).then(|| self.slice(row, settlement));
        let row = self.orders.at_mut(id);
        add_fill(row, settlement);
        row.size = if ends { row.filled_size } else { left };
        self.price_row(id);
        let slice = slice.map(|slice| self.push_order(slice));
        if let Some(slice) = slice {
            self.price_row(slice);
        }
        self.record(EngineEvent::Filled {
            order: id,
            row: slice.unwrap_or(id),
            size: settlement.lots,
            notional: settlement.notional,
            fee: settlement.fee,
            role: settlement.role,
        });
        if ends {
            self.finish(id, OrderStatus::Filled, None);
        } else {
            self.requeue_size(id);
        }
        self.list_fill(slice.unwrap_or(id));
    }

    /// Keeps the list sorted by (`settled_at`, id): the rows of one step come in any order.
    fn list_fill(&mut self, id: OrderId) {
        let (now, orders) = (self.now, &self.orders);
        let fills = &mut self.accounts.at_mut(orders.at(id).account).fills;
        let at =
            fills.partition_point(|other| orders.at(*other).settled_at < Some(now) || *other < id);
        fills.insert(at, id);
    }

    /// One fill of an order as a row of its own.
    fn slice(&self, order: &OrderRecord, settlement: FillSettlement) -> OrderRecord {
        let mut slice = OrderRecord {
            status: OrderStatus::Filled,
            partial_of: Some(order.id),
            root: Some(order.id),
            size: settlement.lots,
            initial_size: settlement.lots,
            filled_size: Lots::ZERO,
            notional: Usd::ZERO,
            fee: Usd::ZERO,
            realized_pnl: None,
            requested_at: self.now,
            settled_at: Some(self.now),
            cancel_requested_at: None,
            client_order_id: None,
            links: OrderLinks::default(),
            ..order.clone()
        };
        add_fill(&mut slice, settlement);
        slice
    }

    fn price_row(&mut self, id: OrderId) {
        let decimals = self.size_decimals(self.orders.at(id).market);
        let row = self.orders.at_mut(id);
        row.fill_price = row.notional.per(row.filled_size, decimals);
    }

    /// What follows a fill: the sibling exit, the exits of an entry, and every reduce-only order on the market.
    fn after_fill(&mut self, id: OrderId, lots: Lots, opened: Lots) {
        self.reduce_sibling(id, lots);
        self.grow_exits(id, opened);
        let row = self.orders.at(id);
        let (account, market) = (row.account, row.market);
        self.shrink_reduce_only(account, market);
    }
}

/// Adds `settlement` to what a row has filled.
fn add_fill(row: &mut OrderRecord, settlement: FillSettlement) {
    let role = Some(settlement.role);
    let is_first = row.filled_size.is_zero();
    row.liquidity_role = if is_first || row.liquidity_role == role {
        role
    } else {
        None
    };
    row.filled_size += settlement.lots;
    row.notional += settlement.notional;
    row.fee += settlement.fee;
    row.realized_pnl = match (row.realized_pnl, settlement.realized) {
        (Some(before), Some(more)) => Some(before + more),
        (before, more) => before.or(more),
    };
}

impl Engine {
    fn keep_trade(&mut self, market: MarketIx, trade: TapeRecord) {
        self.market_histories.at_mut(market).trade(trade);
    }

    /// What of a trade of others did not fill orders of users: those parts are trades of their own.
    pub(crate) fn keep_trade_of_others(
        &mut self,
        market: MarketIx,
        trade: MarketTrade,
        size: Lots,
    ) {
        if size > Lots::ZERO {
            let record = TapeRecord {
                px: trade.px,
                size,
                aggressor: trade.aggressor,
                at: self.now,
                account: None,
                maker: None,
            };
            self.keep_trade(market, record);
        }
    }

    /// What an order takes of other traders.
    pub(super) fn keep_trades(&mut self, id: OrderId, slices: &[PriceAndSize]) {
        let row = self.orders.at(id);
        let (market, aggressor, account) = (row.market, row.side, Some(row.account));
        for &(px, size) in slices {
            let record = TapeRecord {
                px,
                size,
                aggressor,
                at: self.now,
                account,
                maker: None,
            };
            self.keep_trade(market, record);
        }
    }

    /// The fill of a resting order by another trader, or by the account `taker`.
    pub(super) fn keep_trade_of_maker(&mut self, fill: MakerFill, taker: Option<AccountIx>) {
        let row = self.orders.at(fill.order);
        let (market, account) = (row.market, Some(row.account));
        let record = TapeRecord {
            px: fill.px,
            size: fill.size,
            aggressor: row.side.opposite(),
            at: self.now,
            account: taker.or(account),
            maker: account.filter(|_| taker.is_some()),
        };
        self.keep_trade(market, record);
    }
}
