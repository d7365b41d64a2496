//! Markets that come from recordings or from live feeds: their lines become frames that the engine takes in.
//!
//! Contract: a frame is taken in at the end of the first step at or after its receipt, in the order of the lines; files with
//! equal instants in the order they were given. So the same files and commands give the same history. Lines that cannot be
//! read are left out, and the market has a gap there.
//!
//! Known limit: a venue does not say its units in a recording. They are read off the first lines: a later size with more
//! decimals is rounded down, and a price to the passive side.

mod convert;
mod fault;
mod lines;
mod live;
mod queue;
mod replay;
mod setup;
#[cfg(test)]
mod tests;

pub(super) use lines::Reached;
pub(crate) use live::LiveFeed;
pub(super) use setup::ReceivedSetup;
pub use {
    fault::ReceivedFault,
    live::LiveSource,
    replay::{ReplayEnd, ReplayOptions},
};

use super::{
    engine::{Engine, MarketIx, MarketSpec, Millis, ReceivedFrame},
    recorder::RecordingEngine,
};
use lines::MergedLines;

/// Where received markets come from.
#[derive(Debug, Clone)]
pub enum ReceivedSource {
    Replay(ReplayOptions),
    Live(LiveSource),
}

/// The received markets of a running exchange.
#[derive(Debug)]
pub(super) struct ReceivedMarkets {
    lines: MergedLines,
    setup: ReceivedSetup,
}

impl ReceivedSource {
    /// Reads the first lines.
    pub(super) fn open(&self) -> Result<ReceivedMarkets, ReceivedFault> {
        let mut lines = match self {
            Self::Replay(options) => MergedLines::replayed(options)?,
            Self::Live(source) => MergedLines::live(source)?,
        };
        let setup = lines.setup()?;
        Ok(ReceivedMarkets { lines, setup })
    }
}

impl ReceivedMarkets {
    pub(super) fn setup(&self) -> &ReceivedSetup {
        &self.setup
    }

    /// Whether frames come while time passes, wherever the clock stands.
    pub(super) fn is_live(&self) -> bool {
        self.lines.is_live()
    }

    /// Lines of a market that could not be read or did not fit, of those that were taken in by this process.
    pub(super) fn unreadable(&self, market: MarketIx) -> u64 {
        self.lines.unreadable(market)
    }

    /// Continues with an engine that has taken in every line until its own time; a new one has taken in none.
    pub(super) fn begin(&mut self, engine: &mut RecordingEngine) -> Result<(), ReceivedFault> {
        self.check(engine)?;
        if engine.now() > self.setup.start && !self.is_live() {
            self.lines.skip_until(engine.now());
        } else {
            self.take_in(engine);
        }
        Ok(())
    }

    fn check(&self, engine: &Engine) -> Result<(), ReceivedFault> {
        let ids: Vec<_> = self
            .setup
            .markets
            .iter()
            .map(MarketSpec::market_id)
            .collect();
        let kept = engine.market_ixs().map(|ix| engine.market_spec(ix));
        if kept.map(MarketSpec::market_id).eq(ids.iter().cloned()) {
            return Ok(());
        }
        Err(ReceivedFault::OtherMarkets(ids.join(", ")))
    }

    /// Runs every whole step until `to`, or until the lines are over.
    pub(super) fn advance_to(&mut self, engine: &mut RecordingEngine, to: Millis) -> Reached {
        self.lines.receive(engine.now(), to);
        while engine.now() + Millis::STEP <= to {
            if self.lines.reached() == Reached::End {
                return Reached::End;
            }
            engine.advance_to(engine.now() + Millis::STEP);
            self.take_in(engine);
        }
        Reached::Time
    }

    fn take_in(&mut self, engine: &mut RecordingEngine) {
        while let Some((market, frame)) = self.lines.next_until(engine.now()) {
            Self::receive(engine, market, frame);
        }
    }

    fn receive(engine: &mut RecordingEngine, market: MarketIx, frame: ReceivedFrame) {
        let line = frame.source.line;
        if let Err(why) = engine.receive(market, frame) {
            tracing::debug!("line {line} of a feed is left out: {why}");
        }
    }
}
