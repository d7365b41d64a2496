//! The connection to a service: address, account and key.

use crate::{
    config::{
        Proxy, Venues,
        secrets::{key::ApiKeySource, secret::Secret},
    },
    model::AccountId,
};
use std::path::PathBuf;

/// Everything the client needs for one account of one service.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Scheme, host and port, without a trailing slash: `http://127.0.0.1:8080`. `https` unless loopback.
    pub base_url: String,
    /// At the start; the client knows the one in use.
    pub api_key: Secret,
    pub key_source: ApiKeySource,
    /// Empty if the settings name none: `GET /v1/accounts` reports.
    pub account_id: AccountId,
    pub kind: ServiceKind,
    pub streams: StreamUrls,
    /// The venues whose public market data is used; `None` for none of them.
    pub venues: Option<Venues>,
    /// The proxy for requests to other machines; `None` connects directly.
    pub proxy: Option<Proxy>,
    /// Issuers to trust beside those of the system.
    pub ca_file: Option<PathBuf>,
    /// Mutations are refused.
    pub read_only: bool,
    /// Mutations are refused, and shown instead.
    pub dry_run: bool,
}

/// What is known of a service before it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServiceKind {
    /// `GET /v1` shows whether it is a simulator.
    #[default]
    Unknown,
    /// perpdeck's own exchange.
    Simulator,
}

/// The addresses of a service's streams, `wss://…` or `ws://…`; `None` where it has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamUrls {
    pub market: Option<String>,
    pub account: Option<String>,
}
