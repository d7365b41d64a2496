//! The prices of a market that this desk has seen: polled marks since it was opened, and the account's own fills.
//! Between two points the price is unknown.

use crate::model::{Num, Order, OrderId, Side, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// More marks are thinned to half, so that a whole day fits.
const MARKS: usize = 4_096;
/// The most own fills of a market.
const FILLS: usize = 2_048;

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

    /// Whether an own fill was at this price and instant.
    pub(crate) fn has_fill(&self, at: Timestamp, price: Num) -> bool {
        let from = (at, OrderId::from(""));
        let mut then = self.fills.range(from..).take_while(|(key, _)| key.0 == at);
        then.any(|(_, fill)| fill.price == price)
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
        let since = prices.marks_since(Timestamp(39_000_000)).next().unwrap();
        assert!(since.0.0 < 39_100_000, "{since:?}");
    }
}
