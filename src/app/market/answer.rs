//! What a market source answers.

use crate::model::{
    Book, Candle, Dated, Failure, FailureKind, Interval, Page, PublicTrade, SizedQuote, Timestamp,
};

/// Rows with the instant of their data; `Ok(None)` where the service has no such source.
pub(crate) type DatedRows<T> = Result<Option<Dated<Page<T>>>, Failure>;

/// The answer to a [`MarketRequest`](super::wanted_data::MarketRequest); `Ok(None)` where the service has no such source.
#[derive(Debug, Clone, PartialEq)]
pub enum MarketAnswer {
    /// The newest candles, or those before an instant.
    Candles(Interval, Option<Timestamp>, DatedRows<Candle>),
    Book(Result<Option<Dated<Book>>, Failure>),
    /// The newest trades, in any order.
    Trades(DatedRows<PublicTrade>),
    /// What an order of one side and size would meet.
    Quote(Result<SizedQuote, Failure>),
}

impl MarketAnswer {
    /// Whether a source was asked over the wire, as far as the answer shows: one that is not offered may not have been.
    pub(crate) fn was_requested(&self) -> bool {
        fn is_from_wire<T>(result: &Result<Option<T>, Failure>) -> bool {
            match result {
                Ok(answer) => answer.is_some(),
                Err(why) => why.kind != FailureKind::Local,
            }
        }
        match self {
            Self::Candles(_, _, result) => is_from_wire(result),
            Self::Book(result) => is_from_wire(result),
            Self::Trades(result) => is_from_wire(result),
            Self::Quote(_) => true,
        }
    }
}
