//! Sends one request and reads the response; decides nothing about it.

use super::{
    Client, RequestClass, Timeouts, base, credentials::KeyHeader, lock::locked,
    response::ServiceResponse,
};
use crate::{
    api::IDEMPOTENCY_KEY,
    config::Proxy,
    model::{Call, Failure, FailureKind, IdempotencyKey, Text},
};
use reqwest::{
    Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use std::{error::Error as _, fmt, sync::atomic::Ordering, time::Duration};
use tokio::{sync::OnceCell, time::Instant};

/// Below the 30 s after which the paper exchange (and most proxies) drop an idle connection. A request written into a
/// closing connection has an unknown outcome for no reason.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);
/// A full page of 100 orders is about 80 KiB; a body 50 times larger is no valid response.
pub(super) const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// One request, complete.
#[derive(Debug, Clone)]
pub(super) struct OutgoingRequest<'a> {
    pub method: reqwest::Method,
    pub url: Url,
    pub body: &'a [u8],
    pub key: Option<&'a IdempotencyKey>,
    /// From the first byte sent to the last byte received.
    pub timeout: Duration,
}

/// Why there is no complete response.
#[derive(Debug)]
pub(super) enum NoResponse {
    /// The connection failed: no byte of the request was sent.
    NotSent(Failure),
    MaybeSent(Failure),
}

impl NoResponse {
    pub(super) fn failure(self) -> Failure {
        match self {
            Self::NotSent(failure) | Self::MaybeSent(failure) => failure,
        }
    }
}

/// Connections, opened on first use: loading the certificate store reads files, and the first frame must not wait for
/// it.
#[derive(Default)]
pub(super) struct ConnectionPools {
    timeouts: Timeouts,
    proxy: Option<Proxy>,
    plain: OnceCell<reqwest::Client>,
    tls: OnceCell<reqwest::Client>,
}

/// The fields contain the proxy's password.
impl fmt::Debug for ConnectionPools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pools")
            .field("proxy", &self.proxy)
            .finish_non_exhaustive()
    }
}

type Build = fn(Timeouts, Option<&Proxy>) -> reqwest::Result<reqwest::Client>;

impl ConnectionPools {
    pub(super) fn at(timeouts: Timeouts, proxy: Option<Proxy>) -> Self {
        Self {
            timeouts,
            proxy,
            ..Self::default()
        }
    }

    pub(super) async fn of(&self, url: &Url) -> Result<&reqwest::Client, Failure> {
        let (timeouts, proxy) = (self.timeouts, self.proxy.clone());
        let (cell, build): (_, Build) = if url.scheme() == "https" {
            (&self.tls, tls)
        } else {
            (&self.plain, plain)
        };
        cell.get_or_try_init(|| async {
            let pool = tokio::task::spawn_blocking(move || build(timeouts, proxy.as_ref())).await;
            let pool = pool.map_err(|_| Failure::local("the HTTP client did not start"))?;
            pool.map_err(|why| {
                Failure::local(format!("the HTTP client did not start: {}", cause(&why)))
            })
        })
        .await
    }

    /// The proxy for a request to `url`.
    fn proxy_to(&self, url: &Url) -> Option<&Proxy> {
        let is_far = url.scheme() == "https" && !base::is_loopback(url);
        self.proxy.as_ref().filter(|_| is_far)
    }
}

/// `http` goes to loopback only (`base`): without the proxy, which would see the key, and without a certificate store,
/// which a minimal machine lacks.
fn plain(timeouts: Timeouts, _proxy: Option<&Proxy>) -> reqwest::Result<reqwest::Client> {
    builder(timeouts).tls_certs_only([]).build()
}

fn tls(timeouts: Timeouts, proxy: Option<&Proxy>) -> reqwest::Result<reqwest::Client> {
    let builder = builder(timeouts).https_only(true);
    let Some(proxy) = proxy else {
        return builder.build();
    };
    let proxy = reqwest::Proxy::all(proxy.url()).map_err(reqwest::Error::without_url)?;
    // This machine is reached without the proxy.
    let here = reqwest::NoProxy::from_string("localhost,127.0.0.0/8,::1");
    builder.proxy(proxy.no_proxy(here)).build()
}

fn builder(timeouts: Timeouts) -> reqwest::ClientBuilder {
    // reqwest asks rustls for the process default and panics without one. A second installation returns an error, which
    // only means that the first one is in place.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(concat!("perpdeck/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        // Only the configured proxy: orders must not follow somebody's HTTPS_PROXY.
        .no_proxy()
        .connect_timeout(timeouts.connect())
        .pool_idle_timeout(IDLE_TIMEOUT)
}

impl Client {
    /// Sends it, and once more if the service refuses the key, or may not trade with it, and its source has another one by
    /// now.
    pub(super) async fn exchange(
        &self,
        outgoing: OutgoingRequest<'_>,
    ) -> Result<ServiceResponse, NoResponse> {
        let is_own = outgoing.url.origin() == self.0.base.origin();
        let (key, sent) = (self.0.credentials.in_use(), Instant::now());
        let answer = Box::pin(self.exchange_once(outgoing.clone(), &key)).await?;
        if is_own && answer.refuses_the_key() && self.renew_key(key, sent).await {
            let key = self.0.credentials.in_use();
            return Box::pin(self.exchange_once(outgoing, &key)).await;
        }
        Ok(answer)
    }

    /// Sends once, reads the whole response, reports the call.
    async fn exchange_once(
        &self,
        outgoing: OutgoingRequest<'_>,
        key: &KeyHeader,
    ) -> Result<ServiceResponse, NoResponse> {
        let (method, target) = (outgoing.method.clone(), self.shown(&outgoing.url));
        let own = outgoing.url.origin() == self.0.base.origin();
        if own && let Some(why) = self.silence() {
            return Err(NoResponse::NotSent(why));
        }
        let at = self.now();
        let start = if own {
            self.0.rate_limiter.sent()
        } else {
            Instant::now()
        };
        let result = self.attempt(outgoing, key).await;
        if let Ok(answer) = &result
            && own
        {
            self.learn(start, answer);
            if method != reqwest::Method::GET {
                self.learn_scope(answer);
            }
        }
        let call = Call {
            at,
            method: word(&method),
            target,
            outcome: match &result {
                Ok(answer) => Ok(answer.status),
                Err(NoResponse::NotSent(why) | NoResponse::MaybeSent(why)) => Err(why.kind),
            },
            elapsed: start.elapsed(),
            request_id: result.as_ref().ok().and_then(ServiceResponse::request_id),
            pause: match &result {
                Ok(answer) if own && answer.pauses_the_key() => {
                    Some(self.for_class(RequestClass::Poll).wait())
                }
                Ok(_) | Err(_) => None,
            },
            date: match &result {
                Ok(answer) if own => answer.date,
                Ok(_) | Err(_) => None,
            },
            budget: self.0.rate_limiter.per_minute(),
        };
        // The desk is shutting down: nobody receives it.
        let _closed = self.0.calls.send(call);
        result
    }

    /// What any response means for other requests of this key.
    pub(super) fn learn(&self, sent: Instant, answer: &ServiceResponse) {
        self.0.rate_limiter.answered(self.1, sent, answer);
        match answer.status {
            401 => self.0.refused.store(true, Ordering::Relaxed),
            200..300 => self.0.refused.store(false, Ordering::Relaxed),
            _ => {}
        }
    }

    /// What the answer to a command shows of the key.
    fn learn_scope(&self, answer: &ServiceResponse) {
        let at = if answer.is_success() {
            None
        } else if answer.failure().shows_read_only_key() {
            Some(Instant::now())
        } else {
            return;
        };
        *locked(&self.0.read_only_key_at) = at;
    }

    async fn attempt(
        &self,
        outgoing: OutgoingRequest<'_>,
        key: &KeyHeader,
    ) -> Result<ServiceResponse, NoResponse> {
        let pool = self.0.pools.of(&outgoing.url).await;
        let proxy = self.0.pools.proxy_to(&outgoing.url).cloned();
        let timeout = outgoing.timeout;
        let request = self.request(pool.map_err(NoResponse::NotSent)?, outgoing, key);
        let fault = |why| unanswered(why, timeout, proxy.as_ref());
        let mut response = request.send().await.map_err(fault)?;
        let mut answer =
            ServiceResponse::head(self.1, response.status(), response.headers(), self.now());
        // The headers' wait holds even if the body cannot be read.
        let retry_after = answer.retry_after;
        let cut = |why| {
            NoResponse::MaybeSent(Failure {
                retry_after,
                ..fault(why).failure()
            })
        };
        while let Some(chunk) = response.chunk().await.map_err(cut)? {
            if answer.body.len() + chunk.len() > BODY_LIMIT {
                return Err(NoResponse::MaybeSent(Failure {
                    status: Some(answer.status),
                    retry_after,
                    ..Failure::new(
                        FailureKind::Unreadable,
                        "the answer is longer than 4 MiB and was not read",
                    )
                }));
            }
            answer.body.extend_from_slice(&chunk);
        }
        Ok(answer)
    }

    fn request(
        &self,
        pool: &reqwest::Client,
        outgoing: OutgoingRequest<'_>,
        key: &KeyHeader,
    ) -> reqwest::RequestBuilder {
        let own = outgoing.url.origin() == self.0.base.origin();
        let mut request = pool
            .request(outgoing.method, outgoing.url)
            .timeout(outgoing.timeout)
            .header(ACCEPT, "application/json");
        if own {
            request = request.header(AUTHORIZATION, key.bearer.clone());
        }
        if let Some(key) = outgoing.key {
            request = request.header(IDEMPOTENCY_KEY, key.raw());
        }
        if !outgoing.body.is_empty() {
            request = request
                .header(CONTENT_TYPE, "application/json")
                .body(outgoing.body.to_vec());
        }
        request
    }

    /// Path and query; for a foreign source only origin and path, because its query may hold a key.
    fn shown(&self, url: &Url) -> Text {
        let path = url.path();
        if url.origin() != self.0.base.origin() {
            return format!("{}{path}", url.origin().ascii_serialization()).into();
        }
        match url.query() {
            Some(query) => format!("{path}?{query}").into(),
            None => path.into(),
        }
    }
}

fn word(method: &reqwest::Method) -> &'static str {
    [
        (reqwest::Method::PATCH, "PATCH"),
        (reqwest::Method::POST, "POST"),
        (reqwest::Method::PUT, "PUT"),
        (reqwest::Method::DELETE, "DELETE"),
    ]
    .into_iter()
    .find_map(|(known, word)| (known == *method).then_some(word))
    .unwrap_or("GET")
}

fn unanswered(why: reqwest::Error, timeout: Duration, proxy: Option<&Proxy>) -> NoResponse {
    // By default the message contains the URL, and a source's query may hold a key.
    let host = why.url().map(base::place).unwrap_or_default();
    let way = proxy.map_or(String::new(), |proxy| format!(" through the proxy {proxy}"));
    let why = why.without_url();
    let failure = |kind, message: String| Failure::new(kind, message);
    if why.is_connect() || why.is_builder() {
        let message = format!("could not connect to {host}{way}: {}", cause(&why));
        return NoResponse::NotSent(failure(FailureKind::Unreachable, message));
    }
    if why.is_timeout() {
        let message = format!("no answer within {} s", timeout.as_secs());
        return NoResponse::MaybeSent(failure(FailureKind::TimedOut, message));
    }
    if why.is_body() || why.is_decode() {
        let message = "the answer was cut short".to_owned();
        return NoResponse::MaybeSent(failure(FailureKind::Broken, message));
    }
    let message = format!(
        "the connection broke before an answer came: {}",
        cause(&why)
    );
    NoResponse::MaybeSent(failure(FailureKind::Broken, message))
}

/// The innermost cause: reqwest's own text only says that something failed.
pub(super) fn cause(why: &reqwest::Error) -> String {
    let mut innermost: Option<&dyn std::error::Error> = why.source();
    while let Some(deeper) = innermost.and_then(std::error::Error::source) {
        innermost = Some(deeper);
    }
    innermost.map_or_else(|| why.to_string(), ToString::to_string)
}
