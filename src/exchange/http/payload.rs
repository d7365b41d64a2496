//! An answer's body: whole, or cut in half on purpose.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

#[derive(Debug)]
pub(super) struct Payload {
    data: Option<Bytes>,
    /// What the headers promise; more than `data` when the rest is never sent.
    promised: u64,
}

impl Payload {
    pub(super) fn whole(body: Vec<u8>) -> Self {
        Self {
            promised: body.len() as u64,
            data: (!body.is_empty()).then(|| body.into()),
        }
    }

    /// Promises all of it, sends half, then breaks the connection.
    pub(super) fn cut(body: Vec<u8>) -> Self {
        let mut data = Bytes::from(body);
        let promised = data.len() as u64 + 1;
        data.truncate(data.len() / 2);
        Self {
            data: Some(data),
            promised,
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Poll::Ready(match self.data.take() {
            Some(data) => {
                self.promised = self.promised.saturating_sub(data.len() as u64);
                Some(Ok(Frame::data(data)))
            }
            None if self.promised == 0 => None,
            None => Some(Err(io::ErrorKind::ConnectionAborted.into())),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.promised == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.promised)
    }
}
