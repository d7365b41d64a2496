//! Whether the sources of candles, books and trades tell what is expected of them.

use super::{
    AssumptionStatus,
    dialect::{DialectFinding, refused},
};
use crate::{
    client::Client,
    model::{Book, Dated, Failure, FailureKind, Interval, Market, MarketId, Page, Side},
};

/// Enough to see whether rows can be read.
const ROWS: u32 = 10;

/// What became of one read; it is about the first market that has a price.
#[derive(Debug)]
pub(super) enum SourceRead {
    Unset,
    /// No market is known to ask about.
    NoMarket,
    Failed(Failure),
    /// What was there, in words.
    Told(String),
    /// How many rows could not be read.
    Unreadable(usize),
}

#[derive(Debug)]
pub(super) struct MarketReads {
    pub(super) candles: SourceRead,
    pub(super) book: SourceRead,
    pub(super) trades: SourceRead,
}

impl MarketReads {
    pub(super) async fn of(
        client: &Client,
        prices: Option<&Result<Page<Market>, Failure>>,
    ) -> Self {
        let prices = prices.and_then(|read| read.as_ref().ok());
        let market = prices.and_then(|page| page.rows.first());
        let Some(market) = market.map(|row| &row.id) else {
            return Self::without_a_market(client);
        };
        let minute = Interval::Minute1;
        let candles = client.candles(market, minute, None, ROWS).await;
        let book = client.book(market, None).await;
        let trades = client.trades(market, ROWS).await;
        Self {
            candles: read(candles, |page| rows(page, market, "candles")),
            book: read(book, |book| levels(book, market)),
            trades: read(trades, |page| rows(page, market, "trades")),
        }
    }

    fn without_a_market(client: &Client) -> Self {
        let sources = &client.connection().markets;
        Self {
            candles: unread(sources.candles.as_ref()),
            book: unread(sources.books.as_ref()),
            trades: unread(sources.trades.as_ref()),
        }
    }
}

fn unread<T>(source: Option<&T>) -> SourceRead {
    source.map_or(SourceRead::Unset, |_| SourceRead::NoMarket)
}

fn read<T>(
    answer: Result<Option<Dated<T>>, Failure>,
    told: impl Fn(&T) -> SourceRead,
) -> SourceRead {
    match answer {
        Ok(Some(dated)) => told(&dated.value),
        Ok(None) => SourceRead::Unset,
        Err(why) => SourceRead::Failed(why),
    }
}

fn rows<T>(page: &Page<T>, market: &MarketId, what: &str) -> SourceRead {
    match page.unreadable.len() {
        0 => SourceRead::Told(format!("{} {what} of {market} were read", page.rows.len())),
        count => SourceRead::Unreadable(count),
    }
}

fn levels(book: &Book, market: &MarketId) -> SourceRead {
    let [bids, asks] = [Side::Buy, Side::Sell].map(|side| book.levels(side).len());
    SourceRead::Told(format!("{bids} bids and {asks} asks of {market} were read"))
}

/// What a read settles; `without` says what the desk does without the source.
pub(super) fn settle(read: &SourceRead, without: &str) -> DialectFinding {
    match read {
        SourceRead::Unset => (AssumptionStatus::Assumed, format!("no source: {without}")),
        SourceRead::NoMarket => {
            let how = "not read: no market has a price".to_owned();
            (AssumptionStatus::Assumed, how)
        }
        SourceRead::Failed(why) if why.kind == FailureKind::Unreadable => {
            (AssumptionStatus::Wrong, why.message.to_string())
        }
        SourceRead::Failed(why) => refused(why),
        SourceRead::Unreadable(count) => {
            let how = format!("{count} rows could not be read");
            (AssumptionStatus::Wrong, how)
        }
        SourceRead::Told(words) => (AssumptionStatus::Asked, words.clone()),
    }
}
