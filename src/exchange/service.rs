//! What the requests of an exchange share: its state, its keys and budgets, its store.

use super::{
    budget::Budgets,
    chaos::Chaos,
    clock::{Clock, Kept, Pace},
    cursor::Cursors,
    engine,
    fault::Fault,
    floor::Floor,
    gate::Gate,
    http::Hosts,
    idempotency::Idempotency,
    operations::Closings,
    scenario::{self, Scenario},
    secret::Secret,
    store::{Held, Recorder, Resumed, Store},
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
pub(super) struct Beginning {
    pub(super) scenario: Scenario,
    pub(super) start: engine::Millis,
    pub(super) pace: Pace,
    /// What its script comes to, where that is known.
    pub(super) first: Option<engine::Checkpoint>,
}

impl Beginning {
    pub(super) fn floor(&self) -> Result<Floor, Fault> {
        let engine = match &self.first {
            Some(first) => engine::Engine::anew(first).map_err(|why| why.to_string()),
            None => self
                .scenario
                .open(self.start)
                .map_err(|why| why.to_string()),
        };
        let engine = engine
            .map_err(|why| Fault::broken(format!("the scenario does not begin anew: {why}")))?;
        let clock = Kept::new(self.pace, engine.now());
        Ok(Floor {
            clock: Clock::resumed(clock, Instant::now(), engine.now()),
            engine: Recorder::new(engine, 0),
            keys: Idempotency::default().at_most(self.scenario.keys_per_user()),
            closings: Closings::default(),
        })
    }
}

/// Everything the requests share.
#[derive(Debug)]
pub(super) struct Service {
    floor: Mutex<Floor>,
    /// Fires when the floor may have been left half changed.
    pub(super) broken: CancellationToken,
    store: Option<Store>,
    pub(super) beginning: Beginning,
    chaos: Mutex<Chaos>,
    pub(super) gate: Gate,
    pub(super) budgets: Budgets,
    pub(super) cursors: Cursors,
    pub(super) hosts: Hosts,
    pub(super) dialect: Dialect,
    pub(super) request_ids: RequestIds,
}

impl Service {
    pub(super) fn new(
        resumed: Resumed,
        users: &[scenario::User],
        (addr, began): (SocketAddr, Instant),
    ) -> Self {
        let users = users.iter().map(|user| {
            let accounts = user.accounts.iter().map(|(_, ix)| *ix).collect();
            (&user.key, accounts)
        });
        let scenario = resumed.scenario;
        Self {
            gate: Gate::new(users),
            floor: Mutex::new(Floor {
                clock: Clock::resumed(resumed.clock, began, resumed.engine.now()),
                engine: resumed.engine,
                keys: resumed.keys.at_most(scenario.keys_per_user()),
                closings: resumed.closings,
            }),
            beginning: Beginning {
                start: resumed.start,
                pace: resumed.pace,
                first: resumed.first,
                scenario: scenario.clone(),
            },
            broken: CancellationToken::new(),
            store: resumed.store,
            chaos: Mutex::new(Chaos::new(scenario.seed(), scenario.faults())),
            budgets: Budgets::new(scenario.budgets()),
            cursors: Cursors::new(&resumed.secret),
            hosts: Hosts::new(addr.ip()),
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
    pub(super) fn floor(&self) -> Result<Held<'_>, Fault> {
        if let Some(store) = &self.store {
            store.sound()?;
        }
        let locked = self.floor.lock();
        let floor =
            locked.map_err(|_| Fault::broken("the engine has stopped after an internal error"))?;
        Ok(Held {
            floor,
            store: self.store.as_ref(),
            broken: &self.broken,
        })
    }

    /// Waits until everything done on the floor so far is on disk; an answer may leave then.
    pub(super) async fn settled(&self) -> Result<(), Fault> {
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

    pub(super) fn chaos(&self) -> Result<MutexGuard<'_, Chaos>, Fault> {
        let locked = self.chaos.lock();
        locked.map_err(|_| Fault::broken("the planted faults are in an unknown state"))
    }
}

/// UUIDs that no other run gives, unless its secret is the seed: then it can be repeated to the letter.
#[derive(Debug)]
pub(super) struct RequestIds {
    secret: Secret,
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
