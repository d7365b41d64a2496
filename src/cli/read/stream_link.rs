//! The connection of a verb to a stream of the service, or of a market's venue.

use crate::{
    app::Store,
    cli::{exit::UsageError, service::Service},
    feed::topic::{StreamedMarket, Topic},
    model::{MarketId, StreamKind},
    runtime::{
        Clock,
        polling::streams::{
            door::StreamDoor,
            socket::{Signal, StreamLink},
        },
    },
};
use color_eyre::Result;
use std::collections::BTreeSet;
use tokio::sync::{mpsc::Sender, watch};

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
