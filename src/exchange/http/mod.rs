//! The HTTP/1.1 server: an accept loop of our own, so that every limit is ours.
//!
//! Heads within 10 s and 32 KiB, bodies within 20 s and 64 KiB, 30 s idle between requests, 128 connections at once.
//! Known limit: what is no HTTP, has more than 100 headers or a head of more than 64 KiB is refused by hyper, without an
//! envelope.

mod host;
mod patience;
mod payload;
mod respond;

pub(super) use host::Hosts;

use super::Service;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use patience::{Patient, Phase};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

const CONNECTIONS: usize = 128;
/// hyper reads on in steps of its own and notices only afterwards; the exact limit is `respond`'s.
const HEAD_BUFFER: usize = 2 * respond::HEAD_LIMIT;
/// How long requests under way may take to finish after the stop signal.
const GRACE: Duration = Duration::from_secs(1);
/// Before accepting again after the system had no socket left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts until `stop`, then lets the requests under way finish.
pub(super) async fn accept(listener: TcpListener, service: Arc<Service>, stop: CancellationToken) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = TaskTracker::new();
    while let Some((stream, peer, place)) = next(&listener, &room, &stop).await {
        let (service, stop) = (Arc::clone(&service), stop.clone());
        connections.spawn(async move {
            serve(stream, peer.ip(), service, stop).await;
            drop(place);
        });
    }
    connections.close();
    connections.wait().await;
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection once there is room for it; `None` after `stop`.
async fn next(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
    stop: &CancellationToken,
) -> Option<Accepted> {
    let place = stop
        .run_until_cancelled(Arc::clone(room).acquire_owned())
        .await?
        .ok()?;
    loop {
        match stop.run_until_cancelled(listener.accept()).await? {
            Ok((stream, peer)) => return Some((stream, peer, place)),
            Err(why) => {
                tracing::warn!(%why, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve(stream: TcpStream, peer: IpAddr, service: Arc<Service>, stop: CancellationToken) {
    if let Err(why) = stream.set_nodelay(true) {
        tracing::debug!(%why, "TCP_NODELAY could not be set");
    }
    let phase = Arc::new(Phase::default());
    let io = TokioIo::new(Patient::new(stream, Arc::clone(&phase)));
    let respond = service_fn(|request| {
        let (service, phase) = (Arc::clone(&service), Arc::clone(&phase));
        async move {
            phase.busy();
            let response = respond::respond(&service, peer, request).await;
            phase.idle();
            response
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(HEAD_BUFFER)
        .serve_connection(io, respond);
    let mut connection = std::pin::pin!(connection);
    let ended = if let Some(ended) = stop.run_until_cancelled(connection.as_mut()).await {
        ended
    } else {
        connection.as_mut().graceful_shutdown();
        timeout(GRACE, connection).await.unwrap_or(Ok(()))
    };
    if let Err(why) = ended {
        tracing::debug!(%why, "a connection ended early");
    }
}
