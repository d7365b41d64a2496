//! The rows of every pane, in display order.

use super::{
    all_rows::{self, All},
    table_view::{TableView, TableViews},
};
use crate::app::{
    account::{pane::Pane, row_id::RowId, store::Store},
    activity::notice::Activity,
};
use std::ops::Range;

/// A pane's rows in display order: the view draws them and the keys move along them.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    all: All<'a>,
    pub table_view: Option<&'a TableView>,
}

/// The same from the model's parts, for code that changes the rest of the model.
pub(crate) fn rows<'a>(
    store: &'a Store,
    activity: &Activity,
    table_views: &'a TableViews,
    pane: Pane,
) -> Rows<'a> {
    Rows {
        all: all_rows::all(store, activity, pane),
        table_view: table_views.of(pane),
    }
}

impl Rows<'_> {
    pub fn len(&self) -> usize {
        self.picked().map_or_else(|| self.all.len(), <[u32]>::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at this index.
    pub fn get(&self, at: usize) -> Option<RowId> {
        self.all.get(self.place(at)?)
    }

    /// The index of a row, if it is here.
    pub fn position(&self, row: &RowId) -> Option<usize> {
        let at = self.all.position(row)?;
        match self.table_view.filter(|_| self.picked().is_some()) {
            Some(table_view) => table_view.find(at),
            None => Some(at),
        }
    }

    /// The rows at these indexes.
    pub fn at(&self, places: Range<usize>) -> Vec<RowId> {
        places.map_while(|at| self.get(at)).collect()
    }

    /// The indexes in the pane's own order of the rows at `range`.
    pub fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        range.map_while(|at| self.place(at))
    }

    fn place(&self, at: usize) -> Option<usize> {
        match self.picked() {
            Some(picked) => usize::try_from(*picked.get(at)?).ok(),
            None => (at < self.all.len()).then_some(at),
        }
    }

    fn picked(&self) -> Option<&[u32]> {
        self.table_view?.picked()
    }
}
