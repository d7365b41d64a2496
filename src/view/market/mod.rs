//! The market as words and figures: the chart and the ladder. Names `panels` and below.

pub mod chart;
mod chart_drawn;
pub mod chart_slot;
mod chart_window;
mod checkpoints;
pub mod glyphs;
pub mod indicators;
pub(crate) mod ladder;
mod ladder_flow;
pub(crate) mod ladder_form;
mod ladder_scene;
pub(crate) mod ladder_words;
pub mod overlays;
pub(crate) mod position_strip;
mod profile;
pub mod scale;
pub(crate) mod title;
mod vwap;
pub mod watchlist;
