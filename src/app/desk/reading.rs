//! How the columns of the panes read.

use crate::app::{
    desk::model::Model,
    tables::{
        lens::fact::{ColumnName, Fact},
        pane::Pane,
    },
};
use std::ptr::fn_addr_eq;

/// What a row says in a column; the row by its place in the pane's own order, the column by its number.
pub(crate) type Read = fn(&Model, Pane, usize, usize) -> Fact;

/// How the columns of the panes read. Their tables are the view's, which the app does not know: whoever makes
/// a desk hands this in.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The columns of a pane, in their own order.
    pub columns: fn(Pane) -> Vec<ColumnName>,
    /// What the row at this place (before filter and sort) says in the n-th column.
    pub fact: Read,
    /// Everything in the row at this place that is words: its cells and its id, in lower case.
    pub words: fn(&Model, Pane, usize) -> String,
    /// The numbers of the row at this place as its cells show them, without thousands separators.
    pub numbers: fn(&Model, Pane, usize) -> String,
}

/// By what they read with.
impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        fn_addr_eq(self.columns, other.columns)
            && fn_addr_eq(self.fact, other.fact)
            && fn_addr_eq(self.words, other.words)
            && fn_addr_eq(self.numbers, other.numbers)
    }
}
