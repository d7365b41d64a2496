//! What lies over the desk: one panel for each kind of dialog. Names `cells` and `tables`.

pub(super) mod bulk;
pub(super) mod detail;
pub(super) mod form;
pub(super) mod help;
pub(super) mod listed;
pub(super) mod overlays;
pub(super) mod review;
