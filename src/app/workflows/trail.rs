//! A stop that trails its position: it follows the best mark at a distance, in favour of the position only.
//!
//! Contract: pure. It wants one move at a time, and at most one a second; a move is made and recorded like any other. A
//! mark that is late, or of a crossed book, moves nothing. A stop that is gone, or that somebody has loosened, ends it,
//! and so do the end of the position and three moves in a row that were not made. It runs while the desk does.

use crate::model::{
    Num, OrderId, PositionId, Side, Tick, Timestamp,
    estimate::{has_passed, is_as_good},
};
use std::time::Duration;

/// The pause between two moves.
const PAUSE: Duration = Duration::from_secs(1);
/// The pause after a move that was not made.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);
const MOST_FAILURES: u32 = 3;

/// How far it trails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrailBy {
    Usd(Num),
    /// Of the best mark.
    Percent(Num),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    pub(crate) position: PositionId,
    side: Side,
    by: TrailBy,
    /// The distance as it was written: `40t`.
    words: String,
    best: Num,
    /// Where the stop was seen last.
    stop: Num,
    /// Where it is to go.
    requested: Option<Num>,
    moved_at: Option<Timestamp>,
    failures: u32,
}

/// What is known of its position.
#[derive(Debug, Clone)]
pub(crate) enum TrailSeen {
    /// A list that it would be on is late, or a move of its stop goes on.
    Unknown,
    Gone,
    Held {
        side: Side,
        /// The nearest stop and its price.
        stop: Option<(OrderId, Num)>,
        /// Only a current one.
        mark: Option<Num>,
        tick: Tick,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TrailRequest {
    Wait,
    Move(OrderId, Num),
    End(String),
}

impl Trail {
    pub(crate) fn new(
        (position, side): (PositionId, Side),
        (by, words): (TrailBy, String),
        (mark, stop): (Num, Num),
    ) -> Self {
        Self {
            position,
            side,
            by,
            words,
            best: mark,
            stop,
            requested: None,
            moved_at: None,
            failures: 0,
        }
    }

    /// `trailing 40t (desk)`
    pub fn words(&self) -> String {
        format!("trailing {} (desk)", self.words)
    }

    pub(crate) fn distance(&self) -> &str {
        &self.words
    }

    /// What is to be done now.
    pub(crate) fn next(&mut self, seen: TrailSeen, now: Timestamp) -> TrailRequest {
        let (stop, mark, tick) = match seen {
            TrailSeen::Unknown => return TrailRequest::Wait,
            TrailSeen::Gone => return TrailRequest::End("its position is closed".to_owned()),
            TrailSeen::Held { side, .. } if side != self.side => {
                return TrailRequest::End("its position is on the other side now".to_owned());
            }
            TrailSeen::Held {
                stop, mark, tick, ..
            } => (stop, mark, tick),
        };
        let Some((order, stop)) = stop else {
            return TrailRequest::End("its stop is gone".to_owned());
        };
        if let Some(why) = self.look(stop) {
            return TrailRequest::End(why);
        }
        let Some(mark) = mark else {
            return TrailRequest::Wait;
        };
        if is_as_good(self.side, mark, self.best) {
            self.best = mark;
        }
        let Some(price) = self.wanted(tick) else {
            return TrailRequest::Wait;
        };
        let is_better = !is_as_good(self.side, stop, price);
        if !is_better || !has_passed(self.side, mark, price) || now < self.ready_at() {
            return TrailRequest::Wait;
        }
        (self.requested, self.moved_at) = (Some(price), Some(now));
        TrailRequest::Move(order, price)
    }

    /// Takes note of where the stop is; why it ends, if it does.
    fn look(&mut self, stop: Num) -> Option<String> {
        let before = std::mem::replace(&mut self.stop, stop);
        match self.requested.take() {
            Some(requested) if !is_as_good(self.side, stop, requested) => {
                self.failures += 1;
                let is_over = self.failures >= MOST_FAILURES;
                is_over.then(|| format!("{MOST_FAILURES} moves of its stop were not made"))
            }
            Some(_) => {
                self.failures = 0;
                None
            }
            None => {
                let is_loosened = !is_as_good(self.side, stop, before);
                is_loosened.then(|| "its stop was moved away".to_owned())
            }
        }
    }

    /// On the grid, never nearer than the distance.
    fn wanted(&self, tick: Tick) -> Option<Num> {
        let far = match self.by {
            TrailBy::Usd(usd) => usd,
            TrailBy::Percent(share) => self.best.times(share)?.over(Num::HUNDRED)?,
        };
        let price = match self.side {
            Side::Buy => tick.below(self.best.minus(far)?),
            Side::Sell => tick.above(self.best.plus(far)?),
        };
        Some(price).filter(|price| price.is_positive())
    }

    fn ready_at(&self) -> Timestamp {
        let pause = if self.failures == 0 {
            PAUSE
        } else {
            PAUSE_AFTER_FAILURE
        };
        self.moved_at
            .map_or(Timestamp(i64::MIN), |at| at.plus(pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(number: u32) -> Num {
        Num::from(number)
    }

    /// Of a position on `side` with a mark of 64,000 and a stop 40 away.
    fn trail(side: Side, by: TrailBy) -> Trail {
        let stop = match side {
            Side::Buy => 63_960,
            Side::Sell => 64_040,
        };
        Trail::new(
            ("pos-1".into(), side),
            (by, "40t".to_owned()),
            (num(64_000), num(stop)),
        )
    }

    fn seen(stop: u32, mark: Option<u32>) -> TrailSeen {
        of(Side::Buy, stop, mark)
    }

    fn of(side: Side, stop: u32, mark: Option<u32>) -> TrailSeen {
        TrailSeen::Held {
            side,
            stop: Some(("ord-1".into(), num(stop))),
            mark: mark.map(num),
            tick: Tick::fine(0),
        }
    }

    fn to(price: u32) -> TrailRequest {
        TrailRequest::Move("ord-1".into(), num(price))
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp(millis)
    }

    #[test]
    fn a_stop_follows_the_best_mark_and_never_goes_back() {
        let mut long = trail(Side::Buy, TrailBy::Usd(num(40)));
        assert_eq!(long.next(seen(63_960, Some(64_100)), at(0)), to(64_060));
        for mark in [64_050, 64_099, 64_100] {
            let wish = long.next(seen(64_060, Some(mark)), at(2_000));
            assert_eq!(wish, TrailRequest::Wait, "{mark}");
        }
        assert_eq!(long.next(seen(64_060, Some(64_101)), at(3_000)), to(64_061));
        let mut short = trail(Side::Sell, TrailBy::Percent(num(1)));
        let short_of = |stop, mark| of(Side::Sell, stop, Some(mark));
        assert_eq!(short.next(short_of(64_040, 63_000), at(0)), to(63_630));
        let wish = short.next(short_of(63_630, 63_500), at(2_000));
        assert_eq!(wish, TrailRequest::Wait);
    }

    #[test]
    fn it_moves_once_a_second_at_most_and_then_to_the_best_price_of_all() {
        let mut trail = trail(Side::Buy, TrailBy::Usd(num(40)));
        assert_eq!(trail.next(seen(63_960, Some(64_010)), at(0)), to(63_970));
        for (millis, mark) in [(100, 64_050), (500, 64_090), (999, 64_020)] {
            let wish = trail.next(seen(63_970, Some(mark)), at(millis));
            assert_eq!(wish, TrailRequest::Wait, "{millis}");
        }
        let wish = trail.next(seen(63_970, Some(64_080)), at(1_000));
        assert_eq!(wish, to(64_050), "40 below the 64,090 of before");
    }

    #[test]
    fn what_is_not_known_now_moves_nothing() {
        let mut trail = trail(Side::Buy, TrailBy::Usd(num(40)));
        assert_eq!(trail.next(TrailSeen::Unknown, at(0)), TrailRequest::Wait);
        assert_eq!(trail.next(seen(63_960, None), at(0)), TrailRequest::Wait);
        assert_eq!(trail.next(seen(63_960, Some(64_001)), at(0)), to(63_961));
    }

    #[test]
    fn a_stop_that_the_mark_has_reached_is_left_where_it_is() {
        let mut trail = trail(Side::Buy, TrailBy::Usd(num(40)));
        assert_eq!(trail.next(seen(63_960, Some(64_100)), at(0)), to(64_060));
        let fallen = trail.next(seen(63_960, Some(64_030)), at(9_000));
        assert_eq!(fallen, TrailRequest::Wait, "64,060 would trigger at once");
    }

    #[test]
    fn it_ends_with_its_position_with_its_stop_and_where_a_person_loosens_it() {
        let end = |seen| match trail(Side::Buy, TrailBy::Usd(num(40))).next(seen, at(0)) {
            TrailRequest::End(why) => why,
            other @ (TrailRequest::Wait | TrailRequest::Move(..)) => panic!("{other:?}"),
        };
        assert_eq!(end(TrailSeen::Gone), "its position is closed");
        let bare = TrailSeen::Held {
            side: Side::Buy,
            stop: None,
            mark: Some(num(64_100)),
            tick: Tick::fine(0),
        };
        assert_eq!(end(bare), "its stop is gone");
        assert_eq!(end(seen(63_000, Some(64_100))), "its stop was moved away");
        let turned = of(Side::Sell, 64_140, Some(64_100));
        assert_eq!(end(turned), "its position is on the other side now");
    }

    #[test]
    fn a_stop_that_a_person_tightens_stays_there() {
        let mut trail = trail(Side::Buy, TrailBy::Usd(num(40)));
        let wish = trail.next(seen(63_990, Some(64_020)), at(0));
        assert_eq!(wish, TrailRequest::Wait);
        assert_eq!(trail.next(seen(63_990, Some(64_031)), at(0)), to(63_991));
    }

    #[test]
    fn it_waits_after_a_move_that_was_not_made_and_ends_after_three() {
        let mut trail = trail(Side::Buy, TrailBy::Usd(num(40)));
        let mut next = |millis| trail.next(seen(63_960, Some(64_100)), at(millis));
        assert_eq!(next(0), to(64_060));
        assert_eq!(next(1_000), TrailRequest::Wait);
        assert_eq!(next(5_000), to(64_060));
        assert_eq!(next(9_999), TrailRequest::Wait);
        assert_eq!(next(10_000), to(64_060));
        let words = "3 moves of its stop were not made".to_owned();
        assert_eq!(next(11_000), TrailRequest::End(words));
    }
}
