//! A book that is kept by its changes.
//!
//! Contract: what is shown is a whole book with every change since, in order. After a gap nothing is shown until the
//! venue has sent the book whole again.

use super::book_change::{BookChange, Follows};
use crate::model::{Book, Dated, Level, Num, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// Changes that wait for the whole book.
const MOST_WAITING: usize = 1_000;
/// Levels of a side that are kept; those beyond are the furthest.
const MOST_LEVELS: usize = 5_000;
/// Levels of a side that are shown.
const SHOWN: usize = 200;

/// How far the mirror has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Sync {
    /// No whole book is known.
    #[default]
    None,
    /// The book of this number, of between two changes.
    Between(u64),
    /// The book of this number.
    At(u64),
}

#[derive(Debug, Default)]
pub(in crate::feed) struct BookMirror {
    bids: BTreeMap<Num, Num>,
    asks: BTreeMap<Num, Num>,
    sync: Sync,
    made_at: Option<Timestamp>,
    waiting: VecDeque<BookChange>,
}

/// What a change has made of the mirror.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::feed) enum Mirrored {
    Shown(Dated<Book>),
    /// It was known, or waits for the whole book.
    Waits,
    /// Changes are missing, or the book cannot be: it has to be sent whole again.
    Gap,
}

impl BookMirror {
    /// Whether the book has to be sent whole.
    pub(super) fn needs_whole(&self) -> bool {
        self.sync == Sync::None
    }

    /// Whether changes wait for the whole book.
    pub(super) fn has_changes_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(in crate::feed) fn forget(&mut self) {
        *self = Self::default();
    }

    pub(in crate::feed) fn take(&mut self, change: BookChange) -> Mirrored {
        match change.follows {
            Follows::Nothing => {
                let waiting = VecDeque::new();
                self.begin(Sync::At(change.last), change, waiting)
            }
            Follows::WithinStream => {
                let waiting = std::mem::take(&mut self.waiting);
                self.begin(Sync::Between(change.last), change, waiting)
            }
            Follows::Book { first, previous } => self.follow(change, first, previous),
        }
    }

    fn begin(&mut self, sync: Sync, whole: BookChange, waiting: VecDeque<BookChange>) -> Mirrored {
        self.forget();
        self.sync = sync;
        self.apply(whole);
        let mut mirrored = self.shown();
        for change in waiting {
            match self.take(change) {
                Mirrored::Waits => {}
                news @ (Mirrored::Shown(_) | Mirrored::Gap) => mirrored = news,
            }
        }
        mirrored
    }

    fn follow(&mut self, change: BookChange, first: u64, previous: u64) -> Mirrored {
        let last = change.last;
        let fits = match self.sync {
            Sync::None => {
                self.wait(change);
                return Mirrored::Waits;
            }
            Sync::Between(number) if last < number => return Mirrored::Waits,
            Sync::Between(number) => first <= number,
            Sync::At(number) => previous == number,
        };
        if !fits || last < first {
            self.forget();
            self.wait(change);
            return Mirrored::Gap;
        }
        self.sync = Sync::At(last);
        self.apply(change);
        self.shown()
    }

    /// Keeps a change for after the whole book; too many of them are none.
    fn wait(&mut self, change: BookChange) {
        if self.waiting.len() >= MOST_WAITING {
            self.waiting.clear();
        }
        self.waiting.push_back(change);
    }

    fn apply(&mut self, change: BookChange) {
        self.made_at = change.made_at.or(self.made_at);
        let changes = [(&mut self.bids, change.bids), (&mut self.asks, change.asks)];
        for (side, levels) in changes {
            for (price, size) in levels {
                if size.is_zero() {
                    side.remove(&price);
                } else {
                    side.insert(price, size);
                }
            }
        }
        while self.bids.len() > MOST_LEVELS {
            self.bids.pop_first();
        }
        while self.asks.len() > MOST_LEVELS {
            self.asks.pop_last();
        }
    }

    fn shown(&mut self) -> Mirrored {
        let level = |(price, size): (&Num, &Num)| Level {
            price: *price,
            size: *size,
        };
        let bids = self.bids.iter().rev().take(SHOWN).map(level).collect();
        let asks = self.asks.iter().take(SHOWN).map(level).collect();
        let book = Book::new(bids, asks);
        if book.is_crossed() {
            self.forget();
            return Mirrored::Gap;
        }
        Mirrored::Shown(Dated {
            value: book,
            made_at: self.made_at,
        })
    }
}
