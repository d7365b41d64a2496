//! When to connect, to ping and to give a connection up.
//!
//! Contract: at most [`MOST_CONNECTS`] in any minute, whatever the other end does.

use crate::model::Timestamp;
use std::{collections::VecDeque, time::Duration};

/// Connections begun within a minute.
pub(crate) const MOST_CONNECTS: usize = 20;
const MINUTE: Duration = Duration::from_mins(1);
const SHORTEST_BACK_OFF: Duration = Duration::from_millis(500);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);
/// A connection that lived for so long was a good one: the next wait is a short one.
const GOOD_AFTER: Duration = Duration::from_secs(30);

/// How often an open connection is pinged.
const PING_EVERY: Duration = Duration::from_secs(15);
/// The answer to a ping is this late: what is known may be old, and polls take over.
const LATE_AFTER: Duration = Duration::from_secs(20);
/// A connection that is silent for so long is dead.
const DEAD_AFTER: Duration = Duration::from_secs(45);

/// Why a connection is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// The service asked its clients to come back.
    ServiceRequest,
    /// What came cannot be trusted, in words.
    Fault(&'static str),
}

/// When the next connection may begin.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reconnects {
    failures: u32,
    /// When connections of the last minute began, the oldest first.
    recent: VecDeque<Timestamp>,
}

impl Reconnects {
    /// When to connect. `draw` is uniform from 0 to 1000: the whole wait is random, so that desks that lost one service
    /// do not come back together.
    pub(crate) fn next(&self, now: Timestamp, draw: u32) -> Timestamp {
        let most = match self.failures {
            0 => Duration::ZERO,
            failures => (SHORTEST_BACK_OFF * (1 << (failures - 1).min(6))).min(LONGEST_BACK_OFF),
        };
        let backed_off = now.plus(most * draw.min(1_000) / 1_000);
        let first = self.recent.len().checked_sub(MOST_CONNECTS);
        match first.and_then(|at| self.recent.get(at)) {
            Some(oldest) => backed_off.max(oldest.plus(MINUTE)),
            None => backed_off,
        }
    }

    pub(crate) fn began(&mut self, now: Timestamp) {
        self.recent.push_back(now);
        if self.recent.len() > MOST_CONNECTS {
            self.recent.pop_front();
        }
    }

    /// A connection that began at `since` has ended, or never opened.
    pub(crate) fn ended(&mut self, since: Timestamp, now: Timestamp) {
        self.failures = if now.since(since) >= GOOD_AFTER {
            1
        } else {
            self.failures.saturating_add(1)
        };
    }
}

/// What an open connection needs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pulse {
    Fine,
    Ping,
    Dead,
}

/// Watches one open connection for silence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watchdog {
    received_at: Timestamp,
    pinged_at: Timestamp,
}

impl Watchdog {
    pub(crate) fn open(now: Timestamp) -> Self {
        Self {
            received_at: now,
            pinged_at: now,
        }
    }

    /// A frame of any kind has come.
    pub(crate) fn received(&mut self, now: Timestamp) {
        self.received_at = now;
    }

    /// What is due; a ping counts as sent.
    pub(crate) fn check(&mut self, now: Timestamp) -> Pulse {
        if now.since(self.received_at) >= DEAD_AFTER {
            return Pulse::Dead;
        }
        if now.since(self.pinged_at) < PING_EVERY {
            return Pulse::Fine;
        }
        self.pinged_at = now;
        Pulse::Ping
    }

    /// Whether the other end still answers in time.
    pub(crate) fn is_alive(&self, now: Timestamp) -> bool {
        now.since(self.received_at) < LATE_AFTER
    }

    /// When something changes next.
    pub(crate) fn due(&self, now: Timestamp) -> Timestamp {
        let silence = if self.is_alive(now) {
            LATE_AFTER
        } else {
            DEAD_AFTER
        };
        let silent = self.received_at.plus(silence);
        self.pinged_at.plus(PING_EVERY).min(silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(millis: i64) -> Timestamp {
        Timestamp(1_790_000_000_000 + millis)
    }

    #[test]
    fn waits_double_from_half_a_second_to_thirty_and_begin_anew_after_a_good_connection() {
        let mut reconnects = Reconnects::default();
        let mut waits = vec![];
        for _ in 0..9 {
            waits.push(reconnects.next(at(0), 1_000).since(at(0)).as_millis());
            reconnects.ended(at(0), at(10));
        }
        assert_eq!(
            waits,
            [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
        );
        assert_eq!(reconnects.next(at(0), 0), at(0), "full jitter");
        reconnects.ended(at(0), at(30_000));
        assert_eq!(reconnects.next(at(0), 1_000), at(500));
    }

    #[test]
    fn a_silent_connection_is_pinged_is_late_and_is_dead() {
        let mut watchdog = Watchdog::open(at(0));
        assert_eq!(watchdog.due(at(0)), at(15_000));
        assert_eq!(watchdog.check(at(14_999)), Pulse::Fine);
        assert_eq!(watchdog.check(at(15_000)), Pulse::Ping);
        assert_eq!(watchdog.check(at(15_001)), Pulse::Fine);
        assert_eq!(watchdog.due(at(15_001)), at(20_000));
        assert!(watchdog.is_alive(at(19_999)) && !watchdog.is_alive(at(20_000)));
        watchdog.received(at(20_500));
        assert!(watchdog.is_alive(at(20_500)));
        assert_eq!(watchdog.check(at(65_499)), Pulse::Ping);
        assert_eq!(watchdog.due(at(65_499)), at(65_500));
        assert_eq!(watchdog.check(at(65_500)), Pulse::Dead);
    }

    proptest! {
        /// Connections that all end at once, after any draws and any life.
        #[test]
        fn twenty_connections_begin_in_any_minute_at_most(
            steps in prop::collection::vec((0_u32..=1_000, 0_i64..2_000), 1..120)
        ) {
            let (mut reconnects, mut now, mut begun) = (Reconnects::default(), at(0), vec![]);
            for (draw, lives) in steps {
                now = now.max(reconnects.next(now, draw));
                reconnects.began(now);
                begun.push(now);
                let since = now;
                now = now.plus(Duration::from_millis(lives.unsigned_abs()));
                reconnects.ended(since, now);
            }
            for window in begun.windows(MOST_CONNECTS + 1) {
                prop_assert!(window[MOST_CONNECTS].since(window[0]) >= MINUTE);
            }
        }
    }
}
