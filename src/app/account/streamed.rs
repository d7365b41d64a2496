//! What streams report of an account and of prices, beside the polls.

use crate::model::{
    Account, AccountFacts, DayStats, MarketId, Num, Order, Page, Patch, Position, Timestamp,
};
use std::collections::BTreeSet;

/// The state of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StreamState {
    /// The settings name none.
    #[default]
    None,
    /// Polls alone report what is new.
    Down,
    /// It reports everything as it happens, and was active at this instant.
    Up(Timestamp),
}

impl StreamState {
    pub fn is_up(self) -> bool {
        matches!(self, Self::Up(_))
    }

    /// As of when all of its news are known.
    pub(crate) fn alive_at(self) -> Option<Timestamp> {
        match self {
            Self::Up(at) => Some(at),
            Self::None | Self::Down => None,
        }
    }

    pub(crate) fn alive(&mut self, at: Timestamp) {
        if let Self::Up(known) = self {
            *known = at.max(*known);
        }
    }
}

/// The streams of one account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Streams {
    /// The service's, or those of the venues that serve the markets.
    pub market: StreamState,
    pub account: StreamState,
    pub by_venue: VenueMarkets,
}

/// The markets whose data comes from their venues and not from the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VenueMarkets {
    Only(BTreeSet<MarketId>),
    All,
}

impl VenueMarkets {
    pub fn includes(&self, market: &MarketId) -> bool {
        match self {
            Self::Only(markets) => markets.contains(market),
            Self::All => true,
        }
    }
}

impl Default for VenueMarkets {
    /// None.
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

/// What changed of an account: each list whole, as a read returns it; `None` is as before.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamedRows {
    /// The working ones.
    pub orders: Option<Page<Order>>,
    /// The open ones.
    pub positions: Option<Page<Position>>,
    pub account: Option<Box<Account>>,
}

/// What changed of a market's prices; `None` is as before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamedPrice {
    pub market_id: MarketId,
    pub mark: Patch,
    pub bid: Option<Num>,
    pub ask: Option<Num>,
    /// Per hour, as a fraction.
    pub funding_rate: Patch,
    /// Since when the paper exchange misses frames of the venue.
    pub gap_since: Patch<Timestamp>,
    pub day: Option<DayStats>,
    pub at: Option<Timestamp>,
}

/// The figures after an event. It says nothing of the rules, and may leave the risk out.
pub(crate) fn figures(row: Account, known: &AccountFacts) -> AccountFacts {
    let has_risk = row.risk.is_some();
    let fresh = AccountFacts::of(row, known.policy.as_deref().cloned());
    if has_risk {
        return fresh;
    }
    AccountFacts {
        cash: fresh.cash,
        stage: fresh.stage,
        standing: fresh.standing,
        name: fresh.name,
        ..known.clone()
    }
}
