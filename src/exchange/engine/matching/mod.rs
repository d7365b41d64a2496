//! The life of an order: checked, placed, filled, ended. Names `risk` and the rooms below it.

pub(crate) mod close;
pub(crate) mod delay;
pub(crate) mod enter;
pub(crate) mod estimate;
pub(crate) mod fill;
pub(crate) mod maker;
pub(crate) mod modify;
pub(crate) mod orders;
pub(crate) mod place;
pub(crate) mod received;
pub(crate) mod trade;
pub(crate) mod validate;
pub(crate) mod walk;
