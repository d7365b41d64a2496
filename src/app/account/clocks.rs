//! The service's clock: its instants are compared with it, not with this machine's.
//!
//! Contract: learned from the time in the account's figures where a simulator reports its clock there, otherwise from the `Date` header of
//! responses. A difference below [`CLEARLY`] counts as none, and so does an unknown one.
//!
//! Known limits: a header may come from a machine in front of the service whose clock differs from the service's own;
//! only figures with a time of their own show that.

use crate::model::{Call, ClockRate, ServiceClock, Timestamp};

/// Milliseconds: two synchronized machines, with the network between them, differ by less.
const CLEARLY: i64 = 3_000;
/// Milliseconds: a header has whole seconds.
const CUT: i64 = 999;

#[derive(Debug, Clone, Default)]
pub struct Clocks {
    figures: ServiceClock,
    headers: ServiceClock,
}

impl Clocks {
    /// Figures requested at `sent` and received at `received` say `shown`.
    pub fn figures(&mut self, shown: Timestamp, sent: Timestamp, received: Timestamp) {
        self.figures.add_reading(shown, sent, received);
    }

    pub(crate) fn called(&mut self, call: &Call) {
        if let Some(date) = call.date {
            // It was this time, or up to a second later.
            let sent = Timestamp(call.at.0.saturating_sub(CUT));
            self.headers
                .add_reading(date, sent, call.at.plus(call.elapsed));
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

    /// The service's clock when the desk's own time is `own` and the wall clock shows `wall`.
    pub fn at(&self, own: Timestamp, wall: Timestamp) -> Timestamp {
        if self.best().may_be(own, wall, CLEARLY) {
            return wall;
        }
        self.best().at(own).unwrap_or(wall)
    }

    /// Whether figures have reported it.
    pub fn knows_figures(&self) -> bool {
        !self.figures.is_unknown()
    }

    /// Whether the service's clock is known to differ from a wall clock that shows `wall`.
    pub fn differ(&self, wall: Timestamp) -> bool {
        self.at(wall, wall) != wall
    }
}
