//! The panes and what they list: which rows, in which order and columns, and what a place of the screen is for. Names
//! `activity` and below.

pub mod lens;
pub mod marks;
pub mod pane;
pub(crate) mod rows;
pub(crate) mod seen;
pub mod spot;
