//! What keeps new orders from being sent: a block while it lives, a halt until a person resumes entries.

use crate::{
    journal::IntentId,
    model::{Failure, Risk},
    runtime::base::lock::locked,
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

/// A request counts itself and then checks for blocks; a block counts itself and then checks for requests. One of them
/// always sees the other, since all counts have one order (`SeqCst`).
#[derive(Debug, Default)]
pub(super) struct EntryGate {
    blocks: AtomicU32,
    /// Risk-increasing requests that may be in flight.
    entries: AtomicUsize,
    /// Close-alls given so far: an entry given before one is not sent after it.
    closings: AtomicU32,
    /// Why new orders are refused until a person resumes entries.
    halted: Mutex<Option<String>>,
}

/// What was known of close-alls when a command was given.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Epoch {
    /// How many were given here before it.
    closings: u32,
    /// Those that other processes record from this row on come after it.
    pub(super) unread: IntentId,
}

/// While this lives, no new order is sent.
#[derive(Debug)]
pub(crate) struct EntryBlock(Arc<EntryGate>);

impl Drop for EntryBlock {
    fn drop(&mut self) {
        self.0.blocks.fetch_sub(1, Ordering::SeqCst);
    }
}

/// While this lives, a risk-increasing request may be in flight.
#[derive(Debug)]
pub(super) struct InFlightGuard(Arc<EntryGate>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.entries.fetch_sub(1, Ordering::SeqCst);
    }
}

impl EntryGate {
    pub(super) fn block_entries(self: &Arc<Self>) -> EntryBlock {
        self.blocks.fetch_add(1, Ordering::SeqCst);
        EntryBlock(Arc::clone(self))
    }

    /// Counts a request that is about to be sent, if it is risk-increasing.
    pub(super) fn count_in_flight(self: &Arc<Self>, risk: Risk) -> Option<InFlightGuard> {
        (risk == Risk::Increasing).then(|| {
            self.entries.fetch_add(1, Ordering::SeqCst);
            InFlightGuard(Arc::clone(self))
        })
    }

    /// Whether no risk-increasing request is in flight.
    pub(super) fn is_quiet(&self) -> bool {
        self.entries.load(Ordering::SeqCst) == 0
    }

    /// Begins a new epoch: entries given before it are not sent.
    pub(super) fn close(&self) {
        self.closings.fetch_add(1, Ordering::SeqCst);
    }

    /// The present epoch, after what was read of the journal.
    pub(super) fn epoch(&self, unread: IntentId) -> Epoch {
        Epoch {
            closings: self.closings.load(Ordering::SeqCst),
            unread,
        }
    }

    pub(super) fn halt(&self, why: String) {
        *locked(&self.halted) = Some(why);
    }

    pub(super) fn halted(&self) -> Option<String> {
        locked(&self.halted).clone()
    }

    /// Ends the halt if its reason is still the one that the person has `seen`.
    pub(super) fn rearm(&self, seen: Option<&str>) -> bool {
        let mut halted = locked(&self.halted);
        let same = halted.as_deref() == seen;
        if same {
            *halted = None;
        }
        same
    }

    /// Why a command of this risk and epoch may not be sent now, if so.
    pub(super) fn refusal(&self, risk: Risk, given: Epoch) -> Option<Failure> {
        if risk != Risk::Increasing {
            return None;
        }
        if self.blocks.load(Ordering::SeqCst) > 0 {
            return Some(Failure::local(
                "flattening: new orders are refused until the account is flat",
            ));
        }
        if given.closings != self.closings.load(Ordering::SeqCst) {
            return Some(closed_since());
        }
        self.halted().map(|why| halted(&why))
    }
}

pub(super) fn closed_since() -> Failure {
    Failure::local("a close-all was requested after it")
}

pub(super) fn halted(why: &str) -> Failure {
    Failure::local(format!(
        "the desk is HALTED: {why}; new orders are refused until entries are resumed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halt_that_nobody_has_seen_yet_outlasts_a_rearm() {
        let gate = EntryGate::default();
        let is_held = || gate.refusal(Risk::Increasing, Epoch::default()).is_some();
        gate.halt("flattened".to_owned());
        let seen = gate.halted();
        gate.halt("two answers contradict each other".to_owned());
        assert!(!gate.rearm(seen.as_deref()) && is_held());
        assert!(gate.rearm(gate.halted().as_deref()) && !is_held());
    }

    #[test]
    fn what_reduces_exposure_passes_and_is_not_waited_for() {
        let gate = Arc::new(EntryGate::default());
        gate.halt("flattened".to_owned());
        let _block = gate.block_entries();
        let _exit = gate.count_in_flight(Risk::Reducing);
        assert_eq!(gate.refusal(Risk::Reducing, Epoch::default()), None);
        assert!(gate.is_quiet());
        let entry = gate.count_in_flight(Risk::Increasing);
        assert!(!gate.is_quiet());
        drop(entry);
        assert!(gate.is_quiet());
    }
}
