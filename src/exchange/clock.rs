//! Virtual time against wall time.
//!
//! The engine's clock moves in whole steps: by wall time × speed, or only by `POST /sim/clock` while paused. Wall time
//! that could not be followed (a laptop asleep, a debugger) is dropped, never replayed at once.

use super::engine::Millis;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// Thousandths: 1 000 is real time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Speed(u32);

impl Speed {
    pub const REAL_TIME: Self = Self(1000);
    /// As fast as the recording can be read.
    pub const FASTEST: Self = Self(1_000_000_000);

    /// From 0.001 to 100 times real time.
    pub fn from_thousandths(thousandths: u32) -> Option<Self> {
        (1..=100_000)
            .contains(&thousandths)
            .then_some(Self(thousandths))
    }

    pub fn thousandths(self) -> u32 {
        self.0
    }
}

/// How virtual time passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMode {
    Live(Speed),
    /// Fixed: only `POST /sim/clock` advances it.
    Paused,
}

/// The most virtual time to catch up at once; more than the 25 s of a tick at the highest speed.
const MAX_CATCH_UP_MS: i64 = 30_000;

/// How long whoever is asked to wait has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RetryWait {
    /// A `Retry-After`: whole seconds of wall time, at least 1.
    pub(super) seconds: u64,
    /// The exact wall time while virtual time is faster: a second would be up to 100 s of the market, so the exchange
    /// waits out what is shorter (`http::respond`).
    pub(super) hold: Option<Duration>,
}

#[derive(Debug, Clone)]
pub(super) struct VirtualClock {
    /// Kept while paused, for later.
    speed: Speed,
    running: Option<ClockAnchor>,
}

#[derive(Debug, Clone, Copy)]
struct ClockAnchor {
    wall: Instant,
    virtual_time: Millis,
}

/// What the store keeps of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClockRecord {
    /// No response shows a later virtual time.
    pub(super) horizon: Millis,
    pub(super) speed: Speed,
    pub(super) paused: bool,
}

impl ClockRecord {
    /// Whether it follows wall time, also while the exchange is not running.
    pub(super) fn is_real_time(self) -> bool {
        !self.paused && self.speed == Speed::REAL_TIME
    }

    pub(super) fn new(pace: ClockMode, now: Millis) -> Self {
        let (speed, paused) = match pace {
            ClockMode::Live(speed) => (speed, false),
            ClockMode::Paused => (Speed::REAL_TIME, true),
        };
        Self {
            horizon: now,
            speed,
            paused,
        }
    }
}

/// How far ahead the stored horizon is, in wall milliseconds at the present speed.
const HORIZON_LEASE_MS: i64 = 4_000;
/// The same in virtual milliseconds.
const LONGEST_LEASE_MS: i64 = 400_000;
/// How often virtual time is updated while nobody asks: a request brings it up to date for itself. An exchange whose desk
/// asks once a second should wake up for its requests alone.
const TICK_INTERVAL: Duration = Duration::from_secs(8);
/// The same at high speed, so that each update is short.
const SHORTEST_TICK_INTERVAL: Duration = Duration::from_millis(125);

impl VirtualClock {
    /// Continues from `now` at the stored speed.
    pub(super) fn resumed(kept: ClockRecord, wall: Instant, now: Millis) -> Self {
        let mut clock = Self::new(ClockMode::Live(kept.speed), wall, now);
        if kept.paused {
            clock.pause();
        }
        clock
    }

    /// How often virtual time is updated while nobody asks.
    pub(super) fn tick_interval(&self) -> Duration {
        if self.speed == Speed::FASTEST && !self.is_paused() {
            return Duration::ZERO;
        }
        let real_time = TICK_INTERVAL * Speed::REAL_TIME.thousandths();
        (real_time / self.speed.thousandths()).clamp(SHORTEST_TICK_INTERVAL, TICK_INTERVAL)
    }

    /// What to store at `now` when the stored horizon is `horizon`. Moves the horizon ahead when half of the lease is
    /// used up, so that no request waits for it; keeps it while paused.
    pub(super) fn kept(&self, now: Millis, horizon: Millis) -> ClockRecord {
        let paused = self.is_paused();
        let lease = if paused {
            0
        } else {
            (HORIZON_LEASE_MS * i64::from(self.speed.0) / 1000).min(LONGEST_LEASE_MS)
        };
        let left = (horizon - now).0;
        ClockRecord {
            horizon: if (lease / 2..=lease).contains(&left) {
                horizon
            } else {
                now + Millis(lease)
            },
            speed: self.speed,
            paused,
        }
    }

    pub(super) fn new(pace: ClockMode, wall: Instant, virtual_time: Millis) -> Self {
        let anchor = ClockAnchor { wall, virtual_time };
        match pace {
            ClockMode::Live(speed) => Self {
                speed,
                running: Some(anchor),
            },
            ClockMode::Paused => Self {
                speed: Speed::REAL_TIME,
                running: None,
            },
        }
    }

    pub(super) fn speed(&self) -> Speed {
        self.speed
    }

    pub(super) fn is_paused(&self) -> bool {
        self.running.is_none()
    }

    pub(super) fn pause(&mut self) {
        self.running = None;
    }

    pub(super) fn run(&mut self, speed: Speed, wall: Instant, virtual_time: Millis) {
        *self = Self::new(ClockMode::Live(speed), wall, virtual_time);
    }

    pub(super) fn set_speed(&mut self, speed: Speed, wall: Instant, virtual_time: Millis) {
        self.speed = speed;
        self.reanchor(wall, virtual_time);
    }

    /// Continues from `virtual_time`; drops what was due before.
    pub(super) fn reanchor(&mut self, wall: Instant, virtual_time: Millis) {
        if let Some(anchor) = &mut self.running {
            *anchor = ClockAnchor { wall, virtual_time };
        }
    }

    /// The virtual time due at `wall`; `now` is the current one.
    pub(super) fn due(&mut self, wall: Instant, now: Millis) -> Millis {
        let Some(anchor) = self.running else {
            return now;
        };
        let elapsed = wall.duration_since(anchor.wall).as_millis();
        let passed = elapsed.saturating_mul(u128::from(self.speed.0)) / 1000;
        let passed = Millis(i64::try_from(passed).unwrap_or(i64::MAX / 2));
        let due = anchor.virtual_time + passed;
        if (due - now).0 <= MAX_CATCH_UP_MS {
            return due;
        }
        let reachable = now + Millis(MAX_CATCH_UP_MS);
        self.reanchor(wall, reachable);
        reachable
    }

    /// When virtual time reaches `at`; `None` while it stands still.
    pub(super) fn reaches(&self, at: Millis) -> Option<Instant> {
        let anchor = self.running?;
        let span = (at - anchor.virtual_time).0.max(0).unsigned_abs();
        let millis = span.saturating_mul(1000).div_ceil(self.speed.0.into());
        anchor.wall.checked_add(Duration::from_millis(millis))
    }

    /// The wall time until `span` of virtual time has passed.
    pub(super) fn wait(&self, span: Millis) -> RetryWait {
        let millis = span.0.max(0).unsigned_abs();
        let speed = match self.running {
            Some(_) => self.speed,
            None => Speed::REAL_TIME,
        };
        let thousandths = u64::from(speed.0);
        let micros = millis.saturating_mul(1_000_000).div_ceil(thousandths);
        RetryWait {
            seconds: millis.div_ceil(thousandths).max(1),
            hold: (speed > Speed::REAL_TIME).then(|| Duration::from_micros(micros)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_is_wall_time_times_speed_and_a_long_sleep_is_dropped() {
        let wall = Instant::now();
        let ten = Speed::from_thousandths(10_000).unwrap();
        let mut clock = VirtualClock::new(ClockMode::Live(ten), wall, Millis(0));
        let second = Duration::from_secs(1);
        assert_eq!(clock.due(wall + second, Millis(0)), Millis(10_000));
        let asleep = wall + 3600 * second;
        assert_eq!(clock.due(asleep, Millis(10_000)), Millis(40_000));
        assert_eq!(clock.due(asleep + second, Millis(40_000)), Millis(50_000));
    }

    #[test]
    fn a_paused_clock_stands_still_and_goes_on_without_the_pause() {
        let wall = Instant::now();
        let mut clock = VirtualClock::new(ClockMode::Paused, wall, Millis(500));
        let later = wall + Duration::from_mins(1);
        assert_eq!(clock.due(later, Millis(500)), Millis(500));
        clock.run(Speed::REAL_TIME, later, Millis(500));
        let after = later + Duration::from_secs(1);
        assert_eq!(clock.due(after, Millis(500)), Millis(1500));
    }

    #[test]
    fn virtual_time_reaches_an_instant_just_when_it_is_due() {
        let wall = Instant::now();
        for (thousandths, millis) in [(1_000, 250), (3_000, 84), (100_000, 3), (500, 500)] {
            let speed = Speed::from_thousandths(thousandths).unwrap();
            let mut clock = VirtualClock::new(ClockMode::Live(speed), wall, Millis(0));
            let reached = clock.reaches(Millis(250)).unwrap();
            assert_eq!(reached - wall, Duration::from_millis(millis));
            assert!(clock.due(reached, Millis(0)) >= Millis(250));
            let before = reached - Duration::from_millis(1);
            assert!(clock.due(before, Millis(0)) < Millis(250));
        }
        let paused = VirtualClock::new(ClockMode::Paused, wall, Millis(0));
        assert_eq!(paused.reaches(Millis(250)), None);
    }

    #[test]
    fn retry_after_is_wall_seconds_and_never_zero() {
        let half = Speed::from_thousandths(500).unwrap();
        let slow = VirtualClock::new(ClockMode::Live(half), Instant::now(), Millis(0));
        assert_eq!(slow.wait(Millis(1000)).seconds, 2);
        assert_eq!(slow.wait(Millis(0)).seconds, 1);
    }

    #[test]
    fn only_a_clock_faster_than_real_time_says_how_long_to_hold_a_request() {
        let held = |pace| {
            let clock = VirtualClock::new(pace, Instant::now(), Millis(0));
            clock.wait(Millis(500)).hold
        };
        let sixty = Speed::from_thousandths(60_000).unwrap();
        let exact = Duration::from_micros(8_334);
        assert_eq!(held(ClockMode::Live(sixty)), Some(exact));
        assert_eq!(held(ClockMode::Live(Speed::REAL_TIME)), None);
        assert_eq!(held(ClockMode::Paused), None);
    }
}
