//! The order books of the markets that forms are open in: asked for while one is open, and not otherwise.

use super::remote::Remote;
use crate::model::{Book, Failure, Market, MarketId, Num, Timestamp};
use std::{collections::BTreeMap, time::Duration};

/// How often the book under an open form is renewed.
pub(crate) const EVERY: Duration = Duration::from_secs(2);
/// Older than so many of these times is late, as with whatever is polled.
const LATE: u32 = 3;
/// Prices move less than this between two answers; a book that is further away is of another time.
const APART_BPS: i64 = 25;

/// Why a book that is here says nothing of what an order would meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// So long ago it was asked for.
    Old(Duration),
    /// Its middle is this one, and the observed one is another.
    Apart(Num),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Books {
    known: BTreeMap<MarketId, Remote<Book>>,
    /// The last one asked for, and when: where no source tells books, nothing ever answers.
    pub(crate) asked: Option<(MarketId, Timestamp)>,
}

impl Books {
    pub fn of(&self, market: &MarketId) -> Option<&Remote<Book>> {
        self.known.get(market)
    }

    /// The book of a market where one has come, if it still tells what stands there.
    pub fn fit(&self, market: &Market, now: Timestamp) -> Option<Result<&Book, Unfit>> {
        let known = self.of(&market.id)?;
        let (book, at) = known.value().zip(known.at())?;
        let age = now.since(at);
        if age > EVERY * LATE {
            return Some(Err(Unfit::Old(age)));
        }
        Some(match apart(book, market) {
            Some(middle) => Err(Unfit::Apart(middle)),
            None => Ok(book),
        })
    }

    /// Takes the answer to a request sent at `at`.
    pub fn arrive(&mut self, market: MarketId, result: Result<Book, Failure>, at: Timestamp) {
        self.known.entry(market).or_default().arrive(result, at);
    }
}

/// The middle of the book, where it does not agree with the observed one.
fn apart(book: &Book, market: &Market) -> Option<Num> {
    let (middle, observed) = book.mid().zip(market.mid())?;
    let away = middle.minus(observed)?.abs().times(10_000_i64.into())?;
    (away > observed.times(APART_BPS.into())?).then_some(middle)
}

#[cfg(test)]
mod tests {
    use crate::app::Effect;
    use crate::app::testing::*;

    fn asked(effects: &[Effect]) -> Vec<&Effect> {
        let is_book = |effect: &&Effect| matches!(effect, Effect::Book(_));
        effects.iter().filter(is_book).collect()
    }

    #[test]
    fn a_book_is_asked_for_while_a_form_is_open_in_its_market_and_not_otherwise() {
        let mut model = desk();
        assert!(asked(&wait(&mut model, 5_000)).is_empty());
        press(&mut model, "b");
        let effects = wait(&mut model, 1);
        assert_eq!(asked(&effects), [&Effect::Book("paper|BTC".into())]);
        assert!(asked(&wait(&mut model, 500)).is_empty(), "not all the time");
        let effects = wait(&mut model, 1_500);
        assert_eq!(asked(&effects), [&Effect::Book("paper|BTC".into())]);
        press(&mut model, "shift-tab shift-tab eth");
        let effects = wait(&mut model, 1);
        assert_eq!(asked(&effects), [&Effect::Book("paper|ETH".into())]);
        press(&mut model, "esc esc");
        assert!(asked(&wait(&mut model, 5_000)).is_empty());
    }
}
