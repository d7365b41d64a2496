//! Opens a data directory: creates a new exchange in an empty one, or restores the stored one.

use super::super::{
    clock::{ClockMode, ClockRecord, Speed},
    engine::{Checkpoint, Engine, Millis},
    idempotency::IdempotencyRecords,
    keep::KeepTime,
    operations::SlicedOperations,
    scenario::{Scenario, ScenarioSource},
    secret::{KeySource, ServerSecret},
};
use super::{
    EncodeFault, ExchangeStore, RecordingEngine, StoreFault, StoreRecord,
    file::{self, DatabaseState, DirectoryClaim},
    snapshot::{Restored, SnapshotReader, StoredExchange},
};
use crate::disk;
use std::{fs, path::Path};

/// The file with the secret that API keys derive from, unless they are fixed.
const SECRET_FILE: &str = "exchange.secret";

/// The clock mode without an option and without a stored clock.
const DEFAULT_CLOCK_MODE: ClockMode = ClockMode::Live(Speed::REAL_TIME);

/// What an exchange starts from.
#[derive(Debug)]
pub(in crate::exchange) struct LoadedExchange {
    pub(in crate::exchange) scenario: Scenario,
    pub(in crate::exchange) secret: ServerSecret,
    /// The start time of a new exchange.
    pub(in crate::exchange) start: Millis,
    pub(in crate::exchange) pace: ClockMode,
    pub(in crate::exchange) engine: RecordingEngine,
    pub(in crate::exchange) keys: IdempotencyRecords,
    pub(in crate::exchange) operations: SlicedOperations,
    pub(in crate::exchange) clock: ClockRecord,
    /// How often the directory was opened before.
    pub(in crate::exchange) openings: u64,
    pub(in crate::exchange) store: Option<ExchangeStore>,
    /// The state after the script, if it was played in this process (which takes a while) and is not shipped.
    pub(in crate::exchange) first: Option<Checkpoint>,
}

impl LoadedExchange {
    /// A new exchange that ends with the process.
    pub(in crate::exchange) fn in_memory(
        scenario: Scenario,
        start: Millis,
        pace: Option<ClockMode>,
    ) -> Result<Self, StoreFault> {
        let mut engine = scenario.open(start)?;
        let first = if scenario.is_recorded() {
            None
        } else {
            Some(engine.checkpoint().map_err(EncodeFault::from)?)
        };
        Ok(Self {
            first,
            ..Self::new(scenario, engine, start, pace)
        })
    }

    /// A new exchange after its script.
    fn new(scenario: Scenario, engine: Engine, start: Millis, pace: Option<ClockMode>) -> Self {
        let pace = pace.unwrap_or(DEFAULT_CLOCK_MODE);
        Self {
            secret: ServerSecret::new(scenario.key_source(), scenario.seed()),
            start,
            pace,
            clock: ClockRecord::new(pace, engine.now()),
            engine: RecordingEngine::new(engine, 0),
            scenario,
            keys: IdempotencyRecords::default(),
            operations: SlicedOperations::default(),
            openings: 0,
            store: None,
            first: None,
        }
    }
}

/// Restores the exchange in `dir`, or creates one there. `start` is the start time of a new exchange; a stored one in
/// real time skips ahead to it. `pace` overrides the stored clock mode.
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
        keep: scenario.keep.map(KeepTime::millis),
    };
    match opened.state {
        DatabaseState::Empty => {
            refuse_emptied(dir, &reader.path)?;
            let mut engine = scenario.open(start)?;
            let first = engine.checkpoint().map_err(EncodeFault::from)?;
            let new = LoadedExchange::new(scenario, engine, start, pace);
            let begun = begin(reader, opened.claim, (new, first))?;
            // Last: beside an empty database it says that one was deleted, and not that a start was interrupted.
            let secret = secret(dir, &begun.scenario)?;
            Ok(LoadedExchange { secret, ..begun })
        }
        DatabaseState::Kept => {
            let secret = secret(dir, &scenario)?;
            let resumed = resume(reader, opened.claim, &scenario, (start, pace))?;
            Ok(LoadedExchange { secret, ..resumed })
        }
    }
}

/// A secret is written after the database. Without its database, used keys are forgotten, and their owners have them.
fn refuse_emptied(dir: &Path, database: &Path) -> Result<(), StoreFault> {
    let secret = dir.join(SECRET_FILE);
    if !fs::metadata(&secret).is_ok_and(|found| found.len() > 0) {
        return Ok(());
    }
    Err(StoreFault::Emptied {
        path: database.to_owned(),
        secret,
    })
}

/// The secret of the directory; the caller holds its lock. It is kept where the seed takes its place, too: it says that
/// an exchange was begun there.
fn secret(dir: &Path, scenario: &Scenario) -> Result<ServerSecret, StoreFault> {
    let kept = ServerSecret::load_or_create(&dir.join(SECRET_FILE));
    let kept = kept.map_err(|why| StoreFault::Place {
        path: dir.to_owned(),
        why,
    })?;
    Ok(match scenario.key_source() {
        KeySource::Seed => ServerSecret::new(KeySource::Seed, scenario.seed()),
        KeySource::Random => kept,
    })
}

/// One transaction: an interrupted start leaves an empty database.
fn begin(
    mut reader: SnapshotReader,
    claim: DirectoryClaim,
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
    let store = ExchangeStore::new((reader.connection, claim), resumed.clock, (0, at));
    (resumed.store, resumed.first) = (Some(store), Some(first));
    Ok(resumed)
}

fn resume(
    mut reader: SnapshotReader,
    claim: DirectoryClaim,
    given: &Scenario,
    (start, pace): (Millis, Option<ClockMode>),
) -> Result<LoadedExchange, StoreFault> {
    let identity = reader.identity()?;
    let scenario = scenario(&reader, &identity, given)?;
    let mut kept = reader.clock()?;
    let mut restored = reader.engine(kept.horizon)?;
    let (keys, operations) = (reader.keys()?, reader.operations()?);
    disk::make_durable(&reader.connection).map_err(|why| reader.refusal(why))?;
    let openings = identity.openings + 1;
    let counted = "UPDATE exchange SET openings = ?1";
    reader.connection.execute(counted, [openings])?;
    let asked = pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon));
    if asked.is_real_time() {
        skip_idle_time(&mut reader, &mut restored, start)?;
        kept.horizon = kept.horizon.max(restored.at);
    }
    let store = ExchangeStore::new(
        (reader.connection, claim),
        kept,
        (restored.seq, restored.at),
    );
    Ok(LoadedExchange {
        secret: ServerSecret::new(scenario.key_source(), scenario.seed()),
        scenario,
        start,
        pace: pace.unwrap_or(DEFAULT_CLOCK_MODE),
        engine: restored.engine,
        keys,
        operations,
        clock: pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon)),
        openings,
        store: Some(store),
        first: None,
    })
}

/// The market stood still while the exchange was not running. Sets the time after that gap with a checkpoint, so that
/// no step within it is replayed.
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

/// The stored scenario: a newer perpdeck may have another built-in one, and the seed may have been given at the first
/// start only.
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
    scenario.keep = given.keep;
    Ok(scenario)
}
