//! How the service's clock runs beside the desk's own, by what its answers have said of it.
//!
//! Contract: pure, over instants of the desk's own time. Each look is a time the service told and between which two
//! instants it can have told it. While the looks of the last [`SPAN`] agree with one difference the clock runs like
//! ours and that difference is known; else it stands, runs at another rate or was set, and no wait for one of its
//! instants can be counted down.
//!
//! Known limits: a clock that is set is unsteady until the looks before are forgotten; a rate is known from three looks
//! on, and less than [`LOOSE`] over the span is none.

use super::Timestamp;
use std::{collections::VecDeque, time::Duration};

/// Looks this much older than the newest say nothing about the clock as it runs now.
const SPAN: Duration = Duration::from_secs(12);
/// As many are kept, however old: fewer tell no rate.
const FEWEST: usize = 3;
const MOST: usize = 64;
/// Milliseconds that looks may disagree by: clocks tick, and are kept right in small steps.
const LOOSE: i64 = 1_000;

/// How fast the service's clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockRate {
    /// As ours, or nothing is known of it.
    #[default]
    Same,
    Still,
    /// So many thousandths of ours.
    Other(i64),
    /// It was set, or no two looks agree.
    Unsteady,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceClock {
    /// The newest last.
    looks: VecDeque<ClockReading>,
    rate: ClockRate,
}

/// The clock said `told` at some moment from `sent` to `heard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClockReading {
    sent: Timestamp,
    heard: Timestamp,
    told: Timestamp,
}

impl ClockReading {
    /// The least and the most milliseconds it can be ahead of ours.
    fn ahead(self) -> (i64, i64) {
        let by = |own: Timestamp| self.told.0.saturating_sub(own.0);
        (by(self.heard), by(self.sent))
    }

    fn middle(self) -> i64 {
        self.sent.0.midpoint(self.heard.0)
    }

    /// Thousandths of our time that its time has passed by since `before`.
    fn rate_since(self, before: Self) -> Option<i64> {
        let passed = self.told.0.saturating_sub(before.told.0);
        let own = self.middle().saturating_sub(before.middle());
        passed.saturating_mul(1_000).checked_div(own)
    }
}

impl ServiceClock {
    /// An answer asked for at `sent` and here at `heard` says that it was `told`. One older than what is known is
    /// dropped.
    pub fn told(&mut self, told: Timestamp, sent: Timestamp, heard: Timestamp) {
        if self.looks.back().is_some_and(|last| last.sent > sent) {
            return;
        }
        self.looks.push_back(ClockReading { sent, heard, told });
        let is_old = |look: &ClockReading| heard.since(look.heard) > SPAN;
        while self.looks.len() > MOST
            || (self.looks.len() > FEWEST && self.looks.front().is_some_and(is_old))
        {
            self.looks.pop_front();
        }
        self.rate = self.measured();
    }

    pub fn is_unknown(&self) -> bool {
        self.looks.is_empty()
    }

    pub fn rate(&self) -> ClockRate {
        self.rate
    }

    /// What it says at `own`, as far as that follows from the looks; `None` before the first.
    pub fn at(&self, own: Timestamp) -> Option<Timestamp> {
        let newest = *self.looks.back()?;
        let passed = own.0.saturating_sub(newest.middle());
        let since_then = |passed: i64| newest.told.0.saturating_add(passed);
        Some(Timestamp(match self.rate {
            ClockRate::Same => {
                let (least, most) = self.ahead()?;
                own.0.saturating_add(least.midpoint(most))
            }
            ClockRate::Still => newest.told.0,
            ClockRate::Other(rate) => since_then(passed.saturating_mul(rate) / 1_000),
            ClockRate::Unsteady => since_then(passed),
        }))
    }

    /// Whether it may be what a clock that says `wall` at `own` is, or off by `loose` milliseconds at most.
    pub fn may_be(&self, own: Timestamp, wall: Timestamp, loose: i64) -> bool {
        let by = wall.0.saturating_sub(own.0);
        let allows = |(least, most): (i64, i64)| {
            by >= least.saturating_sub(loose) && by <= most.saturating_add(loose)
        };
        self.rate == ClockRate::Same && self.ahead().is_none_or(allows)
    }

    /// What all looks leave of it.
    fn ahead(&self) -> Option<(i64, i64)> {
        let ahead = || self.looks.iter().map(|look| look.ahead());
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
            let (first, last) = (*self.looks.front()?, *self.looks.back()?);
            let middle = *self.looks.get(self.looks.len() / 2)?;
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

    /// Looks every two seconds, answered within 40 ms, at a clock that says `told` after so many milliseconds.
    fn watched(seconds: i64, told: impl Fn(i64) -> i64) -> ServiceClock {
        let mut clock = ServiceClock::default();
        for passed in (0..=seconds * 1_000).step_by(2_000) {
            let (sent, heard) = (Timestamp(START + passed), Timestamp(START + passed + 40));
            clock.told(Timestamp(START + told(passed + 20)), sent, heard);
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
        let (sent, heard) = (Timestamp(START + 12_000), Timestamp(START + 20_000));
        clock.told(Timestamp(START + 19_990), sent, heard);
        // All it tells is that the clock is not more than 10 ms behind.
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
