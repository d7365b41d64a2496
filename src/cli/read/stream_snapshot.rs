//! What the market stream begins with, for a service that has books, candles and trades nowhere else.

use super::stream_link::{link, streamed};
use crate::{
    app::Store,
    cli::service::Service,
    feed::{
        event::MarketEvent,
        market::MarketStream,
        topic::{Channel, Topic},
    },
    model::{Failure, FailureKind, MarketId, StreamKind},
    runtime::polling::streams::socket::Signal,
};
use color_eyre::Result;
use std::time::Duration;
use tokio::{
    sync::{mpsc::channel, watch},
    time::timeout,
};

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
                Signal::Told(news) => events.extend(news),
                Signal::Up => break,
                Signal::Down(why) => return Err(Failure::new(FailureKind::Unreachable, why)),
                Signal::Heard => {}
            }
        }
        Ok(events)
    };
    let late = || Failure::new(FailureKind::TimedOut, "the market stream sent nothing");
    let read = timeout(TIMEOUT, reading).await;
    running.abort();
    Ok(read.unwrap_or_else(|_| Err(late()))?)
}
