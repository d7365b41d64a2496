//! What the positions closed in each hour of the day came to, by the desk's clocks: kept up by what each answer changes.

use super::{Results, Tally};
use crate::app::account::feed::RowChange;
use crate::model::{Position, Zone};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HourResults {
    zone: Zone,
    /// By the hour from 0 to 23; where clocks are set back, an hour that comes twice is one.
    results: BTreeMap<usize, Results>,
}

impl HourResults {
    /// By the clocks of this zone.
    pub fn by(zone: Zone) -> Self {
        Self {
            zone,
            ..Self::default()
        }
    }

    /// The hours in which something closed, from midnight on.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Results)> {
        self.results.iter().map(|(hour, results)| (*hour, results))
    }
}

impl Tally<Position> for HourResults {
    fn count(&mut self, position: &Position, change: RowChange) {
        let Some(hour) = position.closed_at.and_then(|at| self.zone.hour(at)) else {
            return;
        };
        let results = self.results.entry(hour).or_default();
        results.count(position, change);
        if results.count == 0 {
            self.results.remove(&hour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{
        account::feed::AnswerDiff,
        testing::{num, position},
    };
    use std::collections::VecDeque;

    /// 2026-09-21 00:00 UTC.
    const MIDNIGHT: i64 = 1_789_948_800_000;

    #[test]
    fn each_hour_counts_what_was_closed_in_it_on_any_day() {
        let closed = |millis: i64, net: &str| {
            let at = MIDNIGHT + millis;
            let more = format!(r#""realized_pnl":{net},"fees":0,"funding":0,"closed_at":{at}"#);
            position("p", "BTC", "1", &more)
        };
        let rows = vec![closed(0, "5"), closed(-1, "-2"), closed(-86_400_001, "-4")];
        let churn = |gone, come| AnswerDiff {
            gone,
            cut: vec![],
            come,
            top: 0..0,
        };
        let mut hours = HourResults::by(Zone::utc());
        hours.take(&churn(vec![], 0..3), &rows.clone().into());
        let told = hours.all();
        let told: Vec<_> = told
            .map(|(hour, results)| (hour, results.count, results.net()))
            .collect();
        let expected = [(0, 1, Some(num("5"))), (23, 2, Some(num("-6")))];
        assert_eq!(told, expected);
        hours.take(&churn(rows, 0..0), &VecDeque::new());
        assert_eq!(hours, HourResults::by(Zone::utc()));
    }
}
