//! The paths of the streams.

/// A stream by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exchange) enum StreamRoute {
    MarketData,
    Account,
}

impl StreamRoute {
    pub(in crate::exchange) const MARKET_DATA: &'static str = "/v1/market-data";
    pub(in crate::exchange) const ACCOUNT: &'static str = "/v1/stream";

    pub(in crate::exchange) fn from_path(path: &str) -> Option<Self> {
        match path {
            Self::MARKET_DATA => Some(Self::MarketData),
            Self::ACCOUNT => Some(Self::Account),
            _ => None,
        }
    }
}
