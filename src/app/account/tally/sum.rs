//! Sums of exact decimals.

use crate::model::Num;

/// A sum that becomes unknown on overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum(pub(super) Option<Num>);

impl Default for Sum {
    fn default() -> Self {
        Self(Some(Num::ZERO))
    }
}

impl Sum {
    pub fn value(self) -> Option<Num> {
        self.0
    }

    pub(crate) fn add(&mut self, part: Num) {
        self.0 = self.0.and_then(|sum| sum.plus(part));
    }

    pub(super) fn over(self, count: usize) -> Option<Num> {
        self.0?.over(Num::from(u32::try_from(count).ok()?))
    }
}

pub(super) fn join<const COUNTS: usize, const SUMS: usize>(
    counts: [(&mut usize, usize); COUNTS],
    sums: [(&mut Sum, Sum); SUMS],
) {
    for (own, others) in counts {
        *own = own.saturating_add(others);
    }
    for (own, Sum(others)) in sums {
        own.0 = own.0.zip(others).and_then(|(a, b)| a.plus(b));
    }
}
