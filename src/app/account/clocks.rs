//! The service's time: what it dates is compared with its own clock, not with this machine's.
//!
//! Contract: learned from the time the account's figures carry (`facts_source.as_of`), else from the `Date` header of
//! its answers; what differs by less than [`CLEARLY`] is taken for this machine's time, as is everything while nothing
//! has been told.
//!
//! Known limits: a header may come from a machine in front of the service whose clock is right while the service's own
//! is not; only figures with a time of their own tell that.

use crate::model::{Call, ClockRate, ServiceClock, Timestamp};

/// Milliseconds: two machines whose clocks are both kept right, and the way between them, differ by less.
const CLEARLY: i64 = 3_000;
/// Milliseconds that a header may be cut by: it tells whole seconds.
const CUT: i64 = 999;

#[derive(Debug, Clone, Default)]
pub struct Clocks {
    figures: ServiceClock,
    headers: ServiceClock,
}

impl Clocks {
    /// Figures asked for at `sent` and here at `heard` are of `told`.
    pub fn figures(&mut self, told: Timestamp, sent: Timestamp, heard: Timestamp) {
        self.figures.told(told, sent, heard);
    }

    pub(crate) fn called(&mut self, call: &Call) {
        if let Some(date) = call.date {
            // It was this time, or up to a second later.
            let sent = Timestamp(call.at.0.saturating_sub(CUT));
            self.headers.told(date, sent, call.at.plus(call.elapsed));
        }
    }

    fn best(&self) -> &ServiceClock {
        if self.figures.is_unknown() {
            &self.headers
        } else {
            &self.figures
        }
    }

    pub fn rate(&self) -> ClockRate {
        self.best().rate()
    }

    /// What the service's clock says when the desk's own time is `own` and this machine's wall clock says `wall`.
    pub fn at(&self, own: Timestamp, wall: Timestamp) -> Timestamp {
        if self.best().may_be(own, wall, CLEARLY) {
            return wall;
        }
        self.best().at(own).unwrap_or(wall)
    }

    /// Whether the service is known to have another time than a wall clock that says `wall`.
    pub fn differ(&self, wall: Timestamp) -> bool {
        self.at(wall, wall) != wall
    }
}
