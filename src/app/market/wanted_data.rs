//! The market data that the screen needs, and the requests for it.

use crate::model::{Interval, MarketId, Num, Side, Timestamp};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// How often the visible book and trades are polled: as often as the account, so that both are one frame.
pub(crate) const SHOWN_EVERY: Duration = Duration::from_secs(1);
/// The same while the price ladder has the keys: somebody trades by them.
pub(crate) const LADDER_EVERY: Duration = Duration::from_millis(500);
/// How often the service is asked what the order of an open form would meet; never more often.
pub(crate) const QUOTE_EVERY: Duration = Duration::from_secs(1);
/// How often the book of an open form is polled.
pub(crate) const FORM_EVERY: Duration = Duration::from_secs(2);

/// The market data on the screen. Nothing else is polled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WantedMarketData {
    pub candles: Vec<CandleWant>,
    pub(crate) books: BTreeMap<MarketId, BookWant>,
    pub trades: Option<TradesWant>,
    pub(crate) quote: Option<QuoteWant>,
    /// Whether the display is held: nothing newer is requested, only what a person scrolls to.
    pub(crate) is_held: bool,
}

/// The markets on the screen, by what is shown of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownMarkets {
    pub books: BTreeSet<MarketId>,
    pub trades: Option<MarketId>,
    pub candles: BTreeSet<(MarketId, Interval)>,
}

impl ShownMarkets {
    pub(crate) fn all(&self) -> BTreeSet<MarketId> {
        let candles = self.candles.iter().map(|(market, _)| market);
        let others = self.trades.iter().chain(candles);
        self.books.iter().chain(others).cloned().collect()
    }
}

/// The candles on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandleWant {
    pub market_id: MarketId,
    pub interval: Interval,
    /// The chart goes back to this instant: a series that begins later requests an older page. `None` if the newest
    /// page is enough.
    pub since: Option<Timestamp>,
}

/// The trades on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradesWant {
    pub market_id: MarketId,
    pub(crate) every: Duration,
}

/// What the order in an open form would meet, where there is no book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuoteWant {
    pub(crate) market_id: MarketId,
    pub(crate) side: Side,
    pub(crate) size: Num,
}

/// The book of one market, with the largest depth and rate that anything needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BookWant {
    /// Levels per side; `None` for the source's default.
    pub(crate) depth: Option<u32>,
    pub(crate) every: Duration,
}

impl WantedMarketData {
    /// The price ladder of a market, with so many levels a side, and the trades beside it.
    pub(crate) fn want_ladder(&mut self, market: MarketId, depth: u32, every: Duration) {
        self.trades = Some(TradesWant {
            market_id: market.clone(),
            every,
        });
        self.add_book(market, Some(depth), every);
    }

    /// The book under an open form.
    pub(crate) fn want_form_book(&mut self, market: MarketId) {
        self.add_book(market, None, FORM_EVERY);
    }

    fn add_book(&mut self, market: MarketId, depth: Option<u32>, every: Duration) {
        let want = BookWant { depth, every };
        let known = self.books.entry(market).or_insert(want);
        known.depth = known.depth.max(depth);
        known.every = known.every.min(every);
    }
}

/// One request about a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarketRequest {
    /// This many candles, the newest of those that open before an instant, or of all.
    Candles {
        interval: Interval,
        before: Option<Timestamp>,
        limit: u32,
    },
    /// Levels per side; `None` for the source's default.
    Book { depth: Option<u32> },
    /// This many of the newest trades.
    Trades { limit: u32 },
    /// What an order of this side and size would meet.
    Quote { side: Side, size: Num },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_that_ladder_and_form_need_is_one_book_as_deep_and_fresh_as_the_ladder_needs() {
        let mut wanted_data = WantedMarketData::default();
        let market = || MarketId::from("paper|BTC");
        wanted_data.want_form_book(market());
        wanted_data.want_ladder(market(), 40, LADDER_EVERY);
        let both = BookWant {
            depth: Some(40),
            every: LADDER_EVERY,
        };
        assert_eq!(wanted_data.books, BTreeMap::from([(market(), both)]));
    }
}
