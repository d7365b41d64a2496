//! A live feed as received markets.

use super::{
    super::{engine::FrameOrigin, lock::locked},
    fault::ReceivedFault,
    queue::LineQueue,
};
use crate::{
    exchange::engine::Millis,
    feed::recording::{FrameDecoder, Nanos, Received, RecordedLine},
    model::{MarketId, Timestamp},
};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// Lines that the exchange has not taken yet.
const LINES: usize = 8_192;
/// While it is behind it is asked again after this.
const AGAIN_AFTER: Duration = Duration::from_millis(10);
/// How long the first book of a market may take.
const FIRST_BOOK_WITHIN: Duration = Duration::from_secs(30);

/// The end of a live feed that its sockets fill.
#[derive(Debug)]
pub(crate) struct LiveFeed(SyncSender<LiveLine>);

#[derive(Debug)]
struct LiveLine {
    /// Its place among the markets of the feed.
    market: usize,
    received: Received,
}

/// The other end, which the exchange takes when it starts.
#[derive(Debug, Clone)]
pub struct LiveSource {
    pub(super) markets: Vec<MarketId>,
    lines: Arc<Mutex<Option<Receiver<LiveLine>>>>,
}

/// Nobody takes the lines any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExchangeEnded;

impl LiveFeed {
    pub(crate) fn new(markets: Vec<MarketId>) -> (Self, LiveSource) {
        let (sender, lines) = sync_channel(LINES);
        let lines = Arc::new(Mutex::new(Some(lines)));
        (Self(sender), LiveSource { markets, lines })
    }

    /// Waits while the exchange is behind; its sockets are not read meanwhile. `market` is its place among those of the
    /// feed.
    pub(crate) async fn tell(
        &self,
        market: usize,
        received: Received,
    ) -> Result<(), ExchangeEnded> {
        let mut line = LiveLine { market, received };
        loop {
            match self.0.try_send(line) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(ExchangeEnded),
                Err(TrySendError::Full(back)) => line = back,
            }
            sleep(AGAIN_AFTER).await;
        }
    }
}

impl LiveSource {
    /// Waits until every market has reported a book.
    pub(super) fn open(&self) -> Result<(LiveLines, Vec<LineQueue>), ReceivedFault> {
        let lines = locked(&self.lines)
            .take()
            .ok_or(ReceivedFault::NoBeginning)?;
        let queue = |market| LineQueue {
            market,
            origin: FrameOrigin::Connection(0),
            ahead: VecDeque::new(),
            file: None,
        };
        let mut queues: Vec<_> = (0..self.markets.len()).map(queue).collect();
        let decoders = self.markets.iter().cloned().map(FrameDecoder::new);
        let mut live = LiveLines {
            lines,
            decoders: decoders.map(|decoder| (decoder, 0)).collect(),
        };
        live.await_books(&self.markets, &mut queues)?;
        Ok((live, queues))
    }
}

/// The lines of a live feed, decoded.
pub(super) struct LiveLines {
    lines: Receiver<LiveLine>,
    /// Of each market, with the number of its next line.
    decoders: Vec<(FrameDecoder, u64)>,
}

impl LiveLines {
    /// Puts what has come into the queues of its markets, as received between the exchange's present time and `to`: after a
    /// crash its clock is some seconds ahead.
    pub(super) fn drain_into(&mut self, queues: &mut [LineQueue], now: Millis, to: Millis) {
        let [now, to] = [now, to].map(|at| Nanos::from(Timestamp(at.0)));
        while let Ok(mut line) = self.lines.try_recv() {
            line.received.at = line.received.at.max(now).min(to);
            self.take(line, queues);
        }
    }

    fn take(&mut self, line: LiveLine, queues: &mut [LineQueue]) {
        let LiveLine { market, received } = line;
        let decoder = self.decoders.get_mut(market);
        if let Some(((decoder, number), queue)) = decoder.zip(queues.get_mut(market)) {
            queue.ahead.push_back(decoder.take(RecordedLine {
                number: *number,
                received: received.at,
                content: received.content,
            }));
            *number += 1;
        }
    }

    fn await_books(
        &mut self,
        markets: &[MarketId],
        queues: &mut [LineQueue],
    ) -> Result<(), ReceivedFault> {
        let end = Instant::now() + FIRST_BOOK_WITHIN;
        while let Some(silent) = queues.iter().find(|queue| queue.first_book().is_none()) {
            let silent = markets
                .get(silent.market)
                .map(|market| market.raw().to_owned());
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.take(line, queues),
                Err(RecvTimeoutError::Timeout) => {
                    let silent = silent.unwrap_or_default();
                    return Err(ReceivedFault::Silent(silent, FIRST_BOOK_WITHIN.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ReceivedFault::Ended),
            }
        }
        Ok(())
    }
}
