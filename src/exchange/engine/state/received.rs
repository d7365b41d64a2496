//! What a feed received of a market: one frame at a time, with where it was received (docs/engine.md 12).
//!
//! A frame is an input of the engine like a command: it is stored with the commands, so that a stored exchange continues
//! without the recording. Virtual time of such an exchange is the time of receipt: `received_at` is never ahead of the
//! time that the exchange advances to before it takes the frame in.

use serde::{Deserialize, Serialize};

use super::{
    BookLevel, Lots, MAX_COUNT, MAX_HOURLY_FUNDING, MarketTrade, Millis, NanoRate, Px, Side,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedFrame {
    pub source: FrameSource,
    pub received_at: Millis,
    pub content: FrameContent,
}

/// Where a frame was received: every fill on a received market names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameSource {
    /// `hyperliquid`
    pub feed: String,
    pub origin: FrameOrigin,
    /// The line of the file, or the number of the frame on the connection, from 0.
    pub line: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameOrigin {
    /// The name of a recording.
    File(String),
    /// The number of a live connection.
    Connection(u64),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameContent {
    Book(ReceivedBook),
    Touch(ReceivedTouch),
    /// Trades as they happened, oldest first.
    Trades(Vec<ReceivedTrade>),
    /// Trades from before the subscription, which fill no order.
    TradeHistory(Vec<ReceivedTrade>),
    Prices(ReceivedPrices),
    /// The feed knows that it misses frames from here on. The gap ends by itself: with a valid book, and a mark after it.
    GapBegins,
}

/// A snapshot of the book: bids by falling, asks by rising price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedBook {
    pub venue_time: Millis,
    pub bids: Vec<BookLevel>,
    pub asks: Vec<BookLevel>,
}

/// The best bid and ask alone; `None`: that side is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedTouch {
    pub venue_time: Millis,
    pub bid: Option<BookLevel>,
    pub ask: Option<BookLevel>,
}

/// One trade at the venue; `aggressor` is the taker's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedTrade {
    /// Unique together with `venue_time`.
    pub id: u64,
    pub venue_time: Millis,
    pub aggressor: Side,
    pub px: Px,
    pub size: Lots,
}

/// The venue's own figures; `None`: not in this frame, so what was received before stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReceivedPrices {
    pub mark: Option<Px>,
    pub oracle: Option<Px>,
    /// Per hour.
    pub funding: Option<NanoRate>,
    /// When that rate is paid.
    pub next_funding_at: Option<Millis>,
}

/// How orders meet what is received (docs/engine.md 12.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedRules {
    /// From the acceptance of an order until it takes effect: drawn between the two.
    pub min_delay: Millis,
    pub max_delay: Millis,
    /// A market whose newest book is older has a gap.
    pub max_book_age: Millis,
}

impl Default for ReceivedRules {
    fn default() -> Self {
        Self {
            min_delay: Millis::ZERO,
            max_delay: Millis::ZERO,
            max_book_age: Millis::seconds(5),
        }
    }
}

/// Why a frame was not taken in; nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    #[error("this market is not a received one")]
    NotReceived,
    #[error("a price or a size is not positive, or a figure too large")]
    OutOfRange,
    #[error("the book is not sorted, or bid and ask cross")]
    Disordered,
    #[error("the book is older than the one before it")]
    Late,
}

impl ReceivedPrices {
    fn check(&self) -> Result<(), FrameFault> {
        let mut prices = [self.mark, self.oracle].into_iter().flatten();
        prices.try_for_each(check_px)?;
        self.funding.map_or(Ok(()), check_rate)
    }

    /// Takes over the figures that `newer` has.
    pub(crate) fn update(&mut self, newer: Self) {
        self.mark = newer.mark.or(self.mark);
        self.oracle = newer.oracle.or(self.oracle);
        self.funding = newer.funding.or(self.funding);
        self.next_funding_at = newer.next_funding_at.or(self.next_funding_at);
    }
}

impl ReceivedTrade {
    pub(crate) fn as_market(&self) -> MarketTrade {
        MarketTrade {
            aggressor: self.aggressor,
            px: self.px,
            size: self.size,
        }
    }
}

impl FrameContent {
    /// Whether the figures of a frame can be of a market.
    pub(crate) fn check(&self) -> Result<(), FrameFault> {
        match self {
            Self::Book(book) => book.check(),
            Self::Touch(touch) => touch.check(),
            Self::Trades(trades) | Self::TradeHistory(trades) => trades
                .iter()
                .try_for_each(|trade| check_level(trade.px, trade.size)),
            Self::Prices(prices) => prices.check(),
            Self::GapBegins => Ok(()),
        }
    }
}

impl ReceivedBook {
    fn check(&self) -> Result<(), FrameFault> {
        let mut levels = self.bids.iter().chain(&self.asks);
        levels.try_for_each(|level| check_level(level.px, level.size))?;
        let falls = self.bids.is_sorted_by(|better, worse| better.px > worse.px);
        let rises = self.asks.is_sorted_by(|better, worse| better.px < worse.px);
        if !(falls && rises) {
            return Err(FrameFault::Disordered);
        }
        check_spread(self.bids.first(), self.asks.first())
    }
}

impl ReceivedTouch {
    fn check(&self) -> Result<(), FrameFault> {
        let mut levels = self.bid.iter().chain(&self.ask);
        levels.try_for_each(|level| check_level(level.px, level.size))?;
        check_spread(self.bid.as_ref(), self.ask.as_ref())
    }
}

fn check_px(px: Px) -> Result<(), FrameFault> {
    let fits = (1..=MAX_COUNT).contains(&px.0);
    fits.then_some(()).ok_or(FrameFault::OutOfRange)
}

fn check_rate(rate: NanoRate) -> Result<(), FrameFault> {
    let fits = (-MAX_HOURLY_FUNDING.0..=MAX_HOURLY_FUNDING.0).contains(&rate.0);
    fits.then_some(()).ok_or(FrameFault::OutOfRange)
}

fn check_level(px: Px, size: Lots) -> Result<(), FrameFault> {
    check_px(px)?;
    let fits = (1..=MAX_COUNT).contains(&size.0);
    fits.then_some(()).ok_or(FrameFault::OutOfRange)
}

fn check_spread(bid: Option<&BookLevel>, ask: Option<&BookLevel>) -> Result<(), FrameFault> {
    let crossed = bid.zip(ask).filter(|(bid, ask)| bid.px >= ask.px);
    crossed.map_or(Ok(()), |_| Err(FrameFault::Disordered))
}
