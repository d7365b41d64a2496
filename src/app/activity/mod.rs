//! What happened, as lines that are written once: notices, earlier sessions, alerts and what has been reported of them,
//! the trader's own alerts.
//! Names `account` and below.

pub(crate) mod alerts;
pub mod earlier;
pub mod notice;
pub mod user_alerts;
