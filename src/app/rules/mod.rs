//! The checks of an order before it is sent, and the blocks on new entries. Names `core` and the rooms below it.

pub mod checks;
pub mod guard;
pub mod halt;
pub(crate) mod objection;
pub(crate) mod policy;
pub mod warnings;
