//! The retry quota: an outage must not cause a storm of retries.

use std::sync::atomic::{AtomicU32, Ordering};

/// The quota at the start, and its maximum.
const WHOLE: u32 = 100;
/// Cost of a retry, and refund for each accepted command.
const PRICE: u32 = 10;

/// The retry quota of `docs/delivery.md 5.3`: commands that raise exposure share it; closes and cancels are exempt.
#[derive(Debug)]
pub(super) struct RetryQuota(AtomicU32);

impl Default for RetryQuota {
    fn default() -> Self {
        Self(AtomicU32::new(WHOLE))
    }
}

impl RetryQuota {
    /// Pays for one retry; `false` if too little is left.
    pub(super) fn spend(&self) -> bool {
        self.change(|left| left.checked_sub(PRICE))
    }

    pub(super) fn earn(&self) {
        self.change(|left| Some((left + PRICE).min(WHOLE)));
    }

    fn change(&self, to: impl FnMut(u32) -> Option<u32>) -> bool {
        let changed = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, to);
        changed.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_retries_in_vain_are_all_there_are_and_each_success_brings_one_back() {
        let quota = RetryQuota::default();
        let spent = (0..1_000).filter(|_| quota.spend()).count();
        assert_eq!(spent, 10);
        quota.earn();
        assert_eq!([quota.spend(), quota.spend()], [true, false]);
        for _ in 0..1_000 {
            quota.earn();
        }
        assert_eq!((0..1_000).filter(|_| quota.spend()).count(), 10);
    }
}
