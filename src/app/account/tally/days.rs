//! The results of each day's closed positions, by the desk's time zone. Updated with each answer.

use super::{Sum, Tally};
use crate::app::account::feed::RowChange;
use crate::model::{Num, Position, Zone, ZoneDay};
use std::collections::BTreeMap;

/// The positions closed on one day that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DayResult {
    pub count: usize,
    /// Those with a known net profit.
    known_count: usize,
    net: Sum,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Days {
    zone: Zone,
    results: BTreeMap<ZoneDay, DayResult>,
}

impl DayResult {
    /// USD; `None` while one of them is unknown.
    pub fn net(&self) -> Option<Num> {
        self.net.value().filter(|_| self.known_count == self.count)
    }

    /// The sum of the known net profits, USD, and how many are unknown.
    pub(crate) fn known(&self) -> (Sum, usize) {
        (self.net, self.count.saturating_sub(self.known_count))
    }
}

impl Days {
    /// Days of this time zone.
    pub fn by(zone: Zone) -> Self {
        Self {
            zone,
            results: BTreeMap::new(),
        }
    }

    pub fn of(&self, day: ZoneDay) -> Option<&DayResult> {
        self.results.get(&day)
    }

    /// Whether it is the oldest day that was read: older pages may have more of it.
    pub fn is_oldest(&self, day: ZoneDay) -> bool {
        self.results.keys().next() == Some(&day)
    }

    /// The result of each day with a closed position, USD; `None` while one is unknown or a position has no day.
    pub fn nets(&self, positions: usize) -> Option<Vec<Num>> {
        let days = self.results.values();
        let dated: usize = days.clone().map(|day| day.count).sum();
        let nets = days.map(DayResult::net).collect::<Option<_>>()?;
        (dated == positions).then_some(nets)
    }
}

impl Tally<Position> for Days {
    fn count(&mut self, position: &Position, change: RowChange) {
        let Some(day) = position.closed_at.and_then(|at| self.zone.day(at)) else {
            return;
        };
        let result = self.results.entry(day).or_default();
        change.step(&mut result.count);
        if let Some(net) = position.net_pnl() {
            change.step(&mut result.known_count);
            result.net.add(change.signed(net));
        }
        if result.count == 0 {
            self.results.remove(&day);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::{
            account::feed::AnswerDiff,
            testing::{num, position},
        },
        model::Timestamp,
    };
    use std::collections::VecDeque;

    /// 2026-09-21 00:00 UTC.
    const MIDNIGHT: i64 = 1_789_948_800_000;

    fn closed(minutes: i64, net: &str) -> Position {
        let at = MIDNIGHT + minutes * 60_000;
        let more = format!(r#""realized_pnl":{net},"fees":0,"funding":0,"closed_at":{at}"#);
        position("p", "BTC", "1", &more)
    }

    fn all(rows: &[Position]) -> AnswerDiff<Position> {
        AnswerDiff {
            gone: vec![],
            cut: vec![],
            come: 0..rows.len(),
            top: 0..rows.len(),
        }
    }

    #[test]
    fn a_day_is_counted_where_the_person_is_and_taken_back_when_its_rows_leave() {
        let rows = vec![closed(30, "5"), closed(10, "-2"), closed(-10, "100")];
        let today = Zone::utc().day(Timestamp(MIDNIGHT)).unwrap();
        let mut days = Days::by(Zone::utc());
        days.take(&all(&rows), &rows.clone().into());
        let result = days.of(today).unwrap();
        assert_eq!((result.count, result.net()), (2, Some(num("3"))));
        assert!(!days.is_oldest(today));
        let churn = AnswerDiff {
            gone: rows,
            cut: vec![],
            come: 0..0,
            top: 0..0,
        };
        days.take(&churn, &VecDeque::new());
        assert_eq!(days, Days::by(Zone::utc()));
    }

    #[test]
    fn what_closed_in_the_last_millisecond_of_a_day_is_that_days() {
        let at = |millis: i64| {
            let more = format!(
                r#""realized_pnl":5,"fees":1,"funding":2,"closed_at":{}"#,
                MIDNIGHT + millis
            );
            position("p", "BTC", "1", &more)
        };
        let rows = vec![at(0), at(-1)];
        let mut days = Days::by(Zone::utc());
        days.take(&all(&rows), &rows.clone().into());
        for instant in [0, -1] {
            let day = Zone::utc().day(Timestamp(MIDNIGHT + instant)).unwrap();
            let result = days.of(day).unwrap();
            assert_eq!((result.count, result.net()), (1, Some(num("6"))), "{day}");
        }
    }

    #[test]
    fn a_day_with_a_position_whose_net_is_not_known_has_no_net() {
        let mut rows = vec![closed(30, "5"), closed(10, "2")];
        rows[1].fees = None;
        rows[1].realized_pnl = None;
        let mut days = Days::by(Zone::utc());
        days.take(&all(&rows), &rows.clone().into());
        let today = Zone::utc().day(Timestamp(MIDNIGHT)).unwrap();
        let result = days.of(today).unwrap();
        assert_eq!((result.count, result.net()), (2, None));
    }
}
