//! Rows of the histories of a market and of an account. Histories record what happened and affect nothing; they are in
//! the checkpoint, and not in the log.

use super::{AccountIx, Lots, MarketIx, Millis, NanoRate, PositionId, Px, RowRing, Side, Usd};
use serde::{Deserialize, Serialize};

/// What traded in one interval. Without a trade all four prices are the close before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandleRecord {
    pub open: Px,
    pub high: Px,
    pub low: Px,
    pub close: Px,
    pub volume: Lots,
    /// Σ price × size.
    pub turnover: Usd,
    pub trades: u64,
}

impl CandleRecord {
    /// An interval in which nothing traded.
    pub(crate) fn flat(close: Px) -> Self {
        Self {
            open: close,
            high: close,
            low: close,
            close,
            volume: Lots::ZERO,
            turnover: Usd::ZERO,
            trades: 0,
        }
    }

    pub(crate) fn single(px: Px, size: Lots) -> Self {
        Self {
            volume: size,
            turnover: px * size,
            trades: 1,
            ..Self::flat(px)
        }
    }

    /// This interval and the one after it as one; an interval without trades has no part in it.
    #[must_use]
    pub(crate) fn followed_by(self, next: Self) -> Self {
        match (self.trades, next.trades) {
            (_, 0) => self,
            (0, _) => next,
            _ => Self {
                open: self.open,
                high: self.high.max(next.high),
                low: self.low.min(next.low),
                close: next.close,
                volume: self.volume + next.volume,
                turnover: self.turnover + next.turnover,
                trades: self.trades + next.trades,
            },
        }
    }
}

/// A candle as the service reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandleReport {
    pub open_time: Millis,
    pub candle: CandleRecord,
    pub is_closed: bool,
    /// Whether a part of it is from before the scenario began.
    pub is_synthetic: bool,
}

/// One trade of a market, of others or of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TapeRecord {
    pub px: Px,
    pub size: Lots,
    pub aggressor: Side,
    pub at: Millis,
    /// The user's account in it; of two, the one that took.
    pub account: Option<AccountIx>,
    /// The account whose resting order another one took.
    pub maker: Option<AccountIx>,
}

/// What an account was worth at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EquityRecord {
    pub at: Millis,
    /// Below 0 while the profit of open positions covers it (docs/engine.md 6.8).
    pub cash: Usd,
    pub unrealized: Usd,
}

impl EquityRecord {
    #[must_use]
    pub fn equity(self) -> Usd {
        self.cash + self.unrealized
    }
}

/// One payment of funding to (or, negative, by) an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FundingRecord {
    pub at: Millis,
    pub market: MarketIx,
    pub position: PositionId,
    /// Signed like the position.
    pub size: Lots,
    /// Per hour.
    pub rate: NanoRate,
    pub amount: Usd,
}

/// Samples kept of an account's equity: three days at one a minute.
pub(crate) const EQUITY_CAPACITY: usize = 4_320;
/// Funding payments kept of an account.
pub(crate) const FUNDING_CAPACITY: usize = 4_096;
/// The equity of every account is sampled once in this span.
pub(crate) const EQUITY_INTERVAL_MS: i64 = Millis::MINUTE.0;

#[derive(Debug)]
pub(crate) struct AccountHistory {
    pub(crate) equity: RowRing<EquityRecord>,
    pub(crate) funding: RowRing<FundingRecord>,
}

impl Default for AccountHistory {
    fn default() -> Self {
        Self {
            equity: RowRing::new(EQUITY_CAPACITY, 1),
            funding: RowRing::new(FUNDING_CAPACITY, 1),
        }
    }
}
