//! What the service expects of the order in an open form, where there is no book.

use super::books::MARKET_STALE_AFTER;
use crate::model::{Failure, MarketId, SizedQuote, Timestamp};
use std::time::Duration;

/// The last quote, of one market, side and size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TicketQuote(Option<Dated>);

#[derive(Debug, Clone, PartialEq)]
struct Dated {
    market: MarketId,
    quote: SizedQuote,
    asked: Timestamp,
}

impl TicketQuote {
    /// Takes the answer to a request sent at `asked`. A refused one keeps the quote before, which grows old.
    pub(crate) fn arrive(
        &mut self,
        market: MarketId,
        result: Result<SizedQuote, Failure>,
        asked: Timestamp,
    ) {
        if let Ok(quote) = result {
            self.0 = Some(Dated {
                market,
                quote,
                asked,
            });
        }
    }

    /// The quote of `market`, and how old it is, unless that is too old.
    pub fn of(&self, market: &MarketId, now: Timestamp) -> Option<(&SizedQuote, Duration)> {
        let known = self.0.as_ref().filter(|known| known.market == *market)?;
        let age = now.since(known.asked);
        (age <= MARKET_STALE_AFTER).then_some((&known.quote, age))
    }
}
