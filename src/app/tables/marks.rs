//! Marked rows, so that one key acts on all of them.
//!
//! Contract: a mark is an id, never an index. A marked row that is not shown (gone, or filtered out) is not acted on:
//! nobody could have seen it in the list.

use super::rows::Rows;
use crate::app::account::{pane::Pane, row_id::RowId};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{Range, RangeInclusive},
};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    marked: BTreeMap<Pane, BTreeSet<RowId>>,
    /// The start of a range that follows the selection.
    anchor: Option<(Pane, RowId)>,
}

impl Marks {
    /// Whether rows of this pane can be marked.
    pub fn reach(pane: Pane) -> bool {
        matches!(
            pane,
            Pane::Positions | Pane::Orders | Pane::Twaps | Pane::Scaled
        )
    }

    pub fn toggle(&mut self, pane: Pane, row: RowId) {
        let marked = self.marked.entry(pane).or_default();
        if !marked.remove(&row) {
            marked.insert(row);
        }
    }

    /// Starts a range at `row`, or ends the current one and keeps its rows.
    pub fn range(&mut self, pane: Pane, rows: &Rows<'_>, row: RowId) {
        let covered = self.covered(pane, rows, rows.position(&row));
        match covered {
            Some(places) => {
                let rows = rows.at(*places.start()..places.end().saturating_add(1));
                self.marked.entry(pane).or_default().extend(rows);
                self.anchor = None;
            }
            None => self.anchor = Some((pane, row)),
        }
    }

    /// Marks every shown row; if all are marked, unmarks them.
    pub fn all(&mut self, pane: Pane, rows: &Rows<'_>) {
        let every: BTreeSet<_> = rows.at(0..rows.len()).into_iter().collect();
        let marked = self.marked.entry(pane).or_default();
        if every.is_subset(marked) {
            marked.clear();
        } else {
            marked.extend(every);
        }
        self.anchor = None;
    }

    /// Clears the marks of a pane; returns whether there were any.
    pub fn clear(&mut self, pane: Pane) -> bool {
        let ranged = self.anchor.take_if(|(of, _)| *of == pane).is_some();
        let marked = self.marked.remove(&pane);
        ranged || marked.is_some_and(|marked| !marked.is_empty())
    }

    /// The start of a range that follows the selection.
    pub(crate) fn anchor(&self, pane: Pane) -> Option<&RowId> {
        let anchor = self.anchor.as_ref().filter(|(of, _)| *of == pane);
        anchor.map(|(_, row)| row)
    }

    /// Drops the current range and its rows.
    pub(crate) fn end_range(&mut self) {
        self.anchor = None;
    }

    /// Drops the marks of rows that are no longer among `all` rows of the pane.
    pub(crate) fn prune(&mut self, pane: Pane, all: &Rows<'_>) {
        if let Some(marked) = self.marked.get_mut(&pane) {
            marked.retain(|row| all.position(row).is_some());
        }
    }

    /// Whether any row is marked, shown or not.
    pub(crate) fn any(&self, pane: Pane) -> bool {
        self.marked.get(&pane).is_some_and(|rows| !rows.is_empty())
    }

    /// Whether a range follows the selection.
    pub fn is_ranging(&self, pane: Pane) -> bool {
        self.anchor.as_ref().is_some_and(|(of, _)| *of == pane)
    }

    /// Which of these indexes are marked, or within the range that ends at `selected`.
    pub fn among(
        &self,
        pane: Pane,
        rows: &Rows<'_>,
        selected: Option<usize>,
        places: Range<usize>,
    ) -> Vec<usize> {
        let marked = self.marked.get(&pane).filter(|rows| !rows.is_empty());
        let covered = self.covered(pane, rows, selected);
        if marked.is_none() && covered.is_none() {
            return vec![];
        }
        let is_marked = |at| {
            marked
                .zip(rows.get(at))
                .is_some_and(|(m, row)| m.contains(&row))
        };
        let is_covered = |at| covered.as_ref().is_some_and(|places| places.contains(&at));
        let places = places.filter(|at| is_covered(*at) || is_marked(*at));
        places.collect()
    }

    /// The marked rows that are shown, in their order.
    pub fn rows(&self, pane: Pane, rows: &Rows<'_>, selected: Option<usize>) -> Vec<RowId> {
        let places = self.among(pane, rows, selected, 0..rows.len());
        places.into_iter().filter_map(|at| rows.get(at)).collect()
    }

    fn covered(
        &self,
        pane: Pane,
        rows: &Rows<'_>,
        selected: Option<usize>,
    ) -> Option<RangeInclusive<usize>> {
        let (_, anchor) = self.anchor.as_ref().filter(|(of, _)| *of == pane)?;
        let (from, to) = (rows.position(anchor)?, selected?);
        Some(from.min(to)..=from.max(to))
    }
}
