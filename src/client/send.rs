//! Sends one request and reads the response; decides nothing about it.

use super::{
    Client, RequestClass, base, credentials::KeyHeader, lock::locked, response::ServiceResponse,
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
use std::{error::Error as _, sync::atomic::Ordering, time::Duration};
use tokio::time::Instant;

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
            request_id: call_id(&result),
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
        let pool = self.0.pools.to(&outgoing.url).await;
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

/// The id of the header, or that of an error's body.
fn call_id(result: &Result<ServiceResponse, NoResponse>) -> Option<Text> {
    let answer = result.as_ref().ok()?;
    let of_error = || answer.failure().request_id;
    let id = answer.request_id.clone();
    id.or_else(|| (!answer.is_success()).then(of_error)?)
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

/// How the TLS library names a certificate of an issuer that it does not know.
const UNKNOWN_ISSUER: &str = "UnknownIssuer";
const UNTRUSTED: &str = "this machine does not trust the issuer of the certificate: if it is your company's or your own, \
                         set ca_file to a file with the issuer's certificate";
/// How the TLS library names an answer in plain text.
const PLAIN_TEXT: &str = "InvalidContentType";
const NO_TLS: &str = "the answer is not TLS: check scheme and port of the address (http on this machine, https elsewhere)";

/// The innermost cause: reqwest's own text only says that something failed.
pub(super) fn cause(why: &reqwest::Error) -> String {
    let mut innermost: Option<&dyn std::error::Error> = why.source();
    while let Some(deeper) = innermost.and_then(std::error::Error::source) {
        innermost = Some(deeper);
    }
    let words = innermost.map_or_else(|| why.to_string(), ToString::to_string);
    if words.contains(UNKNOWN_ISSUER) {
        return UNTRUSTED.to_owned();
    }
    if words.contains(PLAIN_TEXT) {
        return NO_TLS.to_owned();
    }
    words
}
