//! `perpdeck watch market` and `perpdeck watch account`: what the service's streams tell, one line each.
//!
//! Contract: a line is printed once its frame has passed the checks of `feed`. Lines of before the watch, and of before a
//! new connection, are `history`. A stream that ends is reported once, and the watch goes on when it is back.

use super::{
    LineReader, WatchFormat, print,
    stream_rows::{AccountLine, MarketLine, WatchedChannel, account_words, market_row},
};
use crate::{
    app::Store,
    cli::{
        Exit,
        exit::UsageError,
        local_zone::local_zone,
        read::market::named,
        service::Service,
        voice::{Output, json},
    },
    feed::{
        account::{AccountNews, AccountStream},
        event::AccountEvent,
        market::MarketStream,
        topic::{Channel, StreamedMarket, Topic},
    },
    model::{Interval, MarketId, StreamKind, Text},
    runtime::{
        Clock,
        base::jitter::Jitter,
        polling::streams::socket::{Signal, StreamLink},
    },
};
use color_eyre::Result;
use serde::Serialize;
use std::collections::BTreeSet;
use tokio::sync::{mpsc::channel, watch};

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
    (voice, format): (Output, WatchFormat),
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
    let wanted = watch::Sender::new(topics);
    let (signals, mut told) = channel(SIGNALS);
    let socket = link(
        service,
        StreamKind::Market,
        Some(wanted.subscribe()),
        signals,
    )?;
    tokio::spawn(socket.run(MarketStream::default()));
    let mut printer = Printer::new(voice, format);
    let mut seq = 0;
    while let Some(signal) = told.recv().await {
        match signal {
            Signal::Up => printer.up(),
            Signal::Down(why) => printer.down(&why),
            Signal::Heard => {}
            Signal::Told(events) => {
                for (told, history) in events.into_iter().filter_map(market_row) {
                    seq += 1;
                    let words = told.words();
                    let line = MarketLine::new(seq, told, history);
                    if printer.line(&line, &words)? == LineReader::Gone {
                        return Ok(Exit::Ok);
                    }
                }
            }
        }
    }
    Ok(Exit::Ok)
}

/// Follows the stream of the account.
pub(super) async fn account(
    service: &Service,
    (voice, format): (Output, WatchFormat),
) -> Result<Exit> {
    let (signals, mut told) = channel(SIGNALS);
    let socket = link(service, StreamKind::Account, None, signals)?;
    tokio::spawn(socket.run(AccountStream::new(service.account.clone())));
    let mut store = Store::default();
    let mut printer = Printer::new(voice, format);
    while let Some(signal) = told.recv().await {
        match signal {
            Signal::Up => printer.up(),
            Signal::Down(why) => printer.down(&why),
            Signal::Heard => {}
            Signal::Told(news) => {
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

/// What the stream calls a market.
pub(in crate::cli::read) fn streamed(store: &Store, id: &MarketId) -> StreamedMarket {
    store.market(id).map_or_else(
        || StreamedMarket::new(id.clone()),
        |market| StreamedMarket {
            id: id.clone(),
            provider: market.provider.raw().to_owned(),
            symbol: market.coin.raw().to_owned(),
        },
    )
}

/// The socket of a stream that the settings name.
pub(in crate::cli::read) fn link<E>(
    service: &Service,
    kind: StreamKind,
    topics: Option<watch::Receiver<BTreeSet<Topic>>>,
    signals: tokio::sync::mpsc::Sender<Signal<E>>,
) -> Result<StreamLink<E>> {
    if !service.client.has_stream(kind) {
        let setting = match kind {
            StreamKind::Market => "market_stream_url",
            StreamKind::Account => "account_stream_url",
        };
        let words = format!("{setting} is not set: set it to the address of your service's stream");
        return Err(UsageError(words).into());
    }
    Ok(StreamLink {
        client: service.client.clone(),
        clock: Clock::start(),
        kind,
        topics,
        signals,
        draws: Jitter::seeded(std::process::id().into()),
    })
}

fn events(news: AccountNews) -> Vec<AccountEvent> {
    match news {
        AccountNews::Snapshot(events) => events,
        AccountNews::Event(event) => vec![event],
    }
}

impl Printer {
    fn new(voice: Output, format: WatchFormat) -> Self {
        Self {
            format,
            voice,
            is_down: false,
        }
    }
}
