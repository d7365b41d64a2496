//! What the requests of an exchange share: its state, its keys and budgets, its store.

use super::{
    budget::RateLimiter,
    chaos::FaultInjector,
    clock::{ClockMode, ClockRecord, VirtualClock},
    cursor::CursorSigner,
    engine,
    fault::ApiError,
    floor::ExchangeState,
    gate::Authenticator,
    http::AllowedHosts,
    idempotency::IdempotencyRecords,
    operations::CloseAllOperations,
    scenario::{self, Scenario},
    secret::ServerSecret,
    store::{ExchangeStore, LoadedExchange, RecordingEngine, StateGuard},
};
use crate::api::Dialect;
use std::{
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What an exchange begins with, and begins anew with when it is reset.
#[derive(Debug)]
pub(super) struct ResetState {
    pub(super) scenario: Scenario,
    pub(super) start: engine::Millis,
    pub(super) pace: ClockMode,
    /// What its script comes to, where that is known.
    pub(super) first: Option<engine::Checkpoint>,
}

impl ResetState {
    pub(super) fn floor(&self) -> Result<ExchangeState, ApiError> {
        let engine = match &self.first {
            Some(first) => engine::Engine::anew(first).map_err(|why| why.to_string()),
            None => self
                .scenario
                .open(self.start)
                .map_err(|why| why.to_string()),
        };
        let engine = engine
            .map_err(|why| ApiError::broken(format!("the scenario does not begin anew: {why}")))?;
        let clock = ClockRecord::new(self.pace, engine.now());
        Ok(ExchangeState {
            clock: VirtualClock::resumed(clock, Instant::now(), engine.now()),
            engine: RecordingEngine::new(engine, 0),
            keys: IdempotencyRecords::default().at_most(self.scenario.keys_per_user()),
            closings: CloseAllOperations::default(),
        })
    }
}

/// Everything the requests share.
#[derive(Debug)]
pub(super) struct Service {
    floor: Mutex<ExchangeState>,
    /// Fires when the floor may have been left half changed.
    pub(super) broken: CancellationToken,
    store: Option<ExchangeStore>,
    pub(super) beginning: ResetState,
    chaos: Mutex<FaultInjector>,
    pub(super) gate: Authenticator,
    pub(super) budgets: RateLimiter,
    pub(super) cursors: CursorSigner,
    pub(super) hosts: AllowedHosts,
    pub(super) dialect: Dialect,
    pub(super) request_ids: RequestIds,
}

impl Service {
    pub(super) fn new(
        resumed: LoadedExchange,
        users: &[scenario::UserCredentials],
        (addr, began): (SocketAddr, Instant),
    ) -> Self {
        let users = users.iter().map(|user| {
            let accounts = user.accounts.iter().map(|(_, ix)| *ix).collect();
            (&user.key, accounts)
        });
        let scenario = resumed.scenario;
        Self {
            gate: Authenticator::new(users),
            floor: Mutex::new(ExchangeState {
                clock: VirtualClock::resumed(resumed.clock, began, resumed.engine.now()),
                engine: resumed.engine,
                keys: resumed.keys.at_most(scenario.keys_per_user()),
                closings: resumed.closings,
            }),
            beginning: ResetState {
                start: resumed.start,
                pace: resumed.pace,
                first: resumed.first,
                scenario: scenario.clone(),
            },
            broken: CancellationToken::new(),
            store: resumed.store,
            chaos: Mutex::new(FaultInjector::new(scenario.seed(), scenario.faults())),
            budgets: RateLimiter::new(scenario.budgets()),
            cursors: CursorSigner::new(&resumed.secret),
            hosts: AllowedHosts::new(addr.ip()),
            dialect: Dialect::default(),
            request_ids: RequestIds {
                secret: resumed.secret,
                opening: resumed.openings,
                count: AtomicU64::new(0),
            },
        }
    }

    /// The floor, to carry one request out. A request that panicked with it in hand may have left it half changed:
    /// nothing is traded on it again; nor on one whose records cannot be kept.
    pub(super) fn floor(&self) -> Result<StateGuard<'_>, ApiError> {
        if let Some(store) = &self.store {
            store.sound()?;
        }
        let locked = self.floor.lock();
        let floor = locked
            .map_err(|_| ApiError::broken("the engine has stopped after an internal error"))?;
        Ok(StateGuard {
            floor,
            store: self.store.as_ref(),
            broken: &self.broken,
        })
    }

    /// Waits until everything done on the floor so far is on disk; an answer may leave then.
    pub(super) async fn settled(&self) -> Result<(), ApiError> {
        match &self.store {
            Some(store) => store.settled().await,
            None => Ok(()),
        }
    }

    /// Puts the floor away, after the last request.
    pub(super) async fn close(&self) {
        let Some(store) = &self.store else { return };
        match self.floor() {
            Ok(mut floor) => store.close(&mut floor),
            Err(fault) => tracing::error!("{}", fault.message),
        }
        store.closed().await;
    }

    pub(super) fn chaos(&self) -> Result<MutexGuard<'_, FaultInjector>, ApiError> {
        let locked = self.chaos.lock();
        locked.map_err(|_| ApiError::broken("the planted faults are in an unknown state"))
    }
}

/// UUIDs that no other run gives, unless its secret is the seed: then it can be repeated to the letter.
#[derive(Debug)]
pub(super) struct RequestIds {
    secret: ServerSecret,
    /// How often the exchange was taken up before: no id is given twice.
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
        let mut bytes = [0; 16];
        for (byte, random) in bytes.iter_mut().zip(digest) {
            *byte = random;
        }
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}
