//! Polls the account and the market: one task per source. Names `journal` and the rooms below it.

pub(crate) mod poller;
