//! Clocks, jitter, locks, and the channels between the loop and its accounts. Names no other room.

pub(crate) mod clock;
pub(crate) mod inboxes;
pub(crate) mod jitter;
pub(crate) mod lock;
