//! Takes in what a feed received (docs/engine.md 10).

use crate::exchange::engine::{
    core::Engine,
    state::{
        EngineEvent, FrameContent, FrameFault, MarketIx, MarketTrade, ReceivedBook, ReceivedFrame,
        ReceivedPrices, ReceivedTrade,
    },
};

impl Engine {
    /// Takes in one frame at the current virtual time. A frame that is refused changes nothing.
    pub fn receive(&mut self, market: MarketIx, frame: &ReceivedFrame) -> Result<(), FrameFault> {
        if self.received.get(market).is_none() {
            return Err(FrameFault::NotReceived);
        }
        frame.content.check()?;
        let line = frame.source.line;
        self.record(EngineEvent::Received { market, line });
        match &frame.content {
            FrameContent::Book(book) => self.receive_book(market, book),
            FrameContent::Trades(trades) => self.receive_trades(market, trades),
            FrameContent::Prices(prices) => self.receive_prices(market, *prices),
            FrameContent::Touch(_)
            | FrameContent::TradeHistory(_)
            | FrameContent::FundingHistory(_)
            | FrameContent::GapBegins => {}
        }
        Ok(())
    }

    fn receive_book(&mut self, market: MarketIx, book: &ReceivedBook) {
        self.match_book(market, &book.bids, &book.asks);
    }

    fn receive_trades(&mut self, market: MarketIx, trades: &[ReceivedTrade]) {
        let trades: Vec<MarketTrade> = trades.iter().map(|trade| trade.as_market()).collect();
        self.match_trades(market, &trades);
    }

    fn receive_prices(&mut self, market: MarketIx, prices: ReceivedPrices) {
        let known = &mut self.received.at_mut(market).prices;
        known.update(prices);
        let known = *known;
        let state = self.markets.at_mut(market);
        state.mark = known.mark.unwrap_or(state.mark);
        state.oracle = known.oracle.unwrap_or(state.oracle);
        self.settle_step();
    }
}
