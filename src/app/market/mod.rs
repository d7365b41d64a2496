//! What is known of the markets themselves: candles, the tape, what must be polled because it is shown; and what the
//! screen shows of them. Names `account` and below.

pub(crate) mod answer;
pub mod book_state;
pub(crate) mod candles;
pub(crate) mod chart;
pub(crate) mod data;
pub mod depth;
pub mod ladder_spot;
pub mod one_key;
pub mod own_orders;
pub(crate) mod poll;
pub mod price_ladder;
pub(crate) mod screen;
pub(crate) mod tape;
pub(crate) mod wants;
pub mod width_tier;
