//! The connection to a service: address, account and key.

use crate::{
    config::{
        MarketSources, PriceSource, Proxy, SourceChoice, Venues,
        secrets::{key::ApiKeySource, secret::Secret},
    },
    model::AccountId,
};

/// Everything the client needs for one account of one service.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Scheme, host and port, without a trailing slash: `http://127.0.0.1:8080`. `https` unless loopback.
    pub base_url: String,
    /// At the start; the client knows the one in use.
    pub api_key: Secret,
    pub key_source: ApiKeySource,
    /// Empty if the settings name none: `GET /v1/accounts` tells.
    pub account_id: AccountId,
    /// The source of prices. `Auto` is what the service has: its quotes, or all prices of a simulator.
    pub prices: SourceChoice<PriceSource>,
    /// Where candles, books and trades come from.
    pub markets: MarketSources,
    pub streams: StreamUrls,
    /// The venues whose public market data is used; `None` for none of them.
    pub venues: Option<Venues>,
    /// The proxy for requests to other machines; `None` connects directly.
    pub proxy: Option<Proxy>,
    /// Mutations are refused.
    pub read_only: bool,
    /// Mutations are refused, and shown instead.
    pub dry_run: bool,
}

/// The addresses of a service's streams, `wss://…` or `ws://…`; `None` where it has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamUrls {
    pub market: Option<String>,
    pub account: Option<String>,
}
