//! The terminal: taking and restoring it, reading keys, writing frames. Names `base`.

pub(crate) mod area;
pub(crate) mod drawing;
mod encode;
pub(crate) mod escape;
pub(crate) mod frame;
pub(crate) mod input;
pub(crate) mod mouse;
pub(crate) mod painter;
pub(crate) mod screen_mode;
pub(crate) mod shown_screen;
pub(crate) mod signals;
