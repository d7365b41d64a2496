//! The service's clock relative to the desk's own time, from its responses.
//!
//! Contract: pure, over instants of the desk's own time. Each reading is a time that the service reported, and the two
//! instants between which it did. If the readings of the last [`SPAN`] agree with one difference, the clock runs at our
//! rate with that offset. Otherwise it stands, runs at another rate or was set, and no wait for one of its instants can
//! be counted down.
//!
//! Known limits: a clock that was set is unsteady until the earlier readings expire. A rate needs three readings, and a
//! deviation below [`LOOSE`] over the span counts as none.

use super::Timestamp;
use std::{collections::VecDeque, time::Duration};

/// Readings this much older than the newest are dropped.
const SPAN: Duration = Duration::from_secs(12);
/// This many are kept, however old: fewer show no rate.
const FEWEST: usize = 3;
const MOST: usize = 64;
/// Tolerance in milliseconds: clocks tick, and are adjusted in small steps.
const LOOSE: i64 = 1_000;

/// How fast the service's clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockRate {
    /// Our rate, or unknown.
    #[default]
    Same,
    Still,
    /// Thousandths of our rate.
    Other(i64),
    /// It was set, or no two readings agree.
    Unsteady,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceClock {
    /// The newest last.
    readings: VecDeque<ClockReading>,
    rate: ClockRate,
}

/// The clock showed `shown` at some moment from `sent` to `received`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClockReading {
    sent: Timestamp,
    received: Timestamp,
    shown: Timestamp,
}

impl ClockReading {
    /// The range of milliseconds by which it can be ahead of ours.
    fn ahead(self) -> (i64, i64) {
        let by = |own: Timestamp| self.shown.0.saturating_sub(own.0);
        (by(self.received), by(self.sent))
    }

    fn middle(self) -> i64 {
        self.sent.0.midpoint(self.received.0)
    }

    /// Thousandths of our time that passed on its clock since `before`.
    fn rate_since(self, before: Self) -> Option<i64> {
        let passed = self.shown.0.saturating_sub(before.shown.0);
        let own = self.middle().saturating_sub(before.middle());
        passed.saturating_mul(1_000).checked_div(own)
    }
}

impl ServiceClock {
    /// Adds a reading: a response to a request of `sent`, received at `received`, that says `shown`. An older one is
    /// dropped.
    pub fn add_reading(&mut self, shown: Timestamp, sent: Timestamp, received: Timestamp) {
        if self.readings.back().is_some_and(|last| last.sent > sent) {
            return;
        }
        self.readings.push_back(ClockReading {
            sent,
            received,
            shown,
        });
        let is_old = |look: &ClockReading| received.since(look.received) > SPAN;
        while self.readings.len() > MOST
            || (self.readings.len() > FEWEST && self.readings.front().is_some_and(is_old))
        {
            self.readings.pop_front();
        }
        self.rate = self.measured();
    }

    pub fn is_unknown(&self) -> bool {
        self.readings.is_empty()
    }

    pub fn rate(&self) -> ClockRate {
        self.rate
    }

    /// Its time at `own`, as far as the readings show; `None` before the first.
    pub fn at(&self, own: Timestamp) -> Option<Timestamp> {
        let newest = *self.readings.back()?;
        let passed = own.0.saturating_sub(newest.middle());
        let since_then = |passed: i64| newest.shown.0.saturating_add(passed);
        Some(Timestamp(match self.rate {
            ClockRate::Same => {
                let (least, most) = self.ahead()?;
                own.0.saturating_add(least.midpoint(most))
            }
            ClockRate::Still => newest.shown.0,
            ClockRate::Other(rate) => since_then(passed.saturating_mul(rate) / 1_000),
            ClockRate::Unsteady => since_then(passed),
        }))
    }

    /// Whether it can be the clock that shows `wall` at `own`, within `loose` milliseconds.
    pub fn may_be(&self, own: Timestamp, wall: Timestamp, loose: i64) -> bool {
        let by = wall.0.saturating_sub(own.0);
        let allows = |(least, most): (i64, i64)| {
            by >= least.saturating_sub(loose) && by <= most.saturating_add(loose)
        };
        self.rate == ClockRate::Same && self.ahead().is_none_or(allows)
    }

    /// The offsets that all readings allow.
    fn ahead(&self) -> Option<(i64, i64)> {
        let ahead = || self.readings.iter().map(|look| look.ahead());
        let least = ahead().map(|(least, _)| least).max()?;
        let most = ahead().map(|(_, most)| most).min()?;
        Some((least, most))
    }

    fn measured(&self) -> ClockRate {
        let agree = |(least, most): (i64, i64)| least <= most.saturating_add(LOOSE);
        if self.ahead().is_none_or(agree) {
            return ClockRate::Same;
        }
        let rates = || {
            let (first, last) = (*self.readings.front()?, *self.readings.back()?);
            let middle = *self.readings.get(self.readings.len() / 2)?;
            Some((
                middle.rate_since(first)?,
                last.rate_since(middle)?,
                last.rate_since(first)?,
            ))
        };
        match rates() {
            Some((before, after, _))
                if before.abs_diff(after) > before.max(after).unsigned_abs() / 4 + 100 =>
            {
                ClockRate::Unsteady
            }
            Some((.., rate)) if rate.abs() < 50 => ClockRate::Still,
            Some((.., rate)) if rate > 0 => ClockRate::Other(rate),
            Some(_) | None => ClockRate::Unsteady,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_790_000_000_000;

    /// Readings every two seconds, answered within 40 ms, of a clock that shows `shown` after these milliseconds.
    fn watched(seconds: i64, shown: impl Fn(i64) -> i64) -> ServiceClock {
        let mut clock = ServiceClock::default();
        for passed in (0..=seconds * 1_000).step_by(2_000) {
            let (sent, received) = (Timestamp(START + passed), Timestamp(START + passed + 40));
            clock.add_reading(Timestamp(START + shown(passed + 20)), sent, received);
        }
        clock
    }

    fn at(clock: &ServiceClock, seconds: i64) -> i64 {
        clock.at(Timestamp(START + seconds * 1_000)).unwrap().0 - START
    }

    #[test]
    fn a_clock_that_is_only_set_otherwise_runs_like_ours_with_a_difference() {
        for ahead in [0, 3_600_000, -3_600_000] {
            let clock = watched(60, |passed| passed + ahead);
            assert_eq!(clock.rate(), ClockRate::Same);
            assert_eq!(
                at(&clock, 90),
                90_000 + ahead,
                "it goes on while nothing is read"
            );
        }
        assert_eq!(ServiceClock::default().at(Timestamp(START)), None);
    }

    #[test]
    fn one_slow_answer_does_not_move_the_clock() {
        let mut clock = watched(10, |passed| passed);
        let (sent, received) = (Timestamp(START + 12_000), Timestamp(START + 20_000));
        clock.add_reading(Timestamp(START + 19_990), sent, received);
        // It only shows that the clock is at most 10 ms behind.
        assert_eq!((clock.rate(), at(&clock, 20)), (ClockRate::Same, 20_005));
    }

    #[test]
    fn a_clock_that_runs_faster_is_followed_at_its_rate() {
        let clock = watched(20, |passed| passed * 60);
        assert_eq!(
            (clock.rate(), at(&clock, 21)),
            (ClockRate::Other(60_000), 21 * 60_000)
        );
        let slow = watched(20, |passed| passed / 2);
        assert_eq!(
            (slow.rate(), at(&slow, 22)),
            (ClockRate::Other(500), 11_000)
        );
    }

    #[test]
    fn a_clock_that_is_stopped_stands_and_one_that_goes_on_is_behind() {
        let stopped = watched(20, |passed| passed.min(4_000));
        assert_eq!(
            (stopped.rate(), at(&stopped, 30)),
            (ClockRate::Still, 4_000)
        );
        let resumed = watched(110, |passed| passed.min(4_000).max(passed - 90_000));
        assert_eq!(
            (resumed.rate(), at(&resumed, 120)),
            (ClockRate::Same, 30_000)
        );
    }

    #[test]
    fn a_clock_that_is_set_counts_no_wait_down_until_that_is_past() {
        let set = |passed: i64| passed + if passed > 10_000 { 3_600_000 } else { 0 };
        let soon = watched(14, set);
        assert_eq!(
            (soon.rate(), at(&soon, 14)),
            (ClockRate::Unsteady, 3_614_000)
        );
        let later = watched(30, set);
        assert_eq!((later.rate(), at(&later, 30)), (ClockRate::Same, 3_630_000));
    }
}
