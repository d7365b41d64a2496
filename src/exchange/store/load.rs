//! Opening a data directory: a new exchange in an empty one, or the stored one where it stopped.

use super::super::{
    clock::{ClockMode, ClockRecord, Speed},
    engine::{Checkpoint, Millis, PriceBounds},
    idempotency::IdempotencyRecords,
    operations::CloseAllOperations,
    scenario::{Scenario, ScenarioSource},
    secret::{KeySource, ServerSecret},
};
use super::{
    EncodeFault, ExchangeStore, RecordingEngine, StoreFault, StoreRecord,
    file::{self, DatabaseState},
    snapshot::{Restored, SnapshotReader, StoredExchange},
};
use crate::disk;
use std::{fs::File, path::Path};

/// What the keys of its users come from, where they are not fixed.
const SECRET_FILE: &str = "exchange.secret";

/// Without an option and without a stored clock.
const DEFAULT_CLOCK_MODE: ClockMode = ClockMode::Live(Speed::REAL_TIME);

/// What an exchange starts from.
#[derive(Debug)]
pub(in crate::exchange) struct LoadedExchange {
    pub(in crate::exchange) scenario: Scenario,
    pub(in crate::exchange) secret: ServerSecret,
    /// When and how fast a new beginning begins.
    pub(in crate::exchange) start: Millis,
    pub(in crate::exchange) pace: ClockMode,
    pub(in crate::exchange) engine: RecordingEngine,
    pub(in crate::exchange) keys: IdempotencyRecords,
    pub(in crate::exchange) close_alls: CloseAllOperations,
    pub(in crate::exchange) clock: ClockRecord,
    /// How often the directory was opened before.
    pub(in crate::exchange) openings: u64,
    pub(in crate::exchange) store: Option<ExchangeStore>,
    /// As its script left it, where that was played in this process: playing it takes seconds.
    pub(in crate::exchange) first: Option<Checkpoint>,
}

impl LoadedExchange {
    /// A new exchange that ends with the process.
    pub(in crate::exchange) fn in_memory(
        scenario: Scenario,
        start: Millis,
        pace: Option<ClockMode>,
    ) -> Result<Self, StoreFault> {
        let (new, first) = Self::played(scenario, start, pace)?;
        Ok(Self {
            first: Some(first),
            ..new
        })
    }

    /// A new exchange as its script leaves it, and all that it then is.
    fn played(
        scenario: Scenario,
        start: Millis,
        pace: Option<ClockMode>,
    ) -> Result<(Self, Checkpoint), StoreFault> {
        let mut engine = scenario.open(start)?;
        let first = engine.checkpoint().map_err(EncodeFault::from)?;
        let pace = pace.unwrap_or(DEFAULT_CLOCK_MODE);
        let new = Self {
            secret: ServerSecret::new(scenario.key_source(), scenario.seed()),
            start,
            pace,
            clock: ClockRecord::new(pace, engine.now()),
            engine: RecordingEngine::new(engine, 0),
            scenario,
            keys: IdempotencyRecords::default(),
            close_alls: CloseAllOperations::default(),
            openings: 0,
            store: None,
            first: None,
        };
        Ok((new, first))
    }
}

/// Goes on with what `dir` holds, or begins there. `start` is when a new one begins, and how late it is for a kept one
/// in real time, which slept until then; `pace` overrides the stored one.
pub(in crate::exchange) fn open(
    dir: &Path,
    scenario: Scenario,
    start: Millis,
    pace: Option<ClockMode>,
) -> Result<LoadedExchange, StoreFault> {
    let opened = file::open(dir)?;
    let reader = SnapshotReader {
        path: opened.path,
        connection: opened.connection,
    };
    let secret = secret(dir, &scenario)?;
    let resumed = match opened.state {
        DatabaseState::Empty => begin(
            reader,
            opened.lock,
            LoadedExchange::played(scenario, start, pace)?,
        ),
        DatabaseState::Kept => resume(reader, opened.lock, &scenario, (start, pace)),
    };
    Ok(LoadedExchange { secret, ..resumed? })
}

/// The directory's own, with its lock in hand.
fn secret(dir: &Path, scenario: &Scenario) -> Result<ServerSecret, StoreFault> {
    match scenario.key_source() {
        KeySource::Seed => Ok(ServerSecret::new(KeySource::Seed, scenario.seed())),
        KeySource::Random => {
            ServerSecret::load_or_create(&dir.join(SECRET_FILE)).map_err(|why| StoreFault::Place {
                path: dir.to_owned(),
                why,
            })
        }
    }
}

/// Everything in one transaction: a start that is interrupted leaves an empty database.
fn begin(
    mut reader: SnapshotReader,
    lock: File,
    (mut resumed, first): (LoadedExchange, Checkpoint),
) -> Result<LoadedExchange, StoreFault> {
    let at = resumed.engine.now();
    disk::make_durable(&reader.connection).map_err(|why| reader.refusal(why))?;
    let transaction = reader.connection.transaction()?;
    file::create(&transaction)?;
    let Scenario { source, text, .. } = &resumed.scenario;
    transaction.execute(
        "INSERT INTO exchange (id, origin, scenario, seed, openings) VALUES (1, ?1, ?2, ?3, 0)",
        (
            source.as_stored(),
            &**text,
            resumed.scenario.seed().cast_signed(),
        ),
    )?;
    StoreRecord::Clock(resumed.clock).write(&transaction)?;
    let checkpoint = first.clone();
    StoreRecord::Checkpoint { seq: 0, checkpoint }.write(&transaction)?;
    transaction.commit()?;
    let store = ExchangeStore::new((reader.connection, lock), resumed.clock, (0, at));
    (resumed.store, resumed.first) = (Some(store), Some(first));
    Ok(resumed)
}

fn resume(
    mut reader: SnapshotReader,
    lock: File,
    given: &Scenario,
    (start, pace): (Millis, Option<ClockMode>),
) -> Result<LoadedExchange, StoreFault> {
    let identity = reader.identity()?;
    let scenario = scenario(&reader, &identity, given)?;
    let mut kept = reader.clock()?;
    let mut restored = restored(&mut reader, kept.horizon)?;
    let (keys, close_alls) = (reader.keys()?, reader.close_alls()?);
    disk::make_durable(&reader.connection).map_err(|why| reader.refusal(why))?;
    file::mark_format(&reader.connection)?;
    let openings = identity.openings + 1;
    let counted = "UPDATE exchange SET openings = ?1";
    reader.connection.execute(counted, [openings])?;
    let asked = pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon));
    if asked.is_real_time() {
        skip_idle_time(&mut reader, &mut restored, start)?;
        kept.horizon = kept.horizon.max(restored.at);
    }
    let store = ExchangeStore::new((reader.connection, lock), kept, (restored.seq, restored.at));
    Ok(LoadedExchange {
        secret: ServerSecret::new(scenario.key_source(), scenario.seed()),
        scenario,
        start,
        pace: pace.unwrap_or(DEFAULT_CLOCK_MODE),
        engine: restored.engine,
        keys,
        close_alls,
        clock: pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon)),
        openings,
        store: Some(store),
        first: None,
    })
}

/// An exchange whose prices left their bounds before there were any is taken up as it was then; a checkpoint keeps it
/// within them from here on, for what was before it cannot be done again within them.
fn restored(reader: &mut SnapshotReader, horizon: Millis) -> Result<Restored, StoreFault> {
    let other = match reader.engine(horizon, PriceBounds::Kept) {
        Err(other @ StoreFault::OtherHistory { .. }) => other,
        done => return done,
    };
    let Ok(mut restored) = reader.engine(horizon, PriceBounds::Open) else {
        return Err(other);
    };
    let (seq, engine) = (restored.engine.seq(), restored.engine.engine_mut());
    let checkpoint = engine.checkpoint().map_err(EncodeFault::from)?;
    (restored.seq, restored.at) = (seq, engine.now());
    let transaction = reader.connection.transaction()?;
    StoreRecord::Checkpoint { seq, checkpoint }.write(&transaction)?;
    transaction.commit()?;
    Ok(restored)
}

/// The market stood still while nobody ran it, and the hours went by: from a checkpoint after them, for no step is
/// replayed in between.
fn skip_idle_time(
    reader: &mut SnapshotReader,
    restored: &mut Restored,
    until: Millis,
) -> Result<(), StoreFault> {
    let seq = restored.engine.seq();
    let engine = restored.engine.engine_mut();
    let before = engine.now();
    engine.skip_until(until);
    if engine.now() == before {
        return Ok(());
    }
    let checkpoint = engine.checkpoint().map_err(EncodeFault::from)?;
    (restored.seq, restored.at) = (seq, engine.now());
    let clock = ClockRecord {
        horizon: restored.at,
        ..reader.clock()?
    };
    let transaction = reader.connection.transaction()?;
    StoreRecord::Checkpoint { seq, checkpoint }.write(&transaction)?;
    StoreRecord::Clock(clock).write(&transaction)?;
    Ok(transaction.commit()?)
}

/// The kept one, as it was: a newer perpdeck may come with another built-in scenario, and the seed may have been chosen
/// at the first start only.
fn scenario(
    reader: &SnapshotReader,
    kept: &StoredExchange,
    given: &Scenario,
) -> Result<Scenario, StoreFault> {
    let path = reader.path.clone();
    let built_in = given.source == ScenarioSource::BuiltIn
        && kept.origin == ScenarioSource::BuiltIn.as_stored();
    if !built_in && kept.scenario != *given.text {
        return Err(StoreFault::OtherScenario { path });
    }
    if let Some(given) = given.chosen_seed.filter(|given| *given != kept.seed) {
        let kept = kept.seed;
        return Err(StoreFault::OtherSeed { path, kept, given });
    }
    let mut scenario = Scenario::parse(&kept.scenario)?.with_seed(kept.seed);
    scenario.keys = given.keys;
    Ok(scenario)
}
