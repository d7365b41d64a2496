//! The HTTP/1.1 server: an accept loop of our own, so that every limit is ours.
//!
//! Heads within 10 s and 32 KiB, bodies within 5 to 20 s and 16 KiB, 30 s idle between requests, 20 s without reading
//! an answer; 192 connections at once, 128 of one address; a waiting connection is evicted for a new one (`connections`).
//! An evicted or rejected connection gets 503 with `Retry-After` and the error envelope, unless a response is stuck in it.
//! Known limit: hyper itself refuses invalid HTTP, more than 100 headers and heads above 64 KiB, without an envelope.

mod body;
mod connections;
mod host;
mod request_body;
mod respond;
mod timeout_stream;

pub(super) use host::AllowedHosts;

use super::{
    service::ExchangeService,
    streams::{self, AccountStreams, StreamConnection, StreamRequest, StreamRoute},
};
use body::ResponseBody;
use connections::{ConnectionLimiter, ConnectionPermit};
use hyper::{
    Request, Response, body::Incoming, server::conn::http1, service::service_fn, upgrade::OnUpgrade,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    io::{self, Write as _},
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use timeout_stream::{Phase, TimeoutStream, WaitingFor};
use tokio::{
    io::{AsyncWriteExt as _, copy, sink},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// hyper checks its limit only between its own read steps; `respond` enforces the exact one.
const HEAD_BUFFER: usize = 2 * respond::HEAD_LIMIT;
/// How long requests in progress may take after the stop signal.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);
/// Pause after a failed accept, for example when no file descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a rejected client may keep sending: closing at once would reset the connection and lose the 503.
const REJECT_LINGER: Duration = Duration::from_secs(1);
/// Rejected clients that are read at the same time.
const MAX_LINGERING: usize = 64;

/// Accepts until `stop`, then lets requests in progress finish.
pub(super) async fn accept(
    listener: TcpListener,
    service: Arc<ExchangeService>,
    stop: CancellationToken,
) {
    let limiter = Arc::new(ConnectionLimiter::default());
    let connections = TaskTracker::new();
    let accounts = Arc::<AccountStreams>::default();
    let lingering = Arc::new(Semaphore::new(MAX_LINGERING));
    while let Some((stream, peer)) = next(&listener, &stop).await {
        let (service, lingering) = (Arc::clone(&service), Arc::clone(&lingering));
        let Some(permit) = limiter.take(peer.ip()) else {
            connections.spawn(async move { reject(stream, &service, &lingering).await });
            continue;
        };
        let serving = Serving {
            peer: peer.ip(),
            permit: Arc::new(permit),
            service: Arc::clone(&service),
            stop: stop.clone(),
            tasks: connections.clone(),
            accounts: Arc::clone(&accounts),
        };
        let served = serve(stream, serving);
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

/// Responds 503 and closes: the connection limit is reached, and the request was not processed.
async fn reject(stream: TcpStream, service: &ExchangeService, lingering: &Semaphore) {
    let answer = respond::too_many_connections(service.request_ids.next());
    // A socket with an empty send buffer accepts this few bytes without blocking.
    let sent = stream
        .into_std()
        .and_then(|mut to| to.write_all(&answer).map(|()| to))
        .and_then(TcpStream::from_std);
    let taken = match (sent, lingering.try_acquire()) {
        (Ok(stream), Ok(_one)) => timeout(REJECT_LINGER, drain(stream)).await,
        (Ok(_), Err(_)) => return,
        (Err(why), _) => Ok(Err(why)),
    };
    if let Ok(Err(why)) = taken {
        tracing::debug!(%why, "a connection was closed without an answer");
    }
}

/// Reads until the client closes.
async fn drain(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    copy(&mut stream, &mut sink()).await.map(drop)
}

/// What a connection is served with.
struct Serving {
    peer: IpAddr,
    /// A stream holds it longer than its request.
    permit: Arc<ConnectionPermit>,
    service: Arc<ExchangeService>,
    stop: CancellationToken,
    tasks: TaskTracker,
    /// What the streams of accounts share.
    accounts: Arc<AccountStreams>,
}

impl Serving {
    async fn respond(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<ResponseBody>, io::Error> {
        let phase = Arc::clone(&self.permit.phase);
        phase.enter(Phase::Busy);
        let response = match StreamRoute::from_path(request.uri().path()) {
            Some(route) => {
                let (response, opened) =
                    respond::open_stream(&self.service, self.peer, route, &request);
                if let Some(opened) = opened {
                    self.serve_stream(opened, hyper::upgrade::on(&mut request));
                }
                response
            }
            None => respond::respond(&self.service, self.peer, &phase, request).await?,
        };
        Ok(response.map(|payload| payload.with_phase(phase)))
    }

    fn serve_stream(&self, opened: StreamRequest, switched: OnUpgrade) {
        let (service, permit) = (Arc::clone(&self.service), Arc::clone(&self.permit));
        let stop = self.stop.clone();
        let accounts = Arc::clone(&self.accounts);
        self.tasks.spawn(async move {
            // The client may be gone before it has its answer.
            let Ok(io) = switched.await else { return };
            permit.phase.enter(Phase::Stream);
            let evict = permit.evict.clone();
            let connection = StreamConnection::new(TokioIo::new(io), stop, evict);
            streams::serve(service, accounts, opened, connection).await;
            drop(permit);
        });
    }
}

/// Serves a connection to its end. Returns the stream if it was evicted while it waited for its client.
async fn serve(stream: TcpStream, serving: Serving) -> Option<TcpStream> {
    if let Err(why) = stream.set_nodelay(true) {
        tracing::debug!(%why, "TCP_NODELAY could not be set");
    }
    let (permit, stop) = (Arc::clone(&serving.permit), serving.stop.clone());
    let io = TokioIo::new(TimeoutStream::new(stream, Arc::clone(&permit.phase)));
    let serving = Arc::new(serving);
    let respond = service_fn(|request| {
        let serving = Arc::clone(&serving);
        async move { serving.respond(request).await }
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(HEAD_BUFFER)
        .serve_connection(io, respond)
        .with_upgrades();
    let ended = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        () = permit.evict.cancelled() => None,
        ended = &mut connection => Some(ended),
    };
    let ended = match (ended, permit.phase.waiting()) {
        (Some(ended), _) => ended,
        // Evicted while it waited for the client. A stuck response leaves no room for the 503.
        (None, Some((WaitingFor::Reader, _))) if !stop.is_cancelled() => return None,
        (None, Some(_)) if !stop.is_cancelled() => {
            let parts = connection.into_parts();
            return parts.map(|parts| parts.io.into_inner().into_inner());
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
