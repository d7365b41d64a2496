//! How a pane is looked at: which of its rows, in which order, which columns. Kept for the session, columns also for
//! the next.
//!
//! Contract: a lens changes what is shown, never what is known; the selection stays an id through it. A long list is
//! sifted in portions, one an update: until that is over it stands as before, and says so.
//! Known limit: an answer that changes such a list meanwhile has all of it sifted at once.
//! Known limit: the rows of a list longer than `ALWAYS` are sifted anew only when rows have come or gone,
//! so what time alone changes there (an age that passes a limit) waits for the next of those.

pub(crate) mod arrange;
pub(crate) mod fact;
pub(crate) mod filter;
pub(crate) mod flat;
pub(crate) mod sums;
#[cfg(test)]
mod tests;

pub use fact::{ColumnName, Fact, Kind};
pub use filter::{Fault, Filter, begun, find, number};
pub use sums::Sums;

use super::pane::Pane;
use flat::Sifting;
use std::collections::BTreeMap;

/// How many rows of a longer one are read in one update: what a key may wait for is a few milliseconds.
pub(crate) const PORTION: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub column: usize,
    pub direction: Direction,
}

/// What a person has chosen to see of a pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lens {
    pub filter: Option<Filter>,
    pub sort: Option<Sort>,
    /// Which columns, in this order; `None` for all of them in their own.
    pub columns: Option<Vec<usize>>,
    pub(crate) picked: Option<Picked>,
    /// What will be picked of a long list.
    pub(crate) sifting: Option<Sifting>,
    pub(crate) sums: Option<Sums>,
}

/// The rows that are shown, as places in the pane's own order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picked {
    pub(crate) places: Vec<u32>,
    order: flat::Order,
    hits: usize,
    pub(crate) version: u64,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lenses(pub(crate) BTreeMap<Pane, Lens>);

impl Lenses {
    pub fn of(&self, pane: Pane) -> Option<&Lens> {
        self.0.get(&pane)
    }

    /// Whether the next update, whatever it is about, goes on with a long list.
    pub fn are_sifting(&self) -> bool {
        self.0.values().any(|lens| lens.sifting.is_some())
    }

    /// The columns that were chosen, by pane.
    pub fn columns(&self) -> BTreeMap<Pane, Vec<usize>> {
        let lenses = self.0.iter();
        lenses
            .filter_map(|(pane, lens)| Some((*pane, lens.columns.clone()?)))
            .collect()
    }

    /// Chooses what was chosen elsewhere or before.
    pub fn recall(&mut self, columns: BTreeMap<Pane, Vec<usize>>) {
        for (pane, columns) in columns {
            self.look(pane, Some(columns));
        }
    }

    pub(crate) fn look(&mut self, pane: Pane, columns: Option<Vec<usize>>) {
        self.0.entry(pane).or_default().columns = columns;
    }
}

impl Lens {
    pub(crate) fn picked(&self) -> Option<&[u32]> {
        self.picked.as_ref().map(|picked| picked.places.as_slice())
    }

    /// Where the row at this place of the pane's own order is shown, while rows are picked.
    pub(crate) fn find(&self, at: usize) -> Option<usize> {
        self.picked.as_ref()?.find(u32::try_from(at).ok()?)
    }

    /// How much of a long list has been sifted, in percent, while that is not over.
    pub fn sifted(&self) -> Option<usize> {
        self.sifting.as_ref().map(Sifting::percent)
    }

    /// How many rows the filter takes; `None` without a filter, and until that is known.
    pub fn hits(&self) -> Option<usize> {
        self.filter.as_ref().filter(|_| self.sifting.is_none())?;
        self.picked.as_ref().map(|picked| picked.hits)
    }

    /// What the rows that the filter takes come to; `None` without a filter, and where nobody adds them up.
    pub fn sums(&self) -> Option<&Sums> {
        self.sums.as_ref()
    }

    pub(crate) fn picks(&self) -> bool {
        self.filter.is_some() || self.sort.is_some()
    }
}
