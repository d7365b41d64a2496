//! The order books of markets with an open form or panel; polled only while they are needed.

use super::{data_age::DataAge, remote::Remote};
use crate::model::{Book, Dated, Failure, Market, MarketId, Num, Timestamp};
use std::{collections::BTreeMap, time::Duration};

/// A book whose data is older than this says nothing of what an order would meet: three times the interval at which
/// the book under an open form is renewed.
const TOO_OLD: Duration = Duration::from_secs(6);
/// Prices move less than this between two answers; a book that is further away is of another time.
const LARGEST_DIFFERENCE_BPS: i64 = 25;

/// Why a book that is here says nothing of what an order would meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Requested this long ago.
    Old(Duration),
    /// Its middle is this one, and the observed one is another.
    Apart(Num),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Books {
    known: BTreeMap<MarketId, KnownBook>,
    version: u64,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct KnownBook {
    book: Remote<Book>,
    age: DataAge,
}

impl Books {
    pub fn of(&self, market: &MarketId) -> Option<&Remote<Book>> {
        self.known.get(market).map(|known| &known.book)
    }

    /// How old a market's book is: since the request that first brought it, however often it was polled since.
    pub fn age(&self, market: &MarketId, now: Timestamp) -> Option<Duration> {
        let known = self.known.get(market)?;
        known.book.value()?;
        known.age.age(now)
    }

    /// The book of a market if one has arrived, and whether it is still current.
    pub fn fit(&self, market: &Market, now: Timestamp) -> Option<Result<&Book, Unfit>> {
        let book = self.of(&market.id)?.value()?;
        let age = self.age(&market.id, now)?;
        if age > TOO_OLD {
            return Some(Err(Unfit::Old(age)));
        }
        Some(match apart(book, market) {
            Some(middle) => Err(Unfit::Apart(middle)),
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
        let result = match result {
            Ok(dated) => {
                known.age.answered(at, dated.made_at);
                Ok(dated.value)
            }
            Err(why) => Err(why),
        };
        let is_known = match &result {
            Ok(book) => matches!(&known.book, Remote::Fresh { value, .. } if value == book),
            Err(why) => known.book.trouble() == Some(why),
        };
        known.book.arrive(result, at);
        self.version += u64::from(!is_known);
    }
}

/// The book's midpoint, if it does not agree with the observed one.
fn apart(book: &Book, market: &Market) -> Option<Num> {
    let (middle, observed) = book.mid().zip(market.mid())?;
    let away = middle.minus(observed)?.abs().times(10_000_i64.into())?;
    (away > observed.times(LARGEST_DIFFERENCE_BPS.into())?).then_some(middle)
}
