//! What a market has traded at as far as this desk has seen: the marks polled since it was opened and the
//! account's own fills. No documented operation tells past prices; what is between two points is not known.

use crate::model::{Num, Order, OrderId, Side, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// More marks than this are thinned to half, so that a whole day stays at hand.
const MARKS: usize = 4_096;
/// The newest own fills of a market.
const FILLS: usize = 2_048;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prices {
    /// By time, the newest last.
    pub marks: VecDeque<(Timestamp, Num)>,
    /// Milliseconds that lie between two marks at least.
    step: i64,
    fills: BTreeMap<(Timestamp, OrderId), Fill>,
}

/// One of the account's own fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    pub at: Timestamp,
    pub price: Num,
    /// `None` for a word nobody has heard of.
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

    /// Takes in an order that has filled at a known time and price; the same one again changes nothing.
    pub fn fill(&mut self, order: &Order) {
        let Some((at, price)) = order.settled_at.zip(order.fill_price) else {
            return;
        };
        let side = order.side.known();
        let fill = Fill { at, price, side };
        self.fills.insert((at, order.id.clone()), fill);
        if self.fills.len() > FILLS {
            self.fills.pop_first();
        }
    }

    /// Since `from`, the oldest first.
    pub fn marks_since(&self, from: Timestamp) -> impl Iterator<Item = (Timestamp, Num)> {
        let first = self.marks.partition_point(|(at, _)| *at < from);
        self.marks.range(first..).copied()
    }

    /// The oldest first.
    pub fn fills(&self) -> impl DoubleEndedIterator<Item = Fill> {
        self.fills.values().copied()
    }

    /// Marks and fills since `from`, the oldest first.
    pub fn points(&self, from: Timestamp) -> Vec<(Timestamp, Num)> {
        let marks = self.marks.iter().copied();
        let fills = self.fills().map(|fill| (fill.at, fill.price));
        let mut points: Vec<_> = marks.chain(fills).filter(|(at, _)| *at >= from).collect();
        points.sort_by_key(|(at, _)| *at);
        points
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
    }
}
