//! The journal's thread, the overflow journals, the socket for verbs and second desks, earlier sessions, exports and
//! the event log. Names `base`.

pub(crate) mod caller_event;
pub(crate) mod callers;
pub(crate) mod earlier;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod journal_set;
pub(crate) mod journal_writer;
pub(crate) mod shared_journal;
pub(crate) mod socket;
pub(crate) mod wire_request;
