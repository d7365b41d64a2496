//! The checks of an order before it is sent, and the blocks on new entries. Names `desk` and the rooms below it.

pub mod checks;
pub mod guard;
pub mod halt;
pub(crate) mod idle;
pub(crate) mod policy;
pub mod warnings;
