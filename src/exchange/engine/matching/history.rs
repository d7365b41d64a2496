//! Records fills in the histories: trades of the market, and fills of the account. This makes no event, and no later
//! step depends on it.

use super::{fill::FillSettlement, trade::PositionChange};
use crate::exchange::engine::{
    core::Engine,
    state::{
        FeeClass, FillPart, FillRecord, Lots, MarketIx, MarketTrade, OrderId, PositionId,
        TradeRecord, Usd,
    },
};

impl Engine {
    fn keep_trade(&mut self, market: MarketIx, trade: TradeRecord) {
        if let Some(history) = self.market_histories.get_mut(usize::from(market)) {
            history.trade(trade);
        }
    }

    /// What of a trade of others did not fill orders of users: those parts are trades of their own.
    pub(crate) fn keep_trade_of_others(
        &mut self,
        market: MarketIx,
        trade: MarketTrade,
        size: Lots,
    ) {
        if size > Lots::ZERO {
            let record = TradeRecord {
                px: trade.px,
                size,
                aggressor: trade.aggressor,
                at: self.now,
                account: None,
            };
            self.keep_trade(market, record);
        }
    }

    /// The parts of a user's fill. What the insurance account takes over did not trade in the market.
    pub(super) fn keep_trades(&mut self, id: OrderId, parts: &[FillPart], fee_class: FeeClass) {
        let row = self.orders.at(id);
        let (market, account) = (row.market, Some(row.account));
        let aggressor = match fee_class {
            FeeClass::Taker => row.side,
            FeeClass::Maker => row.side.opposite(),
            FeeClass::Free => return,
        };
        for part in parts.iter().filter(|part| part.lots > Lots::ZERO) {
            let record = TradeRecord {
                px: part.px(),
                size: part.lots,
                aggressor,
                at: self.now,
                account,
            };
            self.keep_trade(market, record);
        }
    }

    /// One fill; of an order that turns a position two, each with its part of the fee.
    pub(super) fn keep_fills(
        &mut self,
        id: OrderId,
        change: &PositionChange,
        settlement: FillSettlement,
    ) {
        let FillSettlement {
            notional: money,
            fee,
            role,
            ..
        } = settlement;
        let row = self.orders.at(id);
        let decimals = self.size_decimals(row.market);
        let (account, closing_fee) = (row.account, change.closing_fee(fee));
        let fill = |position: PositionId, (size, money): (Lots, Usd), fee, realized| FillRecord {
            order: id,
            position,
            market: row.market,
            side: row.side,
            price: money.per(size, decimals).unwrap_or_default(),
            size,
            fee,
            role,
            realized,
            at: self.now,
        };
        let held = change.held.as_ref().map(|held| held.id);
        let opened_money = match &change.fresh {
            Some(fresh) => fresh.cost,
            None if change.closed.is_zero() => money,
            None => Usd::ZERO,
        };
        let closed = held.filter(|_| change.closed > Lots::ZERO).map(|held| {
            let part = (change.closed, money - opened_money);
            fill(held, part, closing_fee, Some(change.realized))
        });
        let opened = change.after().filter(|_| change.opened > Lots::ZERO);
        let opened = opened.map(|after| {
            let part = (change.opened, opened_money);
            fill(after.id, part, fee - closing_fee, None)
        });
        if let Some(history) = self.account_histories.get_mut(usize::from(account)) {
            closed
                .into_iter()
                .chain(opened)
                .for_each(|fill| history.fills.push(fill));
        }
    }
}
