//! Rows that are marked, so that one key acts on all of them.
//!
//! Contract: a mark is an id, never a place. What is marked but not among the rows shown now (gone, or
//! filtered away) is not acted on: nobody could have seen it in the list they acted on.

use super::{pane::Pane, rows::Rows};
use crate::app::account::row_id::RowId;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{Range, RangeInclusive},
};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    marked: BTreeMap<Pane, BTreeSet<RowId>>,
    /// Where a range that still follows the selection began.
    anchor: Option<(Pane, RowId)>,
}

impl Marks {
    /// Whether rows of this pane can be acted on together.
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

    /// Begins a range at `row`, or ends the one under way and keeps what it covers.
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

    /// Marks every row shown; when all of them are, none.
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

    /// Forgets the marks of a pane; whether there were any.
    pub fn clear(&mut self, pane: Pane) -> bool {
        let ranged = self.anchor.take_if(|(of, _)| *of == pane).is_some();
        let marked = self.marked.remove(&pane);
        ranged || marked.is_some_and(|marked| !marked.is_empty())
    }

    /// Where a range that follows the selection began.
    pub(crate) fn anchor(&self, pane: Pane) -> Option<&RowId> {
        let anchor = self.anchor.as_ref().filter(|(of, _)| *of == pane);
        anchor.map(|(_, row)| row)
    }

    /// Forgets the range under way, with nothing of it marked.
    pub(crate) fn end_range(&mut self) {
        self.anchor = None;
    }

    /// Forgets the marks of rows that are not there any more, of `all` rows of the pane.
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

    /// Which of these places are marked, or covered by the range that ends at `selected`.
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

    /// The marked rows that are shown, in the order they are shown.
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
