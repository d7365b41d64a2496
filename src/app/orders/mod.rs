//! The life of commands: submitted, pending, unknown, moved, in bulk. Names `desk` and the rooms below it.

pub mod amend;
pub mod at_price;
pub(crate) mod bulk;
pub(crate) mod caller;
pub(crate) mod control;
pub(crate) mod doubt;
pub(crate) mod flight;
pub(crate) mod flip;
pub mod moves;
pub(crate) mod of_row;
pub(crate) mod sent;
pub(crate) mod submit;
