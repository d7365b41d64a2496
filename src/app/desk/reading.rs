//! How the columns of the panes are read.

use crate::app::{
    desk::model::Model,
    tables::{
        pane::Pane,
        table_view::fact::{ColumnName, Fact},
    },
};
use std::ptr::fn_addr_eq;

/// A row's value in a column; the row by its index in the pane's own order, the column by its number.
pub(crate) type Read = fn(&Model, Pane, usize, usize) -> Fact;

/// How the columns of the panes are read. The tables belong to the view, which the app does not name: the creator of a
/// desk passes this in.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The columns of a pane, in the default order.
    pub columns: fn(Pane) -> Vec<ColumnName>,
    /// The value of the row at this index (before filter and sort) in the n-th column.
    pub fact: Read,
    /// All words of the row at this index: its cells and its id, in lower case.
    pub words: fn(&Model, Pane, usize) -> String,
    /// The numbers of the row at this index as displayed, without thousands separators.
    pub numbers: fn(&Model, Pane, usize) -> String,
}

/// Compares the functions.
impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        fn_addr_eq(self.columns, other.columns)
            && fn_addr_eq(self.fact, other.fact)
            && fn_addr_eq(self.words, other.words)
            && fn_addr_eq(self.numbers, other.numbers)
    }
}
