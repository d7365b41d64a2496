//! How often a service with a request budget is asked: a table of intervals by source and by what happens at the desk.
//!
//! Contract: pure. A desk at which nothing happens makes at most [`DeskState::requests_per_minute`] of `Idle` requests a
//! minute, all accounts of a key together. A setting that is slower counts. A simulator has no budget: it is asked as
//! the settings say.

use crate::app::account::poll::Source;
use std::{collections::BTreeMap, time::Duration};

/// So long after a key or a command somebody is at the desk.
pub(super) const ATTENDED: Duration = Duration::from_secs(20);

/// What happens at the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DeskState {
    /// Nothing works, and nobody is here.
    Idle,
    /// Orders, TWAPs or scaled orders work, and nobody is here.
    Working,
    /// A key was pressed or a command sent in the last seconds.
    Attended,
}

impl DeskState {
    /// What all accounts of a key may use together. Commands come on top: with them it stays below 200.
    pub(super) fn requests_per_minute(self) -> u32 {
        match self {
            Self::Idle | Self::Working => 60,
            Self::Attended => 160,
        }
    }

    /// The interval of `source`; of the markets, between two quotes.
    fn interval(self, source: Source) -> Duration {
        let (working, attended) = match source {
            Source::Positions | Source::Orders => (5, 3),
            Source::Account => (15, 5),
            Source::Twaps | Source::Scaled => (20, 12),
            Source::Closed | Source::History => (60, 20),
            Source::Markets => (3, 2),
        };
        match self {
            Self::Idle => source.idle_interval(),
            Self::Working => Duration::from_secs(working),
            Self::Attended => Duration::from_secs(attended),
        }
    }

    /// The intervals of a service with a budget, none shorter than the setting.
    pub(super) fn intervals(
        self,
        settings: &BTreeMap<Source, Duration>,
    ) -> BTreeMap<Source, Duration> {
        let slower = |(source, set): (&Source, &Duration)| {
            let interval = self.interval(*source).max(*set);
            (*source, interval)
        };
        settings.iter().map(slower).collect()
    }
}

/// Requests a minute at these intervals without limits. The account is read with its policy, once a minute.
pub(super) fn demand(intervals: &BTreeMap<Source, Duration>) -> u32 {
    let each = intervals
        .values()
        .map(|interval| 60_000 / interval.as_millis().max(1));
    u32::try_from(each.sum::<u128>().saturating_add(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn the_table_keeps_to_the_budget_of_each_state_and_a_slower_setting_counts() {
        let fast = Source::iter().map(|source| (source, Duration::from_millis(500)));
        let fast: BTreeMap<_, _> = fast.collect();
        for state in [DeskState::Idle, DeskState::Working, DeskState::Attended] {
            let demand = demand(&state.intervals(&fast));
            assert!(demand <= state.requests_per_minute(), "{state:?}: {demand}");
        }
        let hourly = BTreeMap::from([(Source::Orders, Duration::from_hours(1))]);
        assert_eq!(DeskState::Attended.intervals(&hourly), hourly);
    }
}
