//! The full detail of one row. Names `tables` and `text`.

pub(crate) mod curve;
pub(crate) mod detail;
mod lines;
pub(crate) mod link;
pub(crate) mod order;
pub(crate) mod past;
pub(crate) mod position;
pub(crate) mod refusal;
pub(crate) mod strategy;

use lines::DetailFields;
pub use lines::{DetailLine, DetailLineKind, DetailView};
