//! The public market data of venues: what is asked of each, and what its frames and answers mean.
//!
//! Contract: pure, and no request or frame of it carries a key; it knows none. Each frame and each answer is checked:
//! of a market that was requested, well formed, within bounds, in order. What fails is counted and left out. Frames
//! and answers have at most [`LONGEST_FRAME`](super::LONGEST_FRAME) bytes and 4 MiB.
//!
//! Each venue is a file: a table of functions for its sockets, and one for its REST answers.

mod binance;
pub(in crate::feed) mod book_change;
pub(in crate::feed) mod book_mirror;
mod bybit;
mod dialect;
mod hyperliquid;
mod market_memory;
pub(crate) mod rest;
pub(crate) mod stream;
mod subscriptions;
pub(in crate::feed) mod trades;
mod whole_books;

#[cfg(test)]
mod tests;

use crate::{feed::topic::Channel, model::Venue};
use dialect::{Dialect, VenueMessage};
use serde::{Deserialize, Serialize};
use strum::EnumIter;

/// One socket of a venue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumIter, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VenueSocket {
    Hyperliquid,
    /// Books and best prices.
    BinancePublic,
    /// Trades, candles and statistics.
    BinanceMarket,
    Bybit,
}

impl VenueSocket {
    pub(crate) fn venue(self) -> Venue {
        match self {
            Self::Hyperliquid => Venue::Hyperliquid,
            Self::BinancePublic | Self::BinanceMarket => Venue::Binance,
            Self::Bybit => Venue::Bybit,
        }
    }

    /// What stands behind the `stream_url` of its venue.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Hyperliquid | Self::Bybit => "",
            Self::BinancePublic => "/public/stream",
            Self::BinanceMarket => "/market/stream",
        }
    }

    /// Whether this socket reports something of a channel.
    pub(crate) fn carries(self, channel: Channel) -> bool {
        !(self.dialect().names)(channel, "").is_empty()
    }

    /// Whether a frame reports something of a market, or cannot be read. The others answer requests.
    pub(crate) fn is_news(self, frame: &str) -> bool {
        match (self.dialect().parse)(frame) {
            Some(VenueMessage::Data(..)) | None => true,
            Some(VenueMessage::Accepted(_) | VenueMessage::Refused(_) | VenueMessage::Nothing) => {
                false
            }
        }
    }

    fn dialect(self) -> &'static Dialect {
        match self {
            Self::Hyperliquid => &hyperliquid::SOCKET,
            Self::BinancePublic => &binance::PUBLIC,
            Self::BinanceMarket => &binance::MARKET,
            Self::Bybit => &bybit::SOCKET,
        }
    }
}
