//! The order books of markets with an open form or panel; polled only while they are needed.

use super::data_age::DataAge;
use crate::model::{Book, Dated, Failure, Market, MarketId, Num, SizedQuote, Timestamp};
use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

/// A book or a tape whose data is older than this says nothing of the market now: ten times the interval at which the
/// shown ones are renewed, and more than twice that of the book under an open form.
pub(crate) const MARKET_STALE_AFTER: Duration = Duration::from_secs(5);
/// Prices move less than this between two answers; a book that is further away is of another time.
const LARGEST_DIFFERENCE_BPS: i64 = 25;

/// Why a book that is here says nothing of what an order would meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableBook {
    /// Its data is this old.
    Old(Duration),
    /// Its middle is this one, and the observed one is another.
    Apart(Num),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Books {
    known: BTreeMap<MarketId, KnownBook>,
    version: u64,
}

/// How far back the change of what rests at a price counts, and how far apart the books are that are kept for it.
const CHANGE_WINDOW: Duration = Duration::from_secs(10);
const CHANGE_STEP: Duration = Duration::from_secs(1);

/// The last readable book of a market. A refused answer keeps it, and its age.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownBook {
    book: Option<Book>,
    /// Books of the last ten seconds, a second apart; the oldest first.
    past: VecDeque<(Timestamp, Book)>,
    age: DataAge,
}

impl KnownBook {
    pub fn value(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// The oldest book of the last ten seconds, before the newest one.
    pub fn before(&self) -> Option<&Book> {
        self.past.front().map(|(_, book)| book)
    }

    /// Another book arrives: the one known until now is past.
    fn replace(&mut self, book: Book, seen_at: Option<Timestamp>, at: Timestamp) {
        let is_old = |(then, _): &(Timestamp, Book)| at.since(*then) > CHANGE_WINDOW;
        while self.past.front().is_some_and(is_old) {
            self.past.pop_front();
        }
        let is_due = |then: Timestamp| {
            let last = self.past.back();
            last.is_none_or(|(last, _)| then.since(*last) >= CHANGE_STEP)
        };
        let then = seen_at.filter(|then| at.since(*then) <= CHANGE_WINDOW && is_due(*then));
        if let Some((then, before)) = then.zip(self.book.replace(book)) {
            self.past.push_back((then, before));
        }
    }

    /// When the newest readable answer was requested.
    pub fn at(&self) -> Option<Timestamp> {
        self.age.answered_at()
    }

    /// Why there is no newer book, if the last answer brought none.
    pub fn trouble(&self) -> Option<&Failure> {
        self.age.trouble()
    }
}

impl Books {
    pub fn of(&self, market: &MarketId) -> Option<&KnownBook> {
        self.known.get(market)
    }

    /// How old a market's book is: since the request that first brought it, however often it was polled since.
    pub fn age(&self, market: &MarketId, now: Timestamp) -> Option<Duration> {
        let known = self.known.get(market)?;
        known.book.as_ref()?;
        known.age.age(now)
    }

    /// The book of a market if one has arrived, and whether it is still current.
    pub fn fit(&self, market: &Market, now: Timestamp) -> Option<Result<&Book, UnusableBook>> {
        let book = self.of(&market.id)?.value()?;
        let age = self.age(&market.id, now)?;
        if age > MARKET_STALE_AFTER {
            return Some(Err(UnusableBook::Old(age)));
        }
        Some(match apart(book, market) {
            Some(middle) => Err(UnusableBook::Apart(middle)),
            None => Ok(book),
        })
    }

    /// Rises with every change of a book.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes the answer to a request sent at `at`.
    pub fn arrive(
        &mut self,
        market: MarketId,
        result: Result<Dated<Book>, Failure>,
        at: Timestamp,
    ) {
        let known = self.known.entry(market).or_default();
        let is_new = match result {
            Ok(Dated { value, made_at }) => {
                let had_trouble = known.age.trouble().is_some();
                let seen_at = known.age.answered_at();
                let is_newer = known.age.answered(at, made_at);
                let is_other = is_newer && known.book.as_ref() != Some(&value);
                if is_other {
                    known.replace(value, seen_at, at);
                }
                is_other || (is_newer && had_trouble)
            }
            Err(why) => known.age.failed(at, why),
        };
        self.version += u64::from(is_new);
    }
}

/// The book's midpoint, if it does not agree with the observed one.
fn apart(book: &Book, market: &Market) -> Option<Num> {
    let (middle, observed) = book.mid().zip(market.mid())?;
    let away = middle.minus(observed)?.abs().times(10_000_i64.into())?;
    (away > observed.times(LARGEST_DIFFERENCE_BPS.into())?).then_some(middle)
}

/// What the service expects of the order in an open form, where there is no book: the last quote, of one market, side and
/// size, and when it was requested.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TicketQuote(Option<(MarketId, SizedQuote, Timestamp)>);

impl TicketQuote {
    /// Takes the answer to a request sent at `requested_at`. A refused one keeps the quote before, which grows old.
    pub(crate) fn arrive(
        &mut self,
        market: MarketId,
        result: Result<SizedQuote, Failure>,
        requested_at: Timestamp,
    ) {
        if let Ok(quote) = result {
            self.0 = Some((market, quote, requested_at));
        }
    }

    /// The quote of `market`, and how old it is, unless that is too old.
    pub fn of(&self, market: &MarketId, now: Timestamp) -> Option<(&SizedQuote, Duration)> {
        let (_, quote, requested_at) = self.0.as_ref().filter(|(of, ..)| of == market)?;
        let age = now.since(*requested_at);
        (age <= MARKET_STALE_AFTER).then_some((quote, age))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Level;

    #[test]
    fn what_rests_is_compared_with_the_oldest_book_of_the_last_ten_seconds() {
        let mut books = Books::default();
        let market = MarketId::from("paper|BTC");
        let book = |size: i64| {
            let level = Level {
                price: 100_i64.into(),
                size: size.into(),
            };
            Book::new(vec![level], vec![])
        };
        let tell = |books: &mut Books, millis: i64, size: i64| {
            let answer = Ok(Dated::undated(book(size)));
            books.arrive(market.clone(), answer, Timestamp(millis));
        };
        let before = |books: &Books| books.of(&market).and_then(KnownBook::before).cloned();
        tell(&mut books, 0, 1);
        assert_eq!(before(&books), None);
        for half in 1..=20 {
            tell(&mut books, half * 500, 1 + half);
        }
        assert_eq!(before(&books), Some(book(1)));
        let kept = books.of(&market).map(|known| known.past.len());
        assert!(kept.is_some_and(|kept| kept <= 11), "{kept:?}");
        tell(&mut books, 12_500, 40);
        assert_eq!(before(&books), Some(book(7)), "of 3 s");
        tell(&mut books, 40_000, 41);
        assert_eq!(before(&books), None, "the last one is too old");
    }
}
