//! The panes and what they list: which rows, in which order and columns, which one is meant. Names `activity` and below.

pub mod lens;
pub mod marks;
pub mod pane;
pub(crate) mod rows;
pub(crate) mod tree;
