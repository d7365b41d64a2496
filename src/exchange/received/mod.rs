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

pub(super) use lines::{Reached, ReceivedMarkets};
pub(crate) use live::LiveFeed;
pub(super) use setup::ReceivedSetup;
pub use {
    fault::ReceivedFault,
    live::LiveSource,
    replay::{ReplayEnd, ReplayOptions},
};

use super::{
    engine::{Engine, MarketSpec, Millis},
    recorder::RecordingEngine,
};

/// Where received markets come from.
#[derive(Debug, Clone)]
pub enum ReceivedSource {
    Replay(ReplayOptions),
    Live(LiveSource),
}

impl ReceivedSource {
    /// Reads the first lines.
    pub(super) fn open(&self) -> Result<ReceivedMarkets, ReceivedFault> {
        let mut markets = match self {
            Self::Replay(options) => ReceivedMarkets::replayed(options)?,
            Self::Live(source) => ReceivedMarkets::live(source)?,
        };
        markets.read_setup()?;
        Ok(markets)
    }
}

impl ReceivedMarkets {
    /// Continues with an engine that has taken in every line until its own time; a new one has taken in none.
    pub(super) fn begin(&mut self, engine: &mut RecordingEngine) -> Result<(), ReceivedFault> {
        self.check(engine)?;
        if engine.now() > self.setup.start && !self.is_live() {
            self.skip_until(engine.now());
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
        self.receive(engine.now(), to);
        while engine.now() + Millis::STEP <= to {
            if self.reached() == Reached::End {
                return Reached::End;
            }
            engine.advance_to(engine.now() + Millis::STEP);
            self.take_in(engine);
        }
        Reached::Time
    }

    fn take_in(&mut self, engine: &mut RecordingEngine) {
        while let Some((market, frame)) = self.next_until(engine.now()) {
            let line = frame.source.line;
            if let Err(why) = engine.receive(market, frame) {
                tracing::debug!("line {line} of a feed is left out: {why}");
            }
        }
    }
}
