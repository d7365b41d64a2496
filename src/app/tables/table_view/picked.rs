//! The rows that a filter and a sort leave, and their order.

use super::fact::Fact;
use crate::app::account::{feed::Shift, pane::Direction};
use std::{cmp::Ordering, collections::VecDeque};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub column: usize,
    pub direction: Direction,
}

/// The shown rows, as indexes in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picked {
    pub(crate) places: Vec<u32>,
    pub(super) order: Order,
    pub(super) hits: usize,
    pub(crate) version: u64,
}

/// The order of the shown rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Order {
    /// The pane's own.
    Own,
    By(Keys),
    /// Families by a column: rows cannot be found directly.
    Families,
}

/// The sort value of each shown row, in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keys {
    facts: VecDeque<Fact>,
    sort: Sort,
}

impl Keys {
    /// Equal rows keep their own order.
    pub(super) fn order(&self, a: u32, b: u32) -> Ordering {
        let fact = |at: u32| self.facts.get(usize::try_from(at).ok()?);
        let ordering = match (fact(a), fact(b)) {
            (Some(a), Some(b)) => compare(a, b, self.sort.direction),
            (None, _) | (_, None) => Ordering::Equal,
        };
        ordering.then(a.cmp(&b))
    }

    pub(super) fn unread(count: usize, sort: Sort) -> Self {
        Self {
            facts: std::iter::repeat_n(Fact::Unknown, count).collect(),
            sort,
        }
    }

    /// The value of this row, by the column that is sorted by.
    pub(super) fn read(&mut self, at: u32, value: impl FnOnce(usize, usize) -> Fact) {
        let place = usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(fact) = self.facts.get_mut(place) {
            *fact = value(place, self.sort.column);
        }
    }

    pub(super) fn shift(&mut self, shift: Shift) {
        match shift {
            Shift::Top { left, came, kept } => {
                self.facts.drain(..left.min(self.facts.len()));
                for _ in 0..came {
                    self.facts.push_front(Fact::Unknown);
                }
                self.facts.truncate(kept);
            }
            Shift::Below { came } => {
                let count = self.facts.len() + came;
                self.facts.resize(count, Fact::Unknown);
            }
        }
    }
}

impl Picked {
    /// The display index of the row at this index of the pane's own order.
    pub(crate) fn find(&self, at: u32) -> Option<usize> {
        match &self.order {
            Order::Own => self.places.binary_search(&at).ok(),
            Order::By(keys) => {
                let found = self.places.binary_search_by(|place| keys.order(*place, at));
                found.ok()
            }
            Order::Families => self.places.iter().position(|place| *place == at),
        }
    }
}

/// Unknown values come last in either direction, and before them words among numbers.
pub(super) fn compare(a: &Fact, b: &Fact, direction: Direction) -> Ordering {
    let class = |fact: &Fact| match fact {
        Fact::Number(_) | Fact::Code(..) | Fact::Span(_) | Fact::Moment(_) => 0,
        Fact::Words(_) => 1,
        Fact::Unknown => 2,
    };
    let within = match direction {
        Direction::Ascending => a.compare(b),
        Direction::Descending => b.compare(a),
    };
    class(a).cmp(&class(b)).then(within)
}
