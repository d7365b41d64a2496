//! One open stream: reads what the client asks, and writes what changed.

use super::super::{
    api_error::ApiResult, engine::Millis, response_cache::StateVersion, service::ExchangeService,
    state::ExchangeState,
};
use super::disturbed::{After, Disturbed};
use futures_util::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tokio_websockets::{CloseCode, Limits, Message, ServerBuilder, WebSocketStream};

/// A longer message of a client closes its stream.
const LONGEST_REQUEST: usize = 64 * 1024;
/// The shortest time between two writes of changes: at most fifty a second.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// How often a stream without changes shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Socket for T {}

/// An upgraded connection, and what ends it.
pub(in crate::exchange) struct StreamConnection {
    socket: WebSocketStream<Box<dyn Socket>>,
    disturbed: Disturbed,
    /// The exchange stops.
    stop: CancellationToken,
    /// Another client needs the connection more.
    evict: CancellationToken,
}

impl StreamConnection {
    pub(in crate::exchange) fn new(
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        stop: CancellationToken,
        evict: CancellationToken,
    ) -> Self {
        let io: Box<dyn Socket> = Box::new(io);
        let limits = Limits::default().max_payload_len(Some(LONGEST_REQUEST));
        Self {
            socket: ServerBuilder::new().limits(limits).serve(io),
            disturbed: Disturbed::default(),
            stop,
            evict,
        }
    }
}

/// What a session does after it has written its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterChanges {
    GoOn,
    /// The client comes back on a new connection.
    Close,
}

/// The protocol of one stream. Texts go out in the order of the vector.
pub(super) trait StreamProtocol {
    /// Before the client has sent anything.
    fn greeting(&mut self, service: &ExchangeService, state: &ExchangeState) -> Vec<String>;

    /// The answer to a message of the client.
    fn answers(&mut self, state: &ExchangeState, text: &str) -> Vec<String>;

    /// What changed since the last call.
    fn changes(&mut self, state: &ExchangeState, out: &mut Vec<String>) -> AfterChanges;

    /// A sign of life at this virtual time; `None` if the protocol has none.
    fn heartbeat(&mut self, now: Millis) -> Option<String>;

    /// Before the exchange stops.
    fn farewell(&self) -> String;
}

/// Why a session wakes up.
enum Wake {
    Message(String),
    Changed,
    Heartbeat,
    Stop,
    Closed,
}

/// Serves `session` until one of both sides ends the connection.
pub(super) async fn run(
    service: &ExchangeService,
    mut connection: StreamConnection,
    mut session: impl StreamProtocol + Send,
) -> ApiResult<()> {
    let (greeting, mut seen) = {
        let state = service.state()?;
        (session.greeting(service, &state), state.engine.version())
    };
    let mut out = greeting;
    let mut beat = Instant::now() + HEARTBEAT;
    loop {
        if !out.is_empty() {
            let (texts, after) = connection
                .disturbed
                .frames(service, std::mem::take(&mut out))?;
            if connection.write(texts).await.is_none() || after == After::Cut {
                return Ok(());
            }
            if after == After::Drain {
                connection.part(session.farewell()).await;
                return Ok(());
            }
            beat = Instant::now() + HEARTBEAT;
            sleep(SHORTEST_PAUSE).await;
        }
        let next = match connection.next(service, seen, beat).await {
            Wake::Closed => return Ok(()),
            Wake::Stop => {
                connection.part(session.farewell()).await;
                return Ok(());
            }
            Wake::Heartbeat => {
                out.extend(session.heartbeat(service.state()?.engine.now()));
                beat = Instant::now() + HEARTBEAT;
                AfterChanges::GoOn
            }
            Wake::Message(text) => {
                out = session.answers(&*service.state()?, &text);
                AfterChanges::GoOn
            }
            Wake::Changed => {
                let state = service.state()?;
                seen = state.engine.version();
                session.changes(&state, &mut out)
            }
        };
        if next == AfterChanges::Close {
            let _gone = connection.write(out).await;
            connection.close().await;
            return Ok(());
        }
    }
}

impl StreamConnection {
    /// The next thing to do. Changes are looked for when a request made one, and as often as virtual time steps.
    async fn next(&mut self, service: &ExchangeService, seen: StateVersion, beat: Instant) -> Wake {
        let mut changes = service.changes();
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Wake::Stop,
            () = self.evict.cancelled() => Wake::Closed,
            message = self.socket.next() => match message {
                Some(Ok(message)) => match message.as_text() {
                    Some(text) => Wake::Message(text.to_owned()),
                    None if message.is_close() => Wake::Closed,
                    // The library answers a ping by itself.
                    None => Wake::Changed,
                },
                Some(Err(_)) | None => Wake::Closed,
            },
            _ = changes.wait_for(|version| *version != seen) => Wake::Changed,
            () = step(service) => Wake::Changed,
            () = sleep_until(beat) => Wake::Heartbeat,
        }
    }

    /// `None` if the client is gone.
    async fn write(&mut self, texts: Vec<String>) -> Option<()> {
        for text in texts {
            self.socket.feed(Message::text(text)).await.ok()?;
        }
        self.socket.flush().await.ok()
    }

    /// A last word, and the end.
    async fn part(mut self, farewell: String) {
        let _gone = self.write(vec![farewell]).await;
        self.close().await;
    }

    async fn close(mut self) {
        let bye = Message::close(Some(CloseCode::GOING_AWAY), "");
        let _gone = self.socket.send(bye).await;
    }
}

/// Until the next step of virtual time is due; for ever while its clock stands still.
async fn step(service: &ExchangeService) {
    let pause = service.step_interval();
    match pause {
        Some(pause) => sleep(pause.max(SHORTEST_PAUSE)).await,
        None => std::future::pending().await,
    }
}
