//! One market: its feed, book, mark, resting orders and triggers. Names `state`.

pub(crate) mod book;
pub(crate) mod candles;
pub(crate) mod feed;
pub(crate) mod history;
pub(crate) mod mark;
pub(crate) mod market_state;
pub(crate) mod premium;
pub(crate) mod public_book;
pub(crate) mod received;
pub(crate) mod resting;
pub(crate) mod triggers;
