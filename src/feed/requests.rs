//! Requests that are to be sent, within the pace that a source allows.

use crate::model::Timestamp;
use std::{collections::VecDeque, time::Duration};

pub(crate) const REQUESTS_A_SECOND: usize = 10;
const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Requests {
    /// What is still to be sent.
    waiting: VecDeque<String>,
    /// When the requests of the last second were sent.
    sent: VecDeque<Timestamp>,
}

impl Requests {
    pub(super) fn add(&mut self, requests: impl IntoIterator<Item = String>) {
        self.waiting.extend(requests);
    }

    /// Those that may leave now.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<String> {
        self.sent.retain(|at| now.since(*at) < SECOND);
        let room = REQUESTS_A_SECOND.saturating_sub(self.sent.len());
        let count = room.min(self.waiting.len());
        self.sent.extend(std::iter::repeat_n(now, count));
        self.waiting.drain(..count).collect()
    }

    /// When the next one may leave, if any has to wait.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let is_full = self.sent.len() >= REQUESTS_A_SECOND && !self.waiting.is_empty();
        let oldest = self.sent.front().filter(|_| is_full);
        oldest.map(|oldest| oldest.plus(SECOND))
    }
}
