//! Virtual time: one step of it, the whole engine as bytes, and what a service may read. Names all rooms.

pub(crate) mod checkpoint;
pub(crate) mod history;
pub(crate) mod history_checkpoint;
pub(crate) mod read;
pub(crate) mod step;
