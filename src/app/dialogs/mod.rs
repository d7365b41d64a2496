//! Panels over the desk (strips, details, charts, exports, the command line) and their requests to the app, `Next`.
//! Names `forms` and the rooms below it.

pub(crate) mod accounts;
pub(crate) mod bulk;
pub(crate) mod columns;
pub(crate) mod detail;
pub mod export;
pub mod glossary;
pub(crate) mod markets;
pub(crate) mod next;
pub mod overlay;
pub mod prompt;
pub mod quality;
pub mod review;
pub(crate) mod search;
pub(crate) mod strip;
pub mod user_alerts;
