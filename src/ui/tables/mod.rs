//! Panes and tables: which rows and columns are visible, and where. Names `cells`.

pub(super) mod cards;
pub(super) mod chart;
pub(super) mod fit;
pub(super) mod pane;
mod pane_rows;
pub(super) mod pane_view;
pub(super) mod table;
pub(super) mod window;
