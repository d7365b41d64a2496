//! The book of a received market as takers meet it: the newest snapshot, less what the touch shows to be gone and what
//! orders of this exchange have taken (docs/engine.md 12.2).

use serde::{Deserialize, Serialize};

use crate::exchange::engine::{
    market::book::{OrderBook, PriceAndSize, PriceDepth, beyond},
    state::{
        BookLevel, BookScope, FrameSource, FrameStamp, Lots, Millis, Px, ReceivedBook,
        ReceivedTouch, Side,
    },
};

/// For how long a full snapshot counts beyond the windows that follow it.
const MAX_TAIL_AGE: Millis = Millis::seconds(6);
/// For how long a size that was taken stays taken.
const TAKEN_FOR: Millis = Millis::seconds(60);

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReceivedView {
    live: Option<Snapshot>,
    /// The last full snapshot, once windows are received.
    tail: Option<Snapshot>,
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

/// What a snapshot is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownAs {
    Live,
    /// Beyond the window only.
    Tail,
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

    fn as_order_book(&self) -> OrderBook {
        let mut book = OrderBook::default();
        book.refresh(&self.book.bids, &self.book.asks);
        book
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

    /// What a snapshot of that scope would be.
    pub(crate) fn shown_as(&self, scope: BookScope) -> ShownAs {
        let has_windows = self
            .live
            .as_ref()
            .is_some_and(|live| live.book.scope == BookScope::Window);
        match scope {
            BookScope::Full if has_windows => ShownAs::Tail,
            BookScope::Full | BookScope::Window => ShownAs::Live,
        }
    }

    /// Whether the venue's time of a snapshot is before that of the one it would replace.
    pub(crate) fn is_late(&self, book: &ReceivedBook) -> bool {
        let before = match self.shown_as(book.scope) {
            ShownAs::Live => &self.live,
            ShownAs::Tail => &self.tail,
        };
        let before = before.as_ref();
        before.is_some_and(|before| book.venue_time < before.book.venue_time)
    }

    /// Takes in a snapshot. What was taken of a level stays taken as far as the level still shows it.
    pub(crate) fn show(&mut self, snapshot: Snapshot) -> ShownAs {
        let shown_as = self.shown_as(snapshot.book.scope);
        let book = snapshot.as_order_book();
        match shown_as {
            ShownAs::Live => {
                self.keep_taken(&book, |_| true);
                self.tail = match (snapshot.book.scope, self.live.take()) {
                    (BookScope::Window, Some(full)) if full.book.scope == BookScope::Full => {
                        Some(full)
                    }
                    (BookScope::Window | BookScope::Full, _) => self.tail.take(),
                };
                self.queue_book = book;
                self.live = Some(snapshot);
            }
            ShownAs::Tail => {
                let window = self.queue_book.clone();
                let is_tail =
                    |level: &TakenLevel| window.depth(level.side, level.px) == PriceDepth::Hidden;
                self.keep_taken(&book, is_tail);
                self.tail = Some(snapshot);
            }
        }
        shown_as
    }

    /// Of the levels that `book` speaks for.
    fn keep_taken(&mut self, book: &OrderBook, speaks_for: impl Fn(&TakenLevel) -> bool) {
        self.taken.retain_mut(|level| {
            if !speaks_for(level) {
                return true;
            }
            match book.depth(level.side, level.px) {
                PriceDepth::Hidden => true,
                PriceDepth::Empty => false,
                PriceDepth::At(shown) => {
                    level.size = level.size.min(shown);
                    true
                }
            }
        });
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
        book.refresh(
            &self.takeable(Side::Buy, at),
            &self.takeable(Side::Sell, at),
        );
        for level in &self.taken {
            book.consume(level.side.opposite(), &[(level.px, level.size)]);
        }
    }

    fn takeable(&self, side: Side, at: Millis) -> Vec<BookLevel> {
        let Some(live) = &self.live else {
            return Vec::new();
        };
        let levels = live.levels(side);
        let mut takeable: Vec<BookLevel> = levels
            .iter()
            .copied()
            .filter(|level| self.is_in_touch(side, level.px, live))
            .collect();
        let tail = self.tail.as_ref();
        let tail = tail.filter(|tail| at - tail.received_at <= MAX_TAIL_AGE);
        if let (Some(tail), Some(last)) = (tail, levels.last()) {
            let worse = |level: &&BookLevel| beyond(side.opposite(), level.px, last.px);
            takeable.extend(tail.levels(side).iter().filter(worse));
        }
        takeable
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
        let snapshots = [&self.live, &self.tail];
        let mut levels = snapshots
            .into_iter()
            .flatten()
            .flat_map(|snapshot| snapshot.levels(side));
        let shown = levels.find(|level| level.px == px);
        let mut taken = self.taken.iter();
        let taken = taken.find(|level| (level.side, level.px) == (side, px));
        (
            shown.map_or(Lots::ZERO, |level| level.size),
            taken.map_or(Lots::ZERO, |level| level.size),
        )
    }
}
