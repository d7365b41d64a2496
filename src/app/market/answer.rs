//! What a market source answers.

use crate::model::{Book, Candle, Dated, Failure, Interval, Page, PublicTrade, Timestamp};

/// The answer to a [`MarketRequest`](super::wants::MarketRequest); `Ok(None)` where the service has no such source.
#[derive(Debug, Clone, PartialEq)]
pub enum MarketAnswer {
    /// The newest candles, or those before an instant.
    Candles(
        Interval,
        Option<Timestamp>,
        Result<Option<Dated<Page<Candle>>>, Failure>,
    ),
    Book(Result<Option<Dated<Book>>, Failure>),
    /// The newest trades, in any order.
    Trades(Result<Option<Dated<Page<PublicTrade>>>, Failure>),
}
