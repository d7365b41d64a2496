//! Market data and account events as they come: the two streams of the service (docs/service-api.md 8) and
//! the public ones of venues, as one kind of event. Names `api`, `config` and `model`.
//!
//! Contract: pure. Frames and instants go in, events and requests come out; whoever owns the socket sends, waits and
//! draws lots. A frame is checked before it is believed: of what was requested, well formed, in order, and no book that
//! is crossed or older than the last. What fails the check is left out, so that the data it would have renewed grows
//! old. Frames have at most [`LONGEST_FRAME`] bytes.

pub(crate) mod account;
mod account_frame;
pub(crate) mod event;
pub(crate) mod link;
pub(crate) mod market;
mod market_frame;
pub(crate) mod picture;
mod progress;
pub(crate) mod recorded_stream;
pub(crate) mod recording;
mod requests;
pub(crate) mod rest_read;
mod retry;
mod subscription;
pub(crate) mod topic;
mod trade_tail;
pub(crate) mod venue;

#[cfg(test)]
mod tests;

use crate::model::Timestamp;
use link::LinkEnd;
use rest_read::{ReadSubject, StreamRead};
use std::collections::BTreeSet;
use topic::Topic;

/// A longer frame ends the connection: an account with a thousand orders is smaller.
pub(crate) const LONGEST_FRAME: usize = 1024 * 1024;

/// The protocol of one stream. It knows nothing of sockets.
pub(crate) trait Stream {
    type Event;

    /// The query of the next connection's address, with its `?`; empty if it has none.
    fn query(&mut self, _now: Timestamp) -> String {
        String::new()
    }

    /// Sets what is to be reported, where that can be chosen.
    fn want(&mut self, _topics: BTreeSet<Topic>, _now: Timestamp) {}

    /// A connection is open.
    fn opened(&mut self, now: Timestamp);

    /// A text frame has come.
    fn frame(&mut self, text: &str, now: Timestamp);

    /// Time has passed.
    fn pass(&mut self, now: Timestamp);

    /// When [`Self::pass`] has something to do next.
    fn due(&self) -> Option<Timestamp>;

    /// What is to be sent now.
    fn requests(&mut self, now: Timestamp) -> Vec<String>;

    /// What is to be read beside the frames, now.
    fn reads(&mut self, _now: Timestamp) -> Vec<StreamRead> {
        vec![]
    }

    /// What a read has brought; `None` if it failed.
    fn answer(&mut self, _subject: ReadSubject, _answer: Option<&[u8]>, _now: Timestamp) {}

    /// How many messages were not believed since this was asked last.
    fn refused(&mut self) -> u32 {
        0
    }

    /// What asks the other end for a sign of life; `None` if the socket's own ping does.
    fn ping(&mut self) -> Option<String> {
        None
    }

    /// What the frames reported, oldest first.
    fn events(&mut self) -> Vec<Self::Event>;

    /// Whether everything that was requested has been reported as it is now.
    fn is_live(&self) -> bool;

    /// Why this connection is of no more use.
    fn end(&self) -> Option<LinkEnd>;

    /// The connection is gone.
    fn lost(&mut self);
}
