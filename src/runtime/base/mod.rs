//! Clocks, jitter, locks, reads in flight, and the channels between the loop and its accounts. Names no other room.

pub(crate) mod clock;
pub(crate) mod in_flight;
pub(crate) mod inboxes;
pub(crate) mod jitter;
pub(crate) use crate::client::lock;
pub(crate) mod process;
