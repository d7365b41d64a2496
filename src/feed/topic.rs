//! What can be subscribed to.

use crate::model::{Interval, Market, MarketId};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Markets of one subscription.
const MOST_SYMBOLS: usize = 32;
/// Candles of before the subscription that come with it.
const CANDLES_BEFORE: u32 = 500;

/// A market, and what the stream calls it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamedMarket {
    pub(crate) id: MarketId,
    pub(crate) provider: String,
    pub(crate) symbol: String,
}

impl StreamedMarket {
    /// By the names that its id holds.
    pub(crate) fn new(id: MarketId) -> Self {
        Self {
            provider: id.provider().to_owned(),
            symbol: id.coin().raw().to_owned(),
            id,
        }
    }
}

impl From<&Market> for StreamedMarket {
    /// By the names that the service lists.
    fn from(market: &Market) -> Self {
        Self {
            id: market.id.clone(),
            provider: market.provider.raw().to_owned(),
            symbol: market.coin.raw().to_owned(),
        }
    }
}

/// What a stream reports of a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Channel {
    Book,
    Trades,
    Candles(Interval),
    Ticks,
    Stats,
}

impl Channel {
    /// As the service writes it.
    fn name(self) -> &'static str {
        match self {
            Self::Book => "books",
            Self::Trades => "trades",
            Self::Candles(_) => "candles",
            Self::Ticks => "ticks",
            Self::Stats => "marketStats",
        }
    }
}

/// One subscription: a channel of some markets of one provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Topic {
    pub(crate) channel: Channel,
    pub(crate) markets: Vec<StreamedMarket>,
}

impl Topic {
    pub(crate) fn of(channel: Channel, market: StreamedMarket) -> Self {
        Self {
            channel,
            markets: vec![market],
        }
    }

    /// As many subscriptions as the markets need: a list of several providers would be read as of its first.
    pub(crate) fn of_all(channel: Channel, markets: Vec<StreamedMarket>) -> Vec<Self> {
        let mut by_provider = BTreeMap::<String, Vec<StreamedMarket>>::new();
        for market in markets {
            let known = by_provider.entry(market.provider.clone()).or_default();
            known.push(market);
        }
        let lists = by_provider.values();
        lists
            .flat_map(|list| list.chunks(MOST_SYMBOLS))
            .map(|markets| Self {
                channel,
                markets: markets.to_vec(),
            })
            .collect()
    }

    pub(super) fn has_interval(&self) -> bool {
        matches!(self.channel, Channel::Candles(_))
    }

    pub(super) fn is_single(&self) -> bool {
        self.markets.len() == 1
    }

    /// The ids of its markets.
    pub(super) fn ids(&self) -> impl Iterator<Item = &MarketId> {
        self.markets.iter().map(|market| &market.id)
    }

    pub(super) fn subscribe(&self, id: u64) -> String {
        let candles = match self.channel {
            Channel::Candles(interval) => Some((interval.to_string(), CANDLES_BEFORE)),
            Channel::Book | Channel::Trades | Channel::Ticks | Channel::Stats => None,
        };
        let payload = Payload {
            symbols: self.markets.iter().map(|market| &*market.symbol).collect(),
            providers: self.markets.first().map(|market| [&*market.provider]),
            intervals: candles.as_ref().map(|(interval, _)| [&**interval]),
            history_limit: candles.as_ref().map(|(_, limit)| *limit),
        };
        json!({ "op": "sub", "id": id, "channel": self.channel.name(), "payload": payload })
            .to_string()
    }

    /// The market that the service means by these names.
    pub(super) fn market(&self, provider: &str, symbol: &str) -> Option<&MarketId> {
        let mut markets = self.markets.iter();
        let found = markets.find(|known| known.symbol == symbol && known.provider == provider);
        found.map(|known| &known.id)
    }
}

/// What a subscription requests.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    symbols: Vec<&'a str>,
    providers: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<[&'a str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history_limit: Option<u32>,
}

pub(super) fn unsubscribe(id: u64) -> String {
    json!({ "op": "unsub", "id": id }).to_string()
}
