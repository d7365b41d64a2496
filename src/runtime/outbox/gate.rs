//! What keeps exposure from going up: a latch while something lasts, a halt until a person says so.

use crate::{
    model::{Failure, Risk},
    runtime::base::lock::locked,
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

/// A request counts itself and then looks for latches; who latches looks for requests afterwards. One of them sees the
/// other, for the counts are in one order for everybody (`SeqCst`).
#[derive(Debug, Default)]
pub(super) struct Gate {
    latches: AtomicU32,
    /// Requests that raise exposure and may be on the wire.
    entries: AtomicUsize,
    /// Close-alls that were given: what would raise exposure and was given before one is not sent after it.
    closings: AtomicU32,
    /// Why nothing that raises exposure is sent until a person says so.
    halted: Mutex<Option<String>>,
}

/// What a command was given after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wave(u32);

/// While this lives, nothing that raises exposure is sent.
#[derive(Debug)]
pub(crate) struct Latch(Arc<Gate>);

impl Drop for Latch {
    fn drop(&mut self) {
        self.0.latches.fetch_sub(1, Ordering::SeqCst);
    }
}

/// While this lives, a request that raises exposure may be on the wire.
#[derive(Debug)]
pub(super) struct Entering(Arc<Gate>);

impl Drop for Entering {
    fn drop(&mut self) {
        self.0.entries.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Gate {
    pub(super) fn latch(self: &Arc<Self>) -> Latch {
        self.latches.fetch_add(1, Ordering::SeqCst);
        Latch(Arc::clone(self))
    }

    /// A request of this risk is about to leave; nothing is counted of one that raises no exposure.
    pub(super) fn enter(self: &Arc<Self>, risk: Risk) -> Option<Entering> {
        (risk == Risk::Increasing).then(|| {
            self.entries.fetch_add(1, Ordering::SeqCst);
            Entering(Arc::clone(self))
        })
    }

    /// Whether no request that raises exposure is on the wire.
    pub(super) fn is_quiet(&self) -> bool {
        self.entries.load(Ordering::SeqCst) == 0
    }

    /// Everything is to be closed: what was given until now opens nothing any more.
    pub(super) fn close(&self) {
        self.closings.fetch_add(1, Ordering::SeqCst);
    }

    /// As of what is given now.
    pub(super) fn wave(&self) -> Wave {
        Wave(self.closings.load(Ordering::SeqCst))
    }

    pub(super) fn halt(&self, why: String) {
        *locked(&self.halted) = Some(why);
    }

    pub(super) fn halted(&self) -> Option<String> {
        locked(&self.halted).clone()
    }

    /// A person has `seen` why it was halted; whether that is still the reason, and nothing holds any more.
    pub(super) fn rearm(&self, seen: Option<&str>) -> bool {
        let mut halted = locked(&self.halted);
        let same = halted.as_deref() == seen;
        if same {
            *halted = None;
        }
        same
    }

    /// Why nothing of this risk, given then, may be sent now, if so.
    pub(super) fn refusal(&self, risk: Risk, given: Wave) -> Option<Failure> {
        if risk != Risk::Increasing {
            return None;
        }
        if self.latches.load(Ordering::SeqCst) > 0 {
            return Some(Failure::local(
                "the desk is getting out: nothing that raises exposure is sent before it is flat",
            ));
        }
        if given != self.wave() {
            return Some(Failure::local(
                "everything was to be closed after it was given",
            ));
        }
        self.halted().map(|why| {
            Failure::local(format!(
                "the desk is HALTED: {why}; nothing that raises exposure is sent before it is re-armed"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halt_that_nobody_has_seen_yet_outlasts_a_rearm() {
        let gate = Gate::default();
        let is_held = || gate.refusal(Risk::Increasing, gate.wave()).is_some();
        gate.halt("it was flattened".to_owned());
        let seen = gate.halted();
        gate.halt("two answers contradict each other".to_owned());
        assert!(!gate.rearm(seen.as_deref()) && is_held());
        assert!(gate.rearm(gate.halted().as_deref()) && !is_held());
    }

    #[test]
    fn what_reduces_exposure_passes_and_is_not_waited_for() {
        let gate = Arc::new(Gate::default());
        gate.halt("it was flattened".to_owned());
        let _latch = gate.latch();
        let _exit = gate.enter(Risk::Reducing);
        assert_eq!(gate.refusal(Risk::Reducing, gate.wave()), None);
        assert!(gate.is_quiet());
        let entry = gate.enter(Risk::Increasing);
        assert!(!gate.is_quiet());
        drop(entry);
        assert!(gate.is_quiet());
    }
}
