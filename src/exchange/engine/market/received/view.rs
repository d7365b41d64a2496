//! The book of a received market as takers meet it: the newest snapshot, less what the touch shows to be gone and what
//! orders of this exchange have taken (docs/engine.md 12.2).

use serde::{Deserialize, Serialize};

use crate::exchange::engine::{
    market::book::{OrderBook, PriceAndSize, PriceDepth, beyond},
    state::{
        BookLevel, FrameSource, FrameStamp, Lots, Millis, Px, ReceivedBook, ReceivedTouch, Side,
    },
};

/// For how long a size that was taken stays taken.
const TAKEN_FOR: Millis = Millis::seconds(60);

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReceivedView {
    live: Option<Snapshot>,
    touch: Option<ReceivedTouch>,
    taken: Vec<TakenLevel>,
    /// The levels of `live`, of which nothing is taken: what a resting order queues behind.
    queue_book: OrderBook,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) book: ReceivedBook,
    pub(crate) source: FrameSource,
    pub(crate) received_at: Millis,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct TakenLevel {
    side: Side,
    px: Px,
    size: Lots,
    at: Millis,
}

impl Snapshot {
    pub(crate) fn stamp(&self) -> FrameStamp {
        FrameStamp {
            source: self.source.clone(),
            received_at: self.received_at,
            venue_time: self.book.venue_time,
        }
    }

    fn levels(&self, side: Side) -> &[BookLevel] {
        match side {
            Side::Buy => &self.book.bids,
            Side::Sell => &self.book.asks,
        }
    }
}

impl ReceivedView {
    pub(crate) fn live(&self) -> Option<&Snapshot> {
        self.live.as_ref()
    }

    /// The venue's time of the newest live book.
    pub(crate) fn venue_time(&self) -> Millis {
        let live = self.live.as_ref();
        live.map_or(Millis::ZERO, |live| live.book.venue_time)
    }

    pub(crate) fn queue_book(&self) -> &OrderBook {
        &self.queue_book
    }

    /// Whether the venue's time of a snapshot is before that of the one it would replace.
    pub(crate) fn is_late(&self, book: &ReceivedBook) -> bool {
        let live = self.live.as_ref();
        live.is_some_and(|live| book.venue_time < live.book.venue_time)
    }

    /// Takes in a snapshot. What was taken of a level stays taken as far as the level still shows it.
    pub(crate) fn show(&mut self, snapshot: Snapshot) {
        let mut book = OrderBook::default();
        book.refresh(&snapshot.book.bids, &snapshot.book.asks);
        self.taken
            .retain_mut(|level| match book.depth(level.side, level.px) {
                PriceDepth::Hidden => true,
                PriceDepth::Empty => false,
                PriceDepth::At(shown) => {
                    level.size = level.size.min(shown);
                    true
                }
            });
        self.queue_book = book;
        self.live = Some(snapshot);
    }

    /// A newer touch takes away the better levels that it no longer shows.
    pub(crate) fn see_touch(&mut self, touch: ReceivedTouch) {
        self.touch = Some(touch);
    }

    /// Lots of the `side` of the book that an order took.
    pub(crate) fn take(&mut self, side: Side, slices: &[PriceAndSize], at: Millis) {
        for &(px, lots) in slices {
            let mut levels = self.taken.iter_mut();
            match levels.find(|level| (level.side, level.px) == (side, px)) {
                Some(level) => {
                    level.size += lots;
                    level.at = at;
                }
                None => self.taken.push(TakenLevel {
                    side,
                    px,
                    size: lots,
                    at,
                }),
            }
        }
    }

    /// After a gap nothing is known of what was taken.
    pub(crate) fn forget_taken(&mut self) {
        self.taken.clear();
    }

    /// Sets what takers meet at `at`.
    pub(crate) fn write(&mut self, book: &mut OrderBook, at: Millis) {
        self.taken.retain(|level| at - level.at < TAKEN_FOR);
        book.refresh(&self.takeable(Side::Buy), &self.takeable(Side::Sell));
        for level in &self.taken {
            book.consume(level.side.opposite(), &[(level.px, level.size)]);
        }
    }

    fn takeable(&self, side: Side) -> Vec<BookLevel> {
        let Some(live) = &self.live else {
            return Vec::new();
        };
        let levels = live.levels(side).iter().copied();
        levels
            .filter(|level| self.is_in_touch(side, level.px, live))
            .collect()
    }

    /// Whether a level is no better than a touch that is newer than its book.
    fn is_in_touch(&self, side: Side, px: Px, live: &Snapshot) -> bool {
        let newer = self
            .touch
            .filter(|touch| touch.venue_time > live.book.venue_time);
        let Some(touch) = newer else {
            return true;
        };
        let best = match side {
            Side::Buy => touch.bid,
            Side::Sell => touch.ask,
        };
        best.is_some_and(|best| px == best.px || beyond(side.opposite(), px, best.px))
    }

    /// The levels of `slices` as they were before a taker of `side` takes them: shown, and taken already.
    pub(crate) fn shown(&self, side: Side, px: Px) -> (Lots, Lots) {
        let mut levels = self.live.iter().flat_map(|live| live.levels(side));
        let shown = levels.find(|level| level.px == px);
        let mut taken = self.taken.iter();
        let taken = taken.find(|level| (level.side, level.px) == (side, px));
        (
            shown.map_or(Lots::ZERO, |level| level.size),
            taken.map_or(Lots::ZERO, |level| level.size),
        )
    }
}
