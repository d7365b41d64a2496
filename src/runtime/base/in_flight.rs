//! Reads whose answers are still to come. The answers to one beat of polling are drawn together, as soon as the last of
//! them is there.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts the reads in flight of one account. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct InFlight(Arc<AtomicUsize>);

/// One read in flight, until it is dropped.
#[derive(Debug)]
pub struct ReadGuard(InFlight);

impl InFlight {
    pub fn begin(&self) -> ReadGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        ReadGuard(self.clone())
    }

    pub fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

impl Drop for ReadGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_is_in_flight_until_its_answer_is_there() {
        let reads = InFlight::default();
        let (orders, positions) = (reads.begin(), reads.clone().begin());
        drop(orders);
        assert!(!reads.is_none());
        drop(positions);
        assert!(reads.is_none());
    }
}
