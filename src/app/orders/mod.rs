//! The life of commands: submitted, pending, unknown, moved, in bulk. Names `desk` and the rooms below it.

pub mod at_price;
pub(crate) mod brackets;
pub(crate) mod bulk;
pub(crate) mod control;
pub(crate) mod doubt;
pub(crate) mod flip;
pub mod moves;
pub(crate) mod of_row;
pub(crate) mod pending;
pub(crate) mod send;
pub(crate) mod sent;
pub(crate) mod submit;
pub(crate) mod trailing;
