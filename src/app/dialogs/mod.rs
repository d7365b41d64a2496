//! What lies over the desk (strips, details, charts, exports, the typed line) and what it asks for: `Next` of the app,
//! `Effect` of the world. Names `forms` and below.

pub(crate) mod accounts;
pub(crate) mod bulk;
pub mod caller;
pub(crate) mod chart;
pub(crate) mod columns;
pub(crate) mod detail;
pub(crate) mod effect;
pub mod export;
pub(crate) mod markets;
pub(crate) mod next;
pub mod overlay;
pub mod prompt;
pub mod quality;
pub mod review;
pub(crate) mod strip;
pub mod user_alerts;
