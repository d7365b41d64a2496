//! How far one subscription has come, and when it is to be requested again.

use crate::model::Timestamp;
use std::time::Duration;

/// An acknowledgement, or the end of the snapshot, is this late: the subscription is requested again.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A subscription that is silent while others are not is requested again after this long, and then after twice that, since
/// a market may rest.
const SILENT_AFTER: Duration = Duration::from_secs(10);
/// A silent subscription is suspicious while another one was active so recently.
const OTHERS_HEARD: Duration = Duration::from_millis(2_500);
/// That is doubled so often at most.
const DOUBLED: u32 = 5;
/// After so many events in a row that cannot be believed, the source has begun anew or is broken; doubled like the
/// waits.
const REFUSED_IN_A_ROW: u32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubscriptionPhase {
    Requested,
    /// Acknowledged; what comes is of before.
    Snapshot,
    Live,
    /// The source refused or ended it; it is requested again at this instant.
    Ended(Timestamp),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    phase: SubscriptionPhase,
    /// Of the phase.
    since: Timestamp,
    received_at: Timestamp,
    /// Whether the source had refused or ended it when it was requested.
    was_ended: bool,
    /// How often it was requested again without an event since.
    renewals: u32,
    refused: u32,
}

impl Progress {
    pub(super) fn requested(now: Timestamp) -> Self {
        Self {
            phase: SubscriptionPhase::Requested,
            since: now,
            received_at: now,
            was_ended: false,
            renewals: 0,
            refused: 0,
        }
    }

    pub(super) fn renewed(self, now: Timestamp) -> Self {
        Self {
            renewals: self.renewals.saturating_add(1),
            was_ended: match self.phase {
                SubscriptionPhase::Ended(_) => true,
                SubscriptionPhase::Requested => self.was_ended,
                SubscriptionPhase::Snapshot | SubscriptionPhase::Live => false,
            },
            ..Self::requested(now)
        }
    }

    pub(super) fn enter(&mut self, phase: SubscriptionPhase, now: Timestamp) {
        (self.phase, self.since, self.received_at) = (phase, now, now);
    }

    pub(super) fn phase(&self) -> SubscriptionPhase {
        self.phase
    }

    /// Whether nothing requested of it is still to come; of what was ended, nothing is expected.
    pub(super) fn is_settled(&self) -> bool {
        match self.phase {
            SubscriptionPhase::Live | SubscriptionPhase::Ended(_) => true,
            SubscriptionPhase::Requested => self.was_ended,
            SubscriptionPhase::Snapshot => false,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        self.phase == SubscriptionPhase::Live
    }

    /// An event was believed.
    pub(super) fn received(&mut self, now: Timestamp) {
        (self.received_at, self.refused) = (now, 0);
        if self.phase == SubscriptionPhase::Live {
            self.renewals = 0;
        }
    }

    /// An event was not believed.
    pub(super) fn refuse(&mut self) {
        self.refused = self.refused.saturating_add(1);
    }

    /// Whether what comes can no longer be believed. Until a new request is acknowledged, it is of the one before.
    pub(super) fn is_refuted(&self) -> bool {
        self.phase != SubscriptionPhase::Requested
            && self.refused >= REFUSED_IN_A_ROW << self.renewals.min(DOUBLED)
    }

    /// Whether it was requested again since it was last live.
    pub(super) fn is_renewed(&self) -> bool {
        self.renewals > 0
    }

    /// When it is to be requested again, as far as that depends on time alone; a silent one only while one of the others
    /// is heard. Whatever arrives later brings a look of its own.
    pub(super) fn renewal_due<'a>(
        &self,
        mut others: impl Iterator<Item = &'a Self>,
    ) -> Option<Timestamp> {
        let wait = |wait: Duration| wait * (1 << self.renewals.min(DOUBLED));
        match self.phase {
            SubscriptionPhase::Requested | SubscriptionPhase::Snapshot => {
                Some(self.since.plus(wait(ANSWER_WITHIN)))
            }
            SubscriptionPhase::Live => {
                let due = self.received_at.plus(wait(SILENT_AFTER));
                let is_heard = others.any(|other| other.received_at.plus(OTHERS_HEARD) >= due);
                is_heard.then_some(due)
            }
            SubscriptionPhase::Ended(again_at) => Some(again_at),
        }
    }
}
