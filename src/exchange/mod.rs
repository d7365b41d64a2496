//! The paper exchange: a real HTTP server on a given socket that implements `/v1` of the API description, and `/sim`
//! for what a simulation needs beyond it (module `sim`). Names `api`, `model` and `disk`.
//!
//! Contract: [`start`] takes the listening socket, the scenario, the start of virtual time and a stop signal. It reads
//! no clock but tokio's and has no global state. Prices, fills and ids come only from the engine, which is synchronous
//! and deterministic: the same scenario, start and requests at the same virtual times give the same responses. Polling
//! never advances time: virtual time follows the wall clock, and a request only sees to it that it is up to date.
//!
//! State ends with the process, unless it is kept in a directory (module `store`).
//!
//! Known limit: plain HTTP, meant for loopback.

mod api_error;
mod auth;
mod bytes;
mod call;

mod clock;

mod cursor;
mod decode;
pub mod engine;
mod faults;
mod http;
mod idempotency;
mod keep;
mod lock;
mod message;
mod operations;
mod rate_limit;
mod received;
mod recorder;
mod response_cache;
mod scenario;
mod secret;
mod service;
mod sim;
mod sliced;
mod state;
mod store;
mod streams;
#[cfg(test)]
mod tests;
mod v1;
mod wire;

pub use auth::SimulatorAccess;
pub use clock::{ClockMode, Speed};
pub use keep::KeepTime;
pub use rate_limit::{RateLimit, RateLimits};
pub(crate) use received::LiveFeed;
pub use received::{LiveSource, ReceivedFault, ReceivedSource, ReplayEnd, ReplayOptions};
pub use scenario::{Scenario, ScenarioFault};
pub use secret::{ApiKey, KeySource};
pub use store::StoreFault;

use crate::model::{AccountId, Timestamp};
use service::ExchangeService;
use std::{io, net::SocketAddr, path::PathBuf, sync::Arc};
use store::{ExchangeStore, FailureWatch, LoadedExchange};
use streams::StreamRoute;
use tokio::{
    net::TcpListener,
    task::JoinHandle,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

/// How an exchange is started.
#[derive(Debug, Clone)]
pub struct ExchangeOptions {
    pub scenario: Scenario,
    /// Virtual time at the first request; the scenario's script is played before it. A stored exchange continues from
    /// its own.
    pub start: Timestamp,
    /// How virtual time passes; absent: as stored, and real time for a new exchange.
    pub pace: Option<ClockMode>,
    /// Stores everything in this directory, and continues from what it holds.
    pub data_dir: Option<PathBuf>,
    pub simulator: SimulatorAccess,
}

/// Why an exchange could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartFault {
    #[error("the listening socket has no address")]
    Socket(#[source] io::Error),
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error(transparent)]
    Received(#[from] ReceivedFault),
    #[error("the scenario's script did not finish")]
    Script(#[source] tokio::task::JoinError),
}

/// Why a running exchange stopped trading. Earlier responses stay valid.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ExchangeFailure {
    /// Records cannot be written; every request gets 503 from then on.
    #[error(transparent)]
    Store(Arc<StoreFault>),
    /// A request or a step panicked while it held the state; every request gets 500 from then on.
    #[error("the paper exchange has stopped after an internal error")]
    Engine,
}

/// A running exchange.
#[derive(Debug)]
pub struct ExchangeHandle {
    pub addr: SocketAddr,
    /// One entry per account, in the scenario's order; accounts of one user share a key.
    pub accounts: Vec<AccountKey>,
    pub key_source: KeySource,
    task: JoinHandle<()>,
    failure: FailureWatch,
    broken: CancellationToken,
}

/// An account of a running exchange, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKey {
    pub account_id: AccountId,
    pub api_key: ApiKey,
    /// A second key of its user, if the scenario gives one: it reads, and cannot trade.
    pub read_only_api_key: Option<ApiKey>,
}

impl ExchangeHandle {
    /// `http://127.0.0.1:8080`; an exchange bound to every address is reached by loopback.
    pub fn base_url(&self) -> String {
        let mut addr = self.addr;
        if addr.ip().is_unspecified() {
            let loopback = if addr.is_ipv4() { "127.0.0.1" } else { "::1" };
            addr.set_ip(loopback.parse().unwrap_or(addr.ip()));
        }
        format!("http://{addr}")
    }

    /// The stream of market data, which takes no key.
    pub fn market_stream_url(&self) -> String {
        self.stream_url(StreamRoute::MARKET_DATA)
    }

    /// The stream of the accounts of a key.
    pub fn account_stream_url(&self) -> String {
        self.stream_url(StreamRoute::ACCOUNT)
    }

    fn stream_url(&self, path: &str) -> String {
        self.base_url().replacen("http", "ws", 1) + path
    }

    /// Waits until the exchange stops trading by itself; for ever if it does not.
    pub fn failed(&self) -> impl Future<Output = ExchangeFailure> + Send + use<> {
        let (failure, broken) = (self.failure.clone(), self.broken.clone());
        async move {
            tokio::select! {
                why = failure.wait() => ExchangeFailure::Store(why),
                () = broken.cancelled() => ExchangeFailure::Engine,
            }
        }
    }

    /// Waits until the stop signal has taken effect: no request is in progress, and the directory is free.
    pub async fn stopped(self) {
        if let Err(why) = self.task.await {
            tracing::error!(%why, "the exchange failed");
        }
    }
}

/// Plays the scenario's script, then serves on `listener` until `shutdown`.
pub async fn start(
    listener: TcpListener,
    options: ExchangeOptions,
    shutdown: CancellationToken,
) -> Result<ExchangeHandle, StartFault> {
    // The script takes a while; the clock starts before it, or it would always be late.
    let mut began = Instant::now();
    let is_received = options.scenario.source_of_markets.is_some();
    let addr = listener.local_addr().map_err(StartFault::Socket)?;
    let simulator = options.simulator;
    let opening = tokio::task::spawn_blocking(move || open(options));
    let resumed = opening.await.map_err(StartFault::Script)??;
    if is_received {
        // What comes meanwhile is of before the start.
        began = Instant::now();
    }
    let users = resumed.scenario.users(&resumed.engine, &resumed.secret);
    let key_source = resumed.scenario.key_source();
    let accounts = users
        .iter()
        .flat_map(|user| {
            user.accounts.iter().map(|(account_id, _)| AccountKey {
                account_id: account_id.clone(),
                api_key: user.key.clone(),
                read_only_api_key: user.read_only_key.clone(),
            })
        })
        .collect();
    let failure = resumed
        .store
        .as_ref()
        .map_or_else(FailureWatch::never, ExchangeStore::failure);
    let service = ExchangeService::new(resumed, &users, simulator, addr, began);
    let service = Arc::new(service);
    let broken = service.broken.clone();
    let task = tokio::spawn(run(listener, service, shutdown));
    Ok(ExchangeHandle {
        addr,
        accounts,
        key_source,
        task,
        failure,
        broken,
    })
}

fn open(options: ExchangeOptions) -> Result<LoadedExchange, StartFault> {
    let ExchangeOptions {
        mut scenario,
        start,
        pace,
        data_dir,
        simulator: _,
    } = options;
    let markets = scenario.source_of_markets.as_ref();
    let markets = markets.map(ReceivedSource::open).transpose()?;
    scenario.received = markets.as_ref().map(|markets| markets.setup.clone());
    let received = scenario.received.as_ref().map(|setup| setup.start);
    let start = received.unwrap_or(engine::Millis(start.0));
    let loaded = match data_dir {
        Some(dir) => store::open(&dir, scenario, start, pace),
        None => LoadedExchange::in_memory(scenario, start, pace),
    }?;
    Ok(match markets {
        Some(markets) => loaded.receiving(markets)?,
        None => loaded,
    })
}

async fn run(listener: TcpListener, service: Arc<ExchangeService>, shutdown: CancellationToken) {
    let ticking = tokio::spawn(tick(Arc::clone(&service), shutdown.clone()));
    http::accept(listener, Arc::clone(&service), shutdown).await;
    if let Err(why) = ticking.await {
        tracing::error!(%why, "the clock of the exchange failed");
    }
    service.close().await;
}

/// Brings virtual time up to date while nobody asks.
async fn tick(service: Arc<ExchangeService>, shutdown: CancellationToken) {
    let mut due = Instant::now();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = sleep_until(due) => {}
            () = service.tick_again.notified() => {}
        }
        match service.state() {
            Ok(mut state) => {
                state.checkpoint();
                due = service.next_tick(&state);
            }
            Err(fault) => return tracing::error!("{}", fault.message),
        }
    }
}
