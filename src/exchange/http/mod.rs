//! The HTTP/1.1 server: an accept loop of our own, so that every limit is ours.
//!
//! Heads within 10 s and 32 KiB, bodies within 5 to 20 s and 64 KiB, 30 s idle between requests, 20 s without reading
//! an answer; 192 connections at once, 128 of one address, and who keeps us waiting gives way to who comes (`limiter`).
//! A connection that is closed for want of places is told so: 503 with `Retry-After` and the error envelope, unless an
//! answer is stuck in it.
//! Known limit: what is no HTTP, has more than 100 headers or a head of more than 64 KiB is refused by hyper, without an
//! envelope.

mod body;
mod connections;
mod host;
mod respond;
mod timeout_stream;

pub(super) use host::AllowedHosts;

use super::service::Service;
use connections::{ConnectionLimiter, ConnectionPermit};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    io::{self, Write as _},
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use timeout_stream::{TimeoutStream, WaitingFor};
use tokio::{
    io::{AsyncWriteExt as _, copy, sink},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// hyper reads on in steps of its own and notices only afterwards; the exact limit is `respond`'s.
const HEAD_BUFFER: usize = 2 * respond::HEAD_LIMIT;
/// How long requests under way may take to finish after the stop signal.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// Before accepting again after the system had no socket left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A client that is still sending when it is told 503 would lose the words with a socket that is closed at once: its
/// bytes are taken for so long,
const REJECT_LINGER: Duration = Duration::from_secs(1);
/// of so many clients at once.
const MAX_LINGERING: usize = 64;

/// Accepts until `stop`, then lets the requests under way finish.
pub(super) async fn accept(listener: TcpListener, service: Arc<Service>, stop: CancellationToken) {
    let limiter = Arc::new(ConnectionLimiter::default());
    let connections = TaskTracker::new();
    let lingering = Arc::new(Semaphore::new(MAX_LINGERING));
    while let Some((stream, peer)) = next(&listener, &stop).await {
        let (service, lingering) = (Arc::clone(&service), Arc::clone(&lingering));
        let Some(permit) = limiter.take(peer.ip()) else {
            connections.spawn(async move { reject(stream, &service, &lingering).await });
            continue;
        };
        let served = serve(
            stream,
            peer.ip(),
            permit,
            Arc::clone(&service),
            stop.clone(),
        );
        connections.spawn(async move {
            if let Some(stream) = served.await {
                reject(stream, &service, &lingering).await;
            }
        });
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

/// Says 503 and closes: there is no place for the connection, and nothing was carried out.
async fn reject(stream: TcpStream, service: &Service, lingering: &Semaphore) {
    let answer = respond::too_many_connections(service.request_ids.next());
    // A socket with nothing unread in it takes so few bytes at once.
    let told = stream
        .into_std()
        .and_then(|mut to| to.write_all(&answer).map(|()| to))
        .and_then(TcpStream::from_std);
    let taken = match (told, lingering.try_acquire()) {
        (Ok(stream), Ok(_one)) => timeout(REJECT_LINGER, drained(stream)).await,
        (Ok(_), Err(_)) => return,
        (Err(why), _) => Ok(Err(why)),
    };
    if let Ok(Err(why)) = taken {
        tracing::debug!(%why, "a connection was turned away without a word");
    }
}

/// Takes what the client is still sending, until it has read that this is over.
async fn drained(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    copy(&mut stream, &mut sink()).await.map(drop)
}

/// Answers until the connection is over; the stream, where it had to leave while it kept us waiting.
async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    permit: ConnectionPermit,
    service: Arc<Service>,
    stop: CancellationToken,
) -> Option<TcpStream> {
    if let Err(why) = stream.set_nodelay(true) {
        tracing::debug!(%why, "TCP_NODELAY could not be set");
    }
    let phase = Arc::clone(&permit.phase);
    let io = TokioIo::new(TimeoutStream::new(stream, Arc::clone(&phase)));
    let respond = service_fn(|request| {
        let (service, phase) = (Arc::clone(&service), Arc::clone(&phase));
        async move {
            phase.busy();
            let response = respond::respond(&service, (peer, &phase), request).await?;
            Ok::<_, io::Error>(response.map(|payload| payload.under(phase)))
        }
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(HEAD_BUFFER)
        .serve_connection(io, respond);
    let ended = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        () = permit.evict.cancelled() => None,
        ended = &mut connection => Some(ended),
    };
    let ended = match (ended, permit.phase.waiting()) {
        (Some(ended), _) => ended,
        // Asked for its place while it was the client's turn. An answer that is stuck leaves no room for words.
        (None, Some((WaitingFor::Reader, _))) if !stop.is_cancelled() => return None,
        (None, Some(_)) if !stop.is_cancelled() => {
            return Some(connection.into_parts().io.into_inner().into_inner());
        }
        (None, _) => {
            let mut connection = std::pin::pin!(connection);
            connection.as_mut().graceful_shutdown();
            timeout(SHUTDOWN_GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(why) = ended {
        tracing::debug!(%why, "a connection ended early");
    }
    None
}
