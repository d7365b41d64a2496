//! The sockets of a feed whose frames are recorded, or traded against: those of a venue, or the stream of a service.
//!
//! Contract: no key is sent, and none is known. A market has sockets of its own; what they report comes in their order.

use super::exit::UsageError;
use crate::{
    client::Client,
    config::Settings,
    feed::{
        recorded_stream::{CHANNELS, RecordedStream},
        recording::{MarkEvent, Nanos, Received, Recorded, RecordingMark},
        topic::{Channel, StreamedMarket, Topic},
        venue::VenueSocket,
    },
    model::{MarketId, StreamKind, Venue},
    runtime::{
        Clock,
        polling::streams::{
            door::StreamDoor,
            socket::{Signal, StreamLink},
        },
    },
};
use color_eyre::Result;
use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
};
use strum::IntoEnumIterator as _;
use tokio::sync::{
    mpsc::{Receiver, Sender, channel},
    watch,
};

/// Messages that nobody has taken yet; beyond them the sockets are not read.
const MESSAGES: usize = 1_024;
/// Markets of one feed: a venue allows ten sockets to an address.
const MOST_MARKETS: usize = 8;

/// Where frames come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FeedName {
    Venue(Venue),
    /// The address of a service's market stream.
    Service(String),
}

impl FromStr for FeedName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("ws://") || text.starts_with("wss://") {
            return Ok(Self::Service(text.to_owned()));
        }
        let venue = Venue::of(text).map(Self::Venue);
        venue.ok_or_else(|| {
            "a feed is hyperliquid, binance, bybit, or the address of a market stream, as in wss://host/stream"
                .to_owned()
        })
    }
}

/// What a socket of a market has reported.
#[derive(Debug)]
pub(super) struct FeedNews {
    /// Its place among the markets of the feed.
    pub(super) market: usize,
    pub(super) content: FeedContent,
}

#[derive(Debug)]
pub(super) enum FeedContent {
    Lines(Vec<Received>),
    /// The socket is down, and why.
    Down(String),
}

/// The markets of a feed, and what their sockets report.
pub(super) struct MarketFeed {
    pub(super) markets: Vec<MarketId>,
    pub(super) news: FeedReceiver,
    /// What is wanted of each socket, which ends with this.
    _wanted: Vec<watch::Sender<BTreeSet<Topic>>>,
}

/// What all sockets report. The lines of a market are in the order of their receipt, also where two sockets report it.
pub(super) struct FeedReceiver {
    receiver: Receiver<FeedNews>,
    /// When the newest line of each market was received.
    newest: BTreeMap<usize, Nanos>,
}

impl FeedReceiver {
    pub(super) fn new(receiver: Receiver<FeedNews>) -> Self {
        let newest = BTreeMap::new();
        Self { receiver, newest }
    }

    /// `None` when every socket has ended.
    pub(super) async fn recv(&mut self) -> Option<FeedNews> {
        let mut news = self.receiver.recv().await?;
        match &mut news.content {
            FeedContent::Lines(lines) => {
                for line in lines {
                    let newest = self.newest.entry(news.market).or_insert(line.at);
                    *newest = line.at.max(*newest);
                    line.at = *newest;
                }
            }
            FeedContent::Down(_) => {}
        }
        Some(news)
    }
}

/// What happens at midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedDays {
    GoOn,
    BeginAnew,
}

impl MarketFeed {
    /// Begins the sockets.
    pub(super) fn open(
        feed: &FeedName,
        names: &[String],
        settings: &Settings,
        days: FeedDays,
    ) -> Result<Self> {
        let markets = market_ids(feed, names)?;
        let clock = Clock::start();
        let client = client(feed, settings, clock)?;
        let (sender, news) = channel(MESSAGES);
        let mut wanted = vec![];
        for (place, market) in markets.iter().enumerate() {
            let socket = SocketOfMarket {
                client: client.clone(),
                clock,
                place,
                market: market.clone(),
                days,
                news: sender.clone(),
            };
            match feed {
                FeedName::Service(_) => wanted.push(socket.of_service()),
                FeedName::Venue(venue) => {
                    let sockets = VenueSocket::iter().filter(|socket| socket.venue() == *venue);
                    wanted.extend(sockets.filter_map(|of_venue| socket.of_venue(of_venue)));
                }
            }
        }
        Ok(Self {
            markets,
            news: FeedReceiver::new(news),
            _wanted: wanted,
        })
    }
}

/// The markets by their whole ids.
fn market_ids(feed: &FeedName, names: &[String]) -> Result<Vec<MarketId>> {
    let id = |name: &String| {
        if name.is_empty() || name.ends_with('|') {
            return Err(UsageError(format!("\"{name}\" names no market")));
        }
        match (feed, name.split_once('|')) {
            (FeedName::Venue(venue), None) => {
                Ok(MarketId::from(format!("{venue}|{name}").as_str()))
            }
            (FeedName::Venue(venue), Some((provider, _))) if provider != venue.to_string() => {
                Err(UsageError(format!("\"{name}\" is no market of {venue}")))
            }
            (FeedName::Venue(_) | FeedName::Service(_), Some(_)) => {
                Ok(MarketId::from(name.as_str()))
            }
            (FeedName::Service(_), None) => Err(UsageError(format!(
                "\"{name}\" does not say its provider: write provider|coin, as the service lists it"
            ))),
        }
    };
    let ids = names.iter().map(id).collect::<Result<BTreeSet<_>, _>>()?;
    if ids.len() > MOST_MARKETS {
        let words = format!(
            "a feed has at most {MOST_MARKETS} markets, not {}",
            ids.len()
        );
        return Err(UsageError(words).into());
    }
    Ok(ids.into_iter().collect())
}

/// A client without a key, over the proxy and certificates of the settings.
fn client(feed: &FeedName, settings: &Settings, clock: Clock) -> Result<Client> {
    let stream = match feed {
        FeedName::Service(url) => Some(url.clone()),
        FeedName::Venue(_) => None,
    };
    let connection = settings.public_data(stream);
    // Its calls are nobody's to count.
    let (calls, _) = tokio::sync::mpsc::unbounded_channel();
    Ok(Client::new(connection, calls, move || clock.now())?)
}

/// What the sockets of a market share.
struct SocketOfMarket {
    client: Client,
    clock: Clock,
    place: usize,
    market: MarketId,
    days: FeedDays,
    news: Sender<FeedNews>,
}

impl SocketOfMarket {
    fn of_service(&self) -> watch::Sender<BTreeSet<Topic>> {
        let stream = RecordedStream::of_service(self.market.clone());
        let door = StreamDoor::Service(self.client.clone(), StreamKind::Market);
        self.follow(stream, door, |_| true)
    }

    /// `None` for a socket of another venue.
    fn of_venue(&self, socket: VenueSocket) -> Option<watch::Sender<BTreeSet<Topic>>> {
        let stream = RecordedStream::of_venue(socket, self.market.clone());
        let door = StreamDoor::Venue(self.client.venues()?, socket);
        Some(self.follow(stream, door, |channel| socket.carries(channel)))
    }

    fn follow<S>(
        &self,
        stream: RecordedStream<S>,
        door: StreamDoor,
        carries: impl Fn(Channel) -> bool,
    ) -> watch::Sender<BTreeSet<Topic>>
    where
        S: crate::feed::Stream + Send + 'static,
    {
        let market = StreamedMarket::new(self.market.clone());
        let channels = CHANNELS.into_iter().filter(|channel| carries(*channel));
        let topics = channels.map(|channel| Topic::of(channel, market.clone()));
        let wanted = watch::Sender::new(topics.collect());
        let (signals, receiver) = channel(MESSAGES);
        let seed = u64::from(std::process::id()) << 8 | self.place as u64;
        let link = StreamLink::new(door, Some(wanted.subscribe()), signals, seed, self.clock);
        let stream = match self.days {
            FeedDays::GoOn => stream,
            FeedDays::BeginAnew => stream.by_day(),
        };
        tokio::spawn(link.run(stream));
        let forward = Forward {
            place: self.place,
            clock: self.clock,
            open: None,
            news: self.news.clone(),
        };
        tokio::spawn(forward.run(receiver));
        wanted
    }
}

/// Passes on what a socket says, and says where frames are missing.
struct Forward {
    place: usize,
    clock: Clock,
    /// The connection that is open.
    open: Option<RecordingMark>,
    news: Sender<FeedNews>,
}

impl Forward {
    async fn run(mut self, mut receiver: Receiver<Signal<Received>>) {
        while let Some(signal) = receiver.recv().await {
            let is_taken = match signal {
                Signal::Up | Signal::Alive => true,
                Signal::Events(lines) => {
                    self.note_open(&lines);
                    self.tell(FeedContent::Lines(lines)).await
                }
                Signal::Down(why) => {
                    let gap = self.gap();
                    self.tell(FeedContent::Lines(gap)).await
                        && self.tell(FeedContent::Down(why)).await
                }
            };
            if !is_taken {
                return;
            }
        }
    }

    fn note_open(&mut self, lines: &[Received]) {
        for line in lines {
            if let Recorded::Mark(mark) = &line.content
                && mark.event == MarkEvent::Open
            {
                self.open = Some(mark.clone());
            }
        }
    }

    /// What follows the last frame of a connection; nothing if it has none.
    fn gap(&mut self) -> Vec<Received> {
        let mark = self.open.take().map(|open| RecordingMark {
            event: MarkEvent::Gap,
            ..open
        });
        let gap = mark.map(|mark| Received::mark(mark, self.clock.now()));
        gap.into_iter().collect()
    }

    /// Whether somebody takes it.
    async fn tell(&self, received: FeedContent) -> bool {
        let market = self.place;
        self.news
            .send(FeedNews {
                market,
                content: received,
            })
            .await
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[tokio::test]
    async fn of_two_sockets_of_a_market_no_line_comes_before_one_that_was_received_earlier() {
        let (sender, news) = channel(8);
        let mut feed = FeedReceiver::new(news);
        for (market, at) in [(0, 968), (0, 967), (1, 900), (0, 970)] {
            let mark = RecordingMark {
                event: MarkEvent::Open,
                conn: 1,
                market: None,
                socket: None,
            };
            let content = FeedContent::Lines(vec![Received::mark(mark, Timestamp(at))]);
            sender.send(FeedNews { market, content }).await.unwrap();
        }
        drop(sender);
        let mut order = vec![];
        while let Some(news) = feed.recv().await {
            if let FeedContent::Lines(lines) = news.content {
                order.push(lines[0].at.timestamp().0);
            }
        }
        assert_eq!(order, [968, 968, 900, 970]);
    }

    #[test]
    fn a_market_is_called_as_its_venue_calls_it_and_one_of_a_service_says_its_provider() {
        let ids = |feed: &str, names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            market_ids(&feed.parse().unwrap(), &names).map_err(|why| why.to_string())
        };
        let named = ["ETH", "hyperliquid|BTC", "ETH", "xyz:NVDA"];
        let known = ["hyperliquid|BTC", "hyperliquid|ETH", "hyperliquid|xyz:NVDA"];
        assert_eq!(
            ids("hyperliquid", &named).unwrap(),
            known.map(MarketId::from)
        );
        let url = "ws://127.0.0.1:1/stream";
        assert_eq!(
            ids(url, &["paper|BTC"]).unwrap(),
            [MarketId::from("paper|BTC")]
        );
        assert!(ids(url, &["BTC"]).unwrap_err().contains("provider|coin"));
        for name in ["", "hyperliquid|", "bybit|BTC"] {
            assert!(ids("hyperliquid", &["BTC", name]).is_err(), "{name}");
        }
        assert!("http://host".parse::<FeedName>().is_err());
        assert!(ids("bybit", &["A", "B", "C", "D", "E", "F", "G", "H", "I"]).is_err());
    }
}
