//! The arguments of an exchange whose markets are recorded or live.

use super::market_feed::{FeedDays, FeedName, FeedTold, MarketFeed};
use crate::{
    config::Settings,
    exchange::{LiveFeed, LiveSource, ReceivedSource, ReplayEnd, ReplayOptions},
    model::MarketId,
};
use clap::ValueHint;
use color_eyre::Result;
use std::path::PathBuf;

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

/// Passes on what the sockets tell, until the exchange ends.
async fn pass_on(mut feed: MarketFeed, lines: LiveFeed) {
    while let Some(news) = feed.news.recv().await {
        match news.told {
            FeedTold::Lines(told) => {
                for line in told {
                    if lines.tell(news.market, line).await.is_err() {
                        return;
                    }
                }
            }
            FeedTold::Down(why) => tracing::warn!("a market of the feed is down: {why}"),
        }
    }
}
