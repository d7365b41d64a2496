//! What happened, as lines that are written once: notices, earlier sessions, alerts. Names `account` and below.

pub(crate) mod about;
pub(crate) mod alerts;
pub mod earlier;
pub mod notice;
