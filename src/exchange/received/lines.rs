//! The lines of all markets, merged by when they were received.

use super::{
    super::engine::{MarketIx, MarketSpec, Millis, ReceivedFrame},
    convert::{FrameConverter, millis},
    fault::ReceivedFault,
    live::{LiveLines, LiveSource},
    queue::LineQueue,
    replay::{ReplayEnd, ReplayOptions},
    setup::{self, ReceivedSetup},
};
use crate::{
    feed::recording::{DecodedLine, Nanos},
    model::MarketId,
};
use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

/// What [`ReceivedMarkets`] came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exchange) enum Reached {
    Time,
    /// No line is left.
    End,
}

/// The received markets of a running exchange.
pub(in crate::exchange) struct ReceivedMarkets {
    pub(in crate::exchange) setup: ReceivedSetup,
    markets: Vec<MarketId>,
    queues: Vec<LineQueue>,
    live: Option<LiveLines>,
    /// Opens the files once more at their end; `None`: that is the end.
    again: Option<ReplayOptions>,
    converters: Vec<FrameConverter>,
    /// Of the line that was taken last.
    frames: VecDeque<(MarketIx, ReceivedFrame)>,
    /// How much later than in the files everything happens.
    shift: Millis,
    newest: Millis,
    /// Lines of each market that were left out.
    unreadable: BTreeMap<MarketIx, u64>,
}

impl fmt::Debug for ReceivedMarkets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ReceivedMarkets");
        shown.field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl ReceivedMarkets {
    pub(super) fn replayed(options: &ReplayOptions) -> Result<Self, ReceivedFault> {
        let (markets, queues) = options.open()?;
        let again = (options.end == ReplayEnd::BeginAgain).then(|| options.clone());
        Ok(Self {
            again,
            ..Self::new(markets, queues)
        })
    }

    pub(super) fn live(source: &LiveSource) -> Result<Self, ReceivedFault> {
        let (live, queues) = source.open()?;
        Ok(Self {
            live: Some(live),
            ..Self::new(source.markets.clone(), queues)
        })
    }

    fn new(markets: Vec<MarketId>, queues: Vec<LineQueue>) -> Self {
        Self {
            setup: ReceivedSetup::default(),
            markets,
            queues,
            live: None,
            again: None,
            converters: vec![],
            frames: VecDeque::new(),
            shift: Millis::ZERO,
            newest: Millis::ZERO,
            unreadable: BTreeMap::new(),
        }
    }

    /// Whether frames come while time passes, wherever the clock stands.
    pub(in crate::exchange) fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// Lines of a market that could not be read or did not fit, of those that were taken in by this process.
    pub(in crate::exchange) fn unreadable(&self, market: MarketIx) -> u64 {
        self.unreadable.get(&market).copied().unwrap_or_default()
    }

    /// Reads what the first lines say; they are not taken.
    pub(super) fn read_setup(&mut self) -> Result<(), ReceivedFault> {
        self.queues.iter_mut().for_each(LineQueue::prime);
        let markets = self.markets.iter().enumerate();
        let markets = markets.map(|(place, id)| self.spec(place, id));
        let markets = markets.collect::<Result<Vec<_>, _>>()?;
        self.converters = markets.iter().map(FrameConverter::from).collect();
        let start = self.start().ok_or(ReceivedFault::NoFile)?;
        self.setup = ReceivedSetup {
            fees: setup::fees(markets.first()),
            markets,
            start: millis(start.timestamp_after()),
        };
        Ok(())
    }

    /// The first book of a recording; of a live feed what has come by now.
    fn start(&self) -> Option<Nanos> {
        if self.is_live() {
            let newest = self.queues.iter().filter_map(|queue| queue.ahead.back());
            return newest.map(|line| line.received).max();
        }
        self.queues.iter().filter_map(LineQueue::first_book).min()
    }

    /// By the earliest file of the market.
    fn spec(&self, place: usize, id: &MarketId) -> Result<MarketSpec, ReceivedFault> {
        let queues = self.queues.iter().filter(|queue| queue.market == place);
        let with_books = queues.filter_map(|queue| Some((queue.first_book()?, queue)));
        let earliest = with_books.min_by_key(|(at, _)| *at);
        let spec = earliest.and_then(|(_, queue)| setup::spec(id, queue.ahead.iter()));
        spec.ok_or_else(|| ReceivedFault::NoBook(id.raw().to_owned()))
    }

    /// Takes over what has come of a live feed, as received between `now` and `to`.
    pub(super) fn receive(&mut self, now: Millis, to: Millis) {
        if let Some(live) = &mut self.live {
            live.drain_into(&mut self.queues, now, to);
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
            if line.belief.is_left_out() {
                *self.unreadable.entry(market).or_default() += 1;
            }
            self.frames
                .extend(frames.into_iter().map(|frame| (market, frame)));
        }
        self.frames.pop_front()
    }

    /// Takes the first of the lines that were received by `to`, with the place of its queue.
    fn next_line(&mut self, to: Millis) -> Option<(usize, DecodedLine)> {
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
            Ok((_, mut queues)) => {
                let first = queues.iter_mut().filter_map(LineQueue::head);
                let Some(first) = first.map(|line| line.received).min() else {
                    return false;
                };
                let begins = self.newest + Millis::STEP;
                self.shift = begins - millis(first.timestamp_after());
                self.queues = queues;
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
