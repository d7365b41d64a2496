//! The HTTP client: one method per documented endpoint; each call of a mutation is exactly one attempt. The only place
//! that names reqwest; names `api`, `config` and `model`.
//!
//! Contract: a read returns rows or a [`Failure`](crate::model::Failure). A mutation returns an [`Attempt`], which
//! distinguishes refused, surely not sent, and possibly executed. The client never repeats a mutation: [`policy`] decides
//! about retries and the outbox makes them. A request whose key is refused (401) or may not trade (403) goes out once more
//! if the source of the API key has another one. The API key goes only to the origin of the base URL, and to the account
//! stream on its host. Redirects are never followed, only the configured proxy is used, responses are read up to 4 MiB,
//! and every call is reported on the `calls` channel.
//!
//! Known limits: HTTP/1.1 without compression. An HTTP date in `Retry-After` is compared with this machine's clock if
//! the response has no `Date`.

mod account;
mod base;
mod close_check;
mod credentials;
pub(crate) mod lock;
mod markets;
mod mutate;
pub mod policy;
mod pools;
mod probe;
mod rate_limit;
mod read;
mod reconcile;
mod response;
mod rows;
mod send;
mod simulator;
mod stream;
mod timeouts;
mod venue;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use crate::model::Mutation;
pub use mutate::Attempt;
pub use probe::Probe;
pub use rate_limit::RequestClass;
pub use reconcile::ReconcileOutcome;
#[cfg(fuzzing)]
pub use rows::rows_of;
pub(crate) use stream::StreamIo;
pub use timeouts::Timeouts;
pub use venue::VenueClient;

use crate::{
    config::Connection,
    model::{Call, Fallible, KeyScope, Timestamp},
};
use reqwest::Url;
use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::mpsc::UnboundedSender, time::Instant};

/// How long a key that may not trade is not tried again for an entry.
const READ_ONLY_KEY_AGE: Duration = Duration::from_mins(1);

/// One service, used as one account, for one class of requests. Clones share connections, and the pauses and the budget
/// learned from 429s.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>, RequestClass);

#[derive(Debug)]
struct Inner {
    connection: Connection,
    base: Url,
    credentials: credentials::Credentials,
    pools: pools::ConnectionPools,
    /// Built of addresses alone: the key never gets there.
    venues: Option<VenueClient>,
    /// Belongs to the key, which other clients may share.
    rate_limiter: Arc<rate_limit::KeyRateLimiter>,
    timeouts: Timeouts,
    /// The service refuses the key.
    refused: AtomicBool,
    /// When the service last said that the key may not trade.
    read_only_key_at: Mutex<Option<Instant>>,
    markets: markets::KnownMarkets,
    policy: account::KnownPolicy,
    calls: UnboundedSender<Call>,
    now: Now,
}

/// The source of instants; the client has no clock of its own.
struct Now(Box<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Now")
    }
}

impl Client {
    /// Checks the settings. Opens no connection and reads no certificate store; the first call does.
    ///
    /// Every finished call goes out on `calls`, stamped by `now`.
    pub fn new(
        connection: Connection,
        calls: UnboundedSender<Call>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Fallible<Self> {
        Self::with_timeouts(connection, calls, now, Timeouts::default())
    }

    /// The same with scaled time limits; see [`Timeouts::divided_by`].
    pub fn with_timeouts(
        connection: Connection,
        calls: UnboundedSender<Call>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        timeouts: Timeouts,
    ) -> Fallible<Self> {
        let base = base::base(&connection.base_url)?;
        let (key, source) = (connection.api_key.clone(), connection.key_source.clone());
        let credentials = credentials::Credentials::new(key, source)?;
        let pools = || pools::ConnectionPools::of(&connection, timeouts);
        let venues = connection.venues.clone();
        let inner = Inner {
            pools: pools(),
            venues: venues.map(|venues| VenueClient::new(venues, pools(), timeouts)),
            connection,
            base,
            credentials,
            rate_limiter: Arc::default(),
            timeouts,
            refused: AtomicBool::new(false),
            read_only_key_at: Mutex::default(),
            markets: markets::KnownMarkets::default(),
            policy: account::KnownPolicy::default(),
            calls,
            now: Now(Box::new(now)),
        };
        Ok(Self(Arc::new(inner), RequestClass::Poll))
    }

    /// Whether both use the same service and key.
    pub fn has_key_of(&self, other: &Self) -> bool {
        self.0.base == other.0.base
            && self.0.credentials.in_use().bearer == other.0.credentials.in_use().bearer
    }

    /// Shares the request budget of another client with the same key. Must be called before this client is cloned or
    /// used; otherwise it has no effect.
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

    /// Whether mutations are refused.
    pub fn is_read_only(&self) -> bool {
        self.0.connection.read_only
    }

    /// What the key may do, as far as its commands have shown within a minute: its rights may change. The client does
    /// not enforce this.
    pub fn key_scope(&self) -> KeyScope {
        match *lock::locked(&self.0.read_only_key_at) {
            Some(at) if at.elapsed() < READ_ONLY_KEY_AGE => KeyScope::ReadOnly,
            Some(_) | None => KeyScope::Trade,
        }
    }

    /// Whether the service's last answer to the key was 401. The client does not enforce this: the sender checks first.
    /// A response that accepts the key ends it.
    pub fn key_refused(&self) -> bool {
        self.0.refused.load(Ordering::Relaxed)
    }
}
