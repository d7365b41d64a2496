//! The HTTP/1.1 server: an accept loop of our own, so that every limit is ours.
//!
//! Heads within 10 s and 32 KiB, bodies within 20 s and 64 KiB, 30 s idle between requests, 20 s without reading an
//! answer; 192 connections at once, 128 of one address, and who keeps us waiting gives way to who comes (`places`).
//! Known limit: what is no HTTP, has more than 100 headers or a head of more than 64 KiB is refused by hyper, without an
//! envelope.

mod host;
mod patience;
mod payload;
mod places;
mod respond;

pub(super) use host::Hosts;

use super::Service;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use patience::Patient;
use places::{Place, Places};
use std::{
    io::{self, Write as _},
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// hyper reads on in steps of its own and notices only afterwards; the exact limit is `respond`'s.
const HEAD_BUFFER: usize = 2 * respond::HEAD_LIMIT;
/// How long requests under way may take to finish after the stop signal.
const GRACE: Duration = Duration::from_secs(1);
/// Before accepting again after the system had no socket left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Accepts until `stop`, then lets the requests under way finish.
pub(super) async fn accept(listener: TcpListener, service: Arc<Service>, stop: CancellationToken) {
    let places = Arc::new(Places::default());
    let connections = TaskTracker::new();
    while let Some((stream, peer)) = next(&listener, &stop).await {
        match places.take(peer.ip()) {
            Some(place) => {
                let (service, stop) = (Arc::clone(&service), stop.clone());
                connections.spawn(serve(stream, peer.ip(), place, service, stop));
            }
            None => turn_away(stream, &service),
        }
    }
    connections.close();
    connections.wait().await;
}

/// The next connection; `None` after `stop`.
async fn next(listener: &TcpListener, stop: &CancellationToken) -> Option<(TcpStream, SocketAddr)> {
    loop {
        match stop.run_until_cancelled(listener.accept()).await? {
            Ok(accepted) => return Some(accepted),
            Err(why) => {
                tracing::warn!(%why, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Says 503 and closes. A new socket takes so few bytes at once; who is not told after all sees it closed, with
/// nothing carried out.
fn turn_away(stream: TcpStream, service: &Service) {
    let answer = respond::full(service.request_ids.next());
    let told = stream.into_std().and_then(|mut to| to.write_all(&answer));
    if let Err(why) = told {
        tracing::debug!(%why, "a connection was turned away without a word");
    }
}

async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    place: Place,
    service: Arc<Service>,
    stop: CancellationToken,
) {
    if let Err(why) = stream.set_nodelay(true) {
        tracing::debug!(%why, "TCP_NODELAY could not be set");
    }
    let phase = Arc::clone(&place.phase);
    let io = TokioIo::new(Patient::new(stream, Arc::clone(&phase)));
    let respond = service_fn(|request| {
        let (service, phase) = (Arc::clone(&service), Arc::clone(&phase));
        async move {
            phase.busy();
            let response = respond::respond(&service, peer, request).await?;
            Ok::<_, io::Error>(response.map(|payload| payload.under(phase)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(HEAD_BUFFER)
        .serve_connection(io, respond);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        () = place.leave.cancelled() => None,
        ended = connection.as_mut() => Some(ended),
    };
    let ended = match ended {
        Some(ended) => ended,
        // Asked for its place while nothing was under way on it.
        None if !stop.is_cancelled() && place.phase.waiting().is_some() => return,
        None => {
            connection.as_mut().graceful_shutdown();
            timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(why) = ended {
        tracing::debug!(%why, "a connection ended early");
    }
}
