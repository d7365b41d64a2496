//! The view of a pane: filter, sort and columns. Kept for the session, columns also for the next.
//!
//! Contract: it changes what is shown, never the data; the selection stays an id. A long list is filtered in portions,
//! one per update; until that is done it stays as it was, and says so.
//! Known limit: an answer that changes such a list meanwhile makes it filter everything at once.
//! Known limit: a list longer than `ALWAYS` is filtered again only when rows come or go, so what time alone changes (an
//! age that passes a limit) waits until then.

pub(crate) mod arrange;
pub(crate) mod fact;
pub(crate) mod filter;
pub(crate) mod flat;
mod picked;
pub(crate) mod sums;
#[cfg(test)]
mod tests;

pub use crate::app::account::pane::Direction;
pub use fact::{ColumnName, Fact, Kind};
pub use filter::{Fault, Filter, columns_starting, find, number};
pub(crate) use picked::Picked;
pub use picked::Sort;
pub use sums::Sums;

use crate::app::account::pane::Pane;
use flat::Filtering;
use std::collections::BTreeMap;

/// Rows of a longer list per update: a key waits a few milliseconds at most.
pub(crate) const PORTION: usize = 2_000;

/// A person's view of a pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableView {
    pub filter: Option<Filter>,
    pub sort: Option<Sort>,
    /// The columns in order; `None` for all in the default order.
    pub columns: Option<Vec<usize>>,
    pub(crate) picked: Option<Picked>,
    /// The running filter of a long list.
    pub(crate) sifting: Option<Filtering>,
    pub(crate) sums: Option<Sums>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableViews(pub(crate) BTreeMap<Pane, TableView>);

impl TableViews {
    pub fn of(&self, pane: Pane) -> Option<&TableView> {
        self.0.get(&pane)
    }

    /// Whether any later update continues with a long list.
    pub fn are_sifting(&self) -> bool {
        self.0
            .values()
            .any(|table_view| table_view.sifting.is_some())
    }

    /// The chosen columns, by pane.
    pub fn columns(&self) -> BTreeMap<Pane, Vec<usize>> {
        let table_views = self.0.iter();
        table_views
            .filter_map(|(pane, table_view)| Some((*pane, table_view.columns.clone()?)))
            .collect()
    }

    /// Applies columns chosen elsewhere or earlier.
    pub fn recall(&mut self, columns: BTreeMap<Pane, Vec<usize>>) {
        for (pane, columns) in columns {
            self.look(pane, Some(columns));
        }
    }

    pub(crate) fn look(&mut self, pane: Pane, columns: Option<Vec<usize>>) {
        self.0.entry(pane).or_default().columns = columns;
    }
}

impl TableView {
    pub(crate) fn picked(&self) -> Option<&[u32]> {
        self.picked.as_ref().map(|picked| picked.places.as_slice())
    }

    /// The display index of the row at this index of the pane's own order, while rows are filtered.
    pub(crate) fn find(&self, at: usize) -> Option<usize> {
        self.picked.as_ref()?.find(u32::try_from(at).ok()?)
    }

    /// How much of a long list has been filtered, in percent, while it runs.
    pub fn sifted(&self) -> Option<usize> {
        self.sifting.as_ref().map(Filtering::percent)
    }

    /// How many rows match; `None` without a filter, and until that is known.
    pub fn hits(&self) -> Option<usize> {
        self.filter.as_ref().filter(|_| self.sifting.is_none())?;
        self.picked.as_ref().map(|picked| picked.hits)
    }

    /// The totals of the matching rows; `None` without a filter, and in panes without totals.
    pub fn sums(&self) -> Option<&Sums> {
        self.sums.as_ref()
    }

    pub(crate) fn picks(&self) -> bool {
        self.filter.is_some() || self.sort.is_some()
    }
}
