//! The arguments that start a paper exchange.

use super::{
    exit::UsageError,
    market_feed::{FeedContent, FeedDays, FeedName, MarketFeed},
};
use crate::{
    config::Settings,
    exchange::{
        self, ClockMode, ExchangeHandle, ExchangeOptions, KeepTime, KeySource, LiveFeed,
        LiveSource, ReceivedSource, ReplayEnd, ReplayOptions, Scenario, ScenarioFault,
        SimulatorAccess, Speed,
    },
    model::{MarketId, Num, Timestamp, draft::span},
    runtime::Clock,
};
use clap::ValueHint;
use color_eyre::{Result, eyre::Context as _};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, clap::Args)]
pub(super) struct World {
    /// The scenario: "demo" is built in, anything else is a TOML file
    #[arg(long, default_value = "demo", value_hint = ValueHint::FilePath)]
    pub(super) scenario: String,
    /// The seed of the market [default: the scenario's]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// The virtual time at the first request: 2026-01-05T14:30:00Z [default: now]
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(super) start: Option<Timestamp>,
    /// Stops the clock: only POST /sim/clock advances it
    #[arg(long, conflicts_with = "speed")]
    pub(super) manual_clock: bool,
    /// The speed of the market: 1, 0.5, 60 [default: 1, or the stored one]; of a recording also "max"
    #[arg(long, value_parser = speed)]
    pub(super) speed: Option<Speed>,
    /// Derives the API keys from the seed, for repeatable runs: anyone who knows the seed knows them
    #[arg(long)]
    pub(super) fixed_keys: bool,
    /// Stores the exchange in this directory, and continues from it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) data_dir: Option<PathBuf>,
    /// Drops what ended longer ago: 7d, 36h, at least 1d [default: keeps all]
    #[arg(long, value_name = "DURATION", value_parser = keep)]
    pub(super) keep: Option<KeepTime>,
    #[command(flatten)]
    pub(super) received: ReceivedArgs,
    #[arg(skip)]
    pub(super) simulator: SimulatorAccess,
    /// Where a live feed reads its venue's address, and its proxy.
    #[arg(skip)]
    pub(super) settings: Option<Arc<Settings>>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            scenario: DEMO.to_owned(),
            seed: None,
            start: None,
            manual_clock: false,
            speed: None,
            fixed_keys: false,
            data_dir: None,
            keep: None,
            received: ReceivedArgs::default(),
            simulator: SimulatorAccess::Served,
            settings: None,
        }
    }
}

const DEMO: &str = "demo";

/// The warning about API keys from the seed.
pub(super) const FIXED_KEYS: &str = "the API keys come from the seed (--fixed-keys, or fixed_keys in the scenario): \
     anyone who knows the seed knows the keys and can trade here";

/// At a higher speed the market would move too far between two polls.
const FASTEST: u32 = 100;

fn speed(text: &str) -> Result<Speed, String> {
    if text == "max" {
        return Ok(Speed::FASTEST);
    }
    let number = text.trim_end_matches('x').parse::<Num>();
    number
        .ok()
        .and_then(thousandths)
        .ok_or_else(|| format!("a speed is a number from 0.001 to {FASTEST}, as in 1, 0.5 or 60"))
}

fn keep(text: &str) -> Result<KeepTime, String> {
    let span = span(text).and_then(KeepTime::new);
    span.ok_or_else(|| {
        "a time to keep is from 1d to 366d, as in 7d, 36h or 2w: a client may repeat a request for a day".to_owned()
    })
}

fn thousandths(speed: Num) -> Option<Speed> {
    Speed::from_thousandths(speed.to_scaled(3)?)
}

/// The valid range of instants: outside it, a desk would take milliseconds for another unit.
const TIMES: [&str; 2] = ["2000-01-01T00:00:00Z", "3000-01-01T00:00:00Z"];

pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let [earliest, end] = TIMES.map(Timestamp::from_rfc3339);
    Timestamp::from_rfc3339(text)
        .filter(|instant| Some(*instant) >= earliest && Some(*instant) < end)
        .ok_or_else(|| {
            "an instant is a date from the year 2000 to 2999 and a time with its zone, as in 2026-01-05T14:30:00Z".to_owned()
        })
}

/// A socket for a paper exchange.
pub(super) async fn listen(address: SocketAddr) -> Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.wrap_err_with(|| {
        format!("the paper exchange cannot listen on {address}; --listen sets another address")
    })
}

impl World {
    /// Starts the exchange on `listener`; it runs until `stop`.
    pub(super) async fn open(
        &self,
        listener: TcpListener,
        start: Timestamp,
        pace: Option<ClockMode>,
        stop: CancellationToken,
    ) -> Result<ExchangeHandle> {
        let options = ExchangeOptions {
            scenario: self.received_scenario()?,
            start,
            pace,
            data_dir: self.data_dir.clone(),
            simulator: self.simulator,
        };
        let opening = exchange::start(listener, options, stop).await;
        opening.wrap_err("the paper exchange cannot start")
    }

    /// The requested speed or mode.
    pub(super) fn pace(&self) -> Option<ClockMode> {
        if self.manual_clock {
            return Some(ClockMode::Paused);
        }
        self.speed.map(ClockMode::Live)
    }

    /// The scenario, with its markets from wherever they are received.
    fn received_scenario(&self) -> Result<Scenario> {
        if self.speed == Some(Speed::FASTEST) && !self.received.is_replay() {
            let words = "--speed max is for recordings: give --replay FILE with it, or a number";
            return Err(UsageError(words.to_owned()).into());
        }
        let scenario = self.scenario()?;
        let Some(settings) = &self.settings else {
            return Ok(scenario);
        };
        let source = self.received.source(settings)?;
        Ok(match source {
            Some(source) => scenario.on_received(source),
            None => scenario,
        })
    }

    pub(super) fn start(&self) -> Timestamp {
        self.start.unwrap_or_else(|| Clock::start().now())
    }

    /// Whether the API keys come from the seed. The built-in demo is not parsed to tell, because the first frame would
    /// wait for it; an unreadable scenario is reported when it is opened.
    pub(super) fn has_keys_from_seed(&self) -> bool {
        let asks = || {
            let scenario = self.scenario();
            scenario.is_ok_and(|scenario| scenario.key_source() == KeySource::Seed)
        };
        self.fixed_keys || (self.scenario != DEMO && asks())
    }

    pub(super) fn scenario(&self) -> Result<Scenario, ScenarioFault> {
        let read = match self.scenario.as_str() {
            DEMO => Scenario::demo(),
            path => Scenario::from_file(Path::new(path)),
        };
        let mut scenario = read?.with_keep(self.keep);
        if let Some(seed) = self.seed {
            scenario = scenario.with_seed(seed);
        }
        Ok(if self.fixed_keys {
            scenario.with_fixed_keys()
        } else {
            scenario
        })
    }
}

#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct ReceivedArgs {
    /// Takes the markets from recordings of "perpdeck record", hftbacktest or Tardis (CSV)
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath,
        conflicts_with_all = ["feed", "start"])]
    replay: Vec<PathBuf>,
    /// Begins the recordings again at their end
    #[arg(long = "loop", requires = "replay")]
    again: bool,
    /// The market of recordings that do not say it: 'hyperliquid|BTC'
    #[arg(long, value_name = "MARKET", requires = "replay", value_parser = market)]
    market: Option<MarketId>,
    /// Takes the markets live from hyperliquid, binance, bybit, or the address of a service's market stream
    #[arg(long, value_name = "FEED", requires = "markets",
        conflicts_with_all = ["start", "speed", "manual_clock"])]
    feed: Option<FeedName>,
    /// The markets of --feed as the venue calls them, with commas between: BTC,ETH
    #[arg(long, value_name = "MARKETS", requires = "feed", value_delimiter = ',')]
    markets: Vec<String>,
}

fn market(text: &str) -> Result<MarketId, String> {
    let is_whole = text
        .split_once('|')
        .is_some_and(|(provider, coin)| !provider.is_empty() && !coin.is_empty());
    is_whole
        .then(|| MarketId::from(text))
        .ok_or_else(|| "a market is its provider and its coin, as in 'hyperliquid|BTC'".to_owned())
}

impl ReceivedArgs {
    pub(super) fn is_replay(&self) -> bool {
        !self.replay.is_empty()
    }

    /// Where the markets come from; `None` if the exchange makes them. Sockets of a feed begin here.
    pub(super) fn source(&self, settings: &Settings) -> Result<Option<ReceivedSource>> {
        if self.is_replay() {
            return Ok(Some(ReceivedSource::Replay(ReplayOptions {
                files: self.replay.clone(),
                market: self.market.clone(),
                end: if self.again {
                    ReplayEnd::BeginAgain
                } else {
                    ReplayEnd::Stop
                },
            })));
        }
        let feed = self.feed.as_ref();
        let live = feed.map(|feed| live(feed, &self.markets, settings));
        Ok(live.transpose()?.map(ReceivedSource::Live))
    }
}

fn live(feed: &FeedName, names: &[String], settings: &Settings) -> Result<LiveSource> {
    let feed = MarketFeed::open(feed, names, settings, FeedDays::GoOn)?;
    let (lines, source) = LiveFeed::new(feed.markets.clone());
    tokio::spawn(pass_on(feed, lines));
    Ok(source)
}

/// Passes on what the sockets report, until the exchange ends.
async fn pass_on(mut feed: MarketFeed, lines: LiveFeed) {
    while let Some(news) = feed.news.recv().await {
        match news.content {
            FeedContent::Lines(received) => {
                for line in received {
                    if lines.tell(news.market, line).await.is_err() {
                        return;
                    }
                }
            }
            FeedContent::Down(why) => tracing::warn!("a market of the feed is down: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_for_a_day_or_longer() {
        for long in ["1d", "24h", "7d", "2w", "366d"] {
            assert!(keep(long).is_ok(), "{long}");
        }
        for short in [
            "23h",
            "1d1",
            "0",
            "",
            "-7d",
            "7",
            "367d",
            "99999999999999999999d",
        ] {
            let why = keep(short).unwrap_err();
            assert!(why.contains("from 1d to 366d"), "{short}: {why}");
        }
    }

    #[test]
    fn only_the_flag_takes_the_keys_of_the_built_in_demo_from_the_seed() {
        for fixed_keys in [false, true] {
            let world = World {
                fixed_keys,
                ..World::default()
            };
            let parsed = world.scenario().unwrap().key_source() == KeySource::Seed;
            assert_eq!(
                (world.has_keys_from_seed(), parsed),
                (fixed_keys, fixed_keys)
            );
        }
    }
}
