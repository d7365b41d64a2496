//! One open stream: reads what the client asks, and writes what changed.

use super::super::{
    api_error::ApiResult,
    engine::Millis,
    response_cache::StateVersion,
    service::{ExchangeService, SHORTEST_PAUSE},
    state::ExchangeState,
};
use super::disturbed::{After, Disturbed};
use futures_util::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    task::yield_now,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tokio_websockets::{CloseCode, Limits, Message, ServerBuilder, WebSocketStream};

/// A longer message of a client closes its stream.
const LONGEST_REQUEST: usize = 64 * 1024;
/// How often a stream without changes shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Socket for T {}

/// An upgraded connection, and what ends it.
pub(in crate::exchange) struct StreamConnection {
    socket: WebSocketStream<Box<dyn Socket>>,
    disturbed: Disturbed,
    /// When it may write again.
    rested_at: Instant,
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
            rested_at: Instant::now(),
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
    let mut changes = service.changes();
    let (mut out, mut seen) = {
        let state = service.state()?;
        (session.greeting(service, &state), state.engine.version())
    };
    // What the next frames answer.
    let mut request = None;
    let mut beat = Instant::now() + HEARTBEAT;
    loop {
        if !out.is_empty() {
            let (texts, after) = connection.disturbed.frames(
                service,
                std::mem::take(&mut out),
                request.take().as_deref(),
            )?;
            let texts = texts.into_iter().map(Message::text);
            // Every stream looks for changes before any of them writes: a client of several wakes up once.
            yield_now().await;
            if connection.write(texts).await.is_none() || after == After::Cut {
                return Ok(());
            }
            if after == After::Drain {
                connection.part(vec![session.farewell()]).await;
                return Ok(());
            }
            beat = Instant::now() + HEARTBEAT;
        }
        let next = match connection.next(&mut changes, seen, beat).await {
            Wake::Closed => return Ok(()),
            Wake::Stop => {
                connection.part(vec![session.farewell()]).await;
                return Ok(());
            }
            Wake::Heartbeat => {
                out.extend(session.heartbeat(service.state()?.engine.now()));
                beat = Instant::now() + HEARTBEAT;
                AfterChanges::GoOn
            }
            Wake::Message(text) => {
                out = session.answers(&*service.state()?, &text);
                request = Some(text);
                AfterChanges::GoOn
            }
            Wake::Changed => {
                let state = service.state()?;
                seen = state.engine.version();
                session.changes(&state, &mut out)
            }
        };
        if next == AfterChanges::Close {
            connection.part(out).await;
            return Ok(());
        }
    }
}

impl StreamConnection {
    /// The next thing to do. Only what follows a write closely waits.
    async fn next(
        &mut self,
        changes: &mut watch::Receiver<StateVersion>,
        seen: StateVersion,
        beat: Instant,
    ) -> Wake {
        let wake = tokio::select! {
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
            () = sleep_until(beat) => Wake::Heartbeat,
        };
        if self.rested_at > Instant::now() {
            sleep_until(self.rested_at).await;
        }
        wake
    }

    /// `None` if the client is gone, or does not read while its connection has to end.
    async fn write(&mut self, messages: impl IntoIterator<Item = Message>) -> Option<()> {
        let Self {
            socket,
            stop,
            evict,
            ..
        } = self;
        let written = async {
            for message in messages {
                socket.feed(message).await.ok()?;
            }
            socket.flush().await.ok()
        };
        let done = tokio::select! {
            biased;
            done = written => done,
            () = stop.cancelled() => None,
            () = evict.cancelled() => None,
        };
        self.rested_at = Instant::now() + SHORTEST_PAUSE;
        done
    }

    /// The last messages, and the end.
    async fn part(mut self, texts: Vec<String>) {
        let bye = Message::close(Some(CloseCode::GOING_AWAY), "");
        let texts = texts.into_iter().map(Message::text);
        let _gone = self.write(texts.chain([bye])).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{ClockMode, Speed, tests::service, tick};
    use std::sync::Arc;
    use tokio::{
        io::{AsyncReadExt as _, duplex},
        time::sleep,
    };
    use tokio_websockets::ClientBuilder;

    /// Reports every change, and answers with what it was asked.
    struct Echo;

    impl StreamProtocol for Echo {
        fn greeting(&mut self, _: &ExchangeService, _: &ExchangeState) -> Vec<String> {
            vec![]
        }

        fn answers(&mut self, _: &ExchangeState, text: &str) -> Vec<String> {
            vec![text.to_owned()]
        }

        fn changes(&mut self, _: &ExchangeState, out: &mut Vec<String>) -> AfterChanges {
            out.push("step".to_owned());
            AfterChanges::GoOn
        }

        fn heartbeat(&mut self, _: Millis) -> Option<String> {
            None
        }

        fn farewell(&self) -> String {
            String::new()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_step_is_told_when_it_is_due_and_an_answer_that_follows_another_a_little_later() {
        let service = service(ClockMode::Live(Speed::REAL_TIME));
        let (began, ticked) = (Instant::now(), Arc::clone(&service));
        let (client, server) = duplex(1_024);
        let never = CancellationToken::new();
        let connection = StreamConnection::new(server, never.clone(), never.clone());
        tokio::spawn(tick(ticked, never));
        tokio::spawn(async move { run(&service, connection, Echo).await });
        let (mut asks, mut answers) = ClientBuilder::new().take_over(client).split::<Message>();
        tokio::spawn(async move {
            sleep(Duration::from_millis(600)).await;
            for question in ["first", "second"] {
                asks.send(Message::text(question)).await.unwrap();
            }
            std::future::pending::<()>().await;
        });
        let mut heard = vec![];
        while heard.len() < 6 {
            let message = answers.next().await.unwrap().unwrap();
            let text = message.as_text().unwrap().to_owned();
            heard.push((began.elapsed().as_millis(), text));
        }
        let expected = [
            (250, "step"),
            (500, "step"),
            (600, "first"),
            (620, "second"),
            (750, "step"),
            (1_000, "step"),
        ];
        assert_eq!(heard, expected.map(|(at, text)| (at, text.to_owned())));
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_up_neither_the_end_of_the_exchange_nor_its_eviction()
    {
        for is_eviction in [false, true] {
            let (mut client, server) = duplex(64);
            let (stop, evict) = (CancellationToken::new(), CancellationToken::new());
            let mut connection = StreamConnection::new(server, stop.clone(), evict.clone());
            let long = Message::text("x".repeat(1_000));
            let writing = tokio::spawn(async move { connection.write([long]).await });
            client.read_u8().await.unwrap();
            if is_eviction { evict } else { stop }.cancel();
            assert_eq!(writing.await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn a_client_that_reads_gets_the_last_words_while_the_exchange_stops() {
        let (mut client, server) = duplex(1_024);
        let stop = CancellationToken::new();
        stop.cancel();
        let connection = StreamConnection::new(server, stop, CancellationToken::new());
        connection.part(vec!["come back".to_owned()]).await;
        let mut read = vec![];
        client.read_to_end(&mut read).await.unwrap();
        assert!(read.windows(9).any(|bytes| bytes == b"come back"));
    }
}
