//! The market as words and figures: the chart and the ladder. Names `panels` and below.

pub(crate) mod ladder;
pub(crate) mod ladder_form;
pub(crate) mod ladder_words;
pub(crate) mod title;
