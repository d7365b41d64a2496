//! Polls the account and the market, one task per source, and listens to the streams of both. Names `journal` and the rooms below it.

mod cover;
pub(crate) mod market_reads;
pub(crate) mod poller;
pub(crate) mod streams;
