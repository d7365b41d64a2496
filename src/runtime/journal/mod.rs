//! The journal's thread, earlier sessions, exports and the event log. Names `base`.

pub(crate) mod earlier;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod journal_writer;
pub(crate) mod shared_journal;
