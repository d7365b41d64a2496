//! Whether the order book of a market is current.

use crate::{
    app::account::{
        books::{KnownBook, MARKET_STALE_AFTER},
        store::Store,
    },
    model::{Book, MarketId, Num, Side, Text, Timestamp},
};
use std::time::Duration;

/// Whether a book can be traded by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookState {
    /// There is no source, or no answer yet.
    Missing,
    /// A side of it has no level.
    Empty,
    /// The best bid is not below the best ask.
    Crossed,
    /// It is this old.
    Stale(Duration),
    Live,
}

impl BookState {
    pub fn new(store: &Store, market: &MarketId, now: Timestamp) -> Self {
        let book = store.books.of(market).and_then(KnownBook::value);
        let Some((book, age)) = book.zip(store.books.age(market, now)) else {
            return Self::Missing;
        };
        if age > MARKET_STALE_AFTER {
            Self::Stale(age)
        } else if book.mid().is_none() {
            Self::Empty
        } else if book.is_crossed() {
            Self::Crossed
        } else {
            Self::Live
        }
    }

    /// The problem, in a word.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Missing => Some("no order book"),
            Self::Empty => Some("empty"),
            Self::Crossed => Some("crossed"),
            Self::Stale(_) => Some("stale"),
            Self::Live => None,
        }
    }

    /// Why no new order is placed with it.
    pub(crate) fn objection(self, market: &Text) -> Option<String> {
        let what = self.word()?;
        let is = match self {
            Self::Missing => format!("{what} of {market} is known"),
            Self::Stale(age) => format!(
                "the order book of {market} is {what}, {} s old",
                age.as_secs()
            ),
            Self::Empty | Self::Crossed | Self::Live => {
                format!("the order book of {market} is {what}")
            }
        };
        Some(format!("{is}: no new orders here; cancels and closes work"))
    }
}

/// The best price that an order of `side` at `price` would fill at now; `None` if it rests.
pub fn taken_by(book: &Book, side: Side, price: Num) -> Option<Num> {
    let best = book.best(side.opposite())?;
    let takes = match side {
        Side::Buy => price >= best,
        Side::Sell => price <= best,
    };
    takes.then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dated, Failure, FailureKind, Level};

    fn side(prices: &[i64]) -> Vec<Level> {
        let level = |price: &i64| Level {
            price: Num::from(*price),
            size: Num::ONE,
        };
        prices.iter().map(level).collect()
    }

    fn state(book: Book, age: u64) -> BookState {
        let (mut store, market) = (Store::default(), MarketId::from("paper|BTC"));
        store
            .books
            .arrive(market.clone(), Ok(Dated::undated(book)), Timestamp(0));
        let down = Failure::new(FailureKind::Unavailable, "down");
        store.books.arrive(market.clone(), Err(down), Timestamp(1));
        BookState::new(
            &store,
            &market,
            Timestamp(0).plus(Duration::from_millis(age)),
        )
    }

    #[test]
    fn only_a_fresh_book_with_two_sides_in_order_is_traded_by() {
        let book = |bid, ask| Book::new(side(bid), side(ask));
        let found = [
            state(book(&[99], &[101]), 5_000),
            state(book(&[99], &[101]), 5_001),
            state(book(&[101], &[101]), 0),
            state(book(&[99], &[]), 0),
        ];
        let stale = BookState::Stale(Duration::from_millis(5_001));
        assert_eq!(
            found,
            [BookState::Live, stale, BookState::Crossed, BookState::Empty]
        );
        let none = BookState::new(&Store::default(), &"paper|BTC".into(), Timestamp(0));
        assert_eq!(none, BookState::Missing);
        let market = "BTC".into();
        assert_eq!(BookState::Live.objection(&market), None);
        let words = found[1].objection(&market).unwrap();
        assert_eq!(
            words,
            "the order book of BTC is stale, 5 s old: no new orders here; cancels and closes work"
        );
    }

    #[test]
    fn a_price_takes_by_the_side_it_would_hit() {
        let book = Book::new(side(&[99]), side(&[101]));
        let taken = |side, price: i64| taken_by(&book, side, price.into());
        assert_eq!(taken(Side::Buy, 101), Some(Num::from(101_i64)));
        assert_eq!(taken(Side::Buy, 100), None);
        assert_eq!(taken(Side::Sell, 99), Some(Num::from(99_i64)));
        assert_eq!(taken(Side::Sell, 100), None);
    }
}
