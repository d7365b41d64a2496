//! One message in, the changed model and the effects out: keys, mouse, command line, arrivals, time. Names all rooms.

pub(crate) mod act;
pub(crate) mod arrival;
pub mod command;
pub mod mouse;
pub(crate) mod press;
pub(crate) mod router;
pub(crate) mod unseen;
pub(crate) mod wake;
