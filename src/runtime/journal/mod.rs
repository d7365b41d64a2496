//! The journal's thread and what is kept beside it: overflow journals, the socket, the record of events. Names `base`.

pub(crate) mod caller_event;
pub(crate) mod callers;
pub(crate) mod earlier;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod journal_set;
pub(crate) mod journal_writer;
pub(crate) mod shared_journal;
pub(crate) mod socket;
