//! What an order must keep to before it leaves, and what stops all new risk. Names `desk` and below.

pub mod checks;
pub mod guard;
pub mod halt;
pub(crate) mod idle;
pub mod second;
pub mod warnings;
