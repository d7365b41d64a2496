//! What streams report, in one form whatever the source.

use crate::model::{
    Account, Book, Candle, Dated, Interval, MarketId, Num, Order, Position, PublicTrade, Timestamp,
};
use std::collections::BTreeSet;

/// Whether a row is of before the subscription: history is shown, and never counted as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    Backfill,
    Live,
}

/// What happened in a market.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MarketEvent {
    /// The whole book.
    Book {
        market: MarketId,
        book: Dated<Book>,
    },
    Trade {
        market: MarketId,
        /// The trades that it follows without a gap; empty where some may be missing between.
        follows: Vec<PublicTrade>,
        trade: PublicTrade,
        liveness: Liveness,
    },
    Candle {
        market: MarketId,
        interval: Interval,
        candle: Candle,
        liveness: Liveness,
    },
    Tick {
        market: MarketId,
        tick: Tick,
    },
    /// The whole statistics, as the patches have made them.
    Stats {
        market: MarketId,
        stats: Stats,
    },
    /// All markets that the source refuses now.
    Refused {
        markets: BTreeSet<MarketId>,
    },
}

/// The prices of a market now, USD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tick {
    pub(crate) price: Num,
    pub(crate) bid: Option<Num>,
    pub(crate) ask: Option<Num>,
    pub(crate) at: Option<Timestamp>,
}

/// What the last day and the next funding of a market are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stats {
    pub(crate) mark: Option<Num>,
    /// The index that the mark follows.
    pub(crate) oracle: Option<Num>,
    /// Percent.
    pub(crate) day_change: Option<Num>,
    /// Of one funding, as a fraction.
    pub(crate) funding_rate: Option<Num>,
    pub(crate) funding_hours: Option<Num>,
    pub(crate) next_funding_at: Option<Timestamp>,
    /// USD.
    pub(crate) open_interest: Option<Num>,
    /// USD.
    pub(crate) day_volume: Option<Num>,
    /// Since when a paper exchange misses frames of the venue.
    pub(crate) gap_since: Option<Timestamp>,
    pub(crate) at: Option<Timestamp>,
}

impl Stats {
    /// The same, with what `newer` knows.
    pub(crate) fn patched(self, newer: Self) -> Self {
        Self {
            mark: newer.mark.or(self.mark),
            oracle: newer.oracle.or(self.oracle),
            day_change: newer.day_change.or(self.day_change),
            funding_rate: newer.funding_rate.or(self.funding_rate),
            funding_hours: newer.funding_hours.or(self.funding_hours),
            next_funding_at: newer.next_funding_at.or(self.next_funding_at),
            open_interest: newer.open_interest.or(self.open_interest),
            day_volume: newer.day_volume.or(self.day_volume),
            gap_since: newer.gap_since.or(self.gap_since),
            at: newer.at.or(self.at),
        }
    }

    /// The funding rate of one hour.
    pub(crate) fn hourly_funding(&self) -> Option<Num> {
        let hours = self.funding_hours.filter(|hours| hours.is_positive());
        self.funding_rate?.over(hours.unwrap_or(Num::ONE))
    }
}

/// What happened on an account.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AccountEvent {
    /// The number of the stream; `None` if it does not count.
    pub(crate) seq: Option<u64>,
    /// By the service's clock.
    pub(crate) at: Option<Timestamp>,
    pub(crate) row: AccountRow,
    pub(crate) liveness: Liveness,
}

/// A row of an account, as a read returns it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AccountRow {
    Account(Box<Account>),
    Position(Box<Position>),
    Order(Box<Order>),
    /// The order that filled.
    Fill(Box<Order>),
}
