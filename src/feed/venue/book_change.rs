//! One change of a book, or the whole of it.

use crate::{
    feed::market_frame::{Amount, positive, sound_book},
    model::{Book, Dated, Level, Num, Timestamp},
};

/// Levels of one side of a change; a longer one is refused.
const MOST_LEVELS: usize = 5_000;

/// What a venue says of a book.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::feed) struct BookChange {
    pub(in crate::feed) follows: Follows,
    /// The number of the book with this change.
    pub(in crate::feed) last: u64,
    pub(in crate::feed) made_at: Option<Timestamp>,
    /// Price and new size; zero removes the level.
    pub(in crate::feed) bids: Vec<(Num, Num)>,
    pub(in crate::feed) asks: Vec<(Num, Num)>,
}

/// What a change is made to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum Follows {
    /// Nothing: it is the whole book, and the next change is made to this very one.
    Nothing,
    /// Nothing: it is the whole book, as it is between the changes of a stream.
    WithinStream,
    /// The book of number `previous`; the change holds the numbers from `first` on.
    Book { first: u64, previous: u64 },
}

impl BookChange {
    /// The book that it is, if it is a whole one.
    pub(super) fn whole(self) -> Option<Dated<Book>> {
        let level = |(price, size): &(Num, Num)| Level {
            price: *price,
            size: *size,
        };
        let side = |levels: &[(Num, Num)]| levels.iter().map(level).collect();
        Some(Dated {
            value: sound_book(side(&self.bids), side(&self.asks))?,
            made_at: self.made_at,
        })
    }
}

/// Price and size of a level.
pub(super) type LevelPair = (Amount, Amount);

/// Levels of a change, of which zero is a size too; a longer list is refused.
pub(super) fn changed_levels(side: &[LevelPair]) -> Option<Vec<(Num, Num)>> {
    let checked = |(price, size): &LevelPair| {
        let price = positive(Some(price.0))?;
        (!size.0.is_negative()).then_some((price, size.0))
    };
    let levels = side.iter().map(checked);
    (side.len() <= MOST_LEVELS).then(|| levels.collect())?
}
