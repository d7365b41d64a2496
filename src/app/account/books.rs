//! The order books of markets with an open form or panel; polled only while they are needed.

use super::data_age::DataAge;
use crate::model::{Book, Dated, Failure, Market, MarketId, Num, Timestamp};
use std::{collections::BTreeMap, time::Duration};

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

/// The last readable book of a market. A refused answer keeps it, and its age.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnownBook {
    book: Option<Book>,
    age: DataAge,
}

impl KnownBook {
    pub fn value(&self) -> Option<&Book> {
        self.book.as_ref()
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
                let is_newer = known.age.answered(at, made_at);
                let is_other = is_newer && known.book.as_ref() != Some(&value);
                if is_other {
                    known.book = Some(value);
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
