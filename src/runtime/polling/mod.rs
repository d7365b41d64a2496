//! Keeps the picture of the account true: one task per source. Names `journal` and below.

pub(crate) mod poller;
