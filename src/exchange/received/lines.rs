//! The lines of all markets, merged by when they were received.

use super::{
    super::engine::{FrameOrigin, MarketIx, MarketSpec, Millis, ReceivedFrame},
    ReceivedFault, ReceivedSetup, ReplayOptions,
    convert::{FrameConverter, millis},
    live::LiveLines,
    replay::FileLines,
    setup,
};
use crate::{feed::recording::LineTold, model::MarketId};
use std::collections::VecDeque;

/// Lines of a file that are looked at for the units of its market.
const FIRST_LINES: usize = 64;
/// A file whose book comes later than this has none.
const BOOK_WITHIN: usize = 100_000;

/// What [`MergedLines`] came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exchange) enum Reached {
    Time,
    /// No line is left.
    End,
}

/// The lines of one file, or of one live market.
#[derive(Debug)]
pub(super) struct LineQueue {
    pub(super) market: usize,
    pub(super) origin: FrameOrigin,
    /// Read, and not taken in.
    pub(super) ahead: VecDeque<LineTold>,
    /// Where more come from; a live market's come by [`LiveLines`].
    pub(super) file: Option<FileLines>,
}

impl LineQueue {
    /// The next line, without taking it.
    fn head(&mut self) -> Option<&LineTold> {
        if self.ahead.is_empty() {
            self.read();
        }
        self.ahead.front()
    }

    pub(super) fn has_book(&self) -> bool {
        self.ahead.iter().any(setup::has_book)
    }

    /// Reads one more line; whether there was one.
    fn read(&mut self) -> bool {
        let read = self.file.as_mut().and_then(Iterator::next);
        let is_read = read.is_some();
        self.ahead.extend(read);
        is_read
    }
}

#[derive(Debug)]
pub(super) struct MergedLines {
    pub(super) markets: Vec<MarketId>,
    pub(super) queues: Vec<LineQueue>,
    pub(super) live: Option<LiveLines>,
    /// Opens the files once more at their end; `None`: that is the end.
    pub(super) again: Option<ReplayOptions>,
    converters: Vec<FrameConverter>,
    /// Of the line that was taken last.
    frames: VecDeque<(MarketIx, ReceivedFrame)>,
    /// How much later than in the files everything happens.
    shift: Millis,
    newest: Millis,
}

impl MergedLines {
    pub(super) fn new(markets: Vec<MarketId>, queues: Vec<LineQueue>) -> Self {
        Self {
            markets,
            queues,
            live: None,
            again: None,
            converters: vec![],
            frames: VecDeque::new(),
            shift: Millis::ZERO,
            newest: Millis::ZERO,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// What the first lines say; they are not taken.
    pub(super) fn setup(&mut self) -> Result<ReceivedSetup, ReceivedFault> {
        let mut markets = vec![];
        for (place, id) in self.markets.iter().enumerate() {
            let mut queues = self.queues.iter_mut().filter(|queue| queue.market == place);
            let found = queues.find_map(|queue| setup_of(id, queue));
            let no_book = || ReceivedFault::NoBook(id.raw().to_owned());
            markets.push(found.ok_or_else(no_book)?);
        }
        self.converters = markets.iter().map(FrameConverter::from).collect();
        let first = self.queues.iter_mut().filter_map(LineQueue::head);
        let first = first.map(|line| line.received).min();
        let start = first.ok_or(ReceivedFault::NoFile)?.timestamp_after();
        Ok(ReceivedSetup {
            fees: setup::fees(markets.first()),
            markets,
            start: millis(start),
        })
    }

    /// Takes over what has come of a live feed; of after `to`, it has come at `to`.
    pub(super) fn receive(&mut self, to: Millis) {
        if let Some(live) = &mut self.live {
            live.drain_into(&mut self.queues, to);
        }
    }

    /// Whether a line is left.
    pub(super) fn reached(&mut self) -> Reached {
        if self.live.is_some() || !self.frames.is_empty() || self.has_lines() || self.begin_again()
        {
            Reached::Time
        } else {
            Reached::End
        }
    }

    fn has_lines(&mut self) -> bool {
        self.queues.iter_mut().any(|queue| queue.head().is_some())
    }

    /// The next frame that was received by `to`.
    pub(super) fn next_until(&mut self, to: Millis) -> Option<(MarketIx, ReceivedFrame)> {
        while self.frames.is_empty() {
            let (place, line) = self.next_line(to)?;
            let queue = self.queues.get(place)?;
            let converter = self.converters.get(queue.market)?;
            let frames = converter.frames(&line, &queue.origin, self.shift);
            let market = MarketIx::from(queue.market);
            self.frames
                .extend(frames.into_iter().map(|frame| (market, frame)));
        }
        self.frames.pop_front()
    }

    /// Takes the first of the lines that were received by `to`, with the place of its queue.
    fn next_line(&mut self, to: Millis) -> Option<(usize, LineTold)> {
        let heads = self.queues.iter_mut().enumerate();
        let heads = heads.filter_map(|(place, queue)| Some((queue.head()?.received, place)));
        let (received, place) = heads.min()?;
        let at = millis(received.timestamp_after()) + self.shift;
        if at > to {
            return None;
        }
        self.newest = self.newest.max(at);
        let line = self.queues.get_mut(place)?.ahead.pop_front()?;
        Some((place, line))
    }

    /// Leaves out what was received by `to`.
    pub(super) fn skip_until(&mut self, to: Millis) {
        while self.reached() == Reached::Time && self.next_until(to).is_some() {}
    }

    /// Whether the files begin once more, behind what was received last.
    fn begin_again(&mut self) -> bool {
        let Some(again) = self.again.as_ref().map(ReplayOptions::open) else {
            return false;
        };
        match again {
            Ok(mut anew) => {
                let first = anew.queues.iter_mut().filter_map(LineQueue::head);
                let Some(first) = first.map(|line| line.received).min() else {
                    return false;
                };
                let begins = self.newest + Millis::STEP;
                self.shift = begins - millis(first.timestamp_after());
                self.queues = anew.queues;
                true
            }
            Err(why) => {
                tracing::warn!("the replay ends, since it cannot begin again: {why}");
                self.again = None;
                false
            }
        }
    }
}

fn setup_of(id: &MarketId, queue: &mut LineQueue) -> Option<MarketSpec> {
    let (mut read, mut has_book) = (0, queue.has_book());
    while (read < FIRST_LINES || !has_book) && read < BOOK_WITHIN && queue.read() {
        read += 1;
        has_book |= queue.ahead.back().is_some_and(setup::has_book);
    }
    setup::spec(id, queue.ahead.iter())
}
