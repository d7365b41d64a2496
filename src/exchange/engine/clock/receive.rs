//! Takes in what a feed received (docs/engine.md 12).

use crate::exchange::engine::{
    core::Engine,
    market::received::{FeedState, GapBook, Snapshot},
    state::{
        EngineEvent, FrameContent, FrameFault, FrameStamp, MarketIx, Millis, Px, ReceivedBook,
        ReceivedFrame, ReceivedPrices, ReceivedTouch, ReceivedTrade, Usd,
    },
};

impl Engine {
    /// Takes in one frame at the current virtual time. A frame that is refused changes nothing.
    pub fn receive(&mut self, market: MarketIx, frame: &ReceivedFrame) -> Result<(), FrameFault> {
        self.check_frame(market, frame)?;
        let line = frame.source.line;
        self.record(EngineEvent::Received { market, line });
        self.enter_delayed(market, frame.received_at);
        let received = self.received.at_mut(market);
        if let Some(before) = received.stale_since(frame.received_at) {
            received.lose(before);
        }
        received.received_at = received.received_at.max(frame.received_at);
        match &frame.content {
            FrameContent::Book(book) => self.receive_book(market, book, frame),
            FrameContent::Touch(touch) => self.receive_touch(market, *touch),
            FrameContent::Trades(trades) => self.receive_trades(market, trades, frame),
            FrameContent::TradeHistory(trades) => self.receive_trade_history(market, trades),
            FrameContent::Prices(prices) => self.receive_prices(market, *prices),
            FrameContent::GapBegins => self.received.at_mut(market).lose(frame.received_at),
        }
        let until = self.received.at(market).time(self.now) + Millis(1);
        self.enter_delayed(market, until);
        Ok(())
    }

    fn check_frame(&self, market: MarketIx, frame: &ReceivedFrame) -> Result<(), FrameFault> {
        let received = self.received.get(market).ok_or(FrameFault::NotReceived)?;
        frame.content.check()?;
        match &frame.content {
            FrameContent::Book(book) if received.view.is_late(book) => Err(FrameFault::Late),
            FrameContent::Book(_)
            | FrameContent::Touch(_)
            | FrameContent::Trades(_)
            | FrameContent::TradeHistory(_)
            | FrameContent::Prices(_)
            | FrameContent::GapBegins => Ok(()),
        }
    }

    fn receive_book(&mut self, market: MarketIx, book: &ReceivedBook, frame: &ReceivedFrame) {
        let snapshot = Snapshot {
            book: book.clone(),
            source: frame.source.clone(),
            received_at: frame.received_at,
        };
        self.received.at_mut(market).view.show(snapshot);
        self.write_book(market);
        let now = self.now;
        let state = self.markets.at_mut(market);
        state.updated_at = now;
        let received = self.received.at_mut(market);
        match received.feed {
            FeedState::Waiting => {
                received.feed = FeedState::Live;
                self.resume(market);
            }
            FeedState::Gap { since, .. } if received.prices.mark.is_some() => {
                let book = GapBook::Received;
                received.feed = FeedState::Gap { since, book };
            }
            FeedState::Gap { .. } => {
                received.feed = FeedState::Resuming;
                self.resume(market);
            }
            FeedState::Live | FeedState::Resuming => {
                self.match_received_book(market);
                self.mark_by_book(market);
            }
        }
    }

    /// What is new after a gap, or at the first book, is compared once with what waits.
    fn resume(&mut self, market: MarketIx) {
        self.received.at_mut(market).view.forget_taken();
        self.write_book(market);
        self.rejoin_queues(market);
        self.pay_missed_hours(market);
        self.skip_missed_slices();
        self.match_received_book(market);
        self.mark_by_book(market);
        for id in std::mem::take(&mut self.received.at_mut(market).held_back) {
            self.activate(id);
        }
        self.settle_step();
        self.received.at_mut(market).feed = FeedState::Live;
    }

    /// Sets what takers meet now.
    fn write_book(&mut self, market: MarketIx) {
        let received = self.received.at_mut(market);
        let at = received.time(self.now);
        let book = &mut self.markets.at_mut(market).book;
        received.view.write(book, at);
    }

    fn receive_touch(&mut self, market: MarketIx, touch: ReceivedTouch) {
        self.received.at_mut(market).view.see_touch(touch);
        self.write_book(market);
    }

    fn receive_trades(
        &mut self,
        market: MarketIx,
        trades: &[ReceivedTrade],
        frame: &ReceivedFrame,
    ) {
        for trade in trades {
            if !self.received.at_mut(market).prints.is_new(trade) {
                continue;
            }
            let now = self.now;
            let state = self.markets.at_mut(market);
            state.last = Some(trade.px);
            state.day.step(now, state.mark, trade.px * trade.size);
            if self.is_frozen(market) {
                self.keep_trade_of_others(market, trade.as_market(), trade.size);
                continue;
            }
            let stamp = FrameStamp {
                source: frame.source.clone(),
                received_at: frame.received_at,
                venue_time: trade.venue_time,
            };
            self.match_print(market, trade, &stamp);
        }
    }

    fn receive_trade_history(&mut self, market: MarketIx, trades: &[ReceivedTrade]) {
        let prints = &mut self.received.at_mut(market).prints;
        for trade in trades {
            // Whether it was known makes no difference.
            prints.is_new(trade);
        }
        let last = trades.iter().max_by_key(|trade| trade.venue_time);
        let state = self.markets.at_mut(market);
        state.last = state.last.or(last.map(|trade| trade.px));
    }

    fn receive_prices(&mut self, market: MarketIx, prices: ReceivedPrices) {
        let received = self.received.at_mut(market);
        received.prices.update(prices);
        let ends_gap = match received.feed {
            FeedState::Gap { book, .. } => book == GapBook::Received && prices.mark.is_some(),
            FeedState::Waiting | FeedState::Live | FeedState::Resuming => false,
        };
        let known = received.prices;
        let state = self.markets.at_mut(market);
        state.oracle = known.oracle.unwrap_or(state.oracle);
        let is_moved = known.mark.is_some_and(|mark| mark != state.mark);
        state.mark = known.mark.unwrap_or(state.mark);
        if ends_gap {
            self.received.at_mut(market).feed = FeedState::Resuming;
            self.resume(market);
        } else if is_moved && !self.is_frozen(market) {
            self.settle_step();
        }
    }

    /// A feed without marks: the middle of the book is the mark, and the index too.
    fn mark_by_book(&mut self, market: MarketIx) {
        let prices = self.received.at(market).prices;
        let state = self.markets.at_mut(market);
        let (None, Some(twice)) = (prices.mark, state.book.twice_mid()) else {
            return;
        };
        let mark = Px(twice / 2);
        state.oracle = prices.oracle.unwrap_or(mark);
        if std::mem::replace(&mut state.mark, mark) != mark {
            self.settle_step();
        }
    }

    /// Each step: a book that has grown too old begins a gap, and orders whose delay has passed enter.
    pub(super) fn watch_feeds(&mut self) {
        for market in self.received.ids() {
            let received = self.received.at_mut(market);
            if let Some(before) = received.stale_since(self.now) {
                received.lose(before);
            }
            self.write_book(market);
            self.enter_delayed(market, self.now + Millis(1));
            let (now, state) = (self.now, self.markets.at_mut(market));
            state.day.step(now, state.mark, Usd::ZERO);
        }
    }
}
