//! Candles, books and trades of a market by reads: of the service, or else of the venue of the market, where that serves it.
//!
//! Contract: `Ok(None)` where neither has them. A market of a provider that is no venue is never shown by another one.

use crate::{
    client::{Client, VenueClient},
    feed::{
        rest_read::RestRead,
        topic::StreamedMarket,
        venue::rest::{self, CandleSpan},
    },
    model::{Book, Candle, Dated, Failure, Interval, Page, PublicTrade, Timestamp, Venue},
};

/// Where a market is read.
#[derive(Debug, Clone)]
pub(crate) struct MarketReads<'a> {
    pub(crate) client: &'a Client,
    /// The venues, if one of them may serve the market now.
    pub(crate) venues: Option<VenueClient>,
}

impl<'a> MarketReads<'a> {
    /// The service, and the venues where it has no stream.
    pub(crate) fn of(client: &'a Client) -> Self {
        Self {
            client,
            venues: client.venues_alone(),
        }
    }
}

/// The venue that a market's data may be read of.
struct MarketVenue {
    client: VenueClient,
    venue: Venue,
}

impl MarketVenue {
    fn of(venues: Option<VenueClient>, market: &StreamedMarket) -> Option<Self> {
        Some(Self {
            client: venues?,
            venue: Venue::of(&market.provider)?,
        })
    }

    async fn read(&self, rest: RestRead) -> Result<Vec<u8>, Failure> {
        let read = self
            .client
            .read(self.venue, &rest.target, rest.body, rest.weight);
        read.await
    }
}

/// This many candles, the newest of all or of those that open before an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedCandles {
    pub(crate) interval: Interval,
    pub(crate) before: Option<Timestamp>,
    pub(crate) limit: u32,
}

pub(crate) async fn candles(
    reads: MarketReads<'_>,
    market: &StreamedMarket,
    wanted: WantedCandles,
    now: Timestamp,
) -> Result<Option<Dated<Page<Candle>>>, Failure> {
    let WantedCandles {
        interval,
        before,
        limit,
    } = wanted;
    let own = reads
        .client
        .candles(&market.id, interval, before, limit)
        .await?;
    let Some(venue) = MarketVenue::of(reads.venues, market).filter(|_| own.is_none()) else {
        return Ok(own);
    };
    let rest = rest::of(venue.venue);
    let span = CandleSpan {
        interval,
        before: before.unwrap_or(Timestamp(now.0.saturating_add(1))),
        limit,
    };
    let Some(read) = (rest.candles)(&market.symbol, span) else {
        return Ok(None);
    };
    let body = venue.read(read).await?;
    rest.read_candles(&body, now, span).map(Some)
}

/// The nearest levels of the order book.
pub(crate) async fn book(
    reads: MarketReads<'_>,
    market: &StreamedMarket,
    depth: Option<u32>,
) -> Result<Option<Dated<Book>>, Failure> {
    let own = reads.client.book(&market.id, depth).await?;
    let Some(venue) = MarketVenue::of(reads.venues, market).filter(|_| own.is_none()) else {
        return Ok(own);
    };
    let rest = rest::of(venue.venue);
    let body = venue.read((rest.book)(&market.symbol, depth)).await?;
    rest.read_book(&body).map(Some)
}

/// This many of the newest trades, in the order that the source reports.
pub(crate) async fn trades(
    reads: MarketReads<'_>,
    market: &StreamedMarket,
    limit: u32,
) -> Result<Option<Dated<Page<PublicTrade>>>, Failure> {
    let own = reads.client.trades(&market.id, limit).await?;
    let Some(venue) = MarketVenue::of(reads.venues, market).filter(|_| own.is_none()) else {
        return Ok(own);
    };
    let rest = rest::of(venue.venue);
    let body = venue.read((rest.trades)(&market.symbol, limit)).await?;
    rest.read_trades(&body).map(Some)
}
