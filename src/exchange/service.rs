//! What the requests of an exchange share: its state, keys, budgets and store.

use super::{
    api_error::{ApiError, ApiResult, ServiceCode},
    auth::{Authenticator, SimulatorAccess},
    clock::{ClockMode, ClockRecord, VirtualClock},
    cursor::CursorSigner,
    engine,
    faults::FaultInjector,
    http::AllowedHosts,
    idempotency::IdempotencyRecords,
    message::ApiResponse,
    operations::SlicedOperations,
    rate_limit::RequestLimiter,
    received::ReceivedMarkets,
    recorder::RecordingEngine,
    response_cache::{CachedRead, ResponseCache, StateVersion},
    scenario::{self, Scenario},
    secret::ServerSecret,
    state::ExchangeState,
    store::{ExchangeStore, LoadedExchange, StateGuard},
};
use crate::model::Timestamp;
use hyper::header::HeaderValue;
use serde::Serialize;
use std::{
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The shortest time between two steps that are reported: at most fifty a second.
pub(super) const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

/// What a reset starts from.
#[derive(Debug)]
pub(super) struct ResetState {
    pub(super) scenario: Scenario,
    pub(super) start: engine::Millis,
    pub(super) pace: ClockMode,
    /// The state after the script, if this process has played it.
    pub(super) first: Option<engine::Checkpoint>,
}

impl ResetState {
    pub(super) fn open(&self) -> ApiResult<ExchangeState> {
        let scenario = &self.scenario;
        let engine = match &self.first {
            Some(first) => scenario.reopen(first).map_err(|why| why.to_string()),
            None => scenario.open(self.start).map_err(|why| why.to_string()),
        };
        let engine = engine
            .map_err(|why| ApiError::broken(format!("the scenario cannot start again: {why}")))?;
        let mut engine = RecordingEngine::new(engine, 0);
        let markets = self.markets(&mut engine)?;
        let clock = ClockRecord::new(self.pace, engine.now());
        let begins = clock_start(engine.now(), self.start);
        Ok(ExchangeState {
            markets,
            keys: IdempotencyRecords::default().with_key_limit(self.scenario.keys_per_user()),
            clock: VirtualClock::resumed(clock, Instant::now(), begins),
            engine,
            operations: SlicedOperations::default(),
            dropped_before: None,
        })
    }
}

impl ResetState {
    /// The recording from its beginning; a live feed has none.
    fn markets(&self, engine: &mut RecordingEngine) -> ApiResult<Option<ReceivedMarkets>> {
        let Some(source) = &self.scenario.source_of_markets else {
            return Ok(None);
        };
        let opened = source.open().and_then(|mut markets| {
            markets.begin(engine)?;
            Ok(markets)
        });
        let refused = |why| {
            let message = format!("this exchange cannot begin anew: {why}");
            ApiError::service(ServiceCode::InvalidRequest, message)
        };
        opened.map(Some).map_err(refused)
    }
}

/// Virtual time when the clock begins: within the step after the engine's, if the start is.
fn clock_start(now: engine::Millis, start: engine::Millis) -> engine::Millis {
    let is_within_step = (engine::Millis::ZERO..engine::Millis::STEP).contains(&(start - now));
    if is_within_step { start } else { now }
}

/// Everything the requests share.
#[derive(Debug)]
pub(super) struct ExchangeService {
    state: Mutex<ExchangeState>,
    pub(super) simulator: SimulatorAccess,
    pub(super) responses: ResponseCache,
    /// Fires when a panic may have left the state half changed.
    pub(super) broken: CancellationToken,
    store: Option<ExchangeStore>,
    pub(super) reset_state: ResetState,
    faults: Mutex<FaultInjector>,
    pub(super) auth: Authenticator,
    pub(super) rate_limiter: RequestLimiter,
    pub(super) cursors: CursorSigner,
    pub(super) hosts: AllowedHosts,
    pub(super) request_ids: RequestIds,
    /// The version of the state after its last change.
    changed: watch::Sender<StateVersion>,
    /// The next tick may be due sooner.
    pub(super) tick_again: Notify,
}

impl ExchangeService {
    pub(super) fn new(
        resumed: LoadedExchange,
        users: &[scenario::UserCredentials],
        simulator: SimulatorAccess,
        addr: SocketAddr,
        began: Instant,
    ) -> Self {
        let scenario = resumed.scenario;
        Self {
            simulator,
            auth: Authenticator::new(users),
            state: Mutex::new(ExchangeState {
                markets: resumed.markets,
                clock: VirtualClock::resumed(
                    resumed.clock,
                    began,
                    clock_start(resumed.engine.now(), resumed.start),
                ),
                engine: resumed.engine,
                keys: resumed.keys.with_key_limit(scenario.keys_per_user()),
                operations: resumed.operations,
                dropped_before: None,
            }),
            reset_state: ResetState {
                start: resumed.start,
                pace: resumed.pace,
                first: resumed.first,
                scenario: scenario.clone(),
            },
            responses: ResponseCache::default(),
            broken: CancellationToken::new(),
            store: resumed.store,
            faults: Mutex::new(FaultInjector::new(scenario.seed(), scenario.faults())),
            rate_limiter: RequestLimiter::new(scenario.budgets()),
            cursors: CursorSigner::new(&resumed.secret),
            hosts: AllowedHosts::new(addr.ip()),
            request_ids: RequestIds {
                secret: resumed.secret,
                opening: resumed.openings,
                count: AtomicU64::new(0),
            },
            changed: watch::Sender::default(),
            tick_again: Notify::new(),
        }
    }

    /// Reports every change of the state, whoever made it, and each step of virtual time when it is due.
    pub(super) fn changes(&self) -> watch::Receiver<StateVersion> {
        let changes = self.changed.subscribe();
        self.tick_again.notify_one();
        changes
    }

    /// When virtual time is brought up to date if nobody asks before: at its next step, if somebody listens.
    pub(super) fn next_tick(&self, state: &ExchangeState) -> Instant {
        let now = Instant::now();
        let latest = now + state.tick_interval();
        if self.changed.is_closed() {
            return latest;
        }
        let step = state.engine.now() + engine::Millis::STEP;
        let step = state.clock.reaches(step).unwrap_or(latest);
        step.max(now + SHORTEST_PAUSE).min(latest)
    }

    /// Locks the state for one request, at the virtual time that is due. 500 after a panic under the lock, 503 after a
    /// failed write to the store.
    pub(super) fn state(&self) -> ApiResult<StateGuard<'_>> {
        if let Some(store) = &self.store {
            store.check_healthy()?;
        }
        let locked = self.state.lock();
        let state = locked
            .map_err(|_| ApiError::broken("the engine has stopped after an internal error"))?;
        let mut guard = StateGuard {
            state,
            store: self.store.as_ref(),
            broken: &self.broken,
            changed: &self.changed,
        };
        guard.tick(Instant::now());
        Ok(guard)
    }

    /// The virtual time now, as a response's `Date`: the instants of its body are of this clock. `None` after a panic
    /// under the lock.
    pub(super) fn date(&self) -> Option<HeaderValue> {
        let state = self.state.lock().ok()?;
        let mut clock = state.clock.clone();
        let now = clock.due(Instant::now(), state.engine.now());
        drop(state);
        HeaderValue::from_str(&Timestamp(now.0).to_http_date()?).ok()
    }

    /// Answers a read of the state: as before, if nothing has changed since. `rows` copies what is shown under the lock
    /// of the state, and `envelope` makes the answer of it outside, so that no reader delays matching.
    pub(super) fn read<Rows, Envelope: Serialize>(
        &self,
        read: CachedRead<'_>,
        rows: impl FnOnce(&ExchangeState) -> ApiResult<Rows>,
        envelope: impl FnOnce(Rows) -> Envelope,
    ) -> ApiResult<ApiResponse> {
        let (version, rows) = {
            let state = self.state()?;
            let version = state.engine.version();
            if let Some(body) = self.responses.get(version, read) {
                return Ok(ApiResponse::again(body));
            }
            (version, rows(&state)?)
        };
        let response = ApiResponse::ok(&envelope(rows))?;
        self.responses.keep(version, read, &response.body);
        Ok(response)
    }

    /// Waits until every change so far is on disk; only then may a response be sent.
    pub(super) async fn written(&self) -> ApiResult<()> {
        match &self.store {
            Some(store) => store.written().await,
            None => Ok(()),
        }
    }

    /// Writes the final checkpoint, after the last request.
    pub(super) async fn close(&self) {
        let Some(store) = &self.store else { return };
        match self.state() {
            Ok(mut state) => store.close(&mut state),
            Err(fault) => tracing::error!("{}", fault.message),
        }
        store.closed().await;
    }

    pub(super) fn faults(&self) -> ApiResult<MutexGuard<'_, FaultInjector>> {
        let locked = self.faults.lock();
        locked.map_err(|_| ApiError::broken("the injected faults are in an unknown state"))
    }
}

/// UUIDs that are unique across runs; reproducible if the secret is the seed.
#[derive(Debug)]
pub(super) struct RequestIds {
    secret: ServerSecret,
    /// How often the data directory was opened before, so that no id repeats.
    opening: u64,
    count: AtomicU64,
}

impl RequestIds {
    pub(super) fn next(&self) -> Uuid {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let parts = [self.opening.to_be_bytes(), count.to_be_bytes()];
        let digest = self
            .secret
            .digest(b"request id", &parts.each_ref().map(<[u8; 8]>::as_slice));
        let bytes = digest.first_chunk::<16>();
        uuid::Builder::from_random_bytes(bytes.copied().unwrap_or_default()).into_uuid()
    }
}
