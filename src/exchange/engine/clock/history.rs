//! Reads of the histories: candles and trades of a market, equity and funding of an account.

use crate::exchange::engine::{
    core::Engine,
    market::history::{CandleRange, CandleWindow},
    state::{AccountHistory, AccountIx, EquityRecord, FundingRecord, MarketIx, TradeRecord},
};

impl Engine {
    /// `None` for an unknown market. The last candle is the interval that has not ended.
    pub fn candles(&self, market: MarketIx, range: CandleRange) -> Option<CandleWindow> {
        let history = self.market_histories.get(usize::from(market))?;
        let spec = self.market_spec(market)?;
        Some(history.candles((spec, &self.rng), self.now, range))
    }

    /// Newest first, from just before the trade of that number; a few thousand are kept.
    pub fn trades(
        &self,
        market: MarketIx,
        before: Option<i64>,
    ) -> impl Iterator<Item = (i64, &TradeRecord)> {
        let history = self.market_histories.get(usize::from(market));
        history
            .into_iter()
            .flat_map(move |history| history.trades.before(before))
    }

    /// Newest first.
    pub fn equity_curve(&self, account: AccountIx) -> impl Iterator<Item = &EquityRecord> {
        let samples = self.account_history(account).into_iter();
        samples.flat_map(|history| history.equity.before(None).map(|(_, sample)| sample))
    }

    /// Newest first, from just before the payment of that number.
    pub fn funding_payments(
        &self,
        account: AccountIx,
        before: Option<i64>,
    ) -> impl Iterator<Item = (i64, &FundingRecord)> {
        let history = self.account_history(account);
        history
            .into_iter()
            .flat_map(move |history| history.funding.before(before))
    }

    fn account_history(&self, account: AccountIx) -> Option<&AccountHistory> {
        self.account_histories.get(usize::from(account))
    }
}
