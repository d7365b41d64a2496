//! Records fills in the histories: trades of the market, and fills of the account. This makes no event, and no later
//! step depends on it.

use crate::exchange::engine::{
    core::Engine,
    state::{FeeClass, FillPart, Lots, MarketIx, MarketTrade, OrderId, TradeRecord},
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
}
