//! The engine, with a log of all its inputs.

use super::{
    engine::{
        AccountIx, Bps, CommandOutcome, CommandResult, Engine, EngineCommand, FrameFault, MarketIx,
        Millis, ReceivedFrame,
    },
    response_cache::StateVersion,
};
use serde::{Deserialize, Serialize};

/// Reads go straight to the engine; changes go through here and are logged. Replaying the log at the same virtual times
/// gives the same engine.
#[derive(Debug, derive_more::Deref)]
pub(super) struct RecordingEngine {
    #[deref]
    engine: Engine,
    entries: Vec<LogEntry>,
    /// The number of the last entry.
    seq: u64,
    version: StateVersion,
    /// How often the exchange was reset before.
    resets: u64,
}

/// One input, and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogEntry {
    pub(super) seq: u64,
    pub(super) at: Millis,
    pub(super) act: EngineInput,
    /// [`Engine::log_mark`] right after it.
    pub(super) mark: u64,
}

/// These types are on disk: see `FORMAT` of the [store](super::store).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum EngineInput {
    Apply(AccountIx, EngineCommand),
    Nudge(MarketIx, Bps),
    Receive(MarketIx, ReceivedFrame),
}

impl EngineInput {
    /// Replays the input. A refused input is refused again, with the same effect.
    pub(super) fn replay(self, engine: &mut Engine) {
        match self {
            Self::Apply(account, command) => drop(engine.apply(account, command)),
            Self::Nudge(market, by) => engine.nudge(market, by),
            // A frame that was refused is not an input.
            Self::Receive(market, frame) => drop(engine.receive(market, &frame)),
        }
    }
}

impl RecordingEngine {
    pub(super) fn new(engine: Engine, seq: u64) -> Self {
        Self {
            engine,
            entries: vec![],
            seq,
            version: StateVersion::default(),
            resets: 0,
        }
    }

    pub(super) fn apply(
        &mut self,
        account: AccountIx,
        command: EngineCommand,
    ) -> CommandResult<CommandOutcome> {
        let act = EngineInput::Apply(account, command.clone());
        let done = self.engine.apply(account, command);
        self.record(act);
        done
    }

    pub(super) fn nudge(&mut self, market: MarketIx, by: Bps) {
        self.engine.nudge(market, by);
        self.record(EngineInput::Nudge(market, by));
    }

    /// Takes in a frame of a received market. One that is refused changes nothing, and is not logged.
    pub(super) fn receive(
        &mut self,
        market: MarketIx,
        frame: ReceivedFrame,
    ) -> Result<(), FrameFault> {
        self.engine.receive(market, &frame)?;
        self.record(EngineInput::Receive(market, frame));
        Ok(())
    }

    /// Not logged: every entry carries its time, and the clock is stored separately.
    pub(super) fn advance_to(&mut self, to: Millis) {
        let before = self.engine.now();
        self.engine.advance_to(to);
        if self.engine.now() != before {
            self.version = self.version.next();
        }
    }

    /// Days in an instant.
    #[cfg(test)]
    pub(super) fn skip_until(&mut self, to: Millis) {
        self.engine.skip_until(to);
        self.version = self.version.next();
    }

    /// Another one after each change of what a read can show.
    pub(super) fn version(&self) -> StateVersion {
        self.version
    }

    /// After a reset: no version of the engine before is used again.
    pub(super) fn replaces(&mut self, before: &Self) {
        self.version = before.version.next();
        self.resets = before.resets + 1;
    }

    /// Another one after each reset.
    pub(super) fn resets(&self) -> u64 {
        self.resets
    }

    fn record(&mut self, act: EngineInput) {
        self.version = self.version.next();
        self.seq += 1;
        self.entries.push(LogEntry {
            seq: self.seq,
            at: self.engine.now(),
            act,
            mark: self.engine.log_mark(),
        });
    }

    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    pub(super) fn take_entries(&mut self) -> Vec<LogEntry> {
        std::mem::take(&mut self.entries)
    }

    pub(super) fn discard_entries(&mut self) {
        self.entries.clear();
    }

    /// For checkpoints and the replay at a start, which change nothing that was read.
    pub(super) fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}
