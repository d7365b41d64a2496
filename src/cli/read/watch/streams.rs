//! `perpdeck watch market` and `perpdeck watch account`: the messages of the service's streams, one line each.
//!
//! Contract: a line is printed once its frame has passed the checks of `feed`. Lines of before the watch, and of before a
//! new connection, are `history`. A stream that ends is reported once, and the watch goes on when it is back; a refused key
//! ends the watch.

use super::{
    LineReader, WatchFormat, print,
    stream_rows::{
        AccountLine, MarketLine, WatchedChannel, account_words, market_row, refusal_words,
    },
};
use crate::{
    app::Store,
    cli::{
        Exit,
        local_zone::local_zone,
        read::{
            market::named,
            stream_link::{link, opened_by, streamed},
        },
        service::Service,
        voice::{Output, json},
    },
    feed::{
        account::{AccountNews, AccountStream},
        event::{AccountEvent, MarketEvent},
        market::MarketStream,
        topic::{Channel, StreamedMarket, Topic},
        venue::{VenueSocket, stream::VenueStream},
    },
    model::{FailureKind, Interval, MarketId, StreamKind, Text, Venue},
    runtime::{
        Clock,
        polling::streams::{door::StreamDoor, relay::Relay, socket::Signal},
    },
};
use color_eyre::Result;
use serde::Serialize;
use std::collections::BTreeSet;
use strum::IntoEnumIterator as _;
use tokio::sync::{
    mpsc::{Sender, channel},
    watch,
};

/// Signals of the socket that are not printed yet.
const SIGNALS: usize = 256;

/// How lines are printed.
struct Printer {
    format: WatchFormat,
    voice: Output,
    /// Whether the end of the stream was reported.
    is_down: bool,
}

impl Printer {
    fn new(voice: Output, format: WatchFormat) -> Self {
        Self {
            format,
            voice,
            is_down: false,
        }
    }

    fn line(&self, line: &impl Serialize, words: &str) -> Result<LineReader> {
        Ok(print(&match self.format {
            WatchFormat::Jsonl => json(line),
            WatchFormat::Text => {
                let time = local_zone().time_of_day(Clock::start().now());
                Text::from(format!("{time}  {words}").as_str()).to_string()
            }
        })?)
    }

    fn up(&mut self) {
        if std::mem::take(&mut self.is_down) {
            self.voice.note("the stream is back");
        }
    }

    fn down(&mut self, why: &str) {
        if !std::mem::replace(&mut self.is_down, true) {
            self.voice.note(&format!(
                "the stream is down ({why}); perpdeck connects again"
            ));
        }
    }
}

/// Follows the stream of a market.
pub(super) async fn market(
    service: &Service,
    name: &MarketId,
    channels: &[WatchedChannel],
    format: WatchFormat,
) -> Result<Exit> {
    let (store, id) = named(service, name.clone()).await?;
    let market = streamed(&store, &id);
    let topics = channels.iter().map(|channel| {
        let channel = match channel {
            WatchedChannel::Book => Channel::Book,
            WatchedChannel::Trades => Channel::Trades,
            WatchedChannel::Candles => Channel::Candles(Interval::Minute1),
            WatchedChannel::Stats => Channel::Stats,
        };
        Topic::of(channel, market.clone())
    });
    let topics: BTreeSet<_> = topics.collect();
    let (signals, mut received) = channel(SIGNALS);
    let _wanted = follow_market(service, &market, &topics, &signals)?;
    drop(signals);
    let mut printer = Printer::new(service.voice, format);
    let mut seq = 0;
    while let Some(signal) = received.recv().await {
        match signal {
            Signal::Up => printer.up(),
            Signal::Down(why) => printer.down(&why),
            Signal::Alive => {}
            Signal::Events(events) => {
                for words in events.iter().filter_map(refusal_words) {
                    service.voice.note(&words);
                }
                for (row, era) in events.into_iter().filter_map(market_row) {
                    seq += 1;
                    let words = row.words();
                    let line = MarketLine::new(seq, row, era);
                    if printer.line(&line, &words)? == LineReader::Gone {
                        return Ok(Exit::Ok);
                    }
                }
            }
        }
    }
    Ok(Exit::Ok)
}

/// Begins the service's own stream, or without one those of the market's venue; what is wanted of each is held.
fn follow_market(
    service: &Service,
    market: &StreamedMarket,
    topics: &BTreeSet<Topic>,
    signals: &Sender<Signal<MarketEvent>>,
) -> Result<Vec<watch::Sender<BTreeSet<Topic>>>> {
    let venue = Venue::of(&market.provider);
    let Some((venues, venue)) = service.client.venues_alone().zip(venue) else {
        let wanted = watch::Sender::new(topics.clone());
        let topics = Some(wanted.subscribe());
        let link = link(service, StreamKind::Market, topics, signals.clone())?;
        let begin = MarketStream::default;
        tokio::spawn(Relay { link, begin }.run());
        return Ok(vec![wanted]);
    };
    let sockets = VenueSocket::iter().filter(|socket| socket.venue() == venue);
    let wanted = sockets.map(|socket| {
        let carried = topics.iter().filter(|topic| socket.carries(topic.channel));
        let wanted = watch::Sender::new(carried.cloned().collect());
        let door = StreamDoor::Venue(venues.clone(), socket);
        let link = opened_by(door, Some(wanted.subscribe()), signals.clone());
        let begin = move || VenueStream::new(socket);
        tokio::spawn(Relay { link, begin }.run());
        wanted
    });
    Ok(wanted.collect())
}

/// Follows the stream of the account.
pub(super) async fn account(service: &Service, format: WatchFormat) -> Result<Exit> {
    let (signals, mut received) = channel(SIGNALS);
    let socket = link(service, StreamKind::Account, None, signals)?;
    tokio::spawn(socket.run(AccountStream::new(service.account.clone())));
    let mut store = Store::default();
    let mut printer = Printer::new(service.voice, format);
    while let Some(signal) = received.recv().await {
        match signal {
            Signal::Up => printer.up(),
            Signal::Down(why) => {
                if !printer.is_down
                    && let Some(exit) = refused_key(service).await
                {
                    return Ok(exit);
                }
                printer.down(&why);
            }
            Signal::Alive => {}
            Signal::Events(news) => {
                store.clocks = service.clocks().await;
                for event in news.into_iter().flat_map(events) {
                    let words = account_words(&event.row, &store);
                    let line = AccountLine::new(event, &store);
                    if printer.line(&line, &words)? == LineReader::Gone {
                        return Ok(Exit::Ok);
                    }
                }
            }
        }
    }
    Ok(Exit::Ok)
}

/// A read says whether it is the key that the stream is refused for.
async fn refused_key(service: &Service) -> Option<Exit> {
    let read = service.client.open_positions().await;
    let why = read.err().filter(|why| why.kind == FailureKind::Auth)?;
    Some(service.voice.failure(&why))
}

fn events(news: AccountNews) -> Vec<AccountEvent> {
    match news {
        AccountNews::Snapshot(events) => events,
        AccountNews::Event(event) => vec![event],
    }
}
