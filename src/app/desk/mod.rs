//! One account's desk and all accounts of it: the model, what comes in and what goes out. Names `dialogs` and below.

pub(crate) mod cursor;
pub(crate) mod fleet;
pub(crate) mod freeze;
pub(crate) mod model;
pub(crate) mod more_rows;
pub(crate) mod msg;
pub(crate) mod options;
pub mod renewal;
pub mod tour;
