//! Venues whose public market data perpdeck can read.

use strum::{Display, EnumIter, EnumString};

/// A venue, called as the first part of a market's id calls its provider.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, EnumIter,
)]
#[strum(serialize_all = "lowercase")]
pub enum Venue {
    Hyperliquid,
    /// USD-M futures.
    Binance,
    /// Linear contracts.
    Bybit,
}

impl Venue {
    /// The venue of a provider; `None` for any other: a market is never shown by a twin of another venue.
    pub fn of(provider: &str) -> Option<Self> {
        provider.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_provider_of_a_market_is_its_venue() {
        assert_eq!(Venue::of("hyperliquid"), Some(Venue::Hyperliquid));
        assert_eq!(Venue::of("binance"), Some(Venue::Binance));
        assert_eq!(Venue::of("bybit"), Some(Venue::Bybit));
        for other in ["paper", "lighter", "Binance", "", "binance-us"] {
            assert_eq!(Venue::of(other), None, "{other}");
        }
    }
}
