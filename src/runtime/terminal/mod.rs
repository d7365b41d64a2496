//! The terminal: taken and given back, keys read, frames written. Names `base`.

pub(crate) mod area;
pub(crate) mod drawing;
pub(crate) mod escape;
pub(crate) mod frame;
pub(crate) mod input;
pub(crate) mod mouse;
pub(crate) mod painter;
pub(crate) mod screen_mode;
pub(crate) mod signals;
