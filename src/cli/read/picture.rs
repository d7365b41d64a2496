//! The first picture of a market, where the service tells it by its market stream alone.

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

/// A picture that is not complete within this is not waited for.
const WITHIN: Duration = Duration::from_secs(10);
/// Signals of the socket that are not read yet.
const SIGNALS: usize = 64;

/// What this channel tells of a market before anything new.
///
/// # Errors
/// Where the settings name no market stream, the setting; else why it tells nothing.
pub(super) async fn picture(
    service: &Service,
    store: &Store,
    market: &MarketId,
    of: Channel,
) -> Result<Vec<MarketEvent>> {
    let wanted = watch::Sender::new([Topic::of(of, streamed(store, market))].into());
    let (signals, mut told) = channel(SIGNALS);
    let topics = Some(wanted.subscribe());
    let socket = link(service, StreamKind::Market, topics, signals)?;
    let running = tokio::spawn(socket.run(MarketStream::default()));
    let reading = async {
        let mut events = vec![];
        while let Some(signal) = told.recv().await {
            match signal {
                Signal::Told(news) => events.extend(news),
                Signal::Up => break,
                Signal::Down(why) => return Err(Failure::new(FailureKind::Unreachable, why)),
                Signal::Heard => {}
            }
        }
        Ok(events)
    };
    let late = || Failure::new(FailureKind::TimedOut, "the market stream tells nothing");
    let read = timeout(WITHIN, reading).await;
    running.abort();
    Ok(read.unwrap_or_else(|_| Err(late()))?)
}
