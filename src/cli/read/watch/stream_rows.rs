//! The lines of `watch market` and `watch account`.

use crate::{
    app::Store,
    cli::read::drawn,
    feed::event::{AccountEvent, AccountRow, Liveness, MarketEvent, Stats},
    model::{Account, Book, Level, MarketId, Num, Side, Timestamp},
    runtime::Clock,
    view::{
        tables::{
            quotes::{Aggressor, CandleRow, TapeRow},
            rows::{OrderRow, PositionRow},
        },
        text::words,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

/// What of a market is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(super) enum WatchedChannel {
    Book,
    Trades,
    Candles,
    Stats,
}

/// A line of `watch market`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::cli) struct MarketLine {
    /// Counts the lines of this watch.
    seq: u64,
    /// When it was seen.
    seen_at: Timestamp,
    /// It was so before the watch, or before a new connection.
    #[serde(skip_serializing_if = "is_news")]
    history: bool,
    #[serde(flatten)]
    row: MarketRow,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum MarketRow {
    Book(BookRow),
    Trade(TapeRow),
    Candle(CandleRow),
    Stats(StatsRow),
}

/// A whole order book.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct BookRow {
    market_id: MarketId,
    /// Price in USD and size in coin, the best first.
    bids: Vec<[Num; 2]>,
    asks: Vec<[Num; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Timestamp>,
}

/// What the last day and the next funding of a market are.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct StatsRow {
    market_id: MarketId,
    /// USD.
    mark_price: Option<Num>,
    /// Percent.
    day_change: Option<Num>,
    /// USD.
    day_volume: Option<Num>,
    /// USD.
    open_interest: Option<Num>,
    /// Per hour, as a fraction.
    funding_rate: Option<Num>,
    next_funding_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// A line of `watch account`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::cli) struct AccountLine {
    /// The number of the service's stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// When it was seen.
    seen_at: Timestamp,
    /// It was so before the watch, or before a new connection.
    #[serde(skip_serializing_if = "is_news")]
    history: bool,
    #[serde(flatten)]
    row: StreamedRow,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StreamedRow {
    Account(BalanceRow),
    Position(Box<PositionRow>),
    Order(Box<OrderRow>),
    /// The order that filled.
    Fill(Box<OrderRow>),
}

/// The balance of an account.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct BalanceRow {
    /// Realized, USD.
    balance: Option<Num>,
    /// USD, where the service has it.
    equity: Option<Num>,
    status: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_news(history: &bool) -> bool {
    !history
}

impl MarketLine {
    pub(super) fn new(seq: u64, row: MarketRow, era: Liveness) -> Self {
        Self {
            seq,
            seen_at: Clock::start().now(),
            history: era == Liveness::Backfill,
            row,
        }
    }
}

impl AccountLine {
    pub(super) fn new(event: AccountEvent, store: &Store) -> Self {
        Self {
            seq: event.seq,
            seen_at: Clock::start().now(),
            history: event.liveness == Liveness::Backfill,
            row: streamed_row(event.row, store),
        }
    }
}

fn streamed_row(row: AccountRow, store: &Store) -> StreamedRow {
    let order = |order| Box::new(drawn(store, |scene| OrderRow::new(order, scene)));
    match row {
        AccountRow::Account(row) => StreamedRow::Account(BalanceRow::new(&row)),
        AccountRow::Position(row) => StreamedRow::Position(Box::new(drawn(store, |scene| {
            PositionRow::new(&row, scene)
        }))),
        AccountRow::Order(row) => StreamedRow::Order(order(&row)),
        AccountRow::Fill(row) => StreamedRow::Fill(order(&row)),
    }
}

pub(super) fn account_words(row: &AccountRow, store: &Store) -> String {
    match row {
        AccountRow::Account(row) => match row.balance {
            Some(balance) => format!("account   balance {balance}"),
            None => "account".to_owned(),
        },
        AccountRow::Position(row) => {
            let words = words::position(row, store.market(&row.market_id), &store.names);
            format!("position  {words}")
        }
        AccountRow::Order(row) => {
            let words = words::order(row, store.market(&row.market_id), &store.names);
            format!("order     {} {words}, {}", row.id, row.status)
        }
        AccountRow::Fill(row) => {
            let words = words::order(row, store.market(&row.market_id), &store.names);
            format!("fill      {} {words}", row.id)
        }
    }
}

impl BalanceRow {
    fn new(row: &Account) -> Self {
        Self {
            balance: row.balance,
            equity: row.risk.as_ref().and_then(|risk| risk.equity),
            status: row.status.as_ref().map(ToString::to_string),
        }
    }
}

impl BookRow {
    fn new(market_id: MarketId, book: &Book, updated_at: Option<Timestamp>) -> Self {
        let level = |level: &Level| [level.price, level.size];
        let side = |side| book.levels(side).iter().map(level).collect();
        Self {
            market_id,
            bids: side(Side::Buy),
            asks: side(Side::Sell),
            updated_at,
        }
    }
}

impl StatsRow {
    fn new(market_id: MarketId, stats: &Stats) -> Self {
        Self {
            market_id,
            mark_price: stats.mark,
            day_change: stats.day_change,
            day_volume: stats.day_volume,
            open_interest: stats.open_interest,
            funding_rate: stats.hourly_funding(),
            next_funding_at: stats.next_funding_at,
            updated_at: stats.at,
        }
    }
}

/// What a line says of an event, and whether that is history; a tick has no channel of its own here.
pub(super) fn market_row(event: MarketEvent) -> Option<(MarketRow, Liveness)> {
    Some(match event {
        MarketEvent::Book { market, book } => {
            let row = BookRow::new(market, &book.value, book.made_at);
            (MarketRow::Book(row), Liveness::Live)
        }
        MarketEvent::Trade {
            market,
            trade,
            liveness,
            ..
        } => (MarketRow::Trade(TapeRow::new(&market, &trade)), liveness),
        MarketEvent::Candle {
            market,
            interval,
            candle,
            liveness,
        } => (
            MarketRow::Candle(CandleRow::new(&market, interval, &candle)),
            liveness,
        ),
        MarketEvent::Stats { market, stats } => (
            MarketRow::Stats(StatsRow::new(market, &stats)),
            Liveness::Live,
        ),
        MarketEvent::Tick { .. } | MarketEvent::Refused { .. } => return None,
    })
}

/// What a person reads about a market that the stream refuses.
pub(super) fn refusal_words(event: &MarketEvent) -> Option<String> {
    let MarketEvent::Refused { markets } = event else {
        return None;
    };
    let market = markets.first()?;
    Some(format!(
        "the service's stream refuses {market}, or a channel of it; perpdeck asks again every minute"
    ))
}

impl MarketRow {
    pub(super) fn words(&self) -> String {
        match self {
            Self::Book(book) => {
                let best = |side: &[[Num; 2]]| match side.first() {
                    Some([price, size]) => format!("{size} at {price}"),
                    None => "empty".to_owned(),
                };
                format!("book    bid {}, ask {}", best(&book.bids), best(&book.asks))
            }
            Self::Trade(trade) => format!(
                "trade   {} {} at {}",
                match trade.aggressor {
                    Aggressor::Buy => "buy",
                    Aggressor::Sell => "sell",
                },
                trade.size,
                trade.price
            ),
            Self::Candle(candle) => format!(
                "candle  {} open {} high {} low {} close {}",
                candle.interval, candle.open, candle.high, candle.low, candle.close
            ),
            Self::Stats(stats) => match stats.mark_price {
                Some(mark) => format!("stats   mark {mark}"),
                None => "stats".to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_market_that_the_stream_refuses_is_named_and_one_that_it_accepts_again_is_not() {
        let refused = |markets: &[&str]| MarketEvent::Refused {
            markets: markets.iter().map(|id| MarketId::from(*id)).collect(),
        };
        let words = refusal_words(&refused(&["paper|BTC"])).unwrap();
        assert!(words.contains("refuses paper|BTC"), "{words}");
        assert_eq!(refusal_words(&refused(&[])), None);
    }
}
