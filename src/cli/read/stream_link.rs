//! The connection of a verb to a stream of the service, or of a market's venue, and what the market stream begins with.

use crate::{
    app::Store,
    cli::{exit::UsageError, service::Service},
    feed::{
        event::MarketEvent,
        market::MarketStream,
        topic::{Channel, StreamedMarket, Topic},
    },
    model::{Failure, FailureKind, MarketId, StreamKind},
    runtime::{
        Clock,
        polling::streams::{
            door::StreamDoor,
            socket::{Signal, StreamLink},
        },
    },
};
use color_eyre::Result;
use std::{collections::BTreeSet, time::Duration};
use tokio::{
    sync::{
        mpsc::{Sender, channel},
        watch,
    },
    time::timeout,
};

/// What the stream calls a market.
pub(super) fn streamed(store: &Store, id: &MarketId) -> StreamedMarket {
    let listed = store.market(id).map(StreamedMarket::from);
    listed.unwrap_or_else(|| StreamedMarket::new(id.clone()))
}

/// The socket of a stream that the settings name.
pub(super) fn link<E>(
    service: &Service,
    kind: StreamKind,
    topics: Option<watch::Receiver<BTreeSet<Topic>>>,
    signals: Sender<Signal<E>>,
) -> Result<StreamLink<E>> {
    if !service.client.has_stream(kind) {
        let words = match kind {
            StreamKind::Market if service.client.venues_alone().is_some() => {
                "no source has this: perpdeck reads the public data of hyperliquid, binance and bybit, candles of 1m and longer"
            }
            StreamKind::Market => {
                "market_stream_url is not set: set it to the address of your service's stream, or set market_data to \"venue\""
            }
            StreamKind::Account => {
                "account_stream_url is not set: set it to the address of your service's stream"
            }
        };
        return Err(UsageError(words.to_owned()).into());
    }
    let door = StreamDoor::Service(service.client.clone(), kind);
    Ok(opened_by(door, topics, signals))
}

pub(super) fn opened_by<E>(
    door: StreamDoor,
    topics: Option<watch::Receiver<BTreeSet<Topic>>>,
    signals: Sender<Signal<E>>,
) -> StreamLink<E> {
    let seed = std::process::id().into();
    StreamLink::new(door, topics, signals, seed, Clock::start())
}

/// How long a snapshot may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Signals of the socket that wait to be read.
const SIGNALS: usize = 64;

/// What this channel sends of a market before anything new.
///
/// # Errors
/// Where the settings name no market stream, the setting; else why nothing came.
pub(super) async fn stream_snapshot(
    service: &Service,
    store: &Store,
    market: &MarketId,
    of: Channel,
) -> Result<Vec<MarketEvent>> {
    let wanted = watch::Sender::new([Topic::of(of, streamed(store, market))].into());
    let (signals, mut received) = channel(SIGNALS);
    let topics = Some(wanted.subscribe());
    let socket = link(service, StreamKind::Market, topics, signals)?;
    let running = tokio::spawn(socket.run(MarketStream::default()));
    let reading = async {
        let mut events = vec![];
        while let Some(signal) = received.recv().await {
            match signal {
                Signal::Events(news) => events.extend(news),
                Signal::Up => break,
                Signal::Down(why) => return Err(Failure::new(FailureKind::Unreachable, why)),
                Signal::Alive => {}
            }
        }
        Ok(events)
    };
    let late = || Failure::new(FailureKind::TimedOut, "the market stream sent nothing");
    let read = timeout(TIMEOUT, reading).await;
    running.abort();
    Ok(read.unwrap_or_else(|_| Err(late()))?)
}
