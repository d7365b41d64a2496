//! Opens the service's streams: a request that becomes a socket, over the same proxy and certificates as any other.
//!
//! Contract: the key goes to the account stream alone, and only to the service's own host, encrypted or on this machine.
//! The market stream gets none, whatever its address. A stream is no call: it is neither counted nor paused.

use super::{Client, Timeouts, base, pools::ConnectionPools, response::kind, send::cause};
use crate::{
    api::WebSocketKey,
    model::{Failure, FailureKind, StreamKind},
};
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{
        AUTHORIZATION, CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT,
        SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
    },
};
use tokio::time::timeout;

/// An open stream: bytes of both directions.
pub(crate) type StreamIo = reqwest::Upgraded;

impl Client {
    /// Whether the settings name this stream.
    pub(crate) fn has_stream(&self, kind: StreamKind) -> bool {
        self.stream_setting(kind).is_some()
    }

    fn stream_setting(&self, kind: StreamKind) -> Option<&str> {
        let urls = &self.connection().streams;
        match kind {
            StreamKind::Market => urls.market.as_deref(),
            StreamKind::Account => urls.account.as_deref(),
        }
    }

    /// Where this stream is, as the address of the request that opens it.
    fn stream_url(&self, kind: StreamKind, query: &str) -> Result<Url, Failure> {
        let Some(setting) = self.stream_setting(kind) else {
            return Err(Failure::local("the settings name no such stream"));
        };
        let url = base::stream(setting)?;
        if kind == StreamKind::Account && url.host() != self.0.base.host() {
            return Err(Failure::local(
                "account_stream_url is on another host than base_url, and would get its key there",
            ));
        }
        url.join(query)
            .map_err(|why| Failure::local(why.to_string()))
    }

    /// Opens a stream. What comes out of it is not read yet.
    pub(crate) async fn open_stream(
        &self,
        kind: StreamKind,
        query: &str,
    ) -> Result<StreamIo, Failure> {
        let url = self.stream_url(kind, query)?;
        let bearer = match kind {
            StreamKind::Market => None,
            StreamKind::Account => Some(self.0.credentials.in_use().bearer),
        };
        upgraded(&self.0.pools, url, bearer, self.timeouts()).await
    }
}

/// Sends the request that becomes a stream, with this header if there is one.
pub(super) async fn upgraded(
    pools: &ConnectionPools,
    url: Url,
    bearer: Option<HeaderValue>,
    timeouts: Timeouts,
) -> Result<StreamIo, Failure> {
    let key = WebSocketKey::new(uuid::Uuid::new_v4().into_bytes());
    let key_header = HeaderValue::from_bytes(key.header())
        .map_err(|_| Failure::local("the handshake of a stream is no header"))?;
    let mut request = pools
        .to(&url)
        .await?
        .request(Method::GET, url)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, key_header);
    if let Some(bearer) = bearer {
        request = request.header(AUTHORIZATION, bearer);
    }
    let opening = async {
        let response = request.send().await.map_err(unopened)?;
        checked(&response, &key)?;
        response.upgrade().await.map_err(unopened)
    };
    let opened = timeout(timeouts.read(), opening).await;
    opened.unwrap_or_else(|_| {
        Err(Failure::new(
            FailureKind::TimedOut,
            "the stream did not open",
        ))
    })
}

/// The server must have understood that this is a `WebSocket`.
fn checked(response: &Response, key: &WebSocketKey) -> Result<(), Failure> {
    let header = |name: HeaderName| response.headers().get(name);
    let is_switched = response.status() == StatusCode::SWITCHING_PROTOCOLS
        && header(SEC_WEBSOCKET_ACCEPT).is_some_and(|accept| *accept == *key.accept());
    if is_switched {
        return Ok(());
    }
    let status = response.status().as_u16();
    let words = format!("the stream was refused with status {status}");
    Err(Failure::new(kind(status), words))
}

fn unopened(why: reqwest::Error) -> Failure {
    let why = why.without_url();
    let words = format!("could not open the stream: {}", cause(&why));
    Failure::new(FailureKind::Unreachable, words)
}
