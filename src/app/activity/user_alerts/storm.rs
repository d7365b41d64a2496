//! What halts the alerts when they fire too often.

use crate::model::Timestamp;
use std::{collections::VecDeque, time::Duration};

/// So many firings within [`STORM_WITHIN`] halt all alerts.
pub(super) const STORM: usize = 15;
pub(super) const STORM_WITHIN: Duration = Duration::from_mins(3);

/// When alerts fired of late, and whether that was too often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Storm {
    firings: VecDeque<Timestamp>,
    halted_at: Option<Timestamp>,
}

impl Storm {
    pub(super) fn halted_at(&self) -> Option<Timestamp> {
        self.halted_at
    }

    /// Counts a firing; whether it is the one that halts them.
    pub(super) fn fired(&mut self, now: Timestamp) -> bool {
        self.firings.push_back(now);
        while self
            .firings
            .front()
            .is_some_and(|first| now.since(*first) > STORM_WITHIN)
        {
            self.firings.pop_front();
        }
        let begins = self.firings.len() >= STORM && self.halted_at.is_none();
        if begins {
            self.halted_at = Some(now);
        }
        begins
    }

    pub(super) fn end(&mut self) {
        *self = Self::default();
    }
}
