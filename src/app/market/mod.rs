//! Market data (candles, trades), what must be polled for the screen, and the state of the market panels. Names
//! `account`.

pub(crate) mod answer;
pub mod book_state;
pub(crate) mod candles;
pub(crate) mod chart;
pub mod chart_lines;
pub(crate) mod data;
pub mod depth;
pub mod market_spot;
pub mod one_key;
pub mod own_orders;
pub(crate) mod poll;
pub mod price_ladder;
pub mod queue_place;
pub(crate) mod screen;
pub(crate) mod streamed;
pub(crate) mod tape;
pub mod two_charts;
pub(crate) mod wanted_data;
pub mod watched;
pub mod width_tier;
