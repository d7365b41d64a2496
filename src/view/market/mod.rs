//! The market as words and figures: the chart and the ladder. Names `panels` and below.

pub(crate) mod title;
