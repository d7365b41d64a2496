//! The prices of a market that this desk has seen: polled marks since it was opened, and the account's own fills.
//! Between two points the price is unknown.

use crate::model::{Num, Order, OrderId, Side, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// More marks are thinned to half, so that a whole day fits.
const MARKS: usize = 4_096;
/// The most own fills of a market.
const FILLS: usize = 2_048;
/// A gap between two marks of more than this many steps is a hole, if it is longer than [`NO_HOLE`].
const GAP_STEPS: i64 = 4;
/// Milliseconds: a desk that briefly shows another account polls less often.
const NO_HOLE: i64 = 15_000;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prices {
    /// By time, newest last.
    pub marks: VecDeque<(Timestamp, Num)>,
    /// The least milliseconds between two marks.
    step: i64,
    fills: BTreeMap<(Timestamp, OrderId), Fill>,
}

/// One of the account's own fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    pub at: Timestamp,
    pub price: Num,
    /// `None` for an unknown word.
    pub side: Option<Side>,
}

impl Prices {
    pub fn mark(&mut self, at: Timestamp, price: Num) {
        if let Some((last, _)) = self.marks.back()
            && at.0.saturating_sub(last.0) < self.step.max(1)
        {
            return;
        }
        self.marks.push_back((at, price));
        if self.marks.len() > MARKS {
            self.thin();
        }
    }

    /// Adds an order's fill with a known time and price; repeating it changes nothing.
    pub fn fill(&mut self, order: &Order) {
        let Some((at, price)) = order.settled_at.zip(order.fill_price) else {
            return;
        };
        let side = order.side.known();
        let fill = Fill { at, price, side };
        // The last part of an order and the order itself are one fill; the part has the precise price.
        let whole = order.partial_of_order_id.as_ref();
        let name = whole.unwrap_or(&order.id).clone();
        let known = self.fills.entry((at, name)).or_insert(fill);
        if whole.is_some() {
            *known = fill;
        }
        if self.fills.len() > FILLS {
            self.fills.pop_first();
        }
    }

    /// Since `from`, oldest first.
    pub fn marks_since(&self, from: Timestamp) -> impl Iterator<Item = (Timestamp, Num)> {
        let first = self.marks.partition_point(|(at, _)| *at < from);
        self.marks.range(first..).copied()
    }

    /// Oldest first.
    pub fn fills(&self) -> impl DoubleEndedIterator<Item = Fill> {
        self.fills.values().copied()
    }

    /// Marks and fills since `from`, oldest first.
    pub fn points(&self, from: Timestamp) -> Vec<(Timestamp, Num)> {
        let marks = self.marks.iter().copied();
        let fills = self.fills().map(|fill| (fill.at, fill.price));
        let mut points: Vec<_> = marks.chain(fills).filter(|(at, _)| *at >= from).collect();
        points.sort_by_key(|(at, _)| *at);
        points
    }

    /// The marks since `from` in runs without a hole.
    pub fn runs(&self, from: Timestamp) -> Vec<Vec<(Timestamp, Num)>> {
        let marks: Vec<_> = self.marks_since(from).collect();
        let most = self.longest_step(&marks);
        let in_a_row = |one: &(Timestamp, _), next: &(Timestamp, _)| next.0.0 - one.0.0 <= most;
        marks.chunk_by(in_a_row).map(<[_]>::to_vec).collect()
    }

    /// Whether there is data before that.
    pub fn reaches_beyond(&self, from: Timestamp) -> bool {
        let mark = self.marks.front().map(|(at, _)| *at);
        let fill = self.fills.first_key_value().map(|((at, _), _)| *at);
        mark.into_iter().chain(fill).any(|at| at < from)
    }

    /// The longest gap in milliseconds that is no hole: a few of the usual steps between these marks.
    fn longest_step(&self, marks: &[(Timestamp, Num)]) -> i64 {
        let pairs = marks.iter().zip(marks.iter().skip(1));
        let mut steps: Vec<_> = pairs.map(|(one, next)| next.0.0 - one.0.0).collect();
        steps.sort_unstable();
        let usual = steps.get(steps.len() / 2).copied().unwrap_or_default();
        usual.max(self.step).saturating_mul(GAP_STEPS).max(NO_HOLE)
    }

    fn thin(&mut self) {
        let mut at = 0_usize;
        self.marks.retain(|_| {
            at += 1;
            at % 2 == 1
        });
        let (first, last) = (self.marks.front(), self.marks.back());
        if let Some(((first, _), (last, _))) = first.zip(last) {
            let gaps = i64::try_from(self.marks.len().saturating_sub(1).max(1)).unwrap_or(i64::MAX);
            self.step = last.0.saturating_sub(first.0) / gaps;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_session_keeps_its_whole_span_in_fewer_marks() {
        let mut prices = Prices::default();
        for second in 0..40_000_i64 {
            prices.mark(Timestamp(second * 1_000), Num::from(second));
        }
        assert!(prices.marks.len() <= MARKS, "{}", prices.marks.len());
        assert_eq!(prices.marks.front(), Some(&(Timestamp(0), Num::ZERO)));
        let (newest, _) = prices.marks.back().unwrap();
        assert!(newest.0 > 39_900_000, "{newest:?}");
        assert_eq!(prices.runs(Timestamp(0)).len(), 1);
    }

    #[test]
    fn a_time_in_which_no_mark_was_read_is_a_hole() {
        let mut prices = Prices::default();
        for second in (0..30_i64).chain(330..360) {
            prices.mark(Timestamp(second * 1_000), Num::from(second));
        }
        let runs = prices.runs(Timestamp(10_000));
        assert_eq!(runs.iter().map(Vec::len).collect::<Vec<_>>(), [20, 30]);
        assert!(prices.reaches_beyond(Timestamp(10_000)));
        assert!(!prices.reaches_beyond(Timestamp(0)));
        assert_eq!(Prices::default().runs(Timestamp(0)), Vec::<Vec<_>>::new());
    }
}
