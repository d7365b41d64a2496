//! The two streams of the service, as `WebSocket`s: market data for everybody, and the accounts of a key
//! (docs/service-api.md 8).
//!
//! Contract: a stream sends what changed since it was last written to, read from the state like any answer. So a client
//! that reads slowly gets fewer, larger steps and no queue grows; one that stops reading is closed when its connection's
//! limit for readers is reached. Market data takes no key and looks at none.

mod account;
mod disturbed;
mod handshake;
mod market;
mod market_events;

mod session;

pub(super) use account::AccountStreams;
pub(super) use handshake::{SwitchHeaders, switch};

pub(super) use session::StreamConnection;

use super::{api_error::ApiError, auth::AuthenticatedUser, service::ExchangeService};
use account::AccountSession;
use market::MarketSession;
use std::sync::Arc;

/// A stream by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamRoute {
    MarketData,
    Account,
}

impl StreamRoute {
    pub(super) const MARKET_DATA: &'static str = "/v1/market-data";
    pub(super) const ACCOUNT: &'static str = "/v1/stream";

    pub(super) fn from_path(path: &str) -> Option<Self> {
        match path {
            Self::MARKET_DATA => Some(Self::MarketData),
            Self::ACCOUNT => Some(Self::Account),
            _ => None,
        }
    }
}

/// What a stream was opened with.
#[derive(Debug)]
pub(super) struct StreamRequest {
    pub(super) route: StreamRoute,
    /// On the stream of accounts.
    pub(super) caller: Option<AuthenticatedUser>,
    pub(super) query: String,
}

/// Serves an open stream until one of both ends it.
pub(super) async fn serve(
    service: Arc<ExchangeService>,
    accounts: Arc<AccountStreams>,
    request: StreamRequest,
    connection: StreamConnection,
) {
    let ended = match (request.route, request.caller) {
        (StreamRoute::MarketData, _) => {
            session::run(&service, connection, MarketSession::default()).await
        }
        (StreamRoute::Account, Some(caller)) => {
            let session = AccountSession::new(accounts, caller, &request.query);
            session::run(&service, connection, session).await
        }
        (StreamRoute::Account, None) => Err(ApiError::broken("a private stream without a caller")),
    };
    if let Err(fault) = ended {
        tracing::debug!("a stream ended: {}", fault.message);
    }
}
