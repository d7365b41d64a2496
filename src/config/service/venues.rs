//! Where the public market data of venues is.

use crate::model::Venue;
use serde::{Deserialize, Serialize};

/// The addresses of every venue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table, [venues.hyperliquid] for example")]
pub struct Venues {
    pub hyperliquid: VenueUrls,
    pub binance: VenueUrls,
    pub bybit: VenueUrls,
}

/// The addresses of one venue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(expecting = "a table with rest_url and stream_url")]
pub struct VenueUrls {
    /// Scheme, host and port.
    pub rest_url: String,
    /// What it ends in, is the venue's.
    pub stream_url: String,
}

impl Venues {
    pub fn of(&self, venue: Venue) -> &VenueUrls {
        match venue {
            Venue::Hyperliquid => &self.hyperliquid,
            Venue::Binance => &self.binance,
            Venue::Bybit => &self.bybit,
        }
    }
}
