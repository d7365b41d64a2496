//! What is known of the markets themselves: candles, the tape, and what must be polled because it is shown. Names
//! `account` and below.

pub(crate) mod answer;
pub(crate) mod candles;
pub(crate) mod data;
pub(crate) mod tape;
pub(crate) mod wants;
