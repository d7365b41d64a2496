//! Speaks to the service: one method per documented endpoint; of a mutation each call is exactly one attempt.
//!
//! Contract: the only place that names reqwest. A read answers rows or a [`Failure`]; a mutation answers
//! an [`Attempt`], which keeps apart what was refused, what was surely not sent and what may have taken
//! effect. No mutation is repeated here: when to ask again is [`policy`]'s table, the asking is the
//! outbox's. A read is repeated at once only under another spelling of its filter, when one was refused or ignored
//! (`terms`), and from the next page on. The API key goes to the origin of the base URL only, redirects are never
//! followed, no proxy is used but the one that is set, an answer is read up to 4 MiB, every call is reported on the
//! `calls` channel.
//!
//! Known limits: HTTP/1.1 without compression; HTTP dates in `Retry-After` are read against this
//! machine's clock when the answer carries no `Date`.

mod base;
mod close_check;
mod lock;
mod market_source;
mod mutate;
mod negotiation;
pub mod policy;
mod probe;
mod rate_limit;
mod read;
mod reconcile;
mod response;
mod rows;
mod send;
mod source;
mod source_row;
mod timeouts;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use crate::model::Mutation;
pub use close_check::CloseCheck;
pub use mutate::Attempt;
pub use negotiation::{Negotiation, Signs, signs, unit_of};
pub use probe::Probe;
pub use rate_limit::RequestClass;
pub use reconcile::{Evidence, ReconcileOutcome};
#[cfg(fuzzing)]
pub use rows::rows_of;
pub use timeouts::Timeouts;

use crate::{
    config::Connection,
    model::{Call, Failure, Timestamp},
};
use reqwest::{Url, header::HeaderValue};
use secrecy::{ExposeSecret, zeroize::Zeroizing};
use std::{
    collections::BTreeSet,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::mpsc::UnboundedSender;

/// One service, spoken to as one account. Cloning shares connections, and the pause and the budget that 429s teach.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Connection,
    /// Nothing but reads leaves: as set at the start, or since.
    read_only: AtomicBool,
    negotiator: negotiation::Negotiator,
    base: Url,
    bearer: HeaderValue,
    pools: send::ConnectionPools,
    /// Of the key, which other clients may have too.
    rate_limiter: Arc<rate_limit::RateLimiter>,
    timeouts: Timeouts,
    /// The service does not take our key any more.
    refused: AtomicBool,
    /// Preset sources that the service has shown not to have.
    not_offered: Mutex<BTreeSet<String>>,
    calls: UnboundedSender<Call>,
    now: Now,
}

/// Where instants come from; the client has no clock of its own.
struct Now(Box<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Now")
    }
}

impl Client {
    /// Checks the settings; opens nothing and reads no certificate store, which the first call does.
    ///
    /// Every finished call goes out on `calls`, stamped by `now`.
    pub fn new(
        connection: Connection,
        calls: UnboundedSender<Call>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        Self::with_timeouts(connection, calls, now, Timeouts::default())
    }

    /// The same with another sense of time; see [`Timeouts::divided_by`].
    pub fn with_timeouts(
        connection: Connection,
        calls: UnboundedSender<Call>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        timeouts: Timeouts,
    ) -> Result<Self, Failure> {
        let base = base::base(&connection.base_url)?;
        let bearer = bearer(connection.api_key.expose_secret())?;
        let sources = [
            connection.prices.as_ref().map(|prices| &prices.url),
            connection.facts.as_ref().map(|facts| &facts.url),
        ];
        for url in sources.into_iter().flatten() {
            base::source(&base, url)?;
        }
        Ok(Self(Arc::new(Inner {
            negotiator: negotiation::Negotiator::of(&connection),
            read_only: AtomicBool::new(connection.read_only),
            pools: send::ConnectionPools::at(timeouts, connection.proxy.clone()),
            connection,
            base,
            bearer,
            rate_limiter: Arc::default(),
            timeouts,
            refused: AtomicBool::new(false),
            not_offered: Mutex::default(),
            calls,
            now: Now(Box::new(now)),
        })))
    }

    /// Whether both speak to one service with one key.
    pub fn has_key_of(&self, other: &Self) -> bool {
        self.0.base == other.0.base && self.0.bearer == other.0.bearer
    }

    /// The same client within the budget of another with its key. Must be called before it is cloned or used: one that
    /// is stays as it is.
    #[must_use]
    pub fn within_budget_of(mut self, other: &Self) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.rate_limiter = Arc::clone(&other.0.rate_limiter);
        }
        self
    }

    fn now(&self) -> Timestamp {
        (self.0.now.0)()
    }

    pub fn connection(&self) -> &Connection {
        &self.0.connection
    }

    pub fn timeouts(&self) -> Timeouts {
        self.0.timeouts
    }

    /// Whether nothing but reads leaves.
    pub fn is_read_only(&self) -> bool {
        self.0.read_only.load(Ordering::Acquire)
    }

    /// From now on nothing but reads leaves, whoever asks.
    pub fn stop_sending(&self) {
        self.0.read_only.store(true, Ordering::Release);
    }

    /// The end of [`Self::stop_sending`], and of `read_only` in the settings.
    pub fn allow_sending(&self) {
        self.0.read_only.store(false, Ordering::Release);
    }

    /// Whether the last answer of the service to our key was 401. Nothing here enforces it: who sends
    /// looks first. An answer that takes the key ends it.
    pub fn key_refused(&self) -> bool {
        self.0.refused.load(Ordering::Relaxed)
    }
}

fn bearer(key: &str) -> Result<HeaderValue, Failure> {
    if key.is_empty() {
        return Err(Failure::local("no API key is configured"));
    }
    let written = Zeroizing::new(format!("Bearer {key}"));
    let mut value = HeaderValue::from_str(&written)
        .map_err(|_| Failure::local("the API key contains characters that no header can carry"))?;
    value.set_sensitive(true);
    Ok(value)
}
