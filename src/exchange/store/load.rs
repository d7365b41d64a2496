//! Opens a data directory: creates a new exchange in an empty one, or restores the stored one.

use super::super::{
    clock::{ClockMode, ClockRecord, Speed},
    engine::{Checkpoint, Millis},
    idempotency::IdempotencyRecords,
    keep::KeepTime,
    operations::SlicedOperations,
    received::{ReceivedFault, ReceivedMarkets},
    recorder::RecordingEngine,
    scenario::{Scenario, ScenarioSource},
    secret::{KeySource, ServerSecret},
};
use super::{
    EncodeFault, ExchangeStore, StoreFault, StoreRecord, StoreResult,
    file::{self, SECRET, StoreLog},
    record::{self, StoredExchange},
    stored::{Restored, Stored},
};
use std::path::Path;

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
    /// Where its markets come from, if the engine does not make them.
    pub(in crate::exchange) markets: Option<ReceivedMarkets>,
    /// The state after the script, if it was played in this process (which takes a while) and is not shipped.
    pub(in crate::exchange) first: Option<Checkpoint>,
}

impl LoadedExchange {
    /// A new exchange that ends with the process.
    pub(in crate::exchange) fn in_memory(
        scenario: Scenario,
        start: Millis,
        pace: Option<ClockMode>,
    ) -> StoreResult<Self> {
        let mut engine = scenario.open(start)?;
        let first = if scenario.is_recorded() {
            None
        } else {
            Some(engine.checkpoint().map_err(EncodeFault::from)?)
        };
        Ok(Self {
            first,
            ..Self::new(scenario, RecordingEngine::new(engine, 0), start, pace)
        })
    }

    /// A new exchange after its script.
    fn new(
        scenario: Scenario,
        engine: RecordingEngine,
        start: Millis,
        pace: Option<ClockMode>,
    ) -> Self {
        let pace = pace.unwrap_or(DEFAULT_CLOCK_MODE);
        Self {
            secret: ServerSecret::new(scenario.key_source(), scenario.seed()),
            start,
            pace,
            clock: ClockRecord::new(pace, engine.now()),
            engine,
            scenario,
            keys: IdempotencyRecords::default(),
            operations: SlicedOperations::default(),
            openings: 0,
            store: None,
            markets: None,
            first: None,
        }
    }

    /// Continues with what its markets receive.
    pub(in crate::exchange) fn receiving(
        mut self,
        mut markets: ReceivedMarkets,
    ) -> Result<Self, ReceivedFault> {
        markets.begin(&mut self.engine)?;
        self.markets = Some(markets);
        Ok(self)
    }
}

/// Restores the exchange in `dir`, or creates one there. `start` is the start time of a new exchange; a stored one in
/// real time skips ahead to it. `pace` overrides the stored clock mode.
pub(in crate::exchange) fn open(
    dir: &Path,
    scenario: Scenario,
    start: Millis,
    pace: Option<ClockMode>,
) -> StoreResult<LoadedExchange> {
    let (log, mut stored) = file::open(dir)?;
    match stored.exchange.take() {
        None => {
            let mut engine = scenario.open(start)?;
            let first = engine.checkpoint().map_err(EncodeFault::from)?;
            let created = begin(
                log,
                LoadedExchange::new(scenario, RecordingEngine::new(engine, 0), start, pace),
                first,
            )?;
            // Last: beside an empty log it says that one was deleted, and not that a start was interrupted.
            let secret = secret(dir, &created.scenario)?;
            Ok(LoadedExchange { secret, ..created })
        }
        Some(kept) => {
            let secret = secret(dir, &scenario)?;
            let scenario = kept_scenario(&dir.join(file::LOG), &kept, &scenario)?;
            let resumed = resume(log, stored, scenario, (start, pace))?;
            let openings = kept.openings + 1;
            Ok(LoadedExchange {
                secret,
                openings,
                ..resumed
            })
        }
    }
}

/// The secret of the directory; the caller holds its lock. It is kept where the seed takes its place, too: it says that
/// an exchange was begun there.
fn secret(dir: &Path, scenario: &Scenario) -> StoreResult<ServerSecret> {
    let kept = ServerSecret::load_or_create(&dir.join(SECRET));
    let kept = kept.map_err(|why| StoreFault::Place {
        path: dir.to_owned(),
        why,
    })?;
    Ok(match scenario.key_source() {
        KeySource::Seed => ServerSecret::new(KeySource::Seed, scenario.seed()),
        KeySource::Random => kept,
    })
}

/// One line: an interrupted start leaves an empty log.
fn begin(mut log: StoreLog, new: LoadedExchange, first: Checkpoint) -> StoreResult<LoadedExchange> {
    let at = new.engine.now();
    let Scenario { source, text, .. } = &new.scenario;
    let exchange = StoredExchange {
        origin: *source,
        scenario: text.to_string(),
        seed: new.scenario.seed(),
        openings: 0,
    };
    let mut records = vec![
        StoreRecord::Exchange(exchange),
        StoreRecord::Clock(new.clock),
    ];
    records.extend(record::checkpoint(0, first.clone()));
    log.append(records)?;
    let store = ExchangeStore::new(log, new.clock, (0, at));
    Ok(LoadedExchange {
        store: Some(store),
        first: Some(first),
        ..new
    })
}

fn resume(
    mut log: StoreLog,
    mut stored: Stored,
    scenario: Scenario,
    (start, pace): (Millis, Option<ClockMode>),
) -> StoreResult<LoadedExchange> {
    let mut kept = stored.clock()?;
    let keep = scenario.keep.map(KeepTime::millis);
    let mut restored = stored.engine(keep, kept.horizon)?;
    let (keys, operations) = (stored.keys()?, stored.operations()?);
    let mut records = vec![StoreRecord::Opened];
    let requested = pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon));
    if requested.is_real_time() {
        records.extend(skip_idle_time(&mut restored, start)?);
        kept.horizon = kept.horizon.max(restored.at);
        records.push(StoreRecord::Clock(kept));
    }
    log.append(records)?;
    let store = ExchangeStore::new(log, kept, (restored.seq, restored.at));
    Ok(LoadedExchange {
        keys,
        operations,
        clock: pace.map_or(kept, |pace| ClockRecord::new(pace, kept.horizon)),
        store: Some(store),
        ..LoadedExchange::new(scenario, restored.engine, start, pace)
    })
}

/// The market stood still while the exchange was not running. Sets the time after that gap with a checkpoint, so that
/// no step within it is replayed.
fn skip_idle_time(
    restored: &mut Restored,
    until: Millis,
) -> StoreResult<impl Iterator<Item = StoreRecord>> {
    let seq = restored.engine.seq();
    let engine = restored.engine.engine_mut();
    let before = engine.now();
    engine.skip_until(until);
    let mut skipped = None;
    if engine.now() != before {
        let checkpoint = engine.checkpoint().map_err(EncodeFault::from)?;
        (restored.seq, restored.at) = (seq, engine.now());
        skipped = Some(record::checkpoint(seq, checkpoint));
    }
    Ok(skipped.into_iter().flatten())
}

/// The stored scenario: a newer perpdeck may have another built-in one, and the seed may have been given at the first
/// start only.
fn kept_scenario(log: &Path, kept: &StoredExchange, given: &Scenario) -> StoreResult<Scenario> {
    let path = log.to_owned();
    let built_in =
        given.source == ScenarioSource::BuiltIn && kept.origin == ScenarioSource::BuiltIn;
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
    scenario
        .source_of_markets
        .clone_from(&given.source_of_markets);
    scenario.received.clone_from(&given.received);
    Ok(scenario)
}
