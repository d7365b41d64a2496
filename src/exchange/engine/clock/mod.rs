//! Virtual time: a step, checkpoints, moving an engine in time, dropping what is over, and the reads of the service. Names all rooms.

pub(crate) mod checkpoint;

pub(crate) mod history_checkpoint;
pub(crate) mod prune;
pub(crate) mod read;
pub(crate) mod receive;
pub(crate) mod step;
pub(crate) mod time_shift;
