//! A response's body: whole, or for an injected fault cut in half or sent slowly.

use super::timeout_stream::{ConnectionPhase, Phase};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep, sleep_until};

/// Chunks of a slow body.
const SLOW_BODY_CHUNKS: u32 = 16;

#[derive(Debug)]
pub(super) struct ResponseBody {
    data: Bytes,
    /// The length in the headers; more than `data` if the rest is never sent.
    promised: u64,
    /// Spacing of the chunks; without it the body is sent at once.
    pace: Option<SlowSchedule>,
    /// Ends this response's phase of the connection when dropped.
    _carrier: Option<PhaseGuard>,
}

#[derive(Debug)]
struct PhaseGuard(Arc<ConnectionPhase>);

impl Drop for PhaseGuard {
    fn drop(&mut self) {
        self.0.enter(Phase::Leaving);
    }
}

#[derive(Debug)]
struct SlowSchedule {
    piece: usize,
    every: Duration,
    next: Pin<Box<Sleep>>,
}

impl ResponseBody {
    pub(super) fn whole(body: Bytes) -> Self {
        Self {
            promised: body.len() as u64,
            data: body,
            pace: None,
            _carrier: None,
        }
    }

    /// hyper drops a body once it has taken its last piece.
    pub(super) fn with_phase(self, phase: Arc<ConnectionPhase>) -> Self {
        Self {
            _carrier: Some(PhaseGuard(phase)),
            ..self
        }
    }

    /// Announces the full length, sends half, then breaks the connection.
    pub(super) fn cut(mut data: Bytes) -> Self {
        let promised = data.len() as u64 + 1;
        data.truncate(data.len() / 2);
        Self {
            data,
            promised,
            pace: None,
            _carrier: None,
        }
    }

    /// The whole body, evenly over `span`.
    pub(super) fn slow(body: Bytes, span: Duration) -> Self {
        let every = span / SLOW_BODY_CHUNKS;
        let pace = SlowSchedule {
            piece: body.len().div_ceil(SLOW_BODY_CHUNKS as usize).max(1),
            every,
            next: Box::pin(sleep_until(Instant::now() + every)),
        };
        Self {
            pace: Some(pace),
            ..Self::whole(body)
        }
    }
}

impl SlowSchedule {
    /// Ready when the next piece is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        ready!(self.next.as_mut().poll(cx));
        let due = self.next.deadline() + self.every;
        self.next.as_mut().reset(due);
        Poll::Ready(())
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.data.is_empty() {
            return Poll::Ready(match self.promised {
                0 => None,
                _ => Some(Err(io::ErrorKind::ConnectionAborted.into())),
            });
        }
        let all = self.data.len();
        let piece = match &mut self.pace {
            None => all,
            Some(pace) => {
                ready!(pace.poll_due(cx));
                pace.piece.min(all)
            }
        };
        let piece = self.data.split_to(piece);
        self.promised = self.promised.saturating_sub(piece.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_empty() && self.promised == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.promised)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_arrives_whole_and_takes_its_time() {
        let began = Instant::now();
        let body: Vec<u8> = (0..100).collect();
        let slow = ResponseBody::slow(body.clone().into(), Duration::from_millis(160));
        let read = slow.collect().await.unwrap().to_bytes();
        assert_eq!(read, body);
        assert!((140..=180).contains(&began.elapsed().as_millis()));
    }
}
