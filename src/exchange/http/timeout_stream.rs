//! A stream with timeouts for reads and writes, and the phase its connection is in.
//!
//! hyper's own header timer also runs between requests, so it cannot tell a slow sender from an idle client; this
//! reader can: 30 s between requests, 10 s from a request's first byte to the end of its headers. While a request is
//! being answered it does not count. A body has its own limit (`respond`). A
//! client that does not read its response is disconnected 20 s after the last byte that could be written.
//!
//! A [`ConnectionPhase`] also says whether the connection waits for its client at all: for the rest of a head
//! or body, for its response to be read, or for the next request. `connections` evicts by it.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// Where a connection is between two requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::FromRepr)]
#[repr(u8)]
pub(super) enum Phase {
    /// No byte has arrived yet.
    Fresh,
    Head,
    Busy,
    /// Between two requests.
    Idle,
    /// The response is complete, and may not have been sent yet: the next flush sends its last byte.
    Leaving,
    /// The request waits for the rest of its body.
    Body,
    /// A stream: its client sends nothing for hours, and gives way like an idle one.
    Stream,
}

/// What a connection waits for from its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitingFor {
    Head,
    Body,
    NextRequest,
    /// For the client to read its response.
    Reader,
}

/// The phase of a connection and its start; shared by the reader and the request.
#[derive(Debug)]
pub(super) struct ConnectionPhase {
    born: Instant,
    state: AtomicU8,
    /// Milliseconds after `born`.
    since: AtomicU64,
    /// When the current response first could not be written, in milliseconds after `born`; or [`NEVER`]. Reading a byte
    /// now and then does not reset it.
    unread_since: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Default for ConnectionPhase {
    fn default() -> Self {
        Self {
            born: Instant::now(),
            state: AtomicU8::new(Phase::Fresh as u8),
            since: AtomicU64::new(0),
            unread_since: AtomicU64::new(NEVER),
        }
    }
}

impl ConnectionPhase {
    fn phase(&self) -> Phase {
        Phase::from_repr(self.state.load(Ordering::Relaxed)).unwrap_or(Phase::Fresh)
    }

    fn flushed(&self) {
        let phase = self.phase();
        if matches!(phase, Phase::Leaving | Phase::Stream) {
            self.unread_since.store(NEVER, Ordering::Relaxed);
        }
        if phase == Phase::Leaving {
            self.enter(Phase::Idle);
        }
    }

    fn unread(&self) {
        if self.unread_since.load(Ordering::Relaxed) == NEVER {
            self.unread_since.store(self.age(), Ordering::Relaxed);
        }
    }

    pub(super) fn head_begins(&self) {
        if matches!(self.phase(), Phase::Fresh | Phase::Idle) {
            self.enter(Phase::Head);
        }
    }

    /// What it waits for and since when; `None` while the exchange works on a request.
    pub(super) fn waiting(&self) -> Option<(WaitingFor, Instant)> {
        let unread = self.unread_since.load(Ordering::Relaxed);
        if unread != NEVER {
            return Some((WaitingFor::Reader, self.instant(unread)));
        }
        let waits = match self.phase() {
            Phase::Busy | Phase::Leaving => return None,
            Phase::Idle | Phase::Stream => WaitingFor::NextRequest,
            Phase::Body => WaitingFor::Body,
            Phase::Fresh | Phase::Head => WaitingFor::Head,
        };
        Some((waits, self.since()))
    }

    /// Whether any byte of a request head has arrived.
    pub(super) fn has_started(&self) -> bool {
        self.phase() != Phase::Fresh
    }

    fn since(&self) -> Instant {
        self.instant(self.since.load(Ordering::Relaxed))
    }

    fn instant(&self, millis: u64) -> Instant {
        self.born + Duration::from_millis(millis)
    }

    fn age(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.since.store(self.age(), Ordering::Relaxed);
        self.state.store(phase as u8, Ordering::Relaxed);
    }

    /// When the wait times out; `None` while a request is being answered.
    fn deadline(&self) -> Option<Instant> {
        let limit = match self.phase() {
            Phase::Busy | Phase::Body | Phase::Leaving | Phase::Stream => return None,
            Phase::Head => HEAD_TIMEOUT,
            Phase::Fresh | Phase::Idle => IDLE_TIMEOUT,
        };
        Some(self.since() + limit)
    }
}

#[derive(Debug)]
pub(super) struct TimeoutStream<I> {
    io: I,
    phase: Arc<ConnectionPhase>,
    /// Timer of the phase at the last poll, which may have ended since.
    alarm: Pin<Box<Sleep>>,
    /// Set while nothing can be written.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<I> TimeoutStream<I> {
    pub(super) fn new(io: I, phase: Arc<ConnectionPhase>) -> Self {
        Self {
            io,
            phase,
            alarm: Box::pin(sleep(IDLE_TIMEOUT)),
            stuck: None,
        }
    }

    pub(super) fn into_inner(self) -> I {
        self.io
    }

    /// The result of a write; an error after [`WRITE_TIMEOUT`] without progress.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        done: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.stuck = None;
            return done;
        }
        self.phase.unread();
        let alarm = self
            .stuck
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        ready!(alarm.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper polls only when woken, also after the response was sent.
        let next_look = || Instant::now() + HEAD_TIMEOUT;
        let deadline = self.phase.deadline().unwrap_or_else(next_look);
        if self.alarm.deadline() != deadline {
            self.alarm.as_mut().reset(deadline);
        }
        ready!(self.alarm.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for TimeoutStream<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        match Pin::new(&mut self.io).poll_read(cx, buf) {
            Poll::Pending => self.poll_deadline(cx),
            done @ Poll::Ready(_) => {
                if buf.filled().len() > before {
                    self.phase.head_begins();
                }
                done
            }
        }
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.io).poll_write(cx, buf);
        self.written(cx, done)
    }

    /// What is written together leaves together: one packet, and one wake-up of whoever reads.
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.written(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// A completed flush is no progress: flushing a socket always completes.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.io).poll_flush(cx) {
            Poll::Pending => self.written(cx, Poll::Pending),
            done @ Poll::Ready(_) => {
                self.phase.flushed();
                done
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.io).poll_shutdown(cx);
        self.written(cx, done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    /// Seconds until the reader gives up on its next read.
    async fn patience(patient: &mut TimeoutStream<DuplexStream>) -> u64 {
        let began = Instant::now();
        let why = patient.read_u8().await.unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::TimedOut);
        began.elapsed().as_secs()
    }

    fn connected() -> (
        DuplexStream,
        Arc<ConnectionPhase>,
        TimeoutStream<DuplexStream>,
    ) {
        let (client, server) = duplex(64);
        let phase = Arc::new(ConnectionPhase::default());
        let patient = TimeoutStream::new(server, Arc::clone(&phase));
        (client, phase, patient)
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_let_go_after_thirty_seconds_a_slow_one_after_ten() {
        let (_client, _, mut silent) = connected();
        assert_eq!(patience(&mut silent).await, 30);
        let (mut client, _, mut slow) = connected();
        client.write_u8(b'G').await.unwrap();
        assert_eq!(slow.read_u8().await.unwrap(), b'G');
        assert_eq!(patience(&mut slow).await, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_under_way_has_no_deadline_here_and_the_next_one_has_thirty_seconds() {
        let (mut client, phase, mut patient) = connected();
        client.write_u8(b'G').await.unwrap();
        assert_eq!(patient.read_u8().await.unwrap(), b'G');
        phase.enter(Phase::Busy);
        let held = tokio::time::timeout(Duration::from_mins(2), patient.read_u8()).await;
        assert!(held.is_err());
        phase.enter(Phase::Idle);
        assert_eq!(patience(&mut patient).await, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_whose_client_does_not_read_is_dropped_after_twenty_seconds() {
        let (_client, phase, mut patient) = connected();
        phase.enter(Phase::Stream);
        let began = Instant::now();
        let why = patient.write_all(&[0; 65]).await.unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), WRITE_TIMEOUT);
    }

    #[tokio::test]
    async fn what_is_written_together_is_read_at_once() {
        let (mut client, _phase, mut patient) = connected();
        let parts = [b"head".as_slice(), b"body"].map(io::IoSlice::new);
        assert_eq!(patient.write_vectored(&parts).await.unwrap(), 8);
        let mut read = [0; 64];
        assert_eq!(client.read(&mut read).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn an_answer_is_under_way_until_it_has_left() {
        let (_client, phase, mut patient) = connected();
        phase.enter(Phase::Busy);
        patient.write_all(b"head").await.unwrap();
        patient.flush().await.unwrap();
        assert!(phase.waiting().is_none(), "the body is still to come");
        phase.enter(Phase::Leaving);
        patient.write_all(b"body").await.unwrap();
        assert!(phase.waiting().is_none());
        patient.flush().await.unwrap();
        let waits = phase.waiting().map(|(waits, _)| waits);
        assert_eq!(waits, Some(WaitingFor::NextRequest));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_read_waits_for_its_client_since_it_got_stuck_until_it_has_left()
    {
        let (mut client, phase, mut patient) = connected();
        phase.enter(Phase::Busy);
        patient.write_all(&[0; 64]).await.unwrap();
        assert_eq!(phase.waiting(), None, "it is our turn");
        let stuck = Instant::now();
        let writing = tokio::spawn(async move {
            patient.write_all(&[0; 2]).await.unwrap();
            patient
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(phase.waiting(), Some((WaitingFor::Reader, stuck)));
        client.read_u8().await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let trickled = phase.waiting();
        assert_eq!(
            trickled,
            Some((WaitingFor::Reader, stuck)),
            "a byte now and then"
        );
        client.read_u8().await.unwrap();
        let mut patient = writing.await.unwrap();
        phase.enter(Phase::Leaving);
        patient.flush().await.unwrap();
        let waits = phase.waiting().map(|(waits, _)| waits);
        assert_eq!(waits, Some(WaitingFor::NextRequest));
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_let_go_twenty_seconds_after_the_last_byte_that_left() {
        let (mut client, _phase, mut patient) = connected();
        patient.write_all(&[0; 64]).await.unwrap();
        let began = Instant::now();
        let reading = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(15)).await;
            client.read_u8().await.unwrap();
            client
        });
        let why = patient.write_all(&[0; 2]).await.unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), 35, "one byte left after 15");
        drop(reading.await.unwrap());
    }
}
