//! Books that are sent whole, near and far: the near one often with few levels, the far one seldom with more.

use crate::{
    feed::market_frame::sound_book,
    model::{Book, Dated, Level, Side, Timestamp},
};
use std::time::Duration;

/// Levels of a far book that is older than this are no more shown behind a near one.
const FAR_WITHIN: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The best levels alone.
    Near,
    Far,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WholeBook {
    pub(super) book: Book,
    pub(super) reach: Reach,
    pub(super) made_at: Timestamp,
}

/// The newest book of each reach.
#[derive(Debug, Default)]
pub(super) struct WholeBooks {
    near: Option<WholeBook>,
    far: Option<WholeBook>,
}

impl WholeBooks {
    /// What is known with this one; `None` if it is older than what was reported.
    pub(super) fn take(&mut self, book: WholeBook) -> Option<Dated<Book>> {
        let known = match book.reach {
            Reach::Near => &mut self.near,
            Reach::Far => &mut self.far,
        };
        if known
            .as_ref()
            .is_some_and(|known| known.made_at > book.made_at)
        {
            return None;
        }
        *known = Some(book);
        match (&self.near, &self.far) {
            (Some(near), Some(far)) if near.made_at >= far.made_at => {
                if near.made_at.since(far.made_at) <= FAR_WITHIN {
                    near.before(far)
                } else {
                    Some(near.dated())
                }
            }
            (_, Some(newest)) | (Some(newest), None) => Some(newest.dated()),
            (None, None) => None,
        }
    }
}

impl WholeBook {
    fn dated(&self) -> Dated<Book> {
        Dated {
            value: self.book.clone(),
            made_at: Some(self.made_at),
        }
    }

    /// These levels, and behind them those of `far` that are worse.
    fn before(&self, far: &Self) -> Option<Dated<Book>> {
        let side = |side: Side| {
            let near = self.book.levels(side);
            let last = near.last().map(|level| level.price);
            let is_behind = |level: &&Level| match side {
                Side::Buy => last.is_none_or(|last| level.price < last),
                Side::Sell => last.is_none_or(|last| level.price > last),
            };
            let behind = far.book.levels(side).iter().filter(is_behind);
            near.iter().chain(behind).copied().collect()
        };
        Some(Dated {
            value: sound_book(side(Side::Buy), side(Side::Sell))?,
            made_at: Some(self.made_at),
        })
    }
}
